//! `--checkpoint` and `--resume`: however often a fit is killed, it ends as one that never was.

use crate::program;

use std::fs;
use std::process::Stdio;
use std::time::SystemTime;

use program::Place;
use serde_json::Value;

const CHECKPOINT: &str = "result/checkpoint.safetensors";

/// Everything that a fit leaves, but for wall times.
fn results(place: &Place, folder: &str) -> (Vec<u8>, String, Value) {
    let mut record: Value = serde_json::from_str(&place.read(&format!("{folder}/record.json"))).unwrap();
    record.as_object_mut().unwrap().remove("seconds").unwrap();
    let model = fs::read(place.path(&format!("{folder}/model.safetensors"))).unwrap();
    (model, place.read(&format!("{folder}/samples.csv")), record)
}

fn changed(place: &Place) -> Option<SystemTime> {
    fs::metadata(place.path(CHECKPOINT)).and_then(|file| file.modified()).ok()
}

/// Runs the program until it has kept so many more checkpoints, and kills it; whether it was still running then.
fn killed(place: &Place, line: &str, checkpoints: usize) -> bool {
    let mut command = place.command(line);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut last, mut seen) = (changed(place), 0);
    while seen < checkpoints {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        let now = changed(place);
        seen += usize::from(now.is_some() && now != last);
        last = now;
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

fn ends_as_if_never_stopped(line: &str, kills: &[usize]) {
    let (whole, place) = (Place::with_data(), Place::with_data());
    let line = format!("{line} --out result --checkpoint 0 --quiet");
    whole.run(&line).ok();
    let mut next = line.clone();
    for &checkpoints in kills {
        if !killed(&place, &next, checkpoints) {
            break;
        }
        next = "fit --resume result".into();
    }
    if changed(&place).is_some() {
        place.run("fit --resume result").ok();
    }
    assert_eq!(results(&place, "result"), results(&whole, "result"), "{line}");
    assert!(changed(&place).is_none(), "a fit that has ended needs no checkpoint");
    let left = program::names_in(&place.path("result"));
    assert!(left.iter().all(|name| !name.starts_with(".emmf")), "{left:?}");
}

#[test]
fn promise_09_a_killed_fit_goes_on_bit_for_bit() {
    ends_as_if_never_stopped("fit x.csv -k 2 --max-iter 60 --tol 0", &[1, 7, 3, 12]);
    ends_as_if_never_stopped(
        "fit x.csv -k 3 --method g-emmf --max-iter 40 --tol 0 --restarts 2",
        &[5, 50, 2],
    );
    ends_as_if_never_stopped(
        "fit x.csv -k 2 --solver hals --max-iter 50 --tol 0 --dtype f32 --seed 4",
        &[9, 9],
    );
    ends_as_if_never_stopped("fit x.csv -k 2..4 --method pnmf --max-iter 40", &[4, 11]);
}

#[test]
fn promise_09_a_limited_fit_can_go_on() {
    let place = Place::with_data();
    place
        .run("fit x.csv -k 2 --max-iter 1000000 --tol 0 --time-limit 0.05 --checkpoint 60 --out result")
        .ok();
    let first = results(&place, "result").2;
    assert_eq!(first["stop"], "time-limit");
    // Where the time was up before the first iteration, the first call only makes up for what was left out.
    (0..2).for_each(|_| drop(place.run("fit --resume result").ok()));
    let last = results(&place, "result").2;
    let made = |record: &Value| record["iterations"].as_u64().unwrap();
    assert!(made(&last) > made(&first));
}

#[test]
fn promise_07_a_file_that_is_no_checkpoint_of_ours_stays() {
    let place = Place::with_data();
    fs::create_dir(place.path("result")).unwrap();
    place.write(CHECKPOINT, "weights of somebody else");
    place.run("fit x.csv -k 2 --max-iter 3 --out result").ok();
    assert_eq!(place.read(CHECKPOINT), "weights of somebody else");
}

#[test]
fn promise_09_what_cannot_go_on_says_why() {
    let place = Place::with_data();
    place.refuses("fit --resume nowhere", &["nowhere", "no fit to continue"]);
    place.refuses("fit x.csv --resume result", &["--resume FOLDER takes no other options"]);
    place.refuses("fit x.csv -k 2 --checkpoint 1", &["--out"]);
    place.refuses("fit x.csv -k 2 --checkpoint -1 --out result", &["--checkpoint", "at least 0"]);
    place.refuses(
        "fit x.csv -k 2 --method g-emmf --grid lambda=1,2 --checkpoint 1 --out result",
        &["--checkpoint", "--grid"],
    );
    assert!(killed(&place, "fit x.csv -k 2 --max-iter 100000 --tol 0 --out result --checkpoint 0", 2));
    let data = place.read("x.csv");
    let last = data.lines().last().unwrap();
    place.write("x.csv", format!("{data}{last}\n"));
    place.refuses("fit --resume result", &["x.csv", "has changed since the fit"]);
    place.write("x.csv", data);
    place.write(CHECKPOINT, "no checkpoint");
    place.refuses("fit --resume result", &["no fit to continue"]);
}
