//! Whatever a command reads from a pipe is what it reads from a file, to the last byte.
#![cfg(unix)]

use crate::program;

use std::process::Stdio;

use emmf_io::{Dataset, write};
use program::{Done, Place};

/// Longer than what is looked at before reading.
const SAMPLES: usize = 5000;

/// Data, classes, weights, a mask, a graph and factors, all in files.
fn place() -> Place {
    let place = Place::new();
    let entry =
        |i: usize, j: usize| 1.0 + ((7 * i + 3 * j) % 11) as f64 + if i % 2 == j % 2 { 20.0 } else { 0.0 };
    let row = |i: usize| (0..8).map(|j| format!("{:.5}", entry(i, j))).collect::<Vec<_>>().join(",");
    let lines = |line: &dyn Fn(usize) -> String| (0..SAMPLES).map(|i| line(i) + "\n").collect::<String>();
    place.write("x.csv", lines(&row));
    place.write("classes.txt", lines(&|i| format!("a class with a rather long name {}", i % 2)));
    place.write("weights.txt", lines(&|i| format!("1.{:040}", i % 3)));
    place.write(
        "mask.csv",
        lines(&|i| {
            (0..8).map(|j| if (i + j) % 9 == 0 { "0.0000" } else { "1.0000" }).collect::<Vec<_>>().join(",")
        }),
    );
    place.write("graph.csv", lines(&|i| format!("{i},{},1.000000000000000000000000", (i + 2) % SAMPLES)));
    place.write(
        "texts.csv",
        String::from("words,class\n") + &lines(&|i| format!("soup and word{} today,{}", i % 40, i % 2)),
    );
    start(&place);
    place
}

fn start(place: &Place) {
    let mut archive = zip::ZipWriter::new(std::fs::File::create(place.path("start.npz")).unwrap());
    for (name, rows) in [("U.npy", 8), ("V.npy", SAMPLES)] {
        let x = emmf::Mat::from_fn(rows, 5, |i, j| 0.1 + ((i * 5 + j) % 7) as f64);
        write(&place.path(name), &Dataset::new(x, None, None)).unwrap();
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, &std::fs::read(place.path(name)).unwrap()).unwrap();
    }
    archive.finish().unwrap();
}

/// What is printed, but for the time that it took.
fn timeless(text: &str) -> String {
    let without =
        |line: &str| line.split(',').filter(|part| !part.contains("seconds")).collect::<Vec<_>>().join(",");
    text.lines().map(without).collect()
}

#[test]
fn promise_02_commands_read_pipes_to_their_end() {
    let place = place();
    place.run("fit x.csv -k 2 --method emmf --max-iter 3 --quiet --out result").ok();
    // How the samples are fitted is not the point.
    let fit = "--method emmf --max-iter 3 --quiet --json";
    let graph_fit = "--method g-emmf --init random --max-iter 3 --quiet --json";
    for (line, piped) in [
        (format!("fit PIPE -k 2 {fit}"), "x.csv"),
        (format!("fit PIPE -k 5 --start start.npz {fit}"), "x.csv"),
        (format!("fit x.csv -k 5 --start PIPE {fit}"), "start.npz"),
        (format!("fit x.csv -k 2 --sample-weights PIPE {fit}"), "weights.txt"),
        (format!("fit x.csv -k 2 --mask PIPE {fit}"), "mask.csv"),
        (format!("fit x.csv -k 2 --graph PIPE {graph_fit}"), "graph.csv"),
        (format!("fit x.csv -k 2 --graph PIPE --grid lambda=1,10 {graph_fit}"), "graph.csv"),
        (format!("fit PIPE -k 2 --text words --labels class {fit}"), "texts.csv"),
        ("transform result/model.safetensors PIPE --out -".into(), "x.csv"),
        ("transform PIPE x.csv --out -".into(), "result/model.safetensors"),
        ("explain result/model.safetensors PIPE --row 4999 --json".into(), "x.csv"),
        ("explain PIPE x.csv --row 4999 --json".into(), "result/model.safetensors"),
        ("score PIPE result/samples.csv --json".into(), "classes.txt"),
        ("score classes.txt PIPE --json".into(), "result/samples.csv"),
    ] {
        let file = place.run(&line.replace("PIPE", piped)).ok();
        let bytes = std::fs::read(place.path(piped)).unwrap();
        let pipe = place.run_with_input(&line.replace("PIPE", "/dev/stdin"), &bytes).ok();
        // The record of a fit lies beside its model, not beside a pipe.
        let known = if line.starts_with("explain PIPE") { "\"residual\"" } else { "" };
        assert!(pipe.contains(known), "{line}");
        if known.is_empty() {
            assert_eq!(timeless(&file), timeless(&pipe), "{line}");
        }
    }
}

#[test]
fn promise_02_a_limit_on_memory_needs_a_file() {
    let place = Place::with_data();
    let line = "fit /dev/stdin -k 2 --max-memory 1GB";
    let output = place.command(line).stdin(Stdio::piped()).output().unwrap();
    Done::new(line, &output).refused(&["--max-memory needs a file", "/dev/stdin", "more than once"]);
}
