//! The parts of the program that are tried, one module each.

mod arrow;
mod experiments;
mod hdf5;
mod images;
mod json;
mod labels;
mod mat;
mod models;
mod mtx;
mod npy;
mod npz;
mod packed;
mod parquet;
mod records;
mod sheet;
mod specs;
mod streams;
mod table;
mod text;
mod texts;
mod zarr;

use crate::Target;

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "text", about: "tables of text: CSV, TSV and their like", make: text::make },
    Target { name: "npy", about: "NPY files: headers and entries", make: npy::make },
    Target { name: "npz", about: "NPZ files: the archive and what is packed inside", make: npz::make },
    Target { name: "mat", about: "MATLAB files, raw and inside zlib", make: mat::make },
    Target { name: "mtx", about: "Matrix Market files", make: mtx::make },
    Target { name: "parquet", about: "Parquet files", make: parquet::make },
    Target { name: "arrow", about: "Arrow files and streams, Feather", make: arrow::make },
    Target { name: "zarr", about: "zarr stores in archives: descriptions and chunks", make: zarr::make },
    Target { name: "hdf5", about: "HDF5 files: AnnData, 10x, MATLAB 7.3, plain datasets", make: hdf5::make },
    Target { name: "sheet", about: "Excel files", make: sheet::make },
    Target { name: "json", about: "JSON lines and arrays of objects", make: json::make },
    Target { name: "packed", about: "tables packed by gzip, bzip2 and zstd", make: packed::make },
    Target { name: "labels", about: "labels alone, in every format", make: labels::make },
    Target { name: "texts", about: "texts as counts of words: columns and folders", make: texts::make },
    Target {
        name: "streams",
        about: "sizes of files, and samples read from where they are",
        make: streams::make,
    },
    Target { name: "images", about: "folders of images, brought to one size", make: images::make },
    Target { name: "models", about: "model files, and transform with what was read", make: models::make },
    Target {
        name: "records",
        about: "records of fits, and every page and figure of them",
        make: records::make,
    },
    Target {
        name: "experiments",
        about: "TOML experiments: parsed and planned, not run",
        make: experiments::make,
    },
    Target {
        name: "specs",
        about: "random specs on nasty data, with all promises of a fit",
        make: specs::make,
    },
];

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
