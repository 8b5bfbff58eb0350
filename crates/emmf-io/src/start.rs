//! Factors to start a fit from.

use std::path::Path;

use emmf::{Factors, Mat, Real};

use crate::budget::Budget;
use crate::dataset::Matrix;
use crate::error::{Error, Problem};
use crate::options::ReadOptions;
use crate::read::{load, read_bytes};

/// Reads U (features × centroids) and V (samples × centroids) from the variables of these names in an NPZ or
/// MAT file.
pub fn read_start<T: Real>(path: &Path, budget: &Budget) -> Result<Factors<T>, Error> {
    let within = budget.fork();
    let (bytes, name) = load(path, &within)?;
    let variable = |wanted: &str| -> Result<Mat<T>, Error> {
        let options =
            ReadOptions { variable: Some(wanted.into()), budget: within.clone(), ..ReadOptions::default() };
        match read_bytes(&bytes, &name, &options)?.x.into_f64() {
            Matrix::Dense(factor) => Ok(factor.cast()),
            Matrix::Sparse(_) => {
                Err(Problem::unsupported(format!("a sparse {wanted}"), "store it as a dense array")
                    .of(&*name))
            }
        }
    };
    Ok(Factors { u: variable("U")?, v: variable("V")? })
}
