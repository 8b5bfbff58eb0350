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
            && text.contains("splits choose it"),
        "{text}"
    );
}

/// A rank instead of clusters, the sentence about it, and the page.
#[test]
fn a_rank_is_chosen() {
    let place = Place::new();
    blobs(&place, 3, 1);
    let json = place.json("fit blobs.csv -k 2..8 --choose rank --method nmf --json --out result --report");
    assert!(json["choice"]["rank"] == true && json["k"] == json["choice"]["k"], "{json}");
    let text = place.run("fit blobs.csv -k 2..8 --choose rank --method nmf").ok();
    assert!(text.contains("least rank that explains"), "{text}");
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
    // What is typed wins.
    let other = place.json("fit x.csv --config fit.toml -k 3 --normalize none");
    assert_eq!((&other["k"], &other["normalize"]), (&3.into(), &serde_json::json!([])));
    place.write("bad.toml", "max_iter = 3\n");
    place.refuses("fit x.csv --config bad.toml", &["bad.toml", "'max_iter'", "did you mean 'max-iter'?"]);
    place.write("bad.toml", "k = = 3\n");
    place.refuses("fit x.csv --config bad.toml", &["bad.toml", "is no TOML"]);
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
        for word in commands.iter().chain(&["max-iter", "image"]) {
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
    for line in
        ["fit x.csv -k 2 --max-iter 3000", "fit x.csv -k 5000", "fit x.csv --sed 3", "methods", "fit --help"]
    {
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
