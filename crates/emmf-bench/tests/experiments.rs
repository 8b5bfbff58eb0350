//! The experiments of this repository, and what an experiment may not be.

use std::path::Path;

use emmf_bench::{Experiment, Kind, Plan};

#[test]
fn every_experiment_of_the_repository_can_be_planned() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|ending| ending == "toml")).collect();
    assert!(files.len() >= 15, "{files:?}");
    for file in files {
        let experiment = Experiment::read(&file).unwrap();
        for experiment in [experiment.clone(), experiment.quick()] {
            if let Kind::Runs(runs) = experiment.kind {
                let plan = Plan::new(runs).unwrap();
                assert!(!plan.cases.is_empty(), "{}", file.display());
            }
        }
    }
}

#[test]
fn quick_runs_are_other_runs() {
    let full = Experiment::read(Path::new("table2")).unwrap();
    let quick = full.clone().quick();
    assert_eq!(full.name, quick.name);
    let (Kind::Runs(full), Kind::Runs(quick)) = (full.kind, quick.kind) else { panic!("runs") };
    assert_ne!(full.max_iter, quick.max_iter);
    assert!(Plan::new(quick).unwrap().cases.len() < Plan::new(full).unwrap().cases.len());
}

/// The documented NMI is the one that is computed, everywhere.
#[test]
fn promise_06_every_page_says_what_nmi_is_divided_by() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in [
        "README.md",
        "docs/bench.md",
        "docs/methods.md",
        "docs/paper.md",
        "crates/emmf-bench/experiments/opening.md",
    ] {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("NMI is divided by the geometric mean of the entropies"), "{file}");
        assert!(!text.contains("NMI is divided by the larger"), "{file}");
    }
}
