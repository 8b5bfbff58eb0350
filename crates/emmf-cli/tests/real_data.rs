//! The data sets of the paper, where they are at hand: a short fit of each.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use std::path::PathBuf;

use program::Place;

/// Name, samples, features, classes, and the accuracy that a short fit exceeds.
const SETS: [(&str, usize, usize, usize, f64); 3] =
    [("movement", 360, 90, 15, 0.35), ("yale", 165, 256, 15, 0.3), ("ba", 1404, 320, 36, 0.18)];

#[test]
fn classes_are_found_and_clusters_are_better_than_chance() {
    let folder = std::env::var_os("EMMF_DATA")
        .map_or_else(|| [env!("CARGO_MANIFEST_DIR"), "../../../shared/data"].iter().collect(), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no data in {}; set EMMF_DATA", folder.display());
        return;
    }
    let place = Place::new();
    for (name, n, d, classes, least) in SETS {
        std::fs::copy(folder.join(format!("{name}.mat")), place.path("x.mat")).unwrap();
        let json = place.json(&format!("fit x.mat -k {classes} --max-iter 20 --json"));
        assert_eq!((&json["n"], &json["d"]), (&n.into(), &d.into()), "{name}");
        let (acc, nmi) = (json["acc"].as_f64().unwrap(), json["nmi"].as_f64().unwrap());
        assert!((least..0.8).contains(&acc) && (acc..0.9).contains(&nmi), "{name}: {json}");
    }
}
