//! Missing values on the command line: NaN in the data, or a mask beside them.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use emmf::preprocess::masked;
use emmf::{Missing, Real};
use emmf_io::{Budget, Matrix, ReadOptions};

use crate::args::heading;
use crate::values::MissingName;

#[derive(ClapArgs)]
pub(crate) struct MissingArgs {
    /// Treat NaN, empty and NA fields as missing values
    ///
    /// The fit leaves them out and fills them in.
    #[arg(long, value_enum, value_name = "nan", hide_possible_values = true, help_heading = heading::DATA)]
    pub(crate) missing: Option<MissingName>,
    /// File with a matrix of the same shape that is 0 where a value is missing, otherwise 1
    #[arg(long, value_name = "FILE", help_heading = heading::DATA, hide_short_help = true)]
    pub(crate) mask: Option<PathBuf>,
}

impl MissingArgs {
    /// What NaN in the data means.
    pub(crate) fn meaning(&self) -> Missing {
        let named = self.missing.map(Into::into);
        named.unwrap_or(if self.mask.is_some() { Missing::Nan } else { Missing::Refuse })
    }

    /// The data with NaN where the mask says that a value is missing.
    pub(crate) fn apply<T: Real>(&self, x: Matrix<T>, budget: &Budget) -> Result<Matrix<T>> {
        let Some(path) = &self.mask else { return Ok(x) };
        let file = path.display();
        let options = ReadOptions { budget: budget.clone(), ..ReadOptions::default() };
        let mask = emmf_io::read(path, &options)?.x.into_f64().cast::<T>();
        let (Matrix::Dense(x), Matrix::Dense(mask)) = (&x, &mask) else {
            bail!("{file}: a mask is only for dense data and must be dense itself");
        };
        if mask.shape() != x.shape() {
            let ((n, d), (rows, cols)) = (x.shape(), mask.shape());
            bail!(
                "{file}: the mask is {rows}x{cols}, but the data are {n}x{d}; give a 0 or 1 for every value"
            );
        }
        if let Some(at) = mask.as_slice().iter().position(|&m| m != T::ZERO && m != T::ONE) {
            let (row, col, value) = (at / mask.cols(), at % mask.cols(), mask.as_slice()[at]);
            bail!(
                "{file}: row {row}, column {col} (from 0) is {value}; a mask holds 1 where there is a value, otherwise 0"
            );
        }
        Ok(Matrix::Dense(masked(x, mask)?))
    }
}
