//! Valid files to begin with: written by our own writers and by hand, and those of other tools that the tests of the
//! readers keep.
#![expect(clippy::expect_used, reason = "a valid file that cannot be made is a mistake of this program")]

mod files;
mod fits;
mod pictures;

pub(crate) use files::{
    ARROW, CSV, HDF5, JSON, MAT, MTX, NPY, NPZ, PACKED, PARQUET, SHEET, Seed, ZARR, element, npy, packed,
    pick,
};
pub(crate) use fits::{MODELS, RECORDS};
pub(crate) use pictures::{JPEG, PNM, png};

/// A folder that is gone when the process has ended.
pub(crate) fn folder() -> &'static std::path::Path {
    static FOLDER: std::sync::LazyLock<tempfile::TempDir> =
        std::sync::LazyLock::new(|| tempfile::tempdir().expect("a temporary folder"));
    FOLDER.path()
}
