//! The data sets of the paper, where they are at hand.

use crate::common;
use crate::data_sets;

use common::dense;
use emmf_io::{ReadOptions, read};

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
    let Some(folder) = data_sets::folder_with(&SETS.map(|set| set.0)) else { return };
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
