//! A write that fails leaves the folder as it was.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use common::message;
use emmf_io::write_atomically;
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
