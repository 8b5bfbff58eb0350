//! Valid data files.

use std::io::Write;
use std::sync::LazyLock;

use emmf::{Csr, Mat};
use emmf_io::{Dataset, Numbers, write};

use crate::Random;

/// A valid file.
#[derive(Debug, Clone)]
pub(crate) struct Seed {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// A valid file, and another of its kind.
pub(crate) fn pick<'a>(seeds: &'a [Seed], random: &mut Random) -> (&'a Seed, &'a Seed) {
    (random.choose(seeds), random.choose(seeds))
}

macro_rules! fixtures {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../../../crates/emmf-io/tests/fixtures/", $name)) as &[u8])),*]
    };
}

/// Files of other tools.
const FIXTURES: [(&str, &[u8]); 56] = fixtures![
    "array.mtx",
    "array.v3.zip",
    "batches.arrow",
    "big_endian.mat",
    "big_endian.npy",
    "big_endian_compressed.mat",
    "bool.npy",
    "cell_labels.mat",
    "cells.v2.zip",
    "cells.v3.zip",
    "char_labels.mat",
    "complex.mtx",
    "compressed.mat",
    "coo.npz",
    "coordinate.mtx",
    "csc.npz",
    "csr.h5ad",
    "csr.npz",
    "cube.mat",
    "dense.h5ad",
    "dense.npz",
    "dense_compressed.npz",
    "dia.npz",
    "double.mat",
    "f2.npy",
    "f4.npy",
    "f8.npy",
    "fortran.npy",
    "german.csv.gz",
    "i4.npy",
    "i8_vector.npy",
    "lines.jsonl",
    "logical.mat",
    "lz4.feather",
    "mixed.arrow",
    "mixed.parquet",
    "null.parquet",
    "pattern.mtx",
    "plain.h5",
    "plain.v2.zip",
    "plain.v3.zip",
    "polars.arrow",
    "sheet.xlsx",
    "snappy.parquet",
    "sparse.mat",
    "stream.arrows",
    "symmetric.mtx",
    "table.csv.bz2",
    "table.csv.zst",
    "tenx.h5",
    "text_vector.npy",
    "two_texts.parquet",
    "v4.mat",
    "v73.mat",
    "zstd.feather",
    "zstd.parquet",
];

pub(crate) static CSV: LazyLock<Vec<Seed>> = LazyLock::new(|| {
    let by_hand = [
        "1,2,3\n4,5,6\n7,8,9\n",
        "a,b,label\n1,2,cat\n3,4,dog\n0.5,1e-3,cat\n",
        "x y z\n1 2 3\n4 5 6\n",
        "\u{feff}\"a\";\"b\"\r\n1,5;2\r\n3;4\r\n",
        ",f1,f2,class\n0,1,2,1.0\n1,3,,2.0\n2,NA,7,1.0\n",
        "# note\n1\t2\t0\n\n0\t0\t1\n",
        "\"a\"\"b\",\"c,d\",\"e\nf\"\n1,2,3\n",
        "5\n6\n7\n",
    ];
    let by_hand = by_hand.iter().map(|text| Seed { name: "x.csv".into(), bytes: text.as_bytes().to_vec() });
    written("csv").into_iter().chain(written("tsv")).chain(by_hand).collect()
});
pub(crate) static NPY: LazyLock<Vec<Seed>> = LazyLock::new(|| all("npy"));
pub(crate) static NPZ: LazyLock<Vec<Seed>> = LazyLock::new(|| all("npz"));
pub(crate) static MAT: LazyLock<Vec<Seed>> = LazyLock::new(|| all("mat"));
pub(crate) static MTX: LazyLock<Vec<Seed>> = LazyLock::new(|| all("mtx"));
pub(crate) static SHEET: LazyLock<Vec<Seed>> = LazyLock::new(|| all("xlsx"));
pub(crate) static HDF5: LazyLock<Vec<Seed>> = LazyLock::new(|| {
    let matlab = all("mat").into_iter().filter(|seed| seed.name == "v73.mat");
    all("h5ad").into_iter().chain(all("h5")).chain(matlab).collect()
});
pub(crate) static PACKED: LazyLock<Vec<Seed>> =
    LazyLock::new(|| ["gz", "bz2", "zst"].iter().flat_map(|ending| all(ending)).collect());
pub(crate) static JSON: LazyLock<Vec<Seed>> = LazyLock::new(|| {
    let by_hand = [
        "{\"a\": 1, \"b\": 2.5}\n{\"a\": 0, \"c\": 3}\n",
        "[{\"x\": 1, \"label\": \"u\"}, {\"x\": 2, \"label\": \"v\"}]",
        "{\"x\": null, \"y\": [1], \"z\": {\"w\": 1}, \"v\": 1e3}\n",
    ];
    let by_hand = by_hand.iter().map(|text| Seed { name: "x.jsonl".into(), bytes: text.as_bytes().to_vec() });
    all("jsonl").into_iter().chain(by_hand).collect()
});
pub(crate) static ARROW: LazyLock<Vec<Seed>> =
    LazyLock::new(|| ["arrow", "arrows", "feather"].iter().flat_map(|ending| all(ending)).collect());
pub(crate) static ZARR: LazyLock<Vec<Seed>> = LazyLock::new(|| all("zip"));
pub(crate) static PARQUET: LazyLock<Vec<Seed>> = LazyLock::new(|| all("parquet"));

/// Of other tools and our own.
fn all(ending: &str) -> Vec<Seed> {
    let is_meant = |name: &str| name.rsplit('.').next() == Some(ending);
    let others = FIXTURES.iter().filter(|(name, _)| is_meant(name));
    let others = others.map(|(name, bytes)| Seed { name: (*name).into(), bytes: bytes.to_vec() });
    others.chain(written(ending)).collect()
}

fn data_sets() -> Vec<Dataset> {
    let dense = Mat::from_fn(6, 4, |i, j| if (i + j) % 3 == 0 { 0.0 } else { (i * 4 + j) as f64 / 2.0 });
    let triplets = vec![(0, 1, 2.0), (1, 0, 1.5), (3, 4, 7.0), (4, 2, 1.0)];
    let sparse = Csr::from_triplets((5, 6), triplets).expect("entries inside the matrix");
    let texts = |text: &str, count: usize| Some((0..count).map(|at| format!("{text}{}", at % 3)).collect());
    let plain = |x: Numbers| Dataset::new(x, None, None);
    vec![
        plain(dense.clone().into()),
        plain(dense.cast::<f32>().into()),
        plain(sparse.clone().into()),
        plain(sparse.cast::<f32>().into()),
        Dataset::new(dense, texts("class ", 6), texts("é", 4)),
        Dataset::new(sparse, texts("", 5), None),
    ]
}

/// What our writer makes of every data set that the format holds.
fn written(ending: &str) -> Vec<Seed> {
    let path = super::folder().join(format!("seed.{ending}"));
    let make = |data: Dataset| {
        write(&path, &data).ok()?;
        let bytes = std::fs::read(&path).ok()?;
        Some(Seed { name: format!("x.{ending}"), bytes })
    };
    data_sets().into_iter().filter_map(make).collect()
}

/// An NPY file with this header.
pub(crate) fn npy(header: &str, entries: &[u8]) -> Vec<u8> {
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), entries].concat()
}

/// An element of a MATLAB file.
pub(crate) fn element(kind: u32, content: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes(), &(content.len() as u32).to_le_bytes(), content].concat()
}

/// Packed with zlib.
pub(crate) fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).and_then(|()| packer.finish()).expect("room in memory")
}
