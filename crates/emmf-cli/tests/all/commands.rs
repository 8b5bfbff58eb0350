//! The commands around a fit: transform, score, synth, methods, demo, help.

use crate::program;

use std::io::Read;
use std::process::Stdio;

use emmf::registry::{Facts, METHODS, Memory};
use emmf_io::{Budget, FolderKind, FolderOptions, Matrix, Numbers, ReadOptions};
use emmf_io::{read, read_folder, read_labels};
use program::{Place, column};
use serde_json::json;

#[test]
fn transform_of_the_training_samples_repeats_the_fit() {
    let place = Place::with_data();
    for normalize in ["unit", "tfidf", "shift,clip", "none"] {
        place.run(&format!("fit x.csv -k 2 --normalize {normalize} --out result")).ok();
        let out = place.run("transform result/model.safetensors x.csv --out -").ok();
        let samples = place.read("result/samples.csv");
        assert_eq!(out.lines().next(), Some("v0,v1,label,residual,score"));
        assert_eq!(column(&out, "residual"), column(&samples, "residual"), "{normalize}");
        assert_eq!(column(&out, "score"), column(&samples, "score"), "{normalize}");
        assert!(column(&out, "v0").iter().chain(&column(&out, "v1")).all(|v| *v >= 0.0 && v.is_finite()));
    }
}

#[test]
fn transform_writes_every_format() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --dtype f32 --out result").ok();
    for ending in ["csv", "tsv", "npy", "npz", "mat", "mtx", "parquet"] {
        let said = place.run(&format!("transform result/model.safetensors x.csv --out t.{ending}")).ok();
        assert_eq!(said, format!("written to t.{ending}\n"));
        let back = read(&place.path(&format!("t.{ending}")), &ReadOptions::default()).unwrap();
        // Where columns have names, the labels are found by theirs.
        assert_eq!(back.x.shape().0, 25, "{ending}");
        assert_eq!(back.x.shape().1 + usize::from(back.labels.is_some()), 5, "{ending}");
    }
}

#[test]
fn scores_of_equal_and_renamed_labels_are_one() {
    let place = Place::with_data();
    place.write("a.txt", "0\n0\n1\n1\n2\n");
    place.write("b.txt", "label\nred\nred\nblue\nblue\ngreen\n");
    for pair in ["a.txt a.txt", "a.txt b.txt", "b.txt a.txt"] {
        let json = place.json(&format!("score {pair} --json"));
        for key in ["acc", "nmi", "nmi_max", "nmi_arithmetic", "nmi_min", "ari", "purity"] {
            assert!((json[key].as_f64().unwrap() - 1.0).abs() < 1e-12, "{pair}: {key} in {json}");
        }
        assert_eq!(json["n"], 5);
    }
    let text = place.run("score a.txt b.txt").ok();
    assert!(text.contains("acc") && text.contains("1.0000"), "{text}");
    let fit = place.json("fit x.csv -k 2 --max-iter 20 --out result --json");
    let score = place.json("score x.csv result/samples.csv --json");
    for key in ["acc", "nmi", "ari", "purity"] {
        assert_eq!(fit[key], score[key], "{key}");
    }
}

#[test]
fn score_takes_columns_by_name_and_number() {
    let place = Place::new();
    place.write("t.csv", "id,kind,size\n1,x,1\n2,x,2\n3,y,3\n");
    place.write("p.csv", "5,1\n6,1\n7,2\n");
    let json = place.json("score t.csv p.csv --labels kind --predicted-labels 2 --json");
    assert_eq!((&json["acc"], &json["n"]), (&1.0.into(), &3.into()));
    // The first field of the first line is a number like the one asked for, but no name.
    place.write("q.csv", "2,1\n6,1\n7,2\n");
    assert_eq!(place.json("score t.csv q.csv --labels kind --predicted-labels 2 --json")["n"], 3);
    place.run("score t.csv p.csv").refused(&["t.csv", "'kind'", "--labels"]);
}

#[test]
fn synth_makes_every_kind_in_every_format() {
    let place = Place::new();
    place.run("synth rays --samples 12 --features 6 -k 2 --outliers 0 --out images.npz").ok();
    let kinds = [
        ("shapes --samples 10 --outliers 3", 13, 256),
        ("cells --samples 10 --outliers 2", 12, 200),
        ("spectra --samples 8 --outliers 3", 11, 121),
        ("toy", 13, 2),
        ("toy-clean", 10, 2),
        ("rays --samples 20 --features 7 -k 4 --outliers 3 --noise 0.1 --seed 5", 23, 7),
        ("outliers images.npz --count 4 --seed 1", 16, 6),
        ("block-noise images.npz --image 2x3 --block 2 --per-class 1 --row-major", 12, 6),
    ];
    for (at, (kind, n, d)) in kinds.into_iter().enumerate() {
        for ending in ["csv", "tsv", "npy", "npz", "mat", "mtx", "parquet"] {
            let name = format!("made{at}.{ending}");
            assert_eq!(place.run(&format!("synth {kind} --out {name}")).ok(), format!("written to {name}\n"));
            let data = read(&place.path(&name), &ReadOptions::default()).unwrap();
            assert_eq!(data.x.shape(), (n, d), "{kind} as {ending}");
            let labels = if matches!(ending, "npy" | "mtx") {
                read_labels(&place.path(&format!("made{at}.labels.csv")), None, &Budget::default()).unwrap()
            } else {
                data.labels.unwrap()
            };
            assert_eq!(labels.len(), n, "{kind} as {ending}");
        }
        let text = place.run(&format!("synth {kind} --out -")).ok();
        assert_eq!(text.lines().count(), n + 1, "{kind}");
    }
}

#[test]
fn shapes_become_a_folder_of_images_too() {
    let place = Place::new();
    place.run("synth shapes --samples 10 --outliers 3 --out shapes.csv").ok();
    place.run("synth shapes --samples 10 --outliers 3 --out shapes/").ok();
    let table = read(&place.path("shapes.csv"), &ReadOptions::default()).unwrap();
    let images =
        read_folder(&place.path("shapes"), FolderKind::Images, &FolderOptions::default()).unwrap().data;
    // Folders are read class by class, the first of which is "bars".
    assert_eq!((images.x.shape(), images.labels.as_ref().unwrap()[0].as_str()), ((13, 256), "bars"));
    let first = |x: Numbers, row: usize| match x.into_f64() {
        Matrix::Dense(x) => x.row(row).to_vec(),
        Matrix::Sparse(_) => panic!("images are dense"),
    };
    let (grey, as_written) = (first(table.x, 8), first(images.x, 0));
    assert!(grey.iter().zip(&as_written).all(|(a, b)| (a - b).abs() < 0.5 / 255.0 + 1e-9));
}

/// More images than a process may hold open, in a folder whose name has a point.
#[cfg(unix)]
#[test]
fn many_shapes_are_written_with_few_open_files() {
    let place = Place::new();
    let emmf = env!("CARGO_BIN_EXE_emmf");
    let line = format!("ulimit -n 128 && exec '{emmf}' synth shapes --samples 200 --outliers 0 --out v1.0/");
    let done = std::process::Command::new("sh").args(["-c", &line]).current_dir(place.path(".")).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let options = FolderOptions::default();
    let images = read_folder(&place.path("v1.0"), FolderKind::Images, &options).unwrap().data;
    assert_eq!(images.x.shape(), (200, 256));
}

#[test]
fn methods_lists_all_that_are_registered() {
    let place = Place::new();
    let text = place.run("methods").ok();
    let json: serde_json::Value = serde_json::from_str(&place.run("methods --json").ok()).unwrap();
    assert_eq!(json.as_array().map(Vec::len), Some(METHODS.len()));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    place.run("methods emf").refused(&["did you mean 'emmf'?"]);
    for (entry, listed) in METHODS.iter().zip(json.as_array().unwrap()) {
        assert!(text.contains(entry.name), "{}", entry.name);
        assert_eq!(listed["name"], entry.name);
        let all = place.run(&format!("methods {}", entry.name)).ok();
        assert!(all.contains(entry.objective) && all.contains(entry.reference), "{all}");
        for param in entry.params {
            assert!(all.contains(param.name), "{} of {}", param.name, entry.name);
        }
    }
}

/// All that the registry knows is listed. Whoever adds a fact sees this test first.
#[test]
fn methods_lists_all_facts() {
    let json: serde_json::Value = serde_json::from_str(&Place::new().run("methods --json").ok()).unwrap();
    for (entry, listed) in METHODS.iter().zip(json.as_array().unwrap()) {
        let Facts {
            graph,
            weights,
            own_loss,
            missing,
            set_aside,
            zeros,
            homogeneous,
            labels,
            published_labels,
            converges,
            settles,
            codes_alone,
            consensus,
            layers,
            penalties,
            places,
            memory: Memory { like_v, like_x, candidates, starts, products, .. },
        } = entry.facts;
        let facts = json!({
            "graph": graph,
            "weights": weights,
            "own_loss": own_loss,
            "missing": missing,
            "set_aside": set_aside,
            "zeros": zeros,
            "homogeneous": homogeneous,
            "labels": labels,
            "published_labels": published_labels,
            "converges": converges,
            "settles": settles,
            "codes_alone": codes_alone,
            "consensus": consensus,
            "layers": layers,
            "penalties": penalties,
            "places": places,
            "memory": {
                "like_v": like_v,
                "like_x": like_x,
                "candidates": candidates,
                "starts": starts,
                "products": products,
            },
        });
        for (name, fact) in facts.as_object().unwrap() {
            assert_eq!(&listed[name], fact, "{name} of {}", entry.name);
        }
        let texts = [entry.name, entry.title, entry.reference, entry.objective, entry.guarantee];
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", entry.name);
        for (param, listed) in entry.params.iter().zip(listed["params"].as_array().unwrap()) {
            assert_eq!((&listed["name"], listed["up_to"].as_f64()), (&param.name.into(), Some(param.up_to)));
        }
    }
    let emmf = &json[0];
    assert_eq!((&emmf["graph"], &emmf["set_aside"]), (&"optional".into(), &"default".into()));
    assert_eq!((&emmf["places"], &emmf["labels"]), (&"anywhere".into(), &"kmeans".into()));
    assert_eq!((&json[1]["graph"], &json[1]["places"]), (&"needed".into(), &"one-memory".into()));
}

#[test]
fn demo_writes_a_page_that_needs_nothing_else() {
    let place = Place::new();
    let text = place.run("demo").ok();
    for part in ["nmf", "l21-nmf", "emmf", "accuracy", "outliers", "emmf-demo/index.html"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(place.names(), ["emmf-demo"]);
    let page = place.read("emmf-demo/index.html");
    assert!(page.trim_end().ends_with("</html>"));
    let inside = page.replace("http://www.w3.org/2000/svg", "");
    for link in ["http:", "https:", "src=", "href=", "@import", "url("] {
        assert!(!inside.contains(link), "{link}");
    }
}

#[test]
fn help_says_how() {
    let place = Place::new();
    for command in
        ["", "fit ", "transform ", "report ", "plot ", "explain ", "score ", "synth ", "completions "]
    {
        let help = place.run(&format!("{command}--help")).ok();
        assert!(help.contains("Usage:") && help.contains("Examples:\n  emmf "), "{command}: {help}");
    }
    assert!(place.run("--version").ok().starts_with("emmf "));
    let bare = place.run("");
    assert_eq!((bare.code, bare.stdout.as_str()), (Some(2), ""));
    assert!(bare.stderr.contains("Usage:"));
}

#[test]
fn whoever_closes_the_pipe_has_seen_enough() {
    let place = Place::with_data();
    for line in ["synth rays --samples 3000 --out -", "fit x.csv -k 2", "methods", "score x.csv x.csv --json"]
    {
        let mut command = place.command(line);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if line.starts_with("synth") {
            child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        }
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{line}");
    }
}
