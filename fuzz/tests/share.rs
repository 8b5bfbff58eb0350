//! A fixed share of the cases of every target. `make fuzz` goes on from where these end.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and says how much it tried")]

use emmf_fuzz::{Answer, TARGETS, find, judge};

/// Cases of a share; of readers, which take microseconds, more.
const CASES: u64 = 20_000;
const CHEAP_CASES: u64 = 50_000;

/// Tries the cases from `from` to `end`, and fails with what was found.
fn share(name: &str, from: u64, end: u64) {
    let target = find(name).unwrap();
    let (mut taken, mut findings) = (0, Vec::new());
    for number in from..end {
        match judge(target, number) {
            Ok(answer) => taken += u64::from(answer == Answer::Taken),
            Err(what) => findings.push(format!("emmf-fuzz case {name} {number}: {what}")),
        }
    }
    println!("{name}: {} cases, {taken} read well", end - from);
    let shown = findings.len().min(20);
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings[..shown].join("\n"));
    // A target that refuses everything, or takes everything, tries nothing.
    assert!(taken * 100 > end - from && taken < end - from, "{taken} of {} read well", end - from);
}

macro_rules! shares {
    ($($name:ident: $target:literal, $from:expr, $count:expr;)*) => {
        const SHARED: &[&str] = &[$($target),*];
        $(#[test]
        fn $name() {
            share($target, $from, $from + $count);
        })*
    };
}

shares! {
    text: "text", 0, CHEAP_CASES;
    npy: "npy", 0, CHEAP_CASES;
    npz: "npz", 0, CHEAP_CASES;
    mat: "mat", 0, CHEAP_CASES;
    mtx: "mtx", 0, CHEAP_CASES;
    parquet: "parquet", 0, CHEAP_CASES;
    arrow: "arrow", 0, CHEAP_CASES;
    zarr: "zarr", 0, CASES;
    hdf5: "hdf5", 0, CASES;
    sheet: "sheet", 0, CASES;
    json: "json", 0, CHEAP_CASES;
    packed: "packed", 0, CASES;
    labels: "labels", 0, CHEAP_CASES;
    texts: "texts", 0, CASES;
    streams: "streams", 0, CASES;
    images: "images", 0, CASES;
    models: "models", 0, CASES;
    records: "records", 0, CASES;
    experiments: "experiments", 0, CASES;
    specs: "specs", 0, CASES;
}

#[test]
fn every_target_has_its_share() {
    for target in TARGETS {
        assert!(SHARED.contains(&target.name), "{} has no test here", target.name);
    }
}

/// A finding is one number: the case is the same every time.
#[test]
fn a_case_is_a_function_of_its_number() {
    for target in TARGETS {
        for number in 0..20 {
            let (one, two) = (target.case(number), target.case(number));
            assert_eq!(one.bytes(), two.bytes(), "{} {number}", target.name);
            assert_eq!(one.show(), two.show(), "{} {number}", target.name);
        }
        assert_ne!(target.case(0).show(), target.case(1).show());
    }
}
