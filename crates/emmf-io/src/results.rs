//! What a fit leaves in its folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use emmf::method::{Extra, Value};
use emmf::{Fit, Mat, Real};
use sha2::{Digest, Sha256};

use crate::atomic::{Batch, folder_of};
use crate::checkpoint::CHECKPOINT_FILE;
use crate::error::{Error, Problem};
use crate::factors::{TableFormat, write_centroids, write_coefficients, write_features};
use crate::hdf5::{Annotations, annotate};
use crate::json;
use crate::model::{Notes, to_bytes};
use crate::npy_write::write_reals;
use crate::record::{Record, files_of, record_to, samples_to};
use crate::result_folder::ResultFolder;
use crate::sketch::Features;

/// The name of the model file in the folder of a fit.
pub const MODEL_FILE: &str = "model.safetensors";
/// The name of the record in the folder of a fit.
pub const RECORD_FILE: &str = "record.json";

/// The name of the annotated AnnData file in the folder of a fit.
pub const ANNDATA_FILE: &str = "result.h5ad";

const SAMPLES_FILE: &str = "samples.csv";
const FEATURES_FILE: &str = "features.csv";
const TREE_FILES: [&str; 3] = ["tree.json", "tree.csv", "tree.nwk"];
/// Tables, without their endings.
const COEFFICIENTS: &str = "coefficients";
const CENTROIDS: &str = "centroids";
/// The ending of matrices: samples that were filled in, and what else a method found.
const MATRIX: &str = "npy";

/// Whether a fit may leave a file of this name in its folder, the page aside, which is called as one likes.
pub fn is_result_file(name: &str) -> bool {
    let one = [MODEL_FILE, RECORD_FILE, ANNDATA_FILE, CHECKPOINT_FILE, SAMPLES_FILE, FEATURES_FILE];
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let formats = [TableFormat::Csv, TableFormat::Parquet, TableFormat::Npy];
    let is_table = || formats.into_iter().any(|format| format.ending() == ending);
    one.contains(&name)
        || TREE_FILES.contains(&name)
        || ending == MATRIX
        || ([COEFFICIENTS, CENTROIDS].contains(&stem) && is_table())
}

/// What a fit is to leave.
pub struct Results<'a, T> {
    /// The fit.
    pub fit: &'a Fit<T>,
    /// Its record, which learns what files there are.
    pub record: &'a mut Record,
    /// About the features.
    pub notes: &'a Notes,
    /// A page about it, and where it is to be.
    pub page: Option<(&'a Path, &'a str)>,
    /// The formats in which coefficients and centroids are written.
    pub tables: &'a [TableFormat],
    /// An AnnData file to make a copy of, with the results in it.
    pub anndata: Option<&'a Path>,
}

impl ResultFolder {
    /// Writes `model.safetensors`, `samples.csv` (row, label, residual, weight, score, outlier), coefficients, centroids and
    /// their largest features as tables, an NPY file for every
    /// matrix among the extra results, `tree.json`, `tree.csv` and `tree.nwk` (Newick) where there are layers, one for the samples where missing values were filled in, the page, and
    /// `record.json`, which names them with their hashes. All of them appear, or none; what an earlier fit left in the
    /// folder and this one does not write is gone then, and nothing else is.
    pub fn write<T: Real>(&self, results: Results<'_, T>) -> Result<(), Error> {
        let Results { fit, record, notes, page, tables, anndata } = results;
        let mut files = Files { folder: &self.path, batch: Batch::default(), hashes: BTreeMap::new() };
        let model = self.path.join(MODEL_FILE);
        let bytes = to_bytes(&fit.model, notes).map_err(|problem| problem.of(model.display().to_string()))?;
        files.add(&model, |out| out.write_all(&bytes))?;
        files.add(&self.path.join(SAMPLES_FILE), |out| samples_to(out, record))?;
        if let Some(tree) = &record.tree {
            let json = json::to_text(tree).map_err(|problem| problem.of("tree.json"))? + "\n";
            for (name, text) in TREE_FILES.into_iter().zip([json, tree.to_csv(), tree.to_newick() + "\n"]) {
                files.add(&self.path.join(name), |out| out.write_all(text.as_bytes()))?;
            }
        }
        let imputed = fit.imputed.iter().map(|imputed| ("imputed", imputed));
        for (name, matrix) in fit.extras.iter().filter_map(matrix).chain(imputed) {
            files.add(&self.path.join(format!("{name}.{MATRIX}")), |out| write_reals(out, matrix))?;
        }
        let names = Features { names: notes.features.as_deref(), image: None };
        let features: Vec<String> = (0..fit.model.centroids().rows()).map(|j| names.name(j)).collect();
        for &format in tables {
            let path = |name: &str| self.path.join(format!("{name}.{}", format.ending()));
            files.add(&path(COEFFICIENTS), |out| write_coefficients(out, (fit, record), format))?;
            files.add(&path(CENTROIDS), |out| write_centroids(out, (fit, &features), format))?;
        }
        if !tables.is_empty() {
            files.add(&self.path.join(FEATURES_FILE), |out| write_features(out, (fit, &features)))?;
        }
        if let Some(from) = anndata {
            let outliers: Vec<bool> = record.outliers().collect();
            let found = Annotations {
                coefficients: &fit.v,
                centroids: fit.model.centroids(),
                features: &features,
                labels: &fit.labels,
                scores: &fit.scores,
                residuals: &fit.residuals,
                outliers: &outliers,
            };
            files.add(&self.path.join(ANNDATA_FILE), |out| annotate(out, from, &found))?;
        }
        if let Some((path, text)) = page {
            files.add(path, |out| out.write_all(text.as_bytes()))?;
        }
        files.finish(record)
    }
}

fn matrix<T>(extra: &Extra<T>) -> Option<(&str, &Mat<T>)> {
    match &extra.value {
        Value::Matrix(matrix) => Some((&extra.name, matrix)),
        _ => None,
    }
}

/// The files of a fit on their way into its folder.
struct Files<'a> {
    folder: &'a Path,
    batch: Batch,
    /// Of those in the folder, by name.
    hashes: BTreeMap<String, String>,
}

impl Files<'_> {
    fn add(
        &mut self,
        path: &Path,
        fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), Error> {
        let mut hash = Sha256::new();
        self.batch.add(path, |out| fill(&mut Hashing { out, hash: &mut hash }))?;
        let name = path.file_name().and_then(|name| name.to_str());
        let in_folder = fs::canonicalize(folder_of(path)).ok() == fs::canonicalize(self.folder).ok();
        if let (Some(name), true) = (name, in_folder) {
            self.hashes.insert(name.to_owned(), hex(&hash.finalize()));
        }
        Ok(())
    }

    /// Writes the record, and puts all in its place.
    fn finish(mut self, record: &mut Record) -> Result<(), Error> {
        let path = self.folder.join(RECORD_FILE);
        for (name, hash) in files_of(&path) {
            let file = self.folder.join(&name);
            // What somebody has put there since is not ours.
            if !self.hashes.contains_key(&name) && hash_of(&file).is_some_and(|found| found == hash) {
                self.batch.remove(&file)?;
            }
        }
        record.files = self.hashes;
        let text = record_to(record).map_err(|problem| problem.of(path.display().to_string()))?;
        self.batch.add(&path, |out| out.write_all(text.as_bytes()))?;
        self.batch.commit()
    }
}

/// The hash of a file, by which the record of a fit knows it.
fn hash_of(path: &Path) -> Option<String> {
    let mut hash = Sha256::new();
    io::copy(&mut fs::File::open(path).ok()?, &mut Hashing { out: &mut io::sink(), hash: &mut hash }).ok()?;
    Some(hex(&hash.finalize()))
}

/// Refuses a record that is of another fit than the model beside it. Records of before there were hashes pass.
pub fn check_same_fit(model: &Path, record: &Record, path: &Path) -> Result<(), Error> {
    let name = model.file_name().and_then(|name| name.to_str()).unwrap_or(MODEL_FILE);
    match record.files.get(name) {
        Some(noted) if hash_of(model).is_some_and(|found| found != *noted) => {
            Err(Problem::Foreign { other: "model" }.of(path.display().to_string()))
        }
        _ => Ok(()),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Hashes what is written.
struct Hashing<'a> {
    out: &'a mut (dyn Write + Send),
    hash: &'a mut Sha256,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
