//! The data sets of the paper, and any other file with labels.

use std::path::{Path, PathBuf};

use emmf::Mat;
use emmf::synth::ImageShape;
use emmf_io::{Matrix, Problem, ReadOptions};

use crate::Error;
use crate::origin::hash;

/// A data set of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// Its file without `.mat`.
    pub file: &'static str,
    /// Its name in the paper.
    pub name: &'static str,
    /// Samples, features and classes.
    pub shape: (usize, usize, usize),
    /// Height and width where the samples are images, and whether columns come first.
    pub image: Option<(usize, usize, bool)>,
    /// Where it is usually found.
    pub found: &'static str,
}

/// The data sets of the paper, in its order.
pub const KNOWN: [Known; 8] = [
    Known {
        file: "coil20",
        name: "COIL20",
        shape: (1440, 1024, 20),
        image: Some((32, 32, true)),
        found: "the 32×32 version of Deng Cai, also in the collection of scikit-feature",
    },
    Known {
        file: "coil100",
        name: "COIL100",
        shape: (7200, 1024, 100),
        image: Some((32, 32, true)),
        found: "Columbia University Image Library, reduced to 32×32 grey values",
    },
    Known {
        file: "yale",
        name: "YALE",
        shape: (165, 256, 15),
        image: Some((16, 16, true)),
        found: "the 32×32 version of Deng Cai or scikit-feature, averaged to 16×16",
    },
    Known {
        file: "jaffe",
        name: "JAFFE",
        shape: (213, 676, 10),
        image: Some((26, 26, true)),
        found: "jaffe_213n_676d_10c.mat of the RMKKM repository",
    },
    Known {
        file: "umist",
        name: "UMIST",
        shape: (575, 644, 20),
        image: Some((28, 23, true)),
        found: "the 28×23 version of the UMIST (Sheffield) faces",
    },
    Known {
        file: "mfeat",
        name: "Mfeat",
        shape: (2000, 240, 10),
        image: Some((16, 15, false)),
        found: "UCI, Multiple Features, the pixel averages (mfeat-pix)",
    },
    Known {
        file: "ba",
        name: "BA",
        shape: (1404, 320, 36),
        image: Some((20, 16, true)),
        found: "binaryalphadigs_1404n_320d_36c.mat of the RMKKM repository",
    },
    Known {
        file: "movement",
        name: "Movement",
        shape: (360, 90, 15),
        image: None,
        found: "UCI, Libras Movement",
    },
];

/// A data set in memory.
pub struct Set {
    /// Its column in the tables.
    pub name: String,
    /// Samples as rows.
    pub x: Mat<f64>,
    /// Class of each sample, from 0.
    pub classes: Vec<usize>,
    /// How many classes there are.
    pub k: usize,
    /// The images, where the samples are such.
    pub image: Option<ImageShape>,
    /// The beginning of the SHA-256 of its file.
    pub hash: String,
}

fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.file.eq_ignore_ascii_case(name))
}

/// The name of a data set in the tables, without reading it.
pub(crate) fn title(name: &str) -> String {
    known(name).map_or_else(|| name.to_owned(), |known| known.name.into())
}

/// The file of a data set: one of the paper's in `folder`, else the file of this name.
pub(crate) fn path(name: &str, folder: &Path) -> PathBuf {
    known(name).map_or_else(|| name.into(), |known| folder.join(known.file).with_extension("mat"))
}

/// How much work a data set is, without reading it; files count as small.
pub(crate) fn size(name: &str) -> usize {
    known(name).map_or(0, |Known { shape: (n, d, k), .. }| n * d * k)
}

impl Set {
    /// The data set of the paper that has this name, in `folder`, or the file of this name.
    pub fn read(name: &str, folder: &Path) -> Result<Self, Error> {
        let (known, path) = (known(name), path(name, folder));
        let wrong = |why: String| Error::Set { name: path.display().to_string(), why };
        if let Some(known) = known.filter(|_| !path.exists()) {
            let (n, d, k) = known.shape;
            let what = format!("is missing. {} has {n} samples, {d} features and {k} classes", known.name);
            let file = "save it as a MATLAB file with X (samples × features) and y (classes)";
            return Err(wrong(format!("{what}; usually found as: {}; {file}", known.found)));
        }
        let file = path.display().to_string();
        let bytes = std::fs::read(&path)
            .map_err(|error| emmf_io::Error { file: file.clone(), problem: Problem::Read(error) })?;
        let data = emmf_io::read_bytes(&bytes, &file, &ReadOptions::default())?;
        let labels =
            data.labels.ok_or_else(|| wrong("has no labels, so its clusters cannot be judged".into()))?;
        let x = match data.x.into_f64() {
            Matrix::Dense(x) => x,
            Matrix::Sparse(x) => x.to_dense(),
        };
        let mut names: Vec<&String> = labels.iter().collect();
        names.sort_unstable();
        names.dedup();
        let classes: Vec<usize> =
            labels.iter().map(|label| names.partition_point(|name| *name < label)).collect();
        let k = names.len();
        if let Some(known) = known.filter(|known| known.shape != (x.rows(), x.cols(), k)) {
            let (n, d, want) = known.shape;
            let got = format!("{} samples, {} features and {k} classes", x.rows(), x.cols());
            return Err(wrong(format!("holds {got}, but {} has {n}, {d} and {want}", known.name)));
        }
        let image = known.and_then(|known| known.image);
        let image = image.map(|(height, width, column_major)| ImageShape {
            height,
            width,
            column_major,
            colour: false,
        });
        Ok(Self { name: title(name), x, classes, k, image, hash: hash(&bytes) })
    }
}
