//! Ctrl-C, SIGTERM and SIGHUP: an iterating fit is kept, everything else ends at once, nothing stays half-written.
#![cfg(unix)]

use crate::program;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use program::{Done, Place, names_in};

/// Signals and the exit codes that a shell expects. Under nohup, SIGHUP is not for us.
fn signals() -> Vec<(&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let hup_ignored =
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|m| m & 1 == 1);
    let mut signals = vec![("INT", 130), ("TERM", 143)];
    signals.extend((!hup_ignored).then_some(("HUP", 129)));
    signals
}

struct Running {
    line: String,
    child: Child,
}

impl Running {
    /// Standard input stays open, so that a program that reads goes on reading.
    fn start(place: &Place, line: &str) -> Self {
        let mut command = place.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { line: line.into(), child: command.spawn().unwrap() }
    }

    /// Waits until something is to be seen; the program must still run then.
    fn until(mut self, event: impl Fn() -> bool) -> Self {
        while !event() {
            assert_eq!(self.child.try_wait().unwrap(), None, "{} was over too soon", self.line);
            sleep(Duration::from_millis(1));
        }
        self
    }

    fn signal(self, name: &str) -> Self {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        self
    }

    fn end(mut self) -> Done {
        let input = self.child.stdin.take();
        let output = self.child.wait_with_output().unwrap();
        drop(input);
        Done::new(&self.line, &output)
    }
}

/// Temporary files of a fit that has begun to write.
fn parts(place: &Place, folder: &str) -> usize {
    let Ok(entries) = fs::read_dir(place.path(folder)) else { return 0 };
    entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(".emmf-")).count()
}

/// A fit that has ended and cannot write its page, as nobody reads the pipe; its other files are waiting for it.
fn fit_before_the_page(place: &Place) -> Running {
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    let line = "fit x.csv -k 2 --max-iter 2 --out result --report=pipe --json";
    Running::start(place, line).until(|| parts(place, "result") >= 2)
}

#[test]
fn promise_08_before_the_first_iteration_every_signal_ends_a_fit_at_once() {
    for (name, code) in signals() {
        let place = Place::with_data();
        let before = place.names();
        for line in [
            // A start by k-means that never ends: one along a graph would be over before a signal that is late.
            "fit x.csv -k 2 --method emmf --init-restarts 1000000000 --out result --json",
            "fit - -k 2 --out new/result --json",
        ] {
            let out = if line.contains("new") { "new/result" } else { "result" };
            let fit = Running::start(&place, line).until(|| place.path(out).exists());
            let done = fit.signal(name).end();
            let message = "interrupted before the first iteration; nothing was written\n";
            assert_eq!((done.code, done.stderr.as_str()), (Some(code), message), "{name} {line}");
            assert_eq!((done.stdout.as_str(), place.names()), ("", before.clone()), "{name} {line}");
        }
    }
}

#[test]
fn promise_08_every_signal_ends_a_bench_whose_runs_are_kept() {
    for (name, code) in signals() {
        let place = Place::new();
        place.run("synth rays --samples 60 --features 8 -k 3 --outliers 0 --seed 1 --out rays.npz").ok();
        place.write(
            "mine.toml",
            "name = \"mine\"\ntitle = \"Many\"\ndata = [\"rays.npz\"]\nseeds = 1000000\n[[method]]\nlabel = \"EMMF\"\nspec = { method = \"emmf\" }\n",
        );
        let results = place.path("out/mine/results.csv");
        let lines = || fs::read_to_string(&results).map_or(0, |text| text.lines().count());
        let bench = Running::start(&place, "bench mine.toml --out out --quiet").until(|| lines() > 10);
        let done = bench.signal(name).end();
        let last = "interrupted; completed runs are kept, --resume continues from them\n";
        assert_eq!((done.code, done.stderr.as_str()), (Some(code), last));
        assert!(lines() > 10);
        assert_eq!(names_in(&place.path("out/mine")), ["results.csv"]);
    }
}

#[test]
fn promise_08_a_file_above_the_limit_is_an_error_and_leaves_nothing() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --max-iter 2 --out result").ok();
    let before = (place.names(), names_in(&place.path("result")), place.read("result/record.json"));
    for line in
        ["synth rays --samples 9000 --out big.csv", "fit x.csv -k 2 --max-iter 9000 --tol 0 --out result"]
    {
        let limited = format!("ulimit -f 8; exec \"$0\" {line}");
        let mut command = Command::new("sh");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_emmf")]).current_dir(place.path(""));
        Done::new(line, &command.output().unwrap()).refused(&["too large", "ulimit -f"]);
        let after = (place.names(), names_in(&place.path("result")), place.read("result/record.json"));
        assert!(after == before, "{line}");
    }
}

#[test]
fn promise_08_what_kill_9_left_is_removed_by_the_next_run() {
    let place = Place::with_data();
    fit_before_the_page(&place).signal("KILL").end();
    assert!(parts(&place, "result") >= 2);
    place.run("fit x.csv -k 2 --max-iter 2 --out result").ok();
    assert_eq!(names_in(&place.path("result")), program::RESULTS);
}

#[test]
fn promise_07_two_programs_with_one_folder_do_not_mix() {
    let place = Place::with_data();
    let first = fit_before_the_page(&place);
    let second = place.run("fit x.csv -k 3 --max-iter 2 --out result");
    second.refused(&["result: is in use by another emmf"]);
    let page = fs::read_to_string(place.path("pipe")).unwrap();
    assert!(page.ends_with("</html>\n"));
    first.end().ok();
    assert_eq!(names_in(&place.path("result")), program::RESULTS);
    place.run("fit x.csv -k 3 --max-iter 2 --out result").ok();
}

#[test]
fn promise_09_the_first_signal_ends_the_iterations_and_the_fit_is_kept() {
    let endless = "fit x.csv -k 2 --max-iter 1000000000 --tol 0 --out result --json";
    let again = "fit x.csv -k 2 --restarts 1000000000 --max-iter 3 --out result --json";
    let grid = "fit x.csv -k 2 --method g-emmf --neighbors 3 --grid lambda=1,2 --max-iter 1000000000 --tol 0 --out result --json";
    for (line, (name, code)) in [endless, again, grid].into_iter().zip(signals().into_iter().cycle()) {
        let place = Place::with_data();
        let done = interrupted_while_iterating(&place, line, name);
        assert_eq!((done.code, done.stderr.as_str()), (Some(code), ""), "{line}");
        let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(json["stop"], "cancelled", "{line}");
        let record = emmf_io::read_record(&place.path("result/record.json")).unwrap();
        assert!(record.stop == emmf::Stop::Cancelled && record.iterations > 0, "{line}");
        assert_eq!(names_in(&place.path("result")), program::RESULTS);
        place.run("transform result/model.safetensors x.csv --labels class --out coded.csv").ok();
    }
}

/// Gives a fit longer and longer until the signal finds it iterating.
fn interrupted_while_iterating(place: &Place, line: &str, name: &str) -> Done {
    let mut head_start = Duration::from_millis(20);
    loop {
        let fit = Running::start(place, line).until(|| place.path("result").exists());
        sleep(head_start);
        let done = fit.signal(name).end();
        if !done.stderr.contains("before the first iteration") {
            return done;
        }
        assert!(!place.path("result").exists());
        head_start *= 2;
    }
}

#[test]
fn promise_09_a_time_limit_is_no_failure() {
    let place = Place::with_data();
    let json =
        place.json("fit x.csv -k 2 --max-iter 1000000000 --tol 0 --time-limit 0.1 --out result --json");
    assert_eq!(json["stop"], "time-limit");
    assert_eq!(names_in(&place.path("result")), program::RESULTS);
}

/// More samples than a search for neighbours compares at once.
#[test]
fn promise_09_no_graph_in_time_says_what_to_do() {
    let place = Place::new();
    place.run("synth rays --samples 600 --features 5 -k 2 --out many.csv").ok();
    let told = ["--time-limit was over", "graph", "allow more time", "--method emmf"];
    place.refuses("fit many.csv -k 2 --method g-emmf --time-limit 0.000000001", &told);
    let json = place.json("fit many.csv -k 2 --method emmf --time-limit 0.000000001 --json");
    assert_eq!(json["stop"], "time-limit");
    // A graph that nobody asked for is not missed, nor is the time that choosing k took.
    for k in ["2", "auto"] {
        let done = place.run(&format!("fit many.csv -k {k} --time-limit 0.000000001 --out result --json"));
        assert!(done.stderr.contains("no time for a graph: emmf"), "{}", done.stderr);
        let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!((&json["method"], &json["stop"]), (&"emmf".into(), &"time-limit".into()));
    }
}

#[test]
fn promise_09_the_second_signal_leaves_at_once_and_nothing_half_written() {
    let place = Place::with_data();
    let fit = fit_before_the_page(&place);
    // Two of a kind could be seen as one.
    let done = fit.signal("TERM").signal("INT").end();
    assert!([Some(130), Some(143)].contains(&done.code), "{:?}", done.code);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", "interrupted; nothing was written\n"));
    assert!(!place.path("result").exists());
}

/// All files of a folder, those without times with their bytes, and the method of the record.
fn content(place: &Place, folder: &str) -> (Vec<(String, Vec<u8>)>, String) {
    let folder = place.path(folder);
    let bytes = |name: &String| match name.as_str() {
        "record.json" | "report.html" => Vec::new(),
        _ => fs::read(folder.join(name)).unwrap(),
    };
    let files = names_in(&folder).into_iter().map(|name| (name.clone(), bytes(&name)));
    let record = emmf_io::read_record(&folder.join("record.json")).unwrap();
    (files.collect(), record.spec.method)
}

#[test]
fn promise_07_a_killed_fit_leaves_the_old_results_or_the_new_ones() {
    let place = Place::with_data();
    let fit = |method: &str, out: &str| {
        format!("fit x.csv -k 2 --max-iter 5 --method {method} --out {out} --report")
    };
    place.run(&fit("pnmf", "old")).ok();
    place.run(&fit("nmf", "new")).ok();
    let (old, new) = (content(&place, "old"), content(&place, "new"));
    for kill in 0..12 {
        place.run(&fit("pnmf", "result")).ok();
        assert!(content(&place, "result") == old);
        let mut fit = Running::start(&place, &fit("nmf", "result"));
        // From the first temporary file on, a little later each time.
        while parts(&place, "result") == 0 && fit.child.try_wait().unwrap().is_none() {}
        sleep(Duration::from_micros(300 * kill));
        fit.child.kill().unwrap();
        fit.child.wait().unwrap();
        place.run("explain result/model.safetensors x.csv --labels class --row 0").ok();
        emmf_io::ResultFolder::open(&place.path("result")).unwrap();
        let after = content(&place, "result");
        assert!(after == old || after == new, "kill {kill}: {:?}", names_in(&place.path("result")));
    }
}
