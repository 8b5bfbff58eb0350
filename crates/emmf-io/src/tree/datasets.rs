//! Any file of arrays in groups: its arrays as variables. MATLAB 7.3 writes them by columns.

use super::{Tree, positions};
use crate::error::{Problem, listed, nearest};
use crate::options::ReadOptions;
use crate::sparse::Compression;
use crate::variables::{Variable, Variables};

/// Groups within groups that are looked into.
const DEEPEST: usize = 6;
/// Datasets and groups that are looked at: links may lead round in circles.
const MOST: usize = 1000;

/// The variables of a file. Only the wanted one is read where one is wanted, and of the others those that can be a matrix
/// or labels.
pub(super) fn variables(file: &dyn Tree, options: &ReadOptions) -> Result<Variables<'static>, Problem> {
    let mut paths = Vec::new();
    list(file, "", (0, &mut 0), &mut paths)?;
    if let Some(wanted) = options.variable.as_ref().filter(|wanted| !paths.contains(wanted)) {
        return Err(Problem::NoSuchVariable {
            kind: "variable",
            wanted: wanted.clone(),
            nearest: nearest(wanted, paths.iter().map(String::as_str)),
            available: listed(paths.iter().map(String::as_str)),
        });
    }
    let mut found = Vec::new();
    for path in paths {
        let usual = &options.usual;
        let named = [&options.variable, &options.labels, &options.id, &usual.variable, &usual.id];
        let wanted = named.into_iter().flatten().any(|name| *name == path);
        if options.variable.is_none() || wanted || is_vector(file, &path) {
            found.push((path.clone(), variable(file, &path)?));
        }
    }
    Ok(Variables(found))
}

fn is_vector(file: &dyn Tree, path: &str) -> bool {
    matches!(file.shape(path), Ok(Some((rows, cols))) if rows == 1 || cols == 1)
}

/// The paths of datasets, and of groups that MATLAB keeps sparse matrices in.
fn list(
    file: &dyn Tree,
    group: &str,
    (depth, seen): (usize, &mut usize),
    paths: &mut Vec<String>,
) -> Result<(), Problem> {
    for name in file.members(group)? {
        let path = if group.is_empty() { name.clone() } else { format!("{group}/{name}") };
        *seen += 1;
        if *seen > MOST || (group.is_empty() && name.starts_with('#')) {
            continue;
        }
        if file.has_array(&path) || file.counted(&path, "MATLAB_sparse").is_some() {
            paths.push(path);
        } else if depth < DEEPEST {
            list(file, &path, (depth + 1, seen), paths)?;
        }
    }
    Ok(())
}

fn variable(file: &dyn Tree, path: &str) -> Result<Variable<'static>, Problem> {
    let class = file.said(path, "MATLAB_class");
    if let Some(&[rows]) = file.counted(path, "MATLAB_sparse").as_deref() {
        return sparse(file, path, rows);
    }
    if file.is_text(path) {
        return Ok(Variable::Text(file.texts(path)?));
    }
    match class.as_deref() {
        Some("cell" | "struct" | "function_handle") => return Ok(Variable::Other(class.unwrap_or_default())),
        Some("char") => return Ok(Variable::Other("text".into())),
        _ => {}
    }
    if let Some(why) = file.unclear(path) {
        return Ok(Variable::Other(why));
    }
    if !file.is_numeric(path) || file.shape(path)?.is_none() {
        return Ok(Variable::Other("neither numbers nor text, or of more than two dimensions".into()));
    }
    let array = file.array(path)?;
    // HDF5 tells the sizes of a MATLAB matrix in the other order.
    Ok(Variable::Dense(if class.is_some() { array.turned() } else { array }))
}

fn sparse(file: &dyn Tree, path: &str, rows: i64) -> Result<Variable<'static>, Problem> {
    let [values, indices, starts] = ["data", "ir", "jc"].map(|part| format!("{path}/{part}"));
    let columns = positions(file, &starts)?.len().saturating_sub(1);
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let arrays = super::sparse(file, [&values, &indices, &starts], Compression::Columns, (rows, columns))?;
    Ok(Variable::Sparse(arrays))
}
