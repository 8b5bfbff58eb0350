//! Pages, figures and one sample of a fit.

use crate::program;

use emmf_io::read_record;
use program::{Place, column};

#[test]
fn a_fit_writes_a_page_beside_its_results() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --max-iter 20 --out result --report").ok();
    let page = place.read("result/report.html");
    assert!(page.contains("emmf fit x.csv -k 2 --max-iter 20 --out result --report"), "the command is told");
    place.run("fit x.csv -k 2 --max-iter 20 --report=deep.html").ok();
    place.run("report result --out again.html").ok();
    place.run("report result result/record.json --out two.html --title Both").ok();
    assert_eq!(place.names(), ["again.html", "deep.html", "result", "two.html", "x.csv"]);
    assert_eq!(place.read("again.html"), page);
    assert!(place.read("two.html").contains("<title>Both</title>"));
    let record = read_record(&place.path("result/record.json")).unwrap();
    let sketch = record.sketch.unwrap();
    assert_eq!((sketch.plane.x.len(), sketch.centroids.len()), (25, 2));
    assert_eq!(sketch.centroids[0].top[0].name.chars().next(), Some('f'));
}

#[test]
fn pages_that_cannot_be_made() {
    let place = Place::with_data();
    place.refuses("report nothing.json", &["nothing.json", "check its name"]);
    place.refuses("report x.csv", &["x.csv", "damaged"]);
    place.refuses("fit x.csv -k 2 --report=no/where/page.html", &["no/where/page.html", "create its folder"]);
    for name in ["tree.nwk", "imputed.npy", "result.h5ad", "samples.csv", "centroids.parquet"] {
        let line = format!("fit x.csv -k 2 --out result --report=result/{name}");
        place.refuses(&line, &["--report", name, "one of the result files"]);
    }
    place.run("fit x.csv -k 2 --max-iter 3 --out result").ok();
    place.refuses("plot result --kind residuals --out f.pdf", &["f.pdf", ".svg or .png"]);
    place.refuses("plot result --kind residual --out f.svg", &["'residual'", "residuals"]);
}

#[test]
fn figures_of_every_kind() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --max-iter 20 --out result").ok();
    for kind in ["convergence", "residuals", "centroids", "embedding"] {
        place.run(&format!("plot result --kind {kind} --out f.svg")).ok();
        assert!(place.read("f.svg").contains("</svg>"), "{kind}");
        place.run(&format!("plot result --kind {kind} --out f.png")).ok();
        assert!(std::fs::read(place.path("f.png")).unwrap().starts_with(b"\x89PNG"), "{kind}");
    }
}

#[test]
fn one_sample_is_explained() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --max-iter 30 --out result").ok();
    let samples = place.read("result/samples.csv");
    for row in [0, 24] {
        let json = place.json(&format!("explain result/model.safetensors x.csv --row {row} --json"));
        for (key, name) in [("residual", "residual"), ("score", "score"), ("weight", "weight")] {
            assert_eq!(json[key].as_f64(), Some(column(&samples, name)[row]), "{key}");
        }
        let parts = json["parts"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|part| part["part"].as_f64().unwrap()).sum();
        assert!(parts.len() > 2 && (sum - json["score"].as_f64().unwrap()).abs() < 1e-9, "{json}");
        let worst = json["worst"].as_array().unwrap();
        let gap =
            |at: usize| (worst[at]["value"].as_f64().unwrap() - worst[at]["fitted"].as_f64().unwrap()).abs();
        assert!(gap(0) >= gap(1) && worst[0]["name"].as_str().unwrap().starts_with('f'));
        let residual: f64 = (0..worst.len()).map(gap).map(|gap| gap * gap).sum();
        assert!((residual.sqrt() - json["residual"].as_f64().unwrap()).abs() < 1e-9);
    }
    let text = place.run("explain result/model.safetensors x.csv --row 24").ok();
    assert!(
        ["row 24: cluster", "fits worst", "weight", "part of the score"]
            .iter()
            .all(|said| text.contains(said)),
        "{text}"
    );
    place.refuses("explain result/model.safetensors x.csv --row 25", &["--row is 25", "0 to 24"]);
    // Without the record it is not known how much the sample pulled.
    std::fs::remove_file(place.path("result/record.json")).unwrap();
    assert!(place.json("explain result/model.safetensors x.csv --row 0 --json")["weight"].is_null());
}

#[test]
fn a_record_of_before_there_were_sketches() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --max-iter 5 --out result").ok();
    let mut record: serde_json::Value = serde_json::from_str(&place.read("result/record.json")).unwrap();
    for key in ["sketch", "command", "choice"] {
        record.as_object_mut().unwrap().remove(key);
    }
    place.write("old.json", record.to_string());
    place.run("report old.json --out old.html").ok();
    place.refuses("plot old.json --kind centroids --out f.svg", &["make the fit again"]);
}
