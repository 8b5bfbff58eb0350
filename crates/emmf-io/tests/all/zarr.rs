//! Zarr stores of zarr and anndata, in archives and unpacked.

use crate::common;

use std::path::Path;

use common::{dense, expected, fixture, message, read_fixture, texts};
use emmf_io::{Budget, Dtype, FolderKind, ReadOptions, data_in, read, read_bytes, read_labels, read_texts};

/// Unpacks a fixture.
fn unpacked(name: &str, folder: &Path) {
    let archive = std::fs::File::open(fixture(name)).unwrap();
    zip::ZipArchive::new(archive).unwrap().extract(folder).unwrap();
}

#[test]
fn archives_hold_what_zarr_and_anndata_wrote() {
    for name in ["plain.v2.zip", "plain.v3.zip", "array.v3.zip", "cells.v2.zip", "cells.v3.zip"] {
        assert_eq!(dense(read_fixture(name).unwrap().x), expected(), "{name}");
    }
    assert_eq!(read_fixture("array.v3.zip").unwrap().x.dtype(), Dtype::F32);
    assert_eq!(read_fixture("plain.v2.zip").unwrap().labels, Some(texts(&["0", "1", "0", "1"])));
    let options = ReadOptions { id: Some("id".into()), ..ReadOptions::default() };
    let data = read(&fixture("plain.v3.zip"), &options).unwrap();
    assert_eq!(data.names, Some(texts(&["s1", "s2", "s3", "s4"])));
    assert_eq!(data.labels, Some(texts(&["u", "v", "u", "v"])));
    let options = ReadOptions { variable: Some("Y".into()), ..ReadOptions::default() };
    assert!(message(read(&fixture("plain.v3.zip"), &options)).contains("'X', 'id', 'y'"));
}

#[test]
fn a_folder_is_read_as_its_archive() {
    for name in ["plain.v2.zip", "plain.v3.zip", "array.v3.zip", "cells.v2.zip", "cells.v3.zip"] {
        let folder = tempfile::tempdir().unwrap();
        unpacked(name, folder.path());
        assert_eq!(data_in(folder.path()).as_deref(), Some(folder.path()), "{name}");
        let found = read(folder.path(), &ReadOptions::default()).unwrap();
        assert_eq!(found, read_fixture(name).unwrap(), "{name}");
        let said = message(read_texts(folder.path(), "id", &ReadOptions::default(), None));
        assert!(said.contains("a column of texts in this format"), "{said}");
    }
    assert!(FolderKind::of(tempfile::tempdir().unwrap().path()).is_err());
}

#[test]
fn cells_are_read_as_from_h5ad() {
    for name in ["cells.v2.zip", "cells.v3.zip"] {
        let options = ReadOptions {
            labels: Some("kind".into()),
            variable: Some("twice".into()),
            ..ReadOptions::default()
        };
        let (zarr, h5ad) = (read(&fixture(name), &options), read(&fixture("csr.h5ad"), &options));
        assert_eq!(zarr.unwrap(), h5ad.unwrap(), "{name}");
        let kinds = texts(&["u", "v", "u", "v"]);
        assert_eq!(read_labels(&fixture(name), Some("kind"), &Budget::default()).unwrap(), kinds);
        let folder = tempfile::tempdir().unwrap();
        unpacked(name, folder.path());
        assert_eq!(read_labels(folder.path(), Some("kind"), &Budget::default()).unwrap(), kinds);
    }
}

/// A store of one array with this description and these chunks.
fn store(description: &str, chunks: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [(".zarray", description.as_bytes())].iter().chain(chunks) {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn described(shape: &str, chunks: &str, dtype: &str, more: &str) -> String {
    format!(
        "{{\"zarr_format\": 2, \"shape\": {shape}, \"chunks\": {chunks}, \"dtype\": \"{dtype}\", \"order\": \"C\", \
         \"compressor\": null, \"filters\": null{more}}}"
    )
}

#[test]
fn chunks_that_are_not_stored_hold_what_fills_them() {
    let of = |more: &str| {
        let text = described("[3, 2]", "[2, 2]", "<f4", more);
        let first: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        dense(read_bytes(&store(&text, &[("0.0", &first)]), "x.zip", &ReadOptions::default()).unwrap().x)
    };
    assert_eq!(of("").as_slice(), [1.0, 2.0, 3.0, 4.0, 0.0, 0.0]);
    assert_eq!(of(", \"fill_value\": 2.5").as_slice(), [1.0, 2.0, 3.0, 4.0, 2.5, 2.5]);
    assert!(of(", \"fill_value\": \"NaN\"")[(2, 1)].is_nan());
}

#[test]
fn promises_that_the_chunks_do_not_keep() {
    let said = |text: &str, chunks: &[(&str, &[u8])]| {
        message(read_bytes(&store(text, chunks), "x.zip", &ReadOptions::default()))
    };
    let huge = described("[1000000000, 1000]", "[1000000000, 1000]", "<f8", "");
    assert!(said(&huge, &[]).contains("unpacks to more than"));
    let many = described("[100000000, 1]", "[1, 1]", "|u1", "");
    assert!(said(&many, &[]).contains("more than a million chunks"));
    let absurd = described("[18446744073709551615, 2]", "[18446744073709551615, 2]", "<f8", "");
    assert!(said(&absurd, &[]).contains("unpacks to more than"));
    let short = said(&described("[2, 2]", "[2, 2]", "<f8", ""), &[("0.0", &[0; 31])]);
    assert!(short.contains("a chunk is not of the size"), "{short}");
    let none = said(&described("[2, 2]", "[0, 2]", "<f8", ""), &[]);
    assert!(none.contains("its chunks are empty"), "{none}");
    let delta = described("[2, 2]", "[2, 2]", "<f8", "").replace("null}", "[{\"id\": \"delta\"}]}");
    let delta = said(&delta, &[]);
    assert!(delta.contains("stored by delta") && delta.contains("zstd"), "{delta}");
    let cube = said(&described("[2, 2, 2]", "[2, 2, 2]", "<f8", ""), &[]);
    assert!(cube.contains("3 dimensions"), "{cube}");
}
