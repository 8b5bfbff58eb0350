//! Reading matrices with labels and names: CSV and other text, Excel, JSON, NPY, NPZ, MATLAB, Matrix Market, Parquet
//! and HDF5 (AnnData among them), and writing most of them; the model file and the record of a run.
//!
//! Files are not trusted: nothing is allocated because a header says so, and malformed, cut off or
//! hostile bytes give an [`Error`] that names the file, the place and what to do.
//!
//! ```
//! use emmf_io::{ReadOptions, read_bytes};
//!
//! let text = b"width,height,label\n1,2,cat\n3,4,dog\n";
//! let data = read_bytes(text, "animals.csv", &ReadOptions::default())?;
//! assert_eq!(data.x.shape(), (2, 2));
//! assert_eq!(data.labels.as_deref(), Some(&["cat".to_owned(), "dog".to_owned()][..]));
//! # Ok::<(), emmf_io::Error>(())
//! ```

#![forbid(unsafe_code)]

mod advice;
mod annotated;
mod array;
mod arrow;
mod atomic;
mod beside;
mod budget;
mod cells;
mod checkpoint;
mod codec;
mod columns;
mod dataset;
mod error;
mod factors;
mod folder;
mod format;
mod guarded;
mod hdf5;
mod images;
mod images_write;
mod inflate;
mod journal;
mod jpeg;
mod json;
mod json_lines;
pub mod machine;
mod mat;
mod matrix_market;
mod matrix_market_write;
mod model;
mod npy;
mod npy_write;
mod npz;
mod npz_write;
mod options;
mod order;
#[cfg(feature = "parquet")]
mod parquet;
mod part;
mod read;
mod record;
mod remark;
mod result_folder;
mod results;
mod roles;
mod roles_of_texts;
mod sheet;
mod sketch;
mod source;
mod sparse;
mod start;
mod stream;
mod text;
mod texts;
mod tree;
mod unpack;
mod variable;
mod variables;
mod write;
mod zarr;

pub use advice::{Advice, Setting};
pub use annotated::Annotated;
pub use atomic::{Batch, check_folder, check_writable, write_atomically};
pub use beside::data_in;
pub use budget::{Budget, Limit};
pub use checkpoint::{
    CHECKPOINT_FILE, Call, checkpoint_from_bytes, fingerprint, read_checkpoint, write_checkpoint,
};
pub use dataset::{Dataset, Dtype, Matrix, Numbers};
pub use error::{Error, Problem, nearest};
pub use factors::{MainFeature, TableFormat, coefficients, layer_columns, main_features};
pub use folder::{Folder, FolderKind, FolderOptions, read_folder};
pub use guarded::is_guarded;
pub use hdf5::is_anndata;
pub use images_write::write_images;
pub use model::{
    AnyModel, Notes, model_from_bytes, model_to_bytes, notes_from_bytes, read_model, read_model_and_notes,
    write_model,
};
pub use options::{ReadOptions, Usual};
pub use order::Order;
pub use part::abandon;
pub use read::{read, read_bytes, read_labels, read_labels_bytes, read_texts, read_texts_or_counts};
pub use record::check::Inconsistent;
pub use record::{
    DataInfo, GridInfo, GridPoint, OUTLIER, RECORD_VERSION, Record, SampleColumns, read_record,
    without_outliers, write_record,
};
pub use remark::Remark;
pub use result_folder::ResultFolder;
pub use results::{ANNDATA_FILE, MODEL_FILE, RECORD_FILE, Results, check_same_fit, is_result_file};
pub use sketch::{
    CentroidSketch, Feature, FeatureSketch, Features, LayoutSketch, Levels, MOST_POINTS, Misfit, PlaneSketch,
    SampleSketch, SilhouetteSketch, Sketch, base64, misfits,
};
pub use start::read_start;
pub use stream::{FileRows, FileSize, Streamed, file_size, stream};
pub use text::{disarmed, meant};
pub use texts::{Frequency, StopWords, TextOptions};
pub use variable::{most_variable, variable_features};
pub use write::{check_output, write, write_texts, write_with_labels};
