//! An AnnData file with the results of a fit in it: labels, scores and outliers in obs, coefficients in obsm, centroids in
//! varm, where scanpy looks for them.

use super::open::Hdf5;
use crate::budget::Budget;
use crate::error::Problem;
use crate::guarded::guarded;
use crate::read::load;
use crate::tree::anndata::genes;
use crate::unpack::unpacked;
use emmf::{Mat, Real};
use hdf5_pure::{AttrValue, Error, File, Group};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// What a fit found, for the samples and features of an AnnData file.
pub(crate) struct Annotations<'a, T> {
    pub(crate) coefficients: &'a Mat<T>,
    pub(crate) centroids: &'a Mat<T>,
    /// The names of the features.
    pub(crate) features: &'a [String],
    pub(crate) labels: &'a [usize],
    pub(crate) scores: &'a [f64],
    pub(crate) residuals: &'a [f64],
    pub(crate) outliers: &'a [bool],
}

/// Names of what is added.
const LABEL: &str = "emmf_label";
const SCORE: &str = "emmf_score";
const RESIDUAL: &str = "emmf_residual";
const OUTLIER: &str = "emmf_outlier";
const COEFFICIENTS: &str = "X_emmf";
const CENTROIDS: &str = "emmf";
const BY_THEMSELVES: [&str; 2] = ["emmf_centroids", "emmf_features"];

/// Writes a copy of the file `from` with the annotations, unpacked where it is packed.
pub(crate) fn annotate<T: Real>(
    out: &mut dyn Write,
    from: &Path,
    found: &Annotations<'_, T>,
) -> io::Result<()> {
    let copy = tempfile::NamedTempFile::new()?;
    let genes = copied(from, copy.path()).map_err(io::Error::other)?;
    edit(copy.path(), found, &genes).map_err(io::Error::other)?;
    io::copy(&mut fs::File::open(copy.path())?, out).map(drop)
}

/// Copies the file, and gives the names of its genes.
fn copied(from: &Path, to: &Path) -> Result<Vec<String>, Problem> {
    let budget = Budget::default();
    let (bytes, name) = load(from, &budget).map_err(|error| error.problem)?;
    let (bytes, _) = unpacked(bytes.into(), &name, &budget)?;
    fs::write(to, &bytes).map_err(Problem::Write)?;
    guarded("its datasets", || genes(&Hdf5::open(bytes, &budget)?))
}

fn edit<T: Real>(path: &Path, found: &Annotations<'_, T>, genes: &[String]) -> Result<(), Error> {
    let file = File::open_rw(path)?;
    let root = file.root();
    let added = [COEFFICIENTS, CENTROIDS, LABEL, SCORE, RESIDUAL, OUTLIER];
    // What an earlier fit left.
    let places =
        [("obsm", &added[..1]), ("varm", &added[1..2]), ("obs", &added[2..]), ("uns", &BY_THEMSELVES[..])];
    for (group, names) in places {
        let Ok(group) = root.group(group) else { continue };
        let (datasets, groups) = (group.datasets()?, group.groups()?);
        let there = |name: &&&str| datasets.iter().chain(&groups).any(|other| other == **name);
        names.iter().filter(there).try_for_each(|name| group.delete(name))?;
    }
    file.commit()?;
    let obs = root.group("obs")?;
    let mut order =
        obs.attrs()?.get("column-order").and_then(AttrValue::as_strings).unwrap_or_default().to_vec();
    order.retain(|name| !added.contains(&name.as_str()));
    order.extend([LABEL, SCORE, RESIDUAL, OUTLIER].map(String::from));
    obs.set_attr("column-order", AttrValue::VarLenStringArray(order))?;
    let clusters = found.labels.iter().max().map_or(0, |most| most + 1);
    let names: Vec<String> = (0..clusters).map(|k| k.to_string()).collect();
    let codes: Vec<i32> = found.labels.iter().map(|&label| label as i32).collect();
    category(&obs, LABEL, &codes, &names)?;
    let codes: Vec<i32> = found.outliers.iter().map(|&outlier| i32::from(outlier)).collect();
    category(&obs, OUTLIER, &codes, &["no".into(), "yes".into()])?;
    numbers(&obs, SCORE, found.scores, &[found.scores.len()])?;
    numbers(&obs, RESIDUAL, found.residuals, &[found.residuals.len()])?;
    matrix(&file, ("obsm", COEFFICIENTS), found.coefficients)?;
    centroids(&file, found, genes)?;
    file.commit()?;
    file.close()
}

/// The centroids, a row for every gene; those that the fit did not see have no numbers. Where the features are no genes of the
/// file, as those of obsm or of raw, the centroids are by themselves in uns, with the names of their rows.
fn centroids<T: Real>(file: &File, found: &Annotations<'_, T>, genes: &[String]) -> Result<(), Error> {
    let u = found.centroids;
    let Some(rows) = places(found.features, genes) else {
        let [centroids, features] = BY_THEMSELVES;
        matrix(file, ("uns", centroids), u)?;
        let names: Vec<&str> = found.features.iter().map(String::as_str).collect();
        let made = file.root().group("uns")?.create_dataset(features, |data| {
            data.with_vlen_strings(&names);
            data.set_attr("encoding-type", said("string-array")).set_attr("encoding-version", said("0.2.0"));
        });
        return made.map(drop);
    };
    let mut all = Mat::from_fn(genes.len(), u.cols(), |_, _| f64::NAN);
    for (j, &row) in rows.iter().enumerate() {
        (0..u.cols()).for_each(|k| all[(row, k)] = u[(j, k)].to_f64());
    }
    matrix(file, ("varm", CENTROIDS), &all)
}

/// Which gene each feature is; nothing where one is none of them, or several.
fn places(features: &[String], genes: &[String]) -> Option<Vec<usize>> {
    if features == genes {
        return Some((0..genes.len()).collect());
    }
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, gene) in genes.iter().enumerate() {
        places.entry(gene).and_modify(|place| *place = None).or_insert(Some(at));
    }
    features.iter().map(|feature| *places.get(feature.as_str())?).collect()
}

fn matrix<T: Real>(file: &File, (group, name): (&str, &str), values: &Mat<T>) -> Result<(), Error> {
    let root = file.root();
    let there = root.groups()?.iter().any(|other| other == group);
    let group = if there { root.group(group)? } else { frame(&root, group)? };
    let reals: Vec<f64> = values.as_slice().iter().map(|value| value.to_f64()).collect();
    numbers(&group, name, &reals, &[values.rows(), values.cols()])
}

/// A group for matrices.
fn frame(root: &Group, name: &str) -> Result<Group, Error> {
    root.create_group_with(name, |group| {
        group.set_attr("encoding-type", said("dict")).set_attr("encoding-version", said("0.1.0"));
    })
}

fn said(text: &str) -> AttrValue {
    AttrValue::VarLenString(text.into())
}

fn numbers(group: &Group, name: &str, values: &[f64], shape: &[usize]) -> Result<(), Error> {
    let shape: Vec<u64> = shape.iter().map(|&size| size as u64).collect();
    let made = group.create_dataset(name, |data| {
        data.with_f64_data(values).with_shape(&shape);
        data.set_attr("encoding-type", said("array")).set_attr("encoding-version", said("0.2.0"));
    });
    made.map(drop)
}

/// A column of categories.
fn category(group: &Group, name: &str, codes: &[i32], categories: &[String]) -> Result<(), Error> {
    let texts: Vec<&str> = categories.iter().map(String::as_str).collect();
    let made = group.create_group_with(name, |column| {
        column.set_attr("encoding-type", said("categorical")).set_attr("encoding-version", said("0.2.0"));
        column.set_attr("ordered", AttrValue::U8(0));
        column.create_dataset("codes", |data| {
            data.with_i32_data(codes);
            data.set_attr("encoding-type", said("array")).set_attr("encoding-version", said("0.2.0"));
        });
        column.create_dataset("categories", |data| {
            data.with_vlen_strings(&texts);
            data.set_attr("encoding-type", said("string-array")).set_attr("encoding-version", said("0.2.0"));
        });
    });
    made.map(drop)
}
