//! `emmf bench --resume` and `--show`: only results of the same settings and data are taken, and files of others are
//! never touched.

use crate::program;

use program::Place;

const EXPERIMENT: &str = r#"
name = "mine"
title = "Two methods on generated data"
data = ["rays.npz"]
seeds = 2
max_iter = 5

[[method]]
label = "EMMF"
spec = { method = "emmf", outliers = "keep" }

[[contamination]]
kind = "none"

[[contamination]]
kind = "foreign"
share = 0.1
data = "other.npz"
"#;
const RESULTS: &str = "out/mine/results.csv";

fn synth(place: &Place, name: &str, seed: u64) {
    let line = format!("synth rays --samples 30 --features 6 -k 2 --outliers 0 --seed {seed} --out {name}");
    std::fs::remove_file(place.path(name)).ok();
    place.run(&line).ok();
}

/// With the results of the experiment in `out`.
fn place() -> Place {
    let place = Place::new();
    synth(&place, "rays.npz", 1);
    synth(&place, "other.npz", 2);
    place.write("mine.toml", EXPERIMENT);
    place.run("bench mine.toml --out out --quiet").ok();
    place
}

#[test]
fn promise_03_results_of_other_settings_are_refused_by_name() {
    let place = place();
    let whole = place.read(RESULTS);
    let cases = [
        ("max_iter = 5", "max_iter = 6", "with max_iter = 5, but now it is 6"),
        ("seeds = 2", "seeds = 2\nprecision = \"f32\"", "with precision = f64, but now it is f32"),
        ("\"keep\" }", "\"keep\", tol = 1e-3 }", "with tol = left out, but now it is 0.001"),
        ("\"keep\" }", "\"keep\", normalize = [] }", "with normalize = unit, but now it is left out"),
        ("\"keep\" }", "\"set-aside\" }", "with outliers = keep, but now it is set-aside"),
        ("method = \"emmf\"", "method = \"nmf\"", "with method = emmf, but now it is nmf"),
        ("method = \"emmf\", ", "", "with method = emmf, but now it is the start alone"),
        ("share = 0.1", "share = 0.101", "with contamination.share = 0.1, but now it is 0.101"),
    ];
    for (from, to, part) in cases {
        place.write("other.toml", EXPERIMENT.replace(from, to));
        for option in ["--resume", "--show"] {
            let said = ["results.csv: the runs of EMMF on rays.npz were made", part, "move the file away"];
            place.refuses(&format!("bench other.toml --out out {option}"), &said);
        }
        assert_eq!(place.read(RESULTS), whole, "{to}");
    }
    let quick = EXPERIMENT.replace("seeds = 2\nmax_iter = 5", "seeds = 2");
    place.write("quick.toml", quick.replace("mine", "quick"));
    place.run("bench quick.toml --out out --quick --quiet").ok();
    let said = "with max_iter = 100, but now it is 500";
    place.refuses("bench quick.toml --out out --resume", &[said]);
}

#[test]
fn promise_03_results_of_other_data_are_refused_by_name() {
    let place = place();
    let whole = place.read(RESULTS);
    synth(&place, "other.npz", 3);
    let said = "were made before rays.npz or other.npz was changed";
    place.refuses("bench mine.toml --out out --resume", &[said]);
    synth(&place, "rays.npz", 3);
    place.refuses("bench mine.toml --out out --resume", &["were made before rays.npz was changed"]);
    place.refuses("bench mine.toml --out out --show", &["were made before rays.npz was changed"]);
    assert_eq!(place.read(RESULTS), whole);
    // Pages can be made where the data are not at hand.
    std::fs::remove_file(place.path("rays.npz")).unwrap();
    place.run("bench mine.toml --out out --show --quiet").ok();
    assert_eq!(place.read(RESULTS), whole);
}

#[test]
fn promise_03_more_seeds_sets_and_methods_go_on_with_what_is_there() {
    let place = place();
    let whole = place.read(RESULTS);
    synth(&place, "more.npz", 5);
    let more = EXPERIMENT
        .replace("seeds = 2", "seeds = 3")
        .replace("[\"rays.npz\"]", "[\"rays.npz\", \"more.npz\"]")
        .replace(
            "[[contamination]]\nkind = \"none\"",
            "[[method]]\nlabel = \"NMF\"\nspec = { method = \"nmf\" }\n[[contamination]]\nkind = \"none\"",
        );
    place.write("mine.toml", more);
    place.run("bench mine.toml --out out --resume --quiet").ok();
    place.run("bench mine.toml --out fresh --quiet").ok();
    let longer = place.read(RESULTS);
    assert_eq!(longer, place.read("fresh/mine/results.csv"));
    assert_eq!(longer.lines().count(), 1 + 3 * 2 * 2 * 2);
    assert!(whole.lines().all(|line| longer.contains(line)));
    // And back again: what is not asked for stays.
    place.write("mine.toml", EXPERIMENT);
    place.run("bench mine.toml --out out --resume --quiet").ok();
    assert_eq!(longer.lines().count(), place.read(RESULTS).lines().count());
}

#[test]
fn promise_03_a_file_that_is_not_ours_is_never_touched() {
    let place = place();
    let ours = place.read(RESULTS);
    let head = ours.lines().next().unwrap();
    let foreign = [
        "my notes".to_owned(),
        "a,b\n1,2".into(),
        "a,b\n1,2\n".into(),
        format!("{head}x\n1"),
        format!("{head}\nnot,a,line\nhalf"),
        format!("{ours}rays.npz,clean,EMMF,,x,,,1,1,1,1,1\nhalf"),
    ];
    for text in foreign {
        place.write(RESULTS, &text);
        for option in ["--resume", "--show"] {
            place.refuses(&format!("bench mine.toml --out out {option}"), &["results.csv: "]);
            assert_eq!(place.read(RESULTS), text, "{option}");
        }
    }
    place.write(RESULTS, b"\xff\xfe\n");
    place.refuses("bench mine.toml --out out --resume", &["results.csv: "]);
    assert_eq!(std::fs::read(place.path(RESULTS)).unwrap(), b"\xff\xfe\n");
}

#[test]
fn promise_03_two_programs_do_not_write_to_one_file() {
    let place = place();
    let whole = place.read(RESULTS);
    let other = std::fs::File::open(place.path(RESULTS)).unwrap();
    other.lock().unwrap();
    place.refuses("bench mine.toml --out out --resume", &["another emmf bench is writing to it"]);
    place.run("bench mine.toml --out out --show --quiet").ok();
    drop(other);
    place.run("bench mine.toml --out out --resume --quiet").ok();
    assert_eq!(place.read(RESULTS), whole);
}

#[test]
fn promise_03_show_changes_no_results() {
    let place = place();
    let whole = place.read(RESULTS);
    let half = &whole[..whole.len() - 3];
    place.write(RESULTS, half);
    place.run("bench mine.toml --out out --show --quiet").ok();
    assert_eq!(place.read(RESULTS), half);
    for begun in ["", "data,contam"] {
        place.write(RESULTS, begun);
        place.refuses("bench mine.toml --out out --show", &["no run of mine was completed"]);
        assert_eq!(place.read(RESULTS), begun);
        place.run("bench mine.toml --out out --resume --quiet").ok();
        assert_eq!(place.read(RESULTS), whole);
    }
    place.refuses("bench mine.toml --out nowhere --show", &["no run of mine was completed"]);
}

/// As emmf 0.1 wrote it: without settings, data and the second NMI.
#[test]
fn promise_03_results_of_0_1_can_be_shown_and_are_not_mixed() {
    let place = place();
    let old: String = place.read(RESULTS).lines().enumerate().fold(String::new(), |text, (at, line)| {
        let kept = line.split(',').enumerate().filter(|(column, _)| ![5, 6, 9].contains(column));
        let line = kept.map(|(_, field)| field).collect::<Vec<_>>().join(",");
        assert_eq!(at == 0, line == "data,contamination,method,params,seed,acc,nmi,iterations,objective");
        text + &line + "\n"
    });
    place.write(RESULTS, &old);
    place.refuses(
        "bench mine.toml --out out --resume",
        &["was written by emmf 0.1, which recorded neither the settings nor the data", "--show"],
    );
    place.run("bench mine.toml --out out --show --quiet").ok();
    assert_eq!(place.read(RESULTS), old);
    let page = place.read("out/mine/page.md");
    assert!(page.contains("These results are from emmf 0.1") && page.contains("| EMMF | "), "{page}");
}
