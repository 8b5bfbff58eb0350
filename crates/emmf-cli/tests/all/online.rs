//! `fit --batch` and `--update`: a pipe learns as a file does, a model goes on where it was, and what cannot be is refused.

use crate::program;

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use emmf::Mat;
use emmf_io::{AnyModel, Dataset, read_model};
use program::Place;

/// Two kinds of samples in turn, four features.
fn entry(i: usize, j: usize) -> f64 {
    let own = if i % 2 == j % 2 { 5.0 + ((7 * i + j) % 5) as f64 } else { 0.1 };
    own + 0.01 * ((31 * i + 17 * j) % 13) as f64
}

fn place(samples: usize) -> Place {
    let place = Place::new();
    let row = |i: usize| (0..4).map(|j| format!("{:.4}", entry(i, j))).collect::<Vec<_>>().join(",");
    place.write("x.csv", "a,b,c,d\n".to_owned() + &(0..samples).map(|i| row(i) + "\n").collect::<String>());
    let x = Mat::from_fn(samples, 4, |i, j| (entry(i, j) * 1e4).round() / 1e4);
    emmf_io::write(&place.path("x.npy"), &Dataset::new(x, None, None)).unwrap();
    place
}

fn centroids(place: &Place, name: &str) -> (Mat<f64>, u64) {
    match read_model(&place.path(name)).unwrap() {
        AnyModel::F64(model) => (model.centroids().clone(), model.past().unwrap().seen),
        AnyModel::F32(_) => unreachable!(),
    }
}

#[test]
fn a_pipe_a_text_and_an_array_learn_alike() {
    let place = place(500);
    let text = place.read("x.csv");
    let out = place.run("fit x.csv -k 2 --batch 100 --out file --json --quiet").ok();
    assert_eq!(out.lines().count(), 5);
    let last: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!((&last["batch"], &last["first"], &last["samples"]), (&4.into(), &400.into(), &100.into()));
    place.run_with_input("fit - -k 2 --batch 100 --out pipe --quiet", text.as_bytes()).ok();
    place.run("fit x.npy -k 2 --batch 100 --out array --quiet").ok();
    let (u, seen) = centroids(&place, "file/model.safetensors");
    assert_eq!(seen, 500);
    for name in ["pipe", "array"] {
        assert_eq!(centroids(&place, &format!("{name}/model.safetensors")), (u.clone(), 500), "{name}");
    }
    place.run("transform file/model.safetensors x.csv --out coded.csv").ok();
}

#[test]
fn a_model_goes_on_where_it_was() {
    let place = place(400);
    let (text, size) = (place.read("x.csv"), 200);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    place.write("first.csv", lines[..=size].concat());
    place.write("second.csv", lines[0].to_owned() + &lines[size + 1..].concat());
    place.run(&format!("fit x.csv -k 2 --batch {size} --half-life 1000 --out whole --quiet")).ok();
    place.run(&format!("fit first.csv -k 2 --batch {size} --half-life 1000 --out parts --quiet")).ok();
    place.run(&format!("fit --update parts/model.safetensors second.csv --batch {size} --quiet")).ok();
    assert_eq!(centroids(&place, "parts/model.safetensors"), centroids(&place, "whole/model.safetensors"));
    // All at once, columns by name in any order, to another folder.
    place.write("turned.csv", "b,a,c,d\n0.1,5,0.1,6\n5,0.1,6,0.1\n");
    place.run("fit --update parts/model.safetensors turned.csv --out other --quiet").ok();
    assert_eq!(centroids(&place, "other/model.safetensors").1, 402);
    assert_eq!(centroids(&place, "parts/model.safetensors").1, 400);
}

/// A pipe that never ends is ended by a signal, and the model is there.
#[cfg(unix)]
#[test]
fn a_pipe_that_never_ends_is_kept_by_ctrl_c() {
    let place = place(300);
    let mut command = place.command("fit - -k 2 --batch 50 --out live --json --quiet");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(place.read("x.csv").as_bytes()).unwrap();
    input.flush().unwrap();
    let model = place.path("live/model.safetensors");
    while !model.exists() {
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = format!("kill -INT {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let code = child.wait().unwrap().code();
    drop(input);
    assert_eq!(code, Some(130));
    assert!(centroids(&place, "live/model.safetensors").1 >= 50);
}

#[test]
fn what_cannot_come_in_batches_is_refused() {
    let place = place(60);
    place.refuses("fit x.csv -k 2 --batch 20", &["--batch needs --out"]);
    place.refuses("fit x.csv -k 2 --batch 0 --out o", &[]);
    place.refuses("fit x.csv -k 2 --batch 20 --half-life -1 --out o", &["--half-life is -1"]);
    place.run("fit x.csv -k 2 --method emmf --max-iter 3 --quiet --out plain").ok();
    let plain = "plain/model.safetensors";
    place.refuses(&format!("fit --update {plain} x.csv"), &["cannot continue learning", "--batch N"]);
    place.refuses("fit x.csv -k 2 --batch 20 --out plain", &["results of another fit"]);
    for option in ["--report", "--graph knn", "--missing nan", "--grid lambda=1,2", "--max-memory 1GB"] {
        let name = option.split(' ').next().unwrap();
        place.refuses(&format!("fit x.csv -k 2 --batch 20 --out o {option}"), &[name, "--batch"]);
    }
    place.write("bad.csv", "a,b,c,d\n1,2,3,4\n1,2,3\n");
    assert_eq!(place.run("fit bad.csv -k 1 --batch 20 --out p").code, Some(2));
    let junk = "a,b,c,d\n".to_owned() + &"900,900,900,900\n".repeat(20);
    place.run("fit x.csv -k 2 --batch 60 --out q --quiet").ok();
    place.write("junk.csv", place.read("x.csv") + &junk[8..].repeat(3));
    let done = place.run("fit junk.csv -k 2 --batch 60 --out r --quiet");
    assert!(done.stderr.contains("--outliers keep"), "{}", done.stderr);
}
