//! Ctrl-C ends the program within a second, with exit code 130 and without output.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use program::Place;

/// Ends without a file.
fn interrupted(place: &Place, line: &str) {
    let before = place.names();
    pressed(place, line, "interrupted; nothing was written\n");
    assert_eq!(place.names(), before, "{line}");
}

/// Starts the program, lets it work for a while and presses Ctrl-C.
fn pressed(place: &Place, line: &str, last_words: &str) {
    let mut command = place.command(line);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Open until the end, so that a program that reads goes on reading.
    let input = child.stdin.take();
    sleep(Duration::from_millis(1500));
    assert_eq!(child.try_wait().unwrap(), None, "{line} was over too soon");
    let pressed = Instant::now();
    let kill = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(kill.unwrap().success());
    while child.try_wait().unwrap().is_none() && pressed.elapsed() < Duration::from_secs(20) {
        sleep(Duration::from_millis(5));
    }
    let took = pressed.elapsed();
    child.kill().ok();
    let done = child.wait_with_output().unwrap();
    drop(input);
    let message = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(130), "{line}: {message}");
    assert_eq!(message, last_words, "{line}");
    assert!(done.stdout.is_empty(), "{line}");
    assert!(took < Duration::from_secs(1), "{line} took {took:?} to end");
}

#[test]
fn in_the_middle_of_a_bench() {
    let place = Place::new();
    place.run("synth rays --samples 60 --features 8 -k 3 --outliers 0 --seed 1 --out rays.npz").ok();
    place.write(
        "mine.toml",
        "name = \"mine\"\ntitle = \"Many\"\ndata = [\"rays.npz\"]\nseeds = 1000000\n[[method]]\nlabel = \"EMMF\"\nspec = { method = \"emmf\" }\n",
    );
    let last = "interrupted; the runs that have ended are kept, --resume goes on with them\n";
    pressed(&place, "bench mine.toml --out out --quiet", last);
    assert!(place.read("out/mine/results.csv").lines().count() > 10);
}

#[test]
fn in_the_middle_of_a_fit() {
    let place = Place::with_data();
    interrupted(&place, "fit x.csv -k 2 --max-iter 1000000000 --out result --json");
    interrupted(&place, "fit x.csv -k 2 --solver hals --restarts 1000000000 --out result");
}

#[test]
fn while_the_start_is_made() {
    let place = Place::with_data();
    interrupted(&place, "fit x.csv -k 2 --init-restarts 1000000000 --out result --json");
}

#[test]
fn while_the_data_are_read() {
    let place = Place::new();
    interrupted(&place, "fit - -k 2 --out result --json");
}
