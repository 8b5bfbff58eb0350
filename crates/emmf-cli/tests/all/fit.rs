//! `emmf fit` from file to results.

use crate::program;

use emmf::registry::METHODS;
use emmf_io::{AnyModel, read_model, read_record};
use program::{Place, column, names_in, numbers, solvers, table};

const KEYS: [&str; 9] = ["method", "n", "d", "k", "seed", "iterations", "stop", "objective", "seconds"];

#[test]
fn six_files_hold_the_results() {
    let place = Place::with_data();
    let json = place.json("fit x.csv -k 2 --max-iter 40 --tol 0 --seed 3 --out result/deep --json");
    assert_eq!(names_in(&place.path("result/deep")), program::RESULTS);

    let samples = place.read("result/deep/samples.csv");
    assert_eq!(samples.lines().next(), Some("row,label,residual,weight,score,outlier,reason"));
    let rows: Vec<f64> = (0..25).map(f64::from).collect();
    assert_eq!(column(&samples, "row"), rows);

    let record = read_record(&place.path("result/deep/record.json")).unwrap();
    assert_eq!((record.data.n, record.data.d, record.iterations), (25, 5, 40));
    assert_eq!(record.trace.len(), 40);
    assert_eq!(column(&samples, "residual"), record.samples.residual);
    assert_eq!(column(&samples, "weight"), record.samples.weight);
    assert_eq!(column(&samples, "score"), record.samples.score);
    assert_eq!(record.samples.truth.as_ref().map(Vec::len), Some(25));
    assert_eq!(json["objective"].as_f64(), Some(record.objective));
    assert_eq!(json["seed"], 3);

    let AnyModel::F64(model) = read_model(&place.path("result/deep/model.safetensors")).unwrap() else {
        panic!("text is read in double precision")
    };
    assert_eq!(model.centroids().shape(), (5, 2));
    assert_eq!(model.spec(), &record.spec);
}

#[test]
fn json_is_one_object_with_measures_only_where_classes_are_known() {
    let place = Place::with_data();
    let known = place.json("fit x.csv -k 2 --max-iter 5 --json");
    for key in KEYS.iter().chain(&["acc", "nmi", "ari"]) {
        assert!(!known[key].is_null(), "{key} in {known}");
    }
    assert_eq!((&known["method"], &known["stop"]), (&"g-emmf".into(), &"max-iter".into()));
    place.write("bare.csv", table(&numbers(), false));
    let unknown = place.json("fit bare.csv -k 2 --max-iter 5 --json");
    for key in KEYS {
        assert!(!unknown[key].is_null(), "{key} in {unknown}");
    }
    for key in ["acc", "nmi", "ari", "purity"] {
        assert!(unknown.get(key).is_none(), "{key} in {unknown}");
    }
}

#[test]
fn clusters_and_the_outlier_are_found() {
    let place = Place::with_data();
    let json = place.json("fit x.csv -k 2 --init trimmed --normalize none --out result --json");
    assert!(json["acc"].as_f64().unwrap() >= 0.96, "{json}");
    let scores = column(&place.read("result/samples.csv"), "score");
    assert!(scores[..24].iter().all(|&score| score < scores[24]), "{scores:?}");
}

#[test]
fn every_method_solver_start_preprocessing_and_type() {
    let place = Place::with_data();
    let mut lines = Vec::new();
    for method in METHODS {
        for solver in solvers(method) {
            for init in ["kmeans", "kmeans-parallel", "trimmed", "random", "nndsvd"] {
                for normalize in ["unit", "max", "tfidf", "shift", "clip", "none", "tfidf,clip,unit"] {
                    for dtype in ["f32", "f64"] {
                        lines.push(format!(
                            "fit x.csv -k 2 --max-iter 3 --method {} --solver {solver} --init {init} \
                             --normalize {normalize} --dtype {dtype} --threads 1 --json",
                            method.name
                        ));
                    }
                }
            }
        }
    }
    // One in three, which divides none of the numbers of choices: every method still meets each of them.
    let lines: Vec<String> = lines.into_iter().step_by(3).collect();
    std::thread::scope(|scope| {
        for part in lines.chunks(lines.len().div_ceil(4)) {
            let place = &place;
            scope.spawn(move || {
                for line in part {
                    let json = place.json(line);
                    assert!(json["objective"].as_f64().is_some_and(f64::is_finite), "{line}: {json}");
                    assert!(line.contains(json["dtype"].as_str().unwrap()), "{line}: {json}");
                }
            });
        }
    });
}

#[test]
fn every_other_option_is_heard() {
    let place = Place::with_data();
    let json = place.json(
        "fit x.csv -k 2 --method capped-nmf --param quantile=0.8 --exponent 0.7 --init-restarts 3 --restarts 2 \
         --tol 1e-3 --time-limit 60 --threads 2 --label-rule unit --quiet --header true --labels -1 \
         --out result --json",
    );
    assert_eq!(json["stop"], "converged");
    let spec = read_record(&place.path("result/record.json")).unwrap().spec;
    assert_eq!(spec.params.get("quantile"), Some(&0.8));
    assert_eq!((spec.exponent, spec.init_restarts, spec.restarts), (Some(0.7), 3, 2));
    assert_eq!(spec.time_limit, Some(60.0));
    let limited = place.json("fit x.csv -k 2 --max-iter 1000000000 --tol 0 --time-limit 0.2 --json");
    assert_eq!(limited["stop"], "time-limit");
}

#[test]
fn sample_weights_count() {
    let place = Place::with_data();
    let weights: Vec<String> = (0..25).map(|i| if i == 24 { "0" } else { "2" }.to_string()).collect();
    place.write("w.txt", weights.join("\n"));
    let plain = place.json("fit x.csv -k 2 --max-iter 5 --json");
    let weighted = place.json("fit x.csv -k 2 --max-iter 5 --sample-weights w.txt --json");
    assert_ne!(plain["objective"], weighted["objective"]);
}

#[test]
fn standard_input_in_any_format() {
    let place = Place::with_data();
    let from_file = place.json("fit x.csv -k 2 --max-iter 5 --json");
    let text = std::fs::read(place.path("x.csv")).unwrap();
    let line = "fit - -k 2 --max-iter 5 --json";
    let piped: serde_json::Value = serde_json::from_str(&place.run_with_input(line, &text).ok()).unwrap();
    assert_eq!(piped["objective"], from_file["objective"]);
    assert_eq!(piped["acc"], from_file["acc"]);
    place.run("synth rays --samples 30 --features 4 --outliers 2 --out rays.npy").ok();
    let bytes = std::fs::read(place.path("rays.npy")).unwrap();
    let piped: serde_json::Value = serde_json::from_str(&place.run_with_input(line, &bytes).ok()).unwrap();
    assert_eq!((&piped["n"], &piped["d"]), (&32.into(), &4.into()));
}

#[test]
fn sparse_files_stay_sparse() {
    let place = Place::new();
    let entries = |i: usize| format!("{i} {} {}\n{i} {} 1.5\n", 1 + i % 3, i + 1, 4 + i % 3);
    let lines: String = (1..=10).map(entries).collect();
    place.write("x.mtx", format!("%%MatrixMarket matrix coordinate real general\n10 6 20\n{lines}"));
    let summary = place.run("fit x.mtx -k 3 --max-iter 5 --out result").ok();
    assert!(summary.contains("10×6 sparse f64") && summary.contains("result"), "{summary}");
    assert!(read_record(&place.path("result/record.json")).unwrap().data.sparse);
}

#[test]
fn the_same_seed_gives_the_same_files() {
    let place = Place::with_data();
    for (out, threads) in [("one", 1), ("two", 2)] {
        place.run(&format!("fit x.csv -k 3 --seed 5 --init random --threads {threads} --out {out}")).ok();
    }
    assert_eq!(place.read("one/samples.csv"), place.read("two/samples.csv"));
}

/// Labels of a fit by k-means on its coefficients, and of the same samples by the model file.
#[test]
fn labels_by_every_rule() {
    let place = Place::with_data();
    for options in ["--method gnmf", "--method nmf --label-rule kmeans", "--method lsnmf --param stable=1"] {
        place.run(&format!("fit x.csv -k 2 --labels -1 --max-iter 30 {options} --out result")).ok();
        let record = read_record(&place.path("result/record.json")).unwrap();
        assert!(record.samples.label.iter().all(|&label| label < 2), "{options}");
        place.run("transform result/model.safetensors x.csv --labels -1 --out coded.csv").ok();
        assert_eq!(column(&place.read("coded.csv"), "label").len(), record.samples.label.len());
    }
    let AnyModel::F64(model) = read_model(&place.path("result/model.safetensors")).unwrap() else { panic!() };
    assert!(model.label_centres().is_empty());
    place.run("fit x.csv -k 2 --method nmf --label-rule kmeans --out result").ok();
    let AnyModel::F64(model) = read_model(&place.path("result/model.safetensors")).unwrap() else { panic!() };
    assert_eq!(model.label_centres().len(), 2);
}

/// Clusters apart from centroids: in summary, record, page and for new samples.
#[test]
fn clusters_apart_from_centroids() {
    let place = Place::with_data();
    let text = place.run("fit x.csv -k 3 --clusters 2 --labels -1 --method emmf --out result --report").ok();
    let sizes = text.lines().find(|line| line.contains("cluster sizes")).unwrap();
    assert_eq!(sizes.split_whitespace().filter(|word| word.parse::<usize>().is_ok()).count(), 2, "{text}");
    let record = read_record(&place.path("result/record.json")).unwrap();
    assert!(record.samples.label.iter().all(|&label| label < 2));
    place.run("transform result/model.safetensors x.csv --labels -1 --out coded.csv").ok();
    place.run("plot result --kind centroids --out centroids.svg").ok();
    place.refuses("fit x.csv -k 3 --clusters 2 --label-rule largest", &["--clusters", "k-means"]);
    // As it was called before.
    place.run("fit x.csv -k 2 --method emmf --label-rule raw").ok();
    place.refuses("fit x.csv -k 3 --clusters 0", &["at least 1"]);
}
