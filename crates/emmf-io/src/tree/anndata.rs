//! AnnData (`.h5ad`, `.zarr`): cells are samples, genes are features.

use super::{Tree, positions, sparse};
use crate::advice::Setting;
use crate::dataset::{Dataset, Numbers};
use crate::error::{Problem, listed, nearest, shortened};
use crate::options::{LABEL_COLUMNS, ReadOptions};
use crate::remark::Remark;
use crate::sparse::Compression;

/// By its own word, or by its parts, as older files do not say.
pub(crate) fn is_anndata(file: &dyn Tree) -> bool {
    let has = |name: &str| file.has_group(name) || file.has_array(name);
    file.said("", "encoding-type").is_some_and(|kind| kind == "anndata")
        || (has("X") && has("obs") && has("var"))
}

/// Reads X, or the wanted layer, the names of cells and genes, and the wanted column of obs as labels.
pub(crate) fn read(file: &dyn Tree, options: &ReadOptions) -> Result<Dataset, Problem> {
    if !file.has_group("obs") || !file.has_group("var") {
        return Err(Problem::unsupported(
            "AnnData from before version 0.7",
            "read it with a current anndata and write it again",
        ));
    }
    let path = matrix(file, options)?;
    let x = numbers(file, &path, options)?;
    let labels = match &options.labels {
        Some(wanted) => Some(column(file, "obs", wanted)?),
        None => usual_labels(file)?,
    };
    let names = match (&options.id, &options.usual.id) {
        (Some(wanted), _) => Some(column(file, "obs", wanted)?),
        (None, Some(usual)) => column(file, "obs", usual).map(Some).or_else(|_| index(file, "obs"))?,
        (None, None) => index(file, "obs")?,
    };
    let layers = if options.variable.is_none() { others(file)? } else { Vec::new() };
    let remark = (!layers.is_empty()).then(|| Remark::Part { read: path.clone(), others: layers });
    let remarks = remark.into_iter().collect();
    // What obsm holds has no names.
    let genes = match path.split_once('/') {
        Some(("raw", _)) => index(file, "raw/var")?,
        None | Some(("layers", _)) => index(file, "var")?,
        Some(_) => None,
    };
    Dataset { names, remarks, ..Dataset::new(x, labels, genes) }.checked()
}

/// The names of the genes; none where they have none.
pub(crate) fn genes(file: &dyn Tree) -> Result<Vec<String>, Problem> {
    Ok(index(file, "var")?.unwrap_or_default())
}

/// Where the matrix is: X, a layer, a part of obsm, or a path.
fn matrix(file: &dyn Tree, options: &ReadOptions) -> Result<String, Problem> {
    let has = |path: &str| file.has_array(path) || file.has_group(path);
    let found = |wanted: &str| {
        let places = [wanted.to_owned(), format!("layers/{wanted}")];
        let found = places.into_iter().find(|path| has(path));
        found.map(|path| if path == "raw" { "raw/X".into() } else { path })
    };
    if let (None, Some(usual)) = (&options.variable, options.usual.variable.as_deref().and_then(found)) {
        return Ok(usual);
    }
    let Some(wanted) = &options.variable else {
        return if has("X") {
            Ok("X".into())
        } else {
            Err(Problem::Ambiguous {
                kind: "matrix (there is no X)",
                available: listed(others(file)?.iter().map(String::as_str)),
                setting: Setting::Variable,
            })
        };
    };
    if let Some(found) = found(wanted) {
        return Ok(found);
    }
    let names = others(file)?;
    Err(Problem::NoSuchVariable {
        kind: "layer",
        wanted: wanted.into(),
        nearest: nearest(wanted, names.iter().map(String::as_str)),
        available: listed(["X"].into_iter().chain(names.iter().map(String::as_str))),
    })
}

/// What else could be meant.
fn others(file: &dyn Tree) -> Result<Vec<String>, Problem> {
    let mut names = if file.has_group("layers") { file.members("layers")? } else { Vec::new() };
    if file.has_group("raw") {
        names.push("raw".into());
    }
    Ok(names)
}

/// A dense or sparse matrix.
fn numbers(file: &dyn Tree, path: &str, options: &ReadOptions) -> Result<Numbers, Problem> {
    let (dtype, budget) = (options.dtype, file.budget());
    if file.has_array(path) {
        return file.array(path)?.to_numbers(dtype, budget);
    }
    let kind = file.said(path, "encoding-type").or_else(|| file.said(path, "h5sparse_format"));
    let compression = match kind.as_deref() {
        Some("csr_matrix" | "csr") => Compression::Rows,
        Some("csc_matrix" | "csc") => Compression::Columns,
        other => {
            return Err(Problem::unsupported(
                format!("'{}' ({})", shortened(path), other.unwrap_or("no matrix")),
                "store a dense, CSR or CSC matrix",
            ));
        }
    };
    let said = file.counted(path, "shape").or_else(|| file.counted(path, "h5sparse_shape"));
    let shape = said.unwrap_or_default();
    let shape = match shape[..] {
        [rows, cols] => usize::try_from(rows).ok().zip(usize::try_from(cols).ok()),
        _ => None,
    };
    let shape = shape.ok_or_else(|| Problem::malformed(format!("'{path}'"), "it does not give its shape"))?;
    let [values, indices, starts] = ["data", "indices", "indptr"].map(|part| format!("{path}/{part}"));
    sparse(file, [&values, &indices, &starts], compression, shape)?.into_numbers(dtype, budget)
}

/// What the names of the rows of obs or var are kept in.
fn index_of(file: &dyn Tree, frame: &str) -> String {
    file.said(frame, "_index").unwrap_or_else(|| "_index".into())
}

/// The columns of obs or var, of all that these hold, for an error message.
fn columns(file: &dyn Tree, frame: &str, names: &[String]) -> String {
    let index = index_of(file, frame);
    listed(names.iter().map(String::as_str).filter(|name| *name != index))
}

/// The names of the rows of obs or var.
fn index(file: &dyn Tree, frame: &str) -> Result<Option<Vec<String>>, Problem> {
    let path = format!("{frame}/{}", index_of(file, frame));
    match () {
        () if file.is_text(&path) => file.texts(&path).map(Some),
        () if file.has_array(&path) => file.array(&path)?.to_labels(file.budget()).map(Some),
        () => Ok(None),
    }
}

/// A column of obs or var as texts.
pub(crate) fn column(file: &dyn Tree, frame: &str, wanted: &str) -> Result<Vec<String>, Problem> {
    let names = file.members(frame)?;
    if !names.iter().any(|name| name == wanted) {
        return Err(Problem::NoSuchColumn {
            wanted: wanted.into(),
            nearest: nearest(wanted, names.iter().map(String::as_str)),
            available: columns(file, frame, &names),
        });
    }
    let path = format!("{frame}/{wanted}");
    let values = |path: &str| {
        if file.is_text(path) { file.texts(path) } else { file.array(path)?.to_labels(file.budget()) }
    };
    if file.has_array(&path) {
        return values(&path);
    }
    match file.said(&path, "encoding-type").as_deref() {
        Some("categorical") => {
            let categories = values(&format!("{path}/categories"))?;
            let codes = positions(file, &format!("{path}/codes"))?;
            let bytes =
                codes.len() * 48 + categories.iter().map(String::len).max().unwrap_or(0) * codes.len();
            file.budget().take(Some(bytes as u64), "the labels")?;
            let named = |code: &i64| usize::try_from(*code).ok().and_then(|code| categories.get(code));
            // A code of -1 stands for no value.
            Ok(codes.iter().map(|code| named(code).cloned().unwrap_or_default()).collect())
        }
        Some(kind) if kind.starts_with("nullable-") => values(&format!("{path}/values")),
        other => Err(Problem::unsupported(
            format!("'{}' ({})", shortened(&path), other.unwrap_or("no column")),
            "choose a column of texts, categories or numbers",
        )),
    }
}

/// The column of obs with a usual name, where nobody says which one.
pub(crate) fn classes(file: &dyn Tree) -> Result<Vec<String>, Problem> {
    if let Some(labels) = usual_labels(file)? {
        return Ok(labels);
    }
    let names = file.members("obs")?;
    Err(Problem::Ambiguous {
        kind: "column with the labels",
        available: columns(file, "obs", &names),
        setting: Setting::Labels,
    })
}

/// A column of obs with a usual name.
fn usual_labels(file: &dyn Tree) -> Result<Option<Vec<String>>, Problem> {
    let names = file.members("obs")?;
    let usual = LABEL_COLUMNS.iter().find(|usual| names.iter().any(|name| name == *usual));
    usual.map(|usual| column(file, "obs", usual)).transpose()
}
