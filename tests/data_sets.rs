//! The data sets of the paper, where they are at hand. Tests of several packages take this file in.
#![expect(clippy::print_stderr, reason = "a test that was skipped says so")]

use std::path::{Path, PathBuf};

/// The folder that holds these data sets (`yale` is the file `yale.mat`): `EMMF_DATA`, else `shared/data` beside the
/// repository. Nothing where they are not there, which a test says aloud. In CI that is a failure, even where the whole folder
/// is gone, unless `EMMF_NO_DATA` says that there are none.
pub(crate) fn folder_with(sets: &[&str]) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("EMMF_DATA").map_or(beside, PathBuf::from);
    match found(&folder, sets, set("CI") && !set("EMMF_NO_DATA")) {
        Ok(()) => Some(folder),
        Err(said) => {
            eprintln!("{said}");
            None
        }
    }
}

/// What to say where some of these data sets are not in the folder; a panic where they are expected.
fn found(folder: &Path, sets: &[&str], expected: bool) -> Result<(), String> {
    let is_missing = |set: &&str| !folder.join(format!("{set}.mat")).is_file();
    let missing: Vec<&str> = sets.iter().copied().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let said = format!("SKIPPED: no {} in {}; set EMMF_DATA", missing.join(", "), folder.display());
    assert!(!expected, "{said}, or EMMF_NO_DATA=1 where there are none");
    Err(said)
}

#[test]
#[should_panic(expected = "no yale in nowhere")]
fn data_that_are_expected_and_gone_are_a_failure() {
    found(Path::new("nowhere"), &["yale"], true).ok();
}

#[test]
fn data_that_are_not_expected_are_missed_aloud() {
    assert_eq!(found(Path::new("nowhere"), &[], true), Ok(()));
    assert!(found(Path::new("nowhere"), &["yale"], false).unwrap_err().contains("SKIPPED"));
}
