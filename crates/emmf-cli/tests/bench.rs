//! `emmf bench`: results that do not depend on the number of jobs, going on after an interruption, tables, bad input.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use program::Place;

const EXPERIMENT: &str = r#"
name = "mine"
title = "Two methods on generated data"
data = ["rays.npz"]
seeds = 3
max_iter = 20

[[method]]
label = "EMMF"
spec = { method = "emmf" }

[[method]]
label = "PNMF"
spec = { method = "pnmf" }
grid = { lambda = [0.1, 1.0] }

[[contamination]]
kind = "none"

[[contamination]]
kind = "outliers"
share = 0.1
"#;

fn place() -> Place {
    let place = Place::new();
    place.run("synth rays --samples 60 --features 8 -k 3 --outliers 0 --seed 1 --out rays.npz").ok();
    place.write("mine.toml", EXPERIMENT);
    place
}

#[test]
fn the_same_results_for_any_number_of_jobs_and_after_an_interruption() {
    let place = place();
    place.run("bench mine.toml --out one --jobs 1 --quiet").ok();
    place.run("bench mine.toml --out three --jobs 3 --quiet").ok();
    let results = |out: &str| place.read(&format!("{out}/mine/results.csv"));
    let whole = results("one");
    assert_eq!(whole.lines().count(), 1 + 2 * 3 * 3);
    assert_eq!(whole, results("three"));
    // As a kill in the middle of a line leaves it.
    let cut = whole.len() / 2;
    place.write("three/mine/results.csv", &whole[..cut]);
    place.refuses("bench mine.toml --out three", &["results.csv", "--resume"]);
    place.run("bench mine.toml --out three --resume --quiet").ok();
    assert_eq!(whole, results("three"));
    let page = place.read("three/mine/table.md");
    assert!(page.contains("| EMMF | ") && page.contains("10 % outliers"), "{page}");
    assert!(place.read("three/mine/table.tex").contains("10 \\% outliers"));
}

#[test]
fn bad_experiments() {
    let place = place();
    place.refuses("bench none.toml", &["none.toml", "table2"]);
    let with = |from: &str, to: &str| place.write("bad.toml", EXPERIMENT.replace(from, to));
    with("label = \"PNMF\"", "label = \"EMMF\"");
    place.refuses("bench bad.toml", &["two methods", "EMMF"]);
    with("method = \"pnmf\"", "method = \"pnm\"");
    place.refuses("bench bad.toml", &["bad.toml", "pnm"]);
    with("seeds = 3", "seeds = 0");
    place.refuses("bench bad.toml", &["seeds must be at least 1"]);
    with("seeds = 3", "seedz = 3");
    place.refuses("bench bad.toml", &["seedz"]);
    with("\"rays.npz\"", "\"yale\"");
    place.refuses("bench bad.toml --data nowhere", &["yale.mat", "165 samples, 256 features and 15 classes"]);
}
