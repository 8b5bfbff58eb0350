//! Experiments that ask for too much, for another folder, or for commands in their pages.

use crate::program;

use program::Place;

const EXPERIMENT: &str = r#"
name = "mine"
title = "One method"
data = ["rays.npz"]
seeds = 1
max_iter = 2

[[method]]
label = "EMMF"
spec = { method = "emmf", outliers = "keep" }
"#;

fn place() -> Place {
    let place = Place::new();
    place.run("synth rays --samples 30 --features 6 -k 2 --outliers 0 --seed 1 --out rays.npz").ok();
    place.write("mine.toml", EXPERIMENT);
    place
}

#[test]
fn promise_13_the_name_of_an_experiment_stays_inside_the_folder() {
    let place = place();
    let absolute = place.path("ESCAPED").display().to_string();
    for name in
        ["../ESCAPED", "a/b", "..", ".", "", " ", "a\\\\b", "C:x", "a\\nb", &absolute, &"x".repeat(300)]
    {
        place.write("mine.toml", EXPERIMENT.replace("\"mine\"", &format!("\"{name}\"")));
        let said = ["mine.toml: name = ", "cannot name the folder of its results"];
        place.refuses("bench mine.toml --out out --quiet", &said);
    }
    place.write("mine.toml", EXPERIMENT.replace("\"mine\"", "\"mine 1.2 (ü)\""));
    place.run("bench mine.toml --out out --quiet").ok();
    assert_eq!(program::names_in(&place.path("out")), ["mine 1.2 (ü)"]);
}

#[test]
fn promise_13_labels_are_text_on_every_page() {
    let place = place();
    let label = r"\\input /etc/hostname <img src=x onerror=alert(1)> [a](javascript:b) | *c*";
    let text = EXPERIMENT.replace("\"EMMF\"", &format!("\"{label}\""));
    place.write("mine.toml", text.replace("One method", "<script>alert(1)</script> _x_"));
    place.run("bench mine.toml --out out --quiet").ok();
    let tex = place.read("out/mine/table.tex");
    assert!(tex.contains("\\textbackslash{}input /etc/hostname $<$img"), "{tex}");
    assert!(!tex.contains("\\input"), "{tex}");
    let page = place.read("out/mine/page.md");
    assert!(page.starts_with("# &lt;script>alert(1)&lt;/script> \\_x\\_\n"), "{page}");
    assert!(page.contains("&lt;img src=x onerror=alert(1)> [a\\](javascript:b) \\| \\*c\\* |"), "{page}");
    let html = place.read("out/mine/page.html");
    assert!(
        !html.contains("<img") && !html.contains("<script") && !html.contains("href=\"javascript"),
        "{html}"
    );
}

#[test]
fn promise_11_sizes_are_bounded_by_the_memory_of_the_machine() {
    let place = place();
    let grid: Vec<String> = (0..12).map(|at| format!("p{at} = [{}]", "1, ".repeat(60))).collect();
    let with = |from: &str, to: &str| EXPERIMENT.replace(from, to);
    let most = "; there may be at most ";
    let head = "name = \"mine\"\ntitle = \"x\"\n";
    let cases = [
        (
            with("seeds = 1", "seeds = 1000000000000000"),
            "seeds = 1000000000000000 makes 1000000000000000 runs",
        ),
        (
            with("\"keep\" }", &format!("\"keep\" }}\ngrid = {{ {} }}", grid.join(", "))),
            "grid of EMMF makes 2176782336",
        ),
        (
            format!("{head}kind = \"effect\"\nsigma = [1.0]\nmatrix = [{{ size = 4294967296, k = 1 }}]"),
            "matrix: size = 4294967296",
        ),
        (
            format!("{EXPERIMENT}[[contamination]]\nkind = \"outliers\"\nshare = 1e15\n"),
            "share = 1000000000000000 of 30 samples",
        ),
        (
            format!("{EXPERIMENT}[[contamination]]\nkind = \"cluster\"\nshare = 1e15\n"),
            "share = 1000000000000000 of 30 samples",
        ),
    ];
    for (text, part) in cases {
        place.write("mine.toml", text);
        place.refuses("bench mine.toml --out out --quiet", &[part, most]);
    }
    place.write("mine.toml", EXPERIMENT);
    let line = "bench mine.toml --out out --quiet --seeds 18446744073709551615";
    place.refuses(line, &["mine: seeds = 18446744073709551615 makes ", most]);
    for (share, said) in
        [("-0.1", "share = -0.1 is not"), ("nan", "share = NaN is not"), ("inf", "share = inf is not")]
    {
        place.write(
            "mine.toml",
            format!("{EXPERIMENT}[[contamination]]\nkind = \"outliers\"\nshare = {share}\n"),
        );
        place.refuses("bench mine.toml --out out --quiet", &[said]);
    }
}

#[test]
fn promise_11_a_bound_takes_no_memory_for_its_samples() {
    let place = Place::new();
    let text = "name = \"mine\"\ntitle = \"x\"\nkind = \"bound\"\nsamples = [2, 1000000000, 9000000000000000000]\nshare = [0.1]\n";
    place.write("mine.toml", text);
    place.run("bench mine.toml --out out --quiet").ok();
    let found = place.read("out/mine/bound.csv");
    assert_eq!(found.lines().count(), 4, "{found}");
}

#[test]
fn promise_11_more_jobs_than_runs_start_no_more_threads() {
    let place = place();
    place.run("bench mine.toml --out out --quiet --jobs 65535").ok();
    place.run("bench mine.toml --out one --quiet --jobs 1").ok();
    assert_eq!(place.read("out/mine/results.csv"), place.read("one/mine/results.csv"));
}

/// Results of one run must not be taken for those of another.
#[test]
fn promise_03_columns_and_rows_have_names_of_their_own() {
    let place = place();
    let twice = "[[contamination]]\nkind = \"outliers\"\nshare = 0.1\n[[contamination]]\nkind = \"outliers\"\nshare = 0.101\n";
    place.write("mine.toml", format!("{EXPERIMENT}{twice}"));
    place.refuses("bench mine.toml", &["two contaminations have the label \"10 % outliers\""]);
    place.write("mine.toml", EXPERIMENT.replace("[\"rays.npz\"]", "[\"yale\", \"YALE\"]"));
    place.refuses("bench mine.toml", &["two data sets have the name \"YALE\""]);
    place.write("mine.toml", EXPERIMENT.replace("\"EMMF\"", "\"EM\\nMF\""));
    place.refuses("bench mine.toml", &["holds a line break"]);
}
