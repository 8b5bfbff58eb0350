//! NPZ, a zip archive of NPY arrays, and the sparse matrices that `SciPy` stores in one.

use crate::budget::Budget;
use crate::error::Problem;
use crate::inflate::Allowance;
use crate::npy;
use crate::sparse::{Compression, SparseArrays};
use crate::variables::{Variable, Variables};
use std::borrow::Cow;
use std::io::Cursor;
use zip::ZipArchive;

/// Reads every array of the archive; a sparse matrix becomes the variable `X`.
pub(crate) fn read(bytes: &[u8], budget: &Budget) -> Result<Variables<'static>, Problem> {
    let bad = |e: zip::result::ZipError| Problem::malformed("the zip directory", e.to_string());
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(bad)?;
    let mut allowance = Allowance::for_input(bytes.len(), budget);
    let mut variables = Vec::new();
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(bad)?;
        let name = entry.name().map_err(bad)?.into_owned();
        let Some(name) = name.strip_suffix(".npy").map(str::to_owned) else { continue };
        let bytes = allowance.read(entry, &format!("variable '{name}'"))?;
        let variable = npy::read(Cow::Owned(bytes), budget).map_err(|problem| within(&name, problem))?;
        variables.push((name, variable));
    }
    join_sparse(variables, budget).map(Variables)
}

/// Says in which variable a problem is.
fn within(name: &str, problem: Problem) -> Problem {
    match problem {
        Problem::Malformed { place, why } => Problem::malformed(format!("variable '{name}', {place}"), why),
        other => other,
    }
}

type Named = Vec<(String, Variable<'static>)>;

/// Puts the arrays of `scipy.sparse.save_npz` together, if that is what they are.
fn join_sparse(mut variables: Named, budget: &Budget) -> Result<Named, Problem> {
    let Some(format) = take_text(&mut variables, "format") else { return Ok(variables) };
    let (compression, starts, indices) = match format.as_str() {
        "csr" => (Compression::Rows, "indptr", "indices"),
        "csc" => (Compression::Columns, "indptr", "indices"),
        "coo" => (Compression::Neither, "row", "col"),
        other => {
            return Err(Problem::unsupported(
                format!("sparse format '{other}'"),
                "save the matrix's .tocsr()",
            ));
        }
    };
    let shape = take_positions(&mut variables, "shape", budget)?;
    let shape = match shape[..] {
        [rows, cols] => usize::try_from(rows).ok().zip(usize::try_from(cols).ok()),
        _ => None,
    };
    let arrays = SparseArrays {
        shape: shape.ok_or_else(|| Problem::malformed("variable 'shape'", "must be two sizes"))?,
        compression,
        starts: take_positions(&mut variables, starts, budget)?,
        indices: take_positions(&mut variables, indices, budget)?,
        values: match take(&mut variables, "data") {
            Some(Variable::Dense(values)) => values,
            _ => return Err(Problem::malformed("variable 'data'", "a sparse matrix needs it")),
        },
    };
    variables.push(("X".into(), Variable::Sparse(arrays)));
    Ok(variables)
}

fn take(variables: &mut Named, name: &str) -> Option<Variable<'static>> {
    let at = variables.iter().position(|(found, _)| found == name)?;
    Some(variables.swap_remove(at).1)
}

/// A variable with one text, left alone if it is anything else.
fn take_text(variables: &mut Named, name: &str) -> Option<String> {
    let at = variables.iter().position(|(found, _)| found == name)?;
    let text = match &variables[at].1 {
        Variable::Text(texts) if texts.len() == 1 => texts[0].clone(),
        _ => return None,
    };
    variables.swap_remove(at);
    Some(text)
}

fn take_positions(variables: &mut Named, name: &str, budget: &Budget) -> Result<Vec<i64>, Problem> {
    match take(variables, name) {
        Some(Variable::Dense(array)) => array.to_positions(budget),
        _ => Err(Problem::malformed(format!("variable '{name}'"), "a sparse matrix needs it")),
    }
}
