//! `emmf fit` with a graph and with a grid.

use crate::program;

use emmf::Spec;
use emmf_io::{Matrix, ReadOptions, read};
use program::Place;

/// Three clusters, in order.
fn place() -> Place {
    let place = Place::new();
    place.run("synth rays --samples 90 --outliers 3 --features 12 --out x.npz").ok();
    place
}

#[test]
fn graphs_of_the_samples() {
    let place = place();
    for graph in [
        "",
        "--graph knn --neighbours 7",
        "--graph adaptive",
        "--graph-weights heat",
        "--graph-weights cosine",
    ] {
        let json =
            place.json(&format!("fit x.npz -k 3 --method g-emmf --json --max-iter 30 --tol 0 {graph}"));
        assert!(json["extras"]["lambda"].as_f64().unwrap() > 0.0, "{json}");
        assert_eq!(json["extras"]["orthogonality"].as_array().unwrap().len(), 31);
    }
    let json = place.json("fit x.npz -k 3 --method l21-nmf --graph knn --lambda 100 --json --max-iter 30");
    assert_eq!(json["extras"]["lambda"], 100.0);
    let json = place
        .json("fit x.npz -k 3 --method g-emmf --approximate true --tol 1e-3 --stop-by coefficients --json");
    assert_eq!(json["stop"], "converged");
}

/// One thing has one name, and the American spelling is understood everywhere.
#[test]
fn neighbours_are_understood_in_either_spelling() {
    let place = place();
    let line = "fit x.npz -k 3 --method g-emmf --max-iter 5 --json";
    let (few, usual) = (place.json(&format!("{line} --neighbours 2")), place.json(line));
    assert_ne!(few["objective"], usual["objective"]);
    assert_eq!(place.json(&format!("{line} --neighbors 2"))["objective"], few["objective"]);
    for key in ["neighbours", "neighbors"] {
        place.write("o.toml", format!("{key} = 2"));
        assert_eq!(place.json(&format!("{line} --config o.toml"))["objective"], few["objective"]);
        let spec = format!("{{\"method\": \"gnmf\", \"k\": 3, \"graph\": {{\"{key}\": 2}}}}");
        let spec: Spec = serde_json::from_str(&spec).unwrap();
        assert_eq!(spec.graph.unwrap().neighbours, 2);
    }
}

/// Sample weights with a graph are those of the library: the loss counts them.
#[test]
fn sample_weights_with_a_graph() {
    let place = place();
    let weights: Vec<f64> = (0..93).map(|i| f64::from(1 + i % 4)).collect();
    place.write("w.txt", weights.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    let line = "fit x.npz -k 3 --method g-emmf --max-iter 20 --json";
    let weighted = place.json(&format!("{line} --sample-weights w.txt"));
    let Matrix::Dense(x) = read(&place.path("x.npz"), &ReadOptions::default()).unwrap().x.into_f64() else {
        panic!("the samples are dense")
    };
    let spec = Spec::new("g-emmf", 3).max_iter(20);
    let ours = spec.on(&x).weights(&weights).fit().unwrap();
    assert_eq!(weighted["objective"].as_f64(), Some(ours.objective));
    assert_ne!(weighted["objective"], place.json(line)["objective"]);
}

#[test]
fn graphs_of_files() {
    let place = place();
    let edges: Vec<_> = (0..93).map(|i| (i, (i + 3) % 93)).collect();
    let lines: Vec<String> = edges.iter().map(|(i, j)| format!("{i},{j},1")).collect();
    place.write("edges.csv", lines.join("\n"));
    let entries: Vec<String> =
        edges.iter().map(|(i, j)| format!("{} {} 1", i.max(j) + 1, i.min(j) + 1)).collect();
    let entries = entries.join("\n");
    place.write(
        "edges.mtx",
        format!("%%MatrixMarket matrix coordinate real symmetric\n93 93 93\n{entries}\n"),
    );
    let fit = |file: &str| {
        place.json(&format!("fit x.npz -k 3 --method g-emmf --graph {file} --json --max-iter 20"))
    };
    let mut objectives = ["edges.csv", "edges.mtx"].map(|file| fit(file)["objective"].as_f64().unwrap());
    objectives.sort_by(f64::total_cmp);
    assert_eq!(objectives[0], objectives[1]);
}

#[test]
fn mistakes() {
    let place = place();
    place.write("edges.csv", "0,1\n5,93\n");
    place.write("small.mtx", "%%MatrixMarket matrix coordinate real symmetric\n9 9 1\n2 1 1\n");
    place.write("skew.mtx", "%%MatrixMarket matrix coordinate real general\n93 93 1\n2 1 1\n");
    for (line, parts) in [
        ("--graph nothing.mtx", &["neither knn nor adaptive nor a file"][..]),
        ("--graph edges.csv", &["edges.csv", "edge 1", "93 is not a sample from 0 to 92"]),
        ("--graph small.mtx", &["small.mtx", "9x9", "93x93"]),
        ("--graph skew.mtx", &["skew.mtx", "symmetric"]),
        ("--method nmf --neighbors 7", &["--graph knn"]),
        ("--method pnmf --graph knn", &["cannot follow"]),
        ("--lambda 0", &["lambda", "above 0"]),
        ("--grid lambda=1 --lambda 3", &["already given"]),
        ("--grid nothing=1", &["nothing"]),
    ] {
        let method = if line.contains("--method") { "" } else { "--method g-emmf" };
        place.refuses(&format!("fit x.npz -k 3 {method} {line}"), parts);
    }
}

#[test]
fn grids() {
    let place = place();
    let line = "fit x.npz -k 3 --method g-emmf --max-iter 20 --grid lambda=1e1,1e3,1e5";
    let json = place.json(&format!("{line} --json"));
    let grid = &json["grid"];
    assert_eq!((&grid["by"], grid["points"].as_array().unwrap().len()), (&"modularity".into(), 3));
    assert_eq!(grid["chosen"], json["extras"]["lambda"]);
    let best = |point: &serde_json::Value| point["score"].as_f64().unwrap();
    let scores: Vec<f64> = grid["points"].as_array().unwrap().iter().map(best).collect();
    let highest = scores.iter().copied().fold(f64::MIN, f64::max);
    let chosen =
        grid["points"].as_array().unwrap().iter().find(|point| point["value"] == grid["chosen"]).unwrap();
    assert_eq!(best(chosen), highest);
    let shown = place.run(&format!("{line} --grid-by acc --out result"));
    assert!(shown.stderr.contains("WARNING") && shown.stderr.contains("true classes"));
    assert!(
        std::fs::read_to_string(place.path("result/record.json")).unwrap().contains("\"by\":\"accuracy\"")
    );
}
