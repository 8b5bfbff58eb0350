//! What a file holds: numbers with a type and a layout, labels, names.

use crate::budget::Budget;
use crate::error::{Problem, shortened};
use crate::options::ReadOptions;
use crate::order::Order;
use crate::remark::Remark;
use emmf::{Csr, Mat, Real, Samples};
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

/// The content of a file: one sample per row.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The samples.
    pub x: Numbers,
    /// The class of each sample, as written in the file; whole numbers without a decimal point.
    pub labels: Option<Vec<String>>,
    /// The name of each feature.
    pub columns: Option<Vec<String>>,
    /// The name of each sample.
    pub names: Option<Vec<String>>,
    /// The beginning of each sample, where they are texts.
    pub texts: Option<Vec<String>>,
    /// What was taken for granted about the file and may be worth a line to its owner.
    pub remarks: Vec<Remark>,
}

/// The floating-point type of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

/// A matrix of either type.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Single precision.
    F32(Matrix<f32>),
    /// Double precision.
    F64(Matrix<f64>),
}

/// A matrix in either layout.
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix<T> {
    /// Every entry is stored.
    Dense(Mat<T>),
    /// Only entries other than zero are stored.
    Sparse(Csr<T>),
}

impl<T: Real> Matrix<T> {
    /// Rows (samples) and columns (features).
    pub fn shape(&self) -> (usize, usize) {
        self.samples().shape()
    }

    /// Bytes of memory that it takes.
    fn bytes(&self) -> usize {
        match self {
            Self::Dense(x) => size_of_val(x.as_slice()),
            Self::Sparse(x) => {
                let x = x.view();
                (x.nnz() + x.rows()) * size_of::<i64>() + x.nnz() * size_of::<T>()
            }
        }
    }

    /// Rows as columns.
    fn transposed(self, budget: &Budget) -> Result<Self, Problem> {
        let (rows, cols) = self.shape();
        Ok(match self {
            Self::Dense(x) => {
                let mut across = budget.zeros((cols, rows), "the transposed matrix")?;
                for (i, row) in x.as_slice().chunks_exact(cols.max(1)).enumerate() {
                    let column = across.as_mut_slice()[i..].iter_mut().step_by(rows);
                    column.zip(row).for_each(|(to, from)| *to = *from);
                }
                Self::Dense(across)
            }
            Self::Sparse(x) => {
                let view = x.view();
                let mut entries = budget.room(view.nnz().checked_mul(2), "the transposed matrix")?;
                entries.extend((0..rows).flat_map(|i| view.row(i).map(move |(j, value)| (j, i, value))));
                Self::Sparse(Csr::from_triplets((cols, rows), entries)?)
            }
        })
    }

    /// Borrowed, as a fit takes it.
    pub fn samples(&self) -> Samples<'_, T> {
        match self {
            Self::Dense(x) => x.into(),
            Self::Sparse(x) => x.into(),
        }
    }

    /// The same matrix in the other floating-point type.
    pub fn cast<S: Real>(&self) -> Matrix<S> {
        match self {
            Self::Dense(x) => Matrix::Dense(x.cast()),
            Self::Sparse(x) => Matrix::Sparse(x.cast()),
        }
    }
}

impl Numbers {
    /// Bytes of memory that they take.
    pub fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::F32(x) => x.bytes(),
            Self::F64(x) => x.bytes(),
        };
        bytes as u64
    }

    /// Rows (samples) and columns (features).
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Self::F32(x) => x.shape(),
            Self::F64(x) => x.shape(),
        }
    }

    /// The type of the entries.
    pub fn dtype(&self) -> Dtype {
        match self {
            Self::F32(_) => Dtype::F32,
            Self::F64(_) => Dtype::F64,
        }
    }

    /// Only entries other than zero are stored.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::F32(Matrix::Sparse(_)) | Self::F64(Matrix::Sparse(_)))
    }

    /// In single precision; copies only where it must.
    pub fn into_f32(self) -> Matrix<f32> {
        match self {
            Self::F32(x) => x,
            Self::F64(x) => x.cast(),
        }
    }

    /// In double precision; copies only where it must.
    pub fn into_f64(self) -> Matrix<f64> {
        match self {
            Self::F32(x) => x.cast(),
            Self::F64(x) => x,
        }
    }
}

impl Dataset {
    /// Samples with their classes and the names of their features, where there are any.
    pub fn new(x: impl Into<Numbers>, labels: Option<Vec<String>>, columns: Option<Vec<String>>) -> Self {
        Self { x: x.into(), labels, columns, names: None, texts: None, remarks: Vec::new() }
    }

    /// Checks that there are numbers and that labels and names go with them.
    pub(crate) fn checked(self) -> Result<Self, Problem> {
        let (rows, cols) = self.x.shape();
        if rows == 0 || cols == 0 {
            return Err(Problem::Empty { rows, cols });
        }
        self.check_companions()?;
        Ok(self)
    }

    /// Bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let texts = [&self.labels, &self.columns, &self.names, &self.texts].into_iter().flatten();
        self.x.bytes() + texts.flatten().map(|text| text_bytes(text)).sum::<u64>()
    }

    /// The names of the features, or `x1`, `x2` and so on.
    pub(crate) fn column_names(&self) -> Vec<String> {
        match &self.columns {
            Some(names) => names.clone(),
            None => (1..=self.x.shape().1).map(|j| format!("x{j}")).collect(),
        }
    }

    /// Labels that differ for every sample are names, not classes: they are refused where they were `asked` for, and
    /// otherwise taken as names where there are none.
    pub(crate) fn settled(mut self, asked: Option<&str>) -> Result<Self, Problem> {
        let Some(labels) = self.labels.as_ref().filter(|labels| all_different(labels)) else {
            return Ok(self);
        };
        if let Some(column) = asked {
            return Err(Problem::LabelsDiffer { column: shortened(column), samples: labels.len() });
        }
        let labels = self.labels.take();
        self.remarks.push(Remark::NoClasses);
        self.names = self.names.or(labels);
        Ok(self)
    }

    /// Only the columns that the options choose. Those without names are called by their places.
    pub(crate) fn with_columns(self, options: &ReadOptions) -> Result<Self, Problem> {
        let Some(order) = Order::chosen(self.columns.as_deref(), self.x.shape().1, options)? else {
            return Ok(self);
        };
        let columns = Some(order.names(self.columns.as_deref()));
        Self { x: self.x.in_order(&order)?, columns, ..self }.checked()
    }

    /// The samples as features and the features as samples, with their names.
    pub(crate) fn transposed(self, budget: &Budget) -> Result<Self, Problem> {
        if self.labels.is_some() {
            return Err(Problem::unsupported(
                "a class for each row of a transposed matrix",
                "transpose only data without labels, or name none",
            ));
        }
        let x = match self.x {
            Numbers::F32(x) => Numbers::F32(x.transposed(budget)?),
            Numbers::F64(x) => Numbers::F64(x.transposed(budget)?),
        };
        Ok(Self {
            columns: self.names,
            names: self.columns,
            remarks: self.remarks,
            ..Self::new(x, None, None)
        })
    }

    /// Checks that there is one label and one name per sample and one name per feature.
    pub(crate) fn check_companions(&self) -> Result<(), Problem> {
        let (samples, columns) = self.x.shape();
        if let Some(labels) = self.labels.as_ref().filter(|labels| labels.len() != samples) {
            return Err(Problem::LabelCount { labels: labels.len(), samples });
        }
        if let Some(names) = self.names.as_ref().filter(|names| names.len() != samples) {
            return Err(Problem::NameCount { names: names.len(), samples });
        }
        match &self.columns {
            Some(names) if names.len() != columns => {
                Err(Problem::ColumnCount { names: names.len(), columns })
            }
            _ => Ok(()),
        }
    }
}

/// Fewer samples than this may well be one of each class.
const FEW: usize = 10;

/// Whether there are many texts and no two alike.
pub(crate) fn all_different(texts: &[String]) -> bool {
    let mut seen = HashSet::with_capacity(texts.len());
    texts.len() >= FEW && texts.iter().all(|text| seen.insert(text.as_str()))
}

/// Bytes of memory that a text of its own takes, with what the allocator adds.
pub(crate) fn text_bytes(text: &str) -> u64 {
    (size_of::<String>() + 16 + text.len()) as u64
}

impl From<Numbers> for Dataset {
    fn from(x: Numbers) -> Self {
        Self::new(x, None, None)
    }
}

macro_rules! numbers_from {
    ($($kind:ident<$t:ty> => $dtype:ident $layout:ident),*) => {
        $(impl From<$kind<$t>> for Numbers {
            fn from(x: $kind<$t>) -> Self {
                Self::$dtype(Matrix::$layout(x))
            }
        })*
    };
}

numbers_from!(Mat<f32> => F32 Dense, Mat<f64> => F64 Dense, Csr<f32> => F32 Sparse, Csr<f64> => F64 Sparse);

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => f32::NAME,
            Self::F64 => f64::NAME,
        })
    }
}

impl FromStr for Dtype {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "f32" => Ok(Self::F32),
            "f64" => Ok(Self::F64),
            _ => Err(format!("'{name}' is not a number type; use f32 or f64")),
        }
    }
}
