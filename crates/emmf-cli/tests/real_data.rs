//! The data sets of the paper, where they are at hand: a short fit of each.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use std::path::PathBuf;

use program::Place;

/// Name, samples, features, classes, and the accuracy that a short fit exceeds.
const SETS: [(&str, usize, usize, usize, f64); 3] =
    [("movement", 360, 90, 15, 0.35), ("yale", 165, 256, 15, 0.3), ("ba", 1404, 320, 36, 0.18)];

/// Where the data sets are, or would be.
fn data() -> Result<PathBuf, String> {
    let folder = std::env::var_os("EMMF_DATA")
        .map_or_else(|| [env!("CARGO_MANIFEST_DIR"), "../../../shared/data"].iter().collect(), PathBuf::from);
    let is_there = folder.is_dir();
    let skipped = format!("skipped: no data in {}; set EMMF_DATA", folder.display());
    is_there.then_some(folder).ok_or(skipped)
}

#[test]
fn classes_are_found_and_clusters_are_better_than_chance() {
    let folder = match data() {
        Ok(folder) => folder,
        Err(skipped) => return println!("{skipped}"),
    };
    let place = Place::new();
    for (name, n, d, classes, least) in SETS {
        std::fs::copy(folder.join(format!("{name}.mat")), place.path("x.mat")).unwrap();
        let json = place.json(&format!("fit x.mat -k {classes} --max-iter 20 --json"));
        assert_eq!((&json["n"], &json["d"]), (&n.into(), &d.into()), "{name}");
        let (acc, nmi) = (json["acc"].as_f64().unwrap(), json["nmi"].as_f64().unwrap());
        assert!((least..0.8).contains(&acc) && (acc..0.9).contains(&nmi), "{name}: {json}");
    }
}

/// Bayesian and separable NMF on Movement, both floating-point types; the convex choice also on Mfeat, whose 2000
/// samples it works on through representatives. The choice that is made does not depend on the type.
#[test]
fn methods_with_a_solver_of_their_own() {
    let folder = match data() {
        Ok(folder) => folder,
        Err(skipped) => return println!("{skipped}"),
    };
    let place = Place::new();
    std::fs::copy(folder.join("movement.mat"), place.path("movement.mat")).unwrap();
    std::fs::copy(folder.join("mfeat.mat"), place.path("mfeat.mat")).unwrap();
    for (data, method, least) in [
        ("movement.mat -k 15", "pnmf", 0.3),
        ("movement.mat -k 15", "gsnmf", 0.3),
        ("movement.mat -k 15", "gsnmf --param convex=1", 0.15),
        ("mfeat.mat -k 10", "gsnmf --param convex=1", 0.2),
    ] {
        let [single, double] = ["f32", "f64"].map(|dtype| {
            place.json(&format!("fit {data} --method {method} --dtype {dtype} --max-iter 30 --json"))
        });
        assert_eq!(single["extras"]["samples"], double["extras"]["samples"], "{data} {method}");
        assert_eq!(single["extras"]["features"], double["extras"]["features"], "{data} {method}");
        let [a, b] = [&single, &double].map(|json| json["objective"].as_f64().unwrap());
        assert!((a - b).abs() <= 1e-3 * b.abs(), "{data} {method}: {a} {b}");
        assert!(double["acc"].as_f64().unwrap() > least, "{double}");
    }
}
