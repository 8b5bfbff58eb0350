//! The data sets of the paper, where they are at hand. Tests of several packages take this file in.
#![expect(clippy::print_stderr, reason = "a test that was skipped says so")]

use std::path::{Path, PathBuf};

/// The folder that holds these data sets (`yale` is the file `yale.mat`): `EMMF_DATA`, else `shared/data` beside the
/// repository. Nothing where they are not there, which a test says aloud; in CI, where there is such a folder at all, a
/// data set that is missing is a failure.
pub(crate) fn folder_with(sets: &[&str]) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let given = std::env::var_os("EMMF_DATA").map(PathBuf::from);
    let expected = given.is_some() || beside.is_dir();
    let folder = given.unwrap_or(beside);
    let missing: Vec<&str> =
        sets.iter().copied().filter(|set| !folder.join(format!("{set}.mat")).is_file()).collect();
    if missing.is_empty() {
        return Some(folder);
    }
    let said = format!("SKIPPED: no {} in {}; set EMMF_DATA", missing.join(", "), folder.display());
    assert!(!expected || std::env::var_os("CI").is_none(), "{said}");
    eprintln!("{said}");
    None
}
