//! The data sets of the paper, where they are at hand.

mod common;

use common::dense;
use emmf_io::{ReadOptions, read};
use std::path::PathBuf;

/// Name, samples, features, classes.
const SETS: [(&str, usize, usize, usize); 8] = [
    ("coil20", 1440, 1024, 20),
    ("coil100", 7200, 1024, 100),
    ("yale", 165, 256, 15),
    ("jaffe", 213, 676, 10),
    ("umist", 575, 644, 20),
    ("mfeat", 2000, 240, 10),
    ("ba", 1404, 320, 36),
    ("movement", 360, 90, 15),
];

#[test]
fn shapes_classes_and_ranges() {
    let folder = std::env::var_os("EMMF_DATA")
        .map_or_else(|| [env!("CARGO_MANIFEST_DIR"), "../../../shared/data"].iter().collect(), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no data in {}; set EMMF_DATA", folder.display());
        return;
    }
    for (name, samples, features, classes) in SETS {
        let data = read(&folder.join(format!("{name}.mat")), &ReadOptions::default()).unwrap();
        assert_eq!(data.x.shape(), (samples, features), "{name}");
        let mut labels = data.labels.unwrap();
        assert_eq!(labels.len(), samples, "{name}");
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), classes, "{name}");
        assert!(labels.contains(&"1".to_owned()) && labels.contains(&classes.to_string()), "{name}");
        let x = dense(data.x);
        assert!(x.as_slice().iter().all(|v| (0.0..=255.0).contains(v)), "{name}");
        assert!((0..samples).all(|i| x.row(i).iter().any(|&v| v > 0.0)), "{name}");
    }
}
