//! What makes the command line pleasant: a number of clusters that is chosen, a file of options, completions, colours.

use crate::program;

use emmf::synth::{Rays, rays_with_outliers};
use emmf_io::{Dataset, read_record, write};
use program::Place;

/// Round clusters around random centers, at least eight standard deviations apart.
fn blobs(place: &Place, k: usize, seed: u64) {
    let centers = rays_with_outliers::<f64>(&Rays {
        classes: k,
        features: 8,
        samples: 60 * k,
        outliers: 0,
        noise: 0.12,
        seed,
        ..Rays::default()
    });
    let data = centers.unwrap();
    let labels = data.labels.iter().map(ToString::to_string).collect();
    write(&place.path("blobs.csv"), &Dataset::new(data.x, Some(labels), None)).unwrap();
}

#[test]
fn the_true_number_of_blobs_is_found() {
    let place = Place::new();
    for (seed, k) in [(1, 3), (2, 4), (3, 5), (4, 6), (5, 8)] {
        blobs(&place, k, seed);
        let json = place.json(&format!("fit blobs.csv --seed {seed} --max-iter 20 --json --out result"));
        assert_eq!(json["k"], k, "{json}");
        let choice = read_record(&place.path("result/record.json")).unwrap().choice.unwrap();
        assert!(choice.k == k && choice.agreeing >= 8 && choice.splits == 10, "{choice:?}");
    }
    let text = place.run("fit blobs.csv -k 4..12 --max-iter 5").ok();
    assert!(
        text.contains("number of clusters")
            && text.contains("8 of 4 to 12")
            && text.contains("splits choose it")
            && !text.contains("no larger number"),
        "{text}"
    );
    let text = place.run("fit blobs.csv -k 4..8 --max-iter 5").ok();
    assert!(text.contains("8 of 4 to 8") && text.contains("no larger number was tried"), "{text}");
}

/// A rank instead of clusters, the sentence about it, and the page.
#[test]
fn a_rank_is_chosen() {
    let place = Place::new();
    blobs(&place, 3, 1);
    let json = place.json("fit blobs.csv -k 2..8 --choose rank --method nmf --json --out result --report");
    assert!(json["choice"]["rank"] == true && json["k"] == json["choice"]["k"], "{json}");
    let text = place.run("fit blobs.csv -k 2..8 --choose rank --method nmf").ok();
    assert!(text.contains("smallest rank that explains"), "{text}");
    let text = place.run("fit blobs.csv -k 2 --method emmf --max-iter 7").ok();
    assert!(text.contains("7, ") && !text.contains("max-iter"), "{text}");
}

#[test]
fn options_of_a_file() {
    let place = Place::with_data();
    place.write(
        "fit.toml",
        "k = 2\nmethod = \"capped-nmf\"\nmax-iter = 7\njson = true\nout = \"result\"\nreport = true\n\
         normalize = [\"tfidf\", \"unit\"]\nparam = { quantile = 0.8 }\nheader = true\n",
    );
    let typed = place.json(
        "fit x.csv -k 2 --method capped-nmf --max-iter 7 --json --normalize tfidf,unit --param quantile=0.8 --header true",
    );
    for line in ["fit x.csv --config fit.toml", "--config=fit.toml fit x.csv"] {
        let found = place.json(line);
        assert_eq!((&found["objective"], &found["iterations"]), (&typed["objective"], &7.into()));
    }
    assert!(place.path("result/report.html").exists());
    // What is typed wins, also where short options are typed together.
    assert_eq!(place.json("fit x.csv --config fit.toml -qk 3")["k"], 3);
    let other = place.json("fit x.csv --config fit.toml -k 3 --normalize none");
    assert_eq!((&other["k"], &other["normalize"]), (&3.into(), &serde_json::json!([])));
    place.write("bad.toml", "max_iter = 3\n");
    place.refuses("fit x.csv --config bad.toml", &["bad.toml", "'max_iter'", "did you mean 'max-iter'?"]);
    place.write("bad.toml", "n_components = 3\n");
    place.refuses("fit x.csv --config bad.toml", &["'n_components'", "did you mean 'k'?"]);
    place.write("bad.toml", "k = = 3\n");
    place.refuses("fit x.csv --config bad.toml", &["bad.toml", "is not valid TOML"]);
    place.write("bad.toml", "k = {}\njson = 3\n");
    place.refuses("fit x.csv --config bad.toml", &["bad.toml", "true or false"]);
    place.refuses("fit x.csv --config none.toml", &["none.toml", "check its name"]);
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let place = Place::new();
    let commands = ["fit", "transform", "report", "plot", "explain", "score", "synth", "methods", "demo"];
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run(&format!("completions {shell}")).ok();
        for word in commands.iter().chain(&["max-iter", "image", "alpha-w", "median-sweeps"]) {
            assert!(script.contains(word), "{word} in {shell}");
        }
    }
    let page = place.run("man").ok();
    for command in commands {
        assert!(page.contains(&format!(".SH {}", command.to_uppercase())), "{command}");
    }
    assert!(page.starts_with(".ie") && page.contains(".TH emmf 1") && page.contains("Examples"));
}

#[test]
fn nothing_but_text_goes_into_a_pipe() {
    let place = Place::with_data();
    // A bar or a colour would be an escape sequence.
    for line in [
        "fit x.csv -k 2 --max-iter 3000 --tol 0",
        "fit x.csv -k 5000",
        "fit x.csv --sed 3",
        "methods",
        "fit --help",
    ] {
        let done = place.run(line);
        assert!(!(done.stdout + &done.stderr).contains('\u{1b}'), "{line}");
    }
    let forced = place.command("fit x.csv -k 5000").env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(forced.stderr.contains(&0x1b));
    let plain = place.command("fit x.csv -k 5000").env("NO_COLOR", "1").output().unwrap();
    assert!(!plain.stderr.contains(&0x1b));
}

#[test]
fn the_nearest_name_is_told() {
    let place = Place::with_data();
    place.refuses("fit x.csv -k 2 --method emf", &["did you mean 'emmf'?"]);
    place.refuses("fit x.csv -k 2 --labels clas", &["did you mean 'class'?"]);
    place.refuses("fitt x.csv", &["'fit'"]);
}

/// Common options first, the rest under headings; the short help has no more than a screen and a half.
#[test]
fn help_has_headings() {
    let place = Place::new();
    let short = place.run("fit -h").ok();
    assert!(short.lines().count() <= 45, "{} lines:\n{short}", short.lines().count());
    let long = place.run("fit --help").ok();
    let at = |text: &str| long.find(text).unwrap_or_else(|| panic!("{text} is not in:\n{long}"));
    for pair in [
        "\n  -k",
        "--seed",
        "\nData:",
        "--labels",
        "\nTexts:",
        "\nOutliers:",
        "\nGraph:",
        "\nSolver:",
        "\nExpert:",
    ]
    .windows(2)
    {
        assert!(at(pair[0]) < at(pair[1]), "{pair:?}");
    }
}

#[test]
fn completion_offers_methods_and_every_command_has_a_page() {
    let place = Place::new();
    let script = place.run("completions bash").ok();
    assert!(script.contains("g-emmf") && script.contains("fig-lambda") && script.contains("l1-ratio"));
    place.run("man --out man1").ok();
    let pages = program::names_in(&place.path("man1"));
    for page in ["emmf.1", "emmf-fit.1", "emmf-transform.1", "emmf-methods.1"] {
        assert!(pages.contains(&page.to_owned()), "{pages:?}");
    }
    assert!(place.read("man1/emmf-fit.1").contains("normalize"));
}

/// Summary, names, and the commands that take the folder of a fit.
#[test]
fn a_result_folder_is_all_that_is_named() {
    let place = Place::with_data();
    let table: String = place
        .read("x.csv")
        .lines()
        .enumerate()
        .map(|(i, line)| if i == 0 { format!("id,{line}\n") } else { format!("S{i:02},{line}\n") })
        .collect();
    place.write("named.csv", table);
    let done = place.run("fit named.csv -k 2 --max-iter 20 --out result");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("column 'id' is taken as the names"), "{}", done.stderr);
    assert!(done.stdout.contains("S25"), "the outlier by its name: {}", done.stdout);
    assert!(place.read("result/samples.csv").lines().nth(1).unwrap().ends_with(",S01"));
    assert!(place.read("result/coefficients.csv").starts_with("name,v0,v1,label,residual,score\nS01,"));
    assert!(place.read("result/centroids.csv").starts_with("feature,u0,u1\nf1,"));
    let quiet = place.run("transform result named.csv --out coded.csv").ok();
    assert_eq!(quiet, "written to coded.csv\n");
    assert_eq!(place.read("coded.csv").lines().next(), place.read("result/coefficients.csv").lines().next());
    assert_eq!(place.json("explain result named.csv --name S25 --json")["row"], 24);
    assert_eq!(place.json("score x.csv result --json")["n"], 25);
    place.refuses("explain result named.csv --name S99", &["there is no sample named 'S99'"]);
    place.refuses("explain result named.csv", &["--row", "--name"]);
    place.refuses("fit named.csv -k 2 --write h5ad --out other", &["--write h5ad", ".h5ad"]);
}

/// The features that vary are found again by name, and by number where they have none.
#[test]
fn top_features_stay_in_the_model() {
    let place = Place::new();
    let line = |i: usize| -> String {
        let entry = |j: usize| {
            if j % 10 == 3 && i.is_multiple_of(2) { 9.0 } else { 1.0 + ((i * 7 + j * 3) % 5) as f64 / 10.0 }
        };
        (0..40).map(|j| entry(j).to_string()).collect::<Vec<_>>().join(",") + "\n"
    };
    let bare: String = (0..30).map(line).collect();
    let names: Vec<String> = (0..40).map(|j| format!("g{j}")).collect();
    place.write("bare.csv", &bare);
    place.write("named.csv", names.join(",") + "\n" + &bare);
    for (file, first) in [("bare.csv", "x4"), ("named.csv", "g3")] {
        let json =
            place.json(&format!("fit {file} -k 2 --top-features 4 --method nmf --quiet --json --out result"));
        assert_eq!(json["d"], 4);
        assert!(place.read("result/centroids.csv").lines().nth(1).unwrap().starts_with(first));
        let done = place.run(&format!("transform result {file} --out coded.csv"));
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert_eq!(
            program::column(&place.read("coded.csv"), "v0"),
            program::column(&place.read("result/coefficients.csv"), "v0")
        );
    }
    place.refuses("fit bare.csv -k 2 --top-features 0", &["--top-features is 0"]);
}
