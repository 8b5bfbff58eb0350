//! A record is a file that one passes on: whatever it holds, it is refused with a sentence or shown, and never ends the
//! program. Every field of a record is changed in every way that a reader may have to face.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use emmf::Spec;
use emmf::synth::{ImageShape, Rays, rays_with_outliers};
use emmf_io::{DataInfo, Features, Record, Sketch, read_record};
use emmf_report::{Figure, Kind, report_page};
use serde_json::{Value, json};

const KINDS: [Kind; 5] = [Kind::Convergence, Kind::Residuals, Kind::Centroids, Kind::Embedding, Kind::Tree];

fn record(image: bool) -> Record {
    recorded(&Spec::new("emmf", 2), image)
}

fn layered() -> Record {
    recorded(&Spec::deep(&[5, 3, 2]), true)
}

fn recorded(spec: &Spec, image: bool) -> Record {
    let rays = Rays { samples: 12, outliers: 3, features: 6, ..Rays::default() };
    let data = rays_with_outliers::<f64>(&rays).unwrap();
    let fit = spec.clone().max_iter(4).fit(&data.x).unwrap();
    let truth = data.labels.iter().map(ToString::to_string).collect();
    let info = DataInfo { name: "x".into(), n: 15, d: 6, dtype: "f64".into(), sparse: false };
    let mut record = Record::new(&fit, info, Some(truth)).unwrap();
    let image = image.then_some(ImageShape { height: 2, width: 3, column_major: false, colour: false });
    record.samples.name = Some((0..15).map(|row| row.to_string()).collect());
    record.sketch = Some(Sketch::new(&fit, (&data.x).into(), Features { names: None, image }).unwrap());
    record.choice = Some(emmf::Choice {
        by_graph: None,
        k: 2,
        ks: vec![2, 3],
        stability: vec![1.0, 0.5],
        spread: vec![0.0, 0.1],
        agreeing: 8,
        splits: 10,
        rank: false,
        clusters: None,
    });
    record
}

/// What the program says of a record, or nothing where it can be shown in every way.
fn refusal(folder: &Path, json: &Value) -> Option<String> {
    let file = folder.join("record.json");
    std::fs::write(&file, json.to_string()).unwrap();
    match read_record(&file) {
        Err(error) => Some(error.to_string()),
        Ok(record) => {
            report_page("x", &[&record]).unwrap();
            for kind in KINDS {
                let shown = Figure::new(&record, kind).svg();
                let drawn = if kind == Kind::Tree { record.tree.is_some() } else { record.sketch.is_some() };
                assert!(!drawn || shown.is_ok(), "{kind:?}");
            }
            None
        }
    }
}

/// The places of all values; of long lists the first and the last entry.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| places(value, &format!("{here}/{name}"), found));
        }
        Value::Array(entries) => {
            let ends = [0, entries.len().saturating_sub(1)];
            let ends = if ends[0] == ends[1] { &ends[..1] } else { &ends };
            for &at in ends.iter().filter(|at| **at < entries.len()) {
                places(&entries[at], &format!("{here}/{at}"), found);
            }
        }
        _ => {}
    }
}

/// Everything that a value may be changed to.
fn changes(value: &Value) -> Vec<Value> {
    let numbers = [json!(-1), json!(0), json!(7), json!(1_099_511_627_776_u64), json!(1e300), json!(0.5)];
    match value {
        Value::Number(_) => numbers.into_iter().chain([Value::Null, json!("x")]).collect(),
        Value::String(_) => vec![json!(""), json!("AAAA"), json!("<script>"), Value::Null],
        Value::Array(entries) => {
            let shorter = entries[..entries.len().saturating_sub(1)].to_vec();
            let longer = entries.iter().chain(entries.last()).cloned().collect();
            let backwards = entries.iter().rev().cloned().collect();
            [shorter, longer, backwards, Vec::new()].into_iter().map(Value::Array).collect()
        }
        _ => vec![Value::Null, json!({}), json!([])],
    }
}

#[test]
fn promise_13_a_record_is_refused_with_a_sentence_or_shown() {
    let folder = tempfile::tempdir().unwrap();
    for record in [record(false), record(true), layered()] {
        let whole = serde_json::to_value(record).unwrap();
        assert_eq!(refusal(folder.path(), &whole), None);
        let mut all = Vec::new();
        places(&whole, "", &mut all);
        let (mut refused, mut shown) = (0, 0);
        for place in &all {
            for change in changes(whole.pointer(place).unwrap()) {
                let mut json = whole.clone();
                *json.pointer_mut(place).unwrap() = change;
                match refusal(folder.path(), &json) {
                    None => shown += 1,
                    Some(why) => {
                        assert!(why.contains("record.json: ") && !why.contains(".rs:"), "{place}: {why}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 300 && shown > 100, "{refused} refused, {shown} shown");
    }
}

#[test]
fn promise_13_a_record_that_contradicts_itself_names_the_field() {
    let whole = serde_json::to_value(record(true)).unwrap();
    let cases = [
        (
            "/samples/residual",
            json!([1.0, 2.0, 3.0]),
            "samples.residual: it has 3 entries, but there are 15 samples",
        ),
        ("/samples/truth", json!(["a"]), "samples.truth: it has 1 entries"),
        ("/samples/label/14", json!(2), "samples.label[14]: it is 2, but there are 2 clusters"),
        ("/spec/k", json!(1_099_511_627_776_u64), "spec.k: it is 1099511627776, but must be from 1 to 15"),
        ("/set_aside", json!([3, 1]), "set_aside[1]: it is not above the one before it"),
        ("/set_aside", json!([15]), "set_aside[0]: it is 15, but there are 15 samples"),
        ("/sketch/image", json!([4_294_967_296_u64, 1]), "sketch.image: it is 4294967296×1"),
        ("/sketch/image", json!([2, 2]), "sketch.centroids.shape: it has 6 entries, but there are 4 pixels"),
        ("/sketch/centroids/0/cluster", json!(9), "sketch.centroids.cluster[0]: it is 9"),
        ("/sketch/plane/x/0", json!(1e300), "sketch.plane.x[0]: number out of range"),
        ("/sketch/layout/x", json!([0.0]), "sketch.layout.x: it has 1 entries, but there are 15 points"),
        ("/sketch/plane/centroids", json!([[0.0, 0.0]]), "sketch.plane.centroids: it has 1 entries"),
        (
            "/sketch/silhouettes/clusters",
            json!([0.0]),
            "sketch.silhouettes.clusters: it has 1 entries, but there are 2 clusters",
        ),
        (
            "/choice/spread",
            json!([0.0]),
            "choice.spread: it has 1 entries, but there are 2 numbers of clusters",
        ),
    ];
    contradicts(&whole, &cases);
}

/// The tree can be walked up and down.
#[test]
fn promise_13_a_tree_that_is_none_names_the_field() {
    let whole = layered();
    let tree = whole.tree.as_ref().unwrap();
    // A node of the layer in the middle, and the last one, which is of the first layer.
    let at = |found: fn(&emmf::model::TreeNode) -> bool| tree.nodes.iter().position(found).unwrap();
    let middle = at(|node| node.layer == 2);
    let leaf = at(|node| node.layer == 1);
    let (place, child) = (format!("/tree/nodes/{middle}"), format!("/tree/nodes/{leaf}"));
    let children = &tree.nodes[middle].children;
    let twice: Vec<usize> = children.iter().chain(children.last()).copied().collect();
    let field = |name: &str| format!("{place}/{name}");
    let cases = [
        (
            "/tree/layers".into(),
            json!(4),
            "samples.layers: it has 3 entries, but there are 4 layers of the tree",
        ),
        ("/spec/above".into(), json!([3, 3]), "spec.above: 3 is not below 3"),
        ("/spec/above".into(), json!(vec![2; 64]), "spec.above: there are 65 layers; at most 64"),
        (field("share"), json!(1.5), "tree.nodes.share: it is 1.5, but must be from 0 to 1"),
        (field("certainty"), json!(-0.5), "tree.nodes.certainty: it is -0.5, but must be from 0 to 1"),
        (field("children"), json!(twice), "tree.nodes.children: those of L2."),
        (field("children"), json!([]), "tree.nodes.children: those of L2."),
        (field("parent"), Value::Null, "tree.nodes.parent: L2."),
        (field("layer"), json!(0), "tree.nodes.layer: it is 0, but must be from 1 to 3"),
        ("/tree/nodes/0/parent".into(), json!(0), "of the last layer has one"),
        (format!("{child}/node"), json!(5), "tree.nodes.node[0]: it is 5, but there are 5 nodes"),
        ("/tree/empty".into(), json!([[4, 0]]), "tree.empty.layer: it is 4, but must be from 1 to 3"),
    ];
    let cases: Vec<_> = cases.iter().map(|(place, to, part)| (place.as_str(), to.clone(), *part)).collect();
    contradicts(&serde_json::to_value(&whole).unwrap(), &cases);
    let mut twice = whole.clone();
    let tree = twice.tree.as_mut().unwrap();
    tree.nodes.push(tree.nodes[leaf].clone());
    assert!(twice.check().unwrap_err().to_string().ends_with("is there twice"));
}

/// Every change makes of a record one that is refused, with this part of a sentence.
fn contradicts(whole: &Value, cases: &[(&str, Value, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    for (place, change, part) in cases.iter().cloned() {
        let mut json = whole.clone();
        let (parent, field) = place.rsplit_once('/').unwrap();
        match json.pointer_mut(parent).unwrap() {
            Value::Array(entries) => entries[field.parse::<usize>().unwrap()] = change,
            fields => fields[field] = change,
        }
        let why = refusal(folder.path(), &json).unwrap();
        assert!(why.contains(part), "{place}: {why}");
    }
}

#[test]
fn promise_10_a_number_that_is_not_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (place, field) in [
        ("/objective", "objective"),
        ("/initial", "initial"),
        ("/trace/2", "trace[2]"),
        ("/samples/score/14", "samples.score[14]"),
        ("/threshold", "threshold"),
    ] {
        let mut json = serde_json::to_value(record(false)).unwrap();
        *json.pointer_mut(place).unwrap() = Value::Null;
        let why = refusal(folder.path(), &json).unwrap();
        assert!(why.contains(&format!("{field} is null, but a finite number")), "{why}");
    }
}

#[test]
fn promise_13_a_record_made_by_hand_is_checked_too() {
    let mut broken = record(false);
    broken.samples.residual.truncate(3);
    let said = "samples.residual: it has 3 entries, but there are 15 samples";
    assert_eq!(report_page("x", &[&broken]).unwrap_err().to_string(), said);
    for kind in KINDS {
        assert_eq!(Figure::new(&broken, kind).svg().unwrap_err().to_string(), said);
        assert_eq!(Figure::new(&broken, kind).png().unwrap_err().to_string(), said);
    }
    broken.samples.residual = vec![f64::NAN; 15];
    let why = broken.check().unwrap_err();
    assert_eq!(why.to_string(), "samples.residual[0]: it is NaN, which is not finite");
}
