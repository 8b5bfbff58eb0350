//! Samples that were fetched from where they are: [`Rows`].

use serde::{Deserialize, Serialize};

use super::gather::stack;
use crate::matrix::{Csr, Mat, Samples};
use crate::real::Real;

/// Some samples, stored as they are where they come from, so that the same becomes of them here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Real + Deserialize<'de>"))]
#[expect(missing_docs, reason = "named after how they are stored")]
pub enum Rows<T> {
    Dense(Mat<T>),
    Sparse(Csr<T>),
}

impl<T: Real> Default for Rows<T> {
    fn default() -> Self {
        Self::Dense(Mat::default())
    }
}

impl<T: Real> Rows<T> {
    /// The samples, as they can be fitted.
    pub fn samples(&self) -> Samples<'_, T> {
        match self {
            Self::Dense(rows) => rows.into(),
            Self::Sparse(rows) => rows.into(),
        }
    }

    /// Takes up others after these.
    pub(super) fn take(&mut self, others: Self) {
        match (self, others) {
            (_, others) if others.is_empty() => {}
            (rows, others) if rows.is_empty() => *rows = others,
            (Self::Sparse(rows), Self::Sparse(others)) => rows.append(others),
            (rows, others) => {
                let mut all = std::mem::take(rows).into_dense();
                stack(&mut all, others.into_dense());
                *rows = Self::Dense(all);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.samples().shape().0 == 0
    }

    fn into_dense(self) -> Mat<T> {
        match self {
            Self::Dense(rows) => rows,
            Self::Sparse(rows) => rows.to_dense(),
        }
    }
}
