//! A write that fails leaves the folder as it was.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use crate::common;

use common::message;
use emmf_io::{Batch, Budget, Dataset, check_folder, read_labels, write_atomically, write_with_labels};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_new_file_and_a_replaced_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    write_atomically(&path, |out| out.write_all(b"one")).unwrap();
    write_atomically(&path, |out| out.write_all(b"two")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn a_failure_half_way_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let fail = |out: &mut (dyn Write + Send)| {
        out.write_all(&vec![0; 100_000])?;
        Err(io::Error::other("the disk is on fire"))
    };
    let text = message(write_atomically(&path, fail));
    assert!(text.contains("out") && text.contains("on fire"), "{text}");
    assert!(names(folder.path()).is_empty());
    fs::write(&path, "old").unwrap();
    write_atomically(&path, fail).unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn files_of_a_batch_appear_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a"), "old").unwrap();
    let mut batch = Batch::default();
    batch.add(&path("a"), |out| out.write_all(b"new")).unwrap();
    batch.add(&path("b"), |_| Err(io::Error::other("the disk is on fire"))).unwrap_err();
    assert_eq!(fs::read(path("a")).unwrap(), b"old");
    drop(batch);
    assert_eq!(names(folder.path()), ["a"]);
    let mut batch = Batch::default();
    batch.add(&path("a"), |out| out.write_all(b"new")).unwrap();
    batch.add(&path("b"), |out| out.write_all(b"new")).unwrap();
    batch.commit().unwrap();
    assert_eq!(names(folder.path()), ["a", "b"]);
    assert_eq!(fs::read(path("a")).unwrap(), b"new");
}

#[test]
fn labels_go_beside_formats_without_a_place_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let labels = common::texts(&["New York", "a, b", "3", "x"]);
    for ending in ["npy", "mtx"] {
        let x = common::expected();
        let data = Dataset::new(x, Some(labels.clone()), None);
        write_with_labels(&folder.path().join(format!("x.{ending}")), data).unwrap();
        assert_eq!(
            read_labels(&folder.path().join("x.labels.csv"), None, &Budget::default()).unwrap(),
            labels
        );
        fs::remove_file(folder.path().join("x.labels.csv")).unwrap();
    }
    assert_eq!(names(folder.path()), ["x.mtx", "x.npy"]);
}

#[test]
fn a_folder_is_checked_without_being_made() {
    let folder = tempfile::tempdir().unwrap();
    check_folder(&folder.path().join("new/deep")).unwrap();
    assert!(names(folder.path()).is_empty());
    fs::write(folder.path().join("file"), "").unwrap();
    let text = message(check_folder(&folder.path().join("file/deep")));
    assert!(text.contains("file/deep") && !text.contains(".part"), "{text}");
}

#[test]
fn a_folder_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    write_atomically(folder.path(), |out| out.write_all(b"x")).unwrap_err();
    write_atomically(&folder.path().join("no/such/folder"), |out| out.write_all(b"x")).unwrap_err();
    assert!(names(folder.path()).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn an_error_that_only_the_flush_sees_is_reported() {
    // Few enough bytes to stay in the buffer until the end.
    let text = message(write_atomically(Path::new("/dev/full"), |out| out.write_all(b"x")));
    assert!(text.contains("/dev/full") && text.contains("space"), "{text}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    write_atomically(&link, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}
