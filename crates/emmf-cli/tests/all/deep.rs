//! `emmf fit --layers`: the tree and what is made of it.

use crate::program;

use emmf::model::NodeTree;
use emmf_io::{AnyModel, read_model, read_record};
use program::{Place, column, names_in};

#[test]
fn layers_leave_a_tree() {
    let place = Place::with_data();
    let json = place.json("fit x.csv --layers 5,2 --max-iter 40 --out result --report --json");
    assert_eq!((&json["method"], &json["layers"]), (&"deep-emmf".into(), &serde_json::json!([5, 2])));
    assert_eq!(json["clusters"].as_array().map(Vec::len), Some(2));
    let files = names_in(&place.path("result"));
    assert!(
        ["tree.csv", "tree.json", "tree.nwk"].iter().all(|file| files.iter().any(|name| name == file)),
        "{files:?}"
    );

    let tree: NodeTree = serde_json::from_str(&place.read("result/tree.json")).unwrap();
    let record = read_record(&place.path("result/record.json")).unwrap();
    assert_eq!(record.tree.as_ref(), Some(&tree));
    assert_eq!(place.read("result/tree.nwk").trim(), tree.to_newick());
    assert_eq!(place.read("result/tree.csv"), tree.to_csv());
    assert_eq!(tree.roots().map(|root| root.members.len()).sum::<usize>(), 25);

    let samples = place.read("result/samples.csv");
    let head = "row,label,residual,weight,score,outlier,reason,label1,score1,reason1,label2,score2,reason2";
    assert_eq!(samples.lines().next(), Some(head));
    assert_eq!(column(&samples, "label"), column(&samples, "label2"));
    assert!(place.read("result/report.html").contains("Tree of layers"));

    let AnyModel::F64(model) = read_model(&place.path("result/model.safetensors")).unwrap() else {
        panic!("text is read in double precision")
    };
    assert_eq!((model.layers().len(), model.layers()[0].b.shape()), (1, (5, 2)));
    place.run("transform result x.csv --labels class --out coded.csv").ok();
    let coded = place.read("coded.csv");
    assert!(
        coded.lines().next().unwrap().ends_with("label,residual,score,l2v0,l2v1,label1,score1,label2,score2")
    );
    // The model alone knows what is usual on every layer.
    let explained = place.json("explain result x.csv --labels class --row 3 --json");
    for (layer, on) in explained["layers"].as_array().unwrap().iter().enumerate() {
        let fitted = &record.samples.layers[layer];
        for (name, fitted) in [("residual", fitted.residuals[3]), ("score", fitted.scores[3])] {
            assert!((on[name].as_f64().unwrap() - fitted).abs() < 1e-9, "{on}, {name} {fitted}");
        }
    }
    let text = place.run("explain result x.csv --labels class --row 3").ok();
    assert!(text.contains("layer") && text.contains("node"), "{text}");
    for kind in ["tree", "centroids"] {
        place.run(&format!("plot result --kind {kind} --out {kind}.svg")).ok();
        assert!(place.read(&format!("{kind}.svg")).contains("</svg>"));
    }
    let text = place.run("fit x.csv --layers 5,2 --max-iter 9").ok();
    assert!(text.contains("layers 5, 2") && text.contains("certainty"), "{text}");
}

#[test]
fn widths_are_chosen() {
    let place = Place::with_data();
    let json = place.json("fit x.csv --layers auto --max-iter 9 --json");
    let widths: Vec<u64> =
        json["layers"].as_array().unwrap().iter().filter_map(serde_json::Value::as_u64).collect();
    assert!(!widths.is_empty() && widths.windows(2).all(|pair| pair[0] > pair[1]), "{json}");
}

#[test]
fn any_loss_of_weighted_samples_has_layers() {
    let place = Place::with_data();
    for method in ["l21-nmf", "nmf", "hx-nmf"] {
        let json = place
            .json(&format!("fit x.csv --layers 4,2 --method {method} --param merge=0 --max-iter 9 --json"));
        assert_eq!((&json["method"], &json["layers"]), (&method.into(), &serde_json::json!([4, 2])));
    }
}

/// Also of samples that are read in blocks, with the graph that was asked for.
#[test]
fn layers_of_a_file_that_does_not_fit() {
    let place = Place::new();
    let (n, d) = (6_000, 400);
    let rays = emmf::synth::Rays { samples: n, features: d, outliers: 0, ..Default::default() };
    let x = emmf::synth::rays_with_outliers::<f32>(&rays).unwrap().x;
    emmf_io::write(&place.path("x.npy"), &emmf_io::Dataset::new(x, None, None)).unwrap();
    let limit = emmf::Spec::deep(&[6, 3]).memory::<f32>((n, d), true, Some(1)) / 1000 + 4_000;
    let line =
        "fit x.npy --layers 6,3 --neighbors 7 --max-iter 2 --init-restarts 1 --threads 1 --json --out r";
    let line = format!("{line} --max-memory {limit}kB");
    // In blocks values cannot be changed.
    place.run(&format!("{line} --normalize log1p")).refused(&["log1p"]);
    let json = place.json(&line);
    assert_eq!((&json["method"], &json["layers"]), (&"deep-emmf".into(), &serde_json::json!([6, 3])));
    let record = read_record(&place.path("r/record.json")).unwrap();
    assert_eq!(record.spec.graph.map(|graph| graph.neighbours), Some(7));
}

#[test]
fn what_cannot_be_is_refused() {
    let place = Place::with_data();
    place.run("fit x.csv --layers 3,5").refused(&["--layers", "3, 5", "5 is not below 3"]);
    place.run("fit x.csv --layers 60,5").refused(&["--layers", "60, 5", "at most 25"]);
    place.run("fit x.csv --layers 6,five").refused(&["6,five", "60,20"]);
    place.run("fit x.csv --layers 5,2 -k 3").refused(&["--layers", "-k"]);
    place.run("fit x.csv --layers 5,2 --method g-emmf").refused(&["--layers", "g-emmf"]);
    place.run("fit x.csv --layers 5,2 --batch 9 --out o").refused(&["--layers", "--batch"]);
    place
        .run("fit x.csv --layers 5,2 --label-rule kmeans")
        .refused(&["--label-rule is kmeans", "with layers"]);
    place.run("fit x.csv -k 2 --max-iter 5 --out flat").ok();
    place.run("plot flat --kind tree --out tree.svg").refused(&["one layer", "--layers"]);
}
