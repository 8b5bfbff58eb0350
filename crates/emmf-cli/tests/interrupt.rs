//! Ctrl-C ends the program within a second, with exit code 130 and without output.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use program::Place;

/// Starts the program, lets it work for a while and presses Ctrl-C.
fn interrupted(place: &Place, line: &str) {
    let before = place.names();
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
    assert_eq!(message, "interrupted; nothing was written\n", "{line}");
    assert!(done.stdout.is_empty(), "{line}");
    assert!(took < Duration::from_secs(1), "{line} took {took:?} to end");
    assert_eq!(place.names(), before, "{line}");
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
