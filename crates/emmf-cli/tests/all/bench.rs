//! `emmf bench`: results that do not depend on the number of jobs, going on after an interruption, tables, bad input.

use crate::data_sets;
use crate::program;

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use program::Place;

const EXPERIMENT: &str = r#"
name = "mine"
title = "Two methods on generated data"
data = ["rays.npz"]
seeds = 3
max_iter = 20

[[method]]
label = "EMMF"
spec = { method = "emmf", outliers = "keep" }

[[method]]
label = "PNMF"
spec = { method = "pnmf" }
grid = { lambda = [0.1, 1.0] }

[[method]]
label = "Hx-NMF"
spec = { method = "hx-nmf" }

[[method]]
label = "k-means"
spec = { init = "kmeans" }

[[contamination]]
kind = "none"

[[contamination]]
kind = "outliers"
share = 0.1

[[contamination]]
kind = "outliers"
share = 0.1
start = "clean"

[[skip]]
data = ["rays.npz"]
method = ["Hx-NMF"]
why = "It is not wanted here."

[[skip]]
data = ["rays.npz"]
method = ["k-means"]
contamination = ["10 % outliers"]
why = "It is lost."
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
    // EMMF, PNMF with two values and k-means; three contaminations, one of them without k-means; three seeds.
    assert_eq!(whole.lines().count(), 1 + (4 * 3 - 1) * 3);
    assert_eq!(whole, results("three"));
    // As a kill in the middle of a line leaves it.
    let cut = whole.len() / 2;
    place.write("three/mine/results.csv", &whole[..cut]);
    place.refuses("bench mine.toml --out three", &["results.csv", "--resume"]);
    place.run("bench mine.toml --out three --show --quiet").ok();
    let said = "Not all runs have been made.";
    assert!(place.read("three/mine/page.md").contains(said));
    place.run("bench mine.toml --out three --resume --quiet").ok();
    assert_eq!(whole, results("three"));
    assert!(!place.read("three/mine/page.md").contains(said));
    // Fewer seeds leave the others where they are.
    place.run("bench mine.toml --out three --resume --seeds 1 --quiet").ok();
    assert_eq!(whole.lines().count(), results("three").lines().count());
    place.run("bench mine.toml --out three --resume --quiet").ok();
    assert_eq!(whole, results("three"));
    let page = place.read("three/mine/page.md");
    for part in [
        "| EMMF | ",
        "10 % outliers",
        "| Hx-NMF | left out |",
        "Left out on rays.npz: Hx-NMF. It is not wanted here.",
        "Left out on rays.npz with 10 % outliers: k-means. It is lost.",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    place.refuses("bench tabel2", &["did you mean 'table2'?"]);
    place.write("wrong.toml", EXPERIMENT.replace("[\"10 % outliers\"]", "[\"11 % outliers\"]"));
    place.refuses(
        "bench wrong.toml",
        &["no contamination is \"11 % outliers\"", "there are clean, 10 % outliers"],
    );
    place.write(
        "wrong.toml",
        EXPERIMENT.replace("data = [\"rays.npz\"]\nmethod", "data = [\"ray.npz\"]\nmethod"),
    );
    place.refuses("bench wrong.toml", &["\"ray.npz\" is not among the data: rays.npz"]);
    let html = place.read("three/mine/page.html");
    assert!(
        html.starts_with("<!doctype html>") && html.contains("10 % outliers") && !html.contains("<script")
    );
    assert!(place.read("three/mine/table.tex").contains("10 \\% outliers"));
}

#[test]
fn a_killed_bench_goes_on() {
    let place = place();
    place.write("mine.toml", EXPERIMENT.replace("seeds = 3", "seeds = 60"));
    place.run("bench mine.toml --out whole --quiet").ok();
    let mut bench =
        place.command("bench mine.toml --out killed --quiet").stdout(Stdio::null()).spawn().unwrap();
    let file = place.path("killed/mine/results.csv");
    let made = || std::fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    while made() < 100 && bench.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    bench.kill().unwrap();
    bench.wait().unwrap();
    let whole = place.read("whole/mine/results.csv");
    assert!((100..whole.lines().count()).contains(&made()), "{}", made());
    place.run("bench mine.toml --out killed --resume --quiet").ok();
    assert_eq!(place.read("killed/mine/results.csv"), whole);
}

#[test]
fn only_columns_with_all_methods_say_who_is_best() {
    let place = place();
    place.write("mine.toml", EXPERIMENT.replace("seeds = 3", "seeds = 3\nproposed = \"EMMF\""));
    place.run("bench mine.toml --out out --quiet").ok();
    let page = place.read("out/mine/page.md");
    assert!(page.contains("of 3 columns") && !page.contains("Not counted"), "{page}");
    let results = place.read("out/mine/results.csv");
    let kept = results.lines().filter(|line| !line.contains(",10 % outliers,PNMF,"));
    place.write("out/mine/results.csv", kept.map(|line| line.to_owned() + "\n").collect::<String>());
    place.run("bench mine.toml --out out --show --quiet").ok();
    let page = place.read("out/mine/page.md");
    let said = "Not counted, since methods have no runs there: 10 % outliers.";
    assert!(page.contains("of 2 columns") && page.contains(said), "{page}");
}

#[test]
fn a_slow_data_set_may_have_fewer_seeds() {
    let place = place();
    let fewer = |seeds| {
        let entry = format!("[[fewer]]\ndata = [\"rays.npz\"]\nseeds = {seeds}\nwhy = \"It is slow.\"\n");
        place.write("mine.toml", EXPERIMENT.to_owned() + &entry);
    };
    fewer(1);
    place.run("bench mine.toml --out out --quiet").ok();
    let rows = || place.read("out/mine/results.csv").lines().count() - 1;
    assert_eq!(rows(), 4 * 3 - 1);
    let page = place.read("out/mine/page.md");
    assert!(page.contains("One seed instead of 3 on rays.npz. It is slow."), "{page}");
    assert!(!page.contains("Not all runs have been made."), "{page}");
    place.run("bench mine.toml --out out --resume --seeds 2 --quiet").ok();
    assert_eq!(rows(), 2 * (4 * 3 - 1));
    fewer(0);
    place.refuses("bench mine.toml", &["fewer", "seeds must be at least 1"]);
}

#[test]
fn a_course_survives_an_interruption() {
    let place = place();
    let text = EXPERIMENT.replace("seeds = 3", "seeds = 2\nkind = \"convergence\"");
    place.write("mine.toml", &text[..text.find("[[contamination]]").unwrap()]);
    place.refuses("bench mine.toml", &["k-means", "a start has no iterations to show"]);
    let text = text.replace("method = \"pnmf\"", "method = \"g-emmf\"");
    place.write("mine.toml", &text[..text.find("[[method]]\nlabel = \"k-means\"").unwrap()]);
    place.run("bench mine.toml --out one --quiet").ok();
    let whole = place.read("one/mine/results.csv");
    assert!(whole.lines().next().unwrap().ends_with("objective,rises,trace"), "{whole}");
    place.write("one/mine/results.csv", &whole[..whole.len() / 2]);
    place.run("bench mine.toml --out one --quiet --resume").ok();
    assert_eq!(whole, place.read("one/mine/results.csv"));
    let page = place.read("one/mine/page.md");
    assert!(page.contains("It never rises on 1 of 1 data sets"), "{page}");
    let svg = place.read("one/mine/figures/mine.svg");
    assert!(svg.contains("iteration") && svg.contains("PNMF") && !svg.contains("NaN"));
    assert!(place.path("one/mine/figures/mine.png").exists());
}

/// Outliers of several kinds by their scores, going on after an interruption.
#[test]
fn how_well_outliers_are_found() {
    let place = place();
    let text = r#"
name = "found"
title = "Outliers by their scores"
kind = "detection"
data = ["rays.npz"]
seeds = 2
max_iter = 50

[[method]]
label = "EMMF"
spec = { method = "emmf", normalize = [] }

[[method]]
label = "NMF"
spec = { method = "nmf", normalize = [] }

[[contamination]]
kind = "outliers"
share = 0.1

[[contamination]]
kind = "long"
share = 0.1

[[contamination]]
kind = "salt-and-pepper"
share = 0.1
entries = 0.25
"#;
    place.write("found.toml", text);
    place.run("bench found.toml --out one --quiet").ok();
    let whole = place.read("one/found/results.csv");
    assert!(whole.lines().next().unwrap().ends_with("objective,auc"), "{whole}");
    let auc = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
    for line in whole.lines().filter(|line| line.contains("% outliers") || line.contains("too long")) {
        assert!(auc(line) > 0.99, "{line}");
    }
    assert!(whole.lines().skip(1).all(|line| (0.0..=1.0).contains(&auc(line))), "{whole}");
    place.write("one/found/results.csv", &whole[..whole.len() / 2]);
    place.run("bench found.toml --out one --quiet --resume").ok();
    assert_eq!(whole, place.read("one/found/results.csv"));
    let page = place.read("one/found/page.md");
    assert!(page.contains("mean AUC over the data sets") && page.contains("10 % too long"), "{page}");
    place.write("none.toml", text.replace("kind = \"long\"\nshare = 0.1", "kind = \"none\""));
    place.refuses("bench none.toml", &["there is nothing to find"]);
    place.write("start.toml", text.replace("method = \"nmf\"", "init = \"kmeans\""));
    place.refuses("bench start.toml", &["NMF", "a start has no scores"]);
}

#[test]
fn outliers_that_the_start_does_not_see_do_less_harm() {
    let place = place();
    place.run("bench mine.toml --out one --quiet").ok();
    let results = place.read("one/mine/results.csv");
    let mean = |contamination: &str| {
        let wanted = |line: &&str| {
            line.starts_with(&format!("rays.npz,{contamination},EMMF,"))
                || line.starts_with(&format!("rays.npz,\"{contamination}\",EMMF,"))
        };
        let values: Vec<f64> = results
            .lines()
            .filter(wanted)
            .map(|line| line.rsplit(',').nth(4).unwrap().parse().unwrap())
            .collect();
        assert_eq!(values.len(), 3, "{contamination}: {results}");
        values.iter().sum::<f64>() / 3.0
    };
    assert!(mean("10 % outliers, clean start") > mean("10 % outliers") + 0.1, "{results}");
}

/// The whole paper in small, without data: what is generated is made, and what is missing is named.
#[test]
fn the_paper_without_data() {
    let place = Place::new();
    let done = place.run("bench --paper --quick --data nowhere --out bench");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    for part in [
        "coil100.mat",
        "7200 samples, 1024 features and 100 classes",
        "usually found as",
        "no run of table2 was completed",
    ] {
        assert!(done.stderr.contains(part), "{part}: {}", done.stderr);
    }
    assert_eq!(done.stderr.matches("yale.mat").count(), 1, "said once: {}", done.stderr);
    for name in ["fig-toy-outliers", "fig-toy-clean", "fig-outlier-effect", "fig-bound"] {
        let svg = place.read(&format!("bench/{name}/figures/{name}.svg"));
        assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{name}");
        assert_eq!(svg, place.read(&format!("bench/paper/{name}.svg")), "{name}");
    }
    assert!(!place.path("bench/table2").exists());
    let page = place.read("bench/paper.md");
    assert!(page.contains("(paper/fig-bound.svg)") && page.contains("is a lower bound"), "{page}");
    assert!(done.stdout.contains("the formula is a lower bound"), "{}", done.stdout);
}

/// The whole paper in small on the data sets that are at hand.
#[test]
fn the_paper_in_small() {
    let Some(folder) = data_sets::folder_with(&["yale"]) else { return };
    let place = Place::new();
    let line = format!("bench --paper --quick --only yale --seeds 1 --out bench --data {}", folder.display());
    let done = place.run(&line);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(!done.stderr.contains("was completed") && !done.stderr.contains("diverged"), "{}", done.stderr);
    let page = place.read("bench/paper.md");
    for (at, name) in
        emmf_bench::paper().unwrap().iter().map(|experiment| experiment.name.clone()).enumerate()
    {
        assert!(page.contains(&format!("`emmf bench {name}`")), "{at}: {name}");
    }
    assert!(page.contains("paper 0.454") && place.path("bench/paper.html").exists());
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
    with("seeds = 3", "seeds = 3\nkind = \"tabel\"");
    place.refuses("bench bad.toml", &["tabel", "convergence"]);
    with("seeds = 3", "seeds = 3\nproposed = \"EMF\"");
    place.refuses("bench bad.toml", &["no method has the label", "EMF"]);
    place.refuses("bench mine.toml --only yale", &["--only yale", "rays.npz"]);
    with("data = [\"rays.npz\"]", "data = [\"yale\"]");
    place.refuses("bench bad.toml --data nowhere", &["yale.mat", "165 samples, 256 features and 15 classes"]);
}
