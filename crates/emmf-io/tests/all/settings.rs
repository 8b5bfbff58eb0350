//! Every setting of a reader does something to every format, or is refused by its name: none is passed over.

use crate::common;

use common::{expected, fixture, texts};
use emmf_io::{
    Dataset, Dtype, Error, Numbers, Problem, ReadOptions, Setting, read, read_texts, stream, write,
};
use std::path::{Path, PathBuf};

/// A file of every format, most of them made by the tools that own it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let own = ["x.npy", "x.npz", "x.mat", "x.mtx", "x.parquet"].map(|name| {
        let path = folder.join(name);
        write(&path, &Numbers::from(expected()).into()).unwrap();
        path
    });
    let others = [
        "csr.h5ad",
        "dense.h5ad",
        "tenx.h5",
        "plain.h5",
        "v73.mat",
        "sheet.xlsx",
        "lines.jsonl",
        "german.csv.gz",
        "table.csv.bz2",
        "dense.npz",
        "csr.npz",
        "coordinate.mtx",
        "fortran.npy",
        "mixed.parquet",
        "lz4.feather",
        "stream.arrows",
        "plain.v3.zip",
        "array.v3.zip",
        "cells.v2.zip",
    ];
    own.into_iter().chain(others.map(fixture)).collect()
}

/// A name that nothing has.
const NOTHING: &str = "nothing of this name";

/// Each setting with a value that cannot be right, or that must change what is read.
fn settings() -> Vec<(Setting, ReadOptions)> {
    let name = || Some(NOTHING.to_owned());
    let plain = ReadOptions::default;
    vec![
        (Setting::Labels, ReadOptions { labels: name(), ..plain() }),
        (Setting::Id, ReadOptions { id: name(), ..plain() }),
        (Setting::Variable, ReadOptions { variable: name(), ..plain() }),
        (Setting::Columns, ReadOptions { columns: vec![NOTHING.into()], ..plain() }),
        (Setting::Columns, ReadOptions { columns: vec!["-1".into()], ..plain() }),
        (Setting::Drop, ReadOptions { drop: vec![NOTHING.into()], ..plain() }),
        (Setting::Drop, ReadOptions { drop: vec!["-1".into()], ..plain() }),
        (Setting::Transpose, ReadOptions { transpose: true, ..plain() }),
        (Setting::Header, ReadOptions { header: Some(false), ..plain() }),
        (Setting::Delimiter, ReadOptions { delimiter: Some('|'), ..plain() }),
        (Setting::Decimal, ReadOptions { decimal: Some('x'), ..plain() }),
    ]
}

/// Whether the setting made a difference, or was refused; by its name where it can only be a mistake.
fn is_heard<T: PartialEq>(
    plain: Option<&T>,
    found: Result<T, Error>,
    setting: Setting,
) -> Result<(), String> {
    match (plain, found) {
        (Some(plain), Ok(found)) if *plain == found => Err("is passed over".into()),
        (_, Err(Error { problem: Problem::Idle { setting: named }, .. })) if named != setting => {
            Err(format!("is taken for {named}"))
        }
        _ => Ok(()),
    }
}

#[test]
fn promise_04_no_setting_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    for path in files(folder.path()) {
        let plain = read(&path, &ReadOptions::default()).unwrap();
        for (setting, options) in settings() {
            let found = read(&path, &options);
            let heard = is_heard(Some(&plain), found, setting);
            assert_eq!(heard, Ok(()), "{setting} of {}", path.display());
        }
        let single = read(&path, &ReadOptions { dtype: Some(Dtype::F32), ..ReadOptions::default() }).unwrap();
        assert_eq!(single.x.dtype(), Dtype::F32, "{}", path.display());
    }
}

#[test]
fn promise_04_no_setting_is_passed_over_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.npy", "x.parquet"] {
        let path = folder.path().join(name);
        write(&path, &Numbers::from(expected()).into()).unwrap();
        for (setting, options) in settings() {
            let found = stream(&path, &options, 1 << 20).map(|data| (data.rows.shape(), data.columns));
            let plain = stream(&path, &ReadOptions::default(), 1 << 20).unwrap();
            let heard = is_heard(Some(&(plain.rows.shape(), plain.columns)), found, setting);
            assert_eq!(heard, Ok(()), "{setting} of {name}");
        }
    }
}

#[test]
fn promise_04_no_setting_is_passed_over_for_texts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "text,kind\nhot soup,a\nhot tea,b\ncold soup,a\n").unwrap();
    for (path, column) in [
        (path, "text"),
        (fixture("lines.jsonl"), "kind"),
        (fixture("sheet.xlsx"), "kind"),
        (fixture("polars.arrow"), "kind"),
    ] {
        let plain = read_texts(&path, column, &ReadOptions::default(), None).ok();
        for (setting, options) in settings() {
            let found = read_texts(&path, column, &options, None);
            let heard = is_heard(plain.as_ref(), found, setting);
            assert_eq!(heard, Ok(()), "{setting} of {}", path.display());
        }
    }
}

#[test]
fn promise_04_columns_of_all_formats_are_chosen_alike() {
    let folder = tempfile::tempdir().unwrap();
    let two = |data: &Dataset| (data.x.shape().1, data.columns.clone().map(|names| names.len()));
    for path in files(folder.path()) {
        let plain = read(&path, &ReadOptions::default()).unwrap();
        let width = plain.x.shape().1;
        let Some(names) = &plain.columns else {
            // By their places, and called so from then on.
            let options = ReadOptions { columns: texts(&["3", "1"]), ..ReadOptions::default() };
            assert_eq!(
                read(&path, &options).unwrap().columns,
                Some(texts(&["x1", "x3"])),
                "{}",
                path.display()
            );
            let options = ReadOptions { drop: texts(&["x2"]), ..ReadOptions::default() };
            assert_eq!(
                read(&path, &options).unwrap().columns,
                Some(texts(&["x1", "x3"])),
                "{}",
                path.display()
            );
            continue;
        };
        let options = ReadOptions { drop: vec![names[1].clone()], ..ReadOptions::default() };
        assert_eq!(two(&read(&path, &options).unwrap()), (width - 1, Some(width - 1)), "{}", path.display());
        let options = ReadOptions { columns: vec![names[1].clone()], ..ReadOptions::default() };
        assert_eq!(
            read(&path, &options).unwrap().columns,
            Some(vec![names[1].clone()]),
            "{}",
            path.display()
        );
    }
}
