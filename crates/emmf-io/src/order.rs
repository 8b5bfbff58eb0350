//! Samples for a model: the features that it knows, in its order.

use crate::dataset::{Matrix, Numbers};
use crate::error::{Problem, listed, nearest, shortened};
use crate::options::ReadOptions;
use crate::roles::find_all;
use crate::stream::Streamed;
use emmf::synth::ImageShape;
use emmf::{Csr, Mat, Real};
use std::collections::{HashMap, HashSet};

/// Missing names that a message tells.
const SHOWN: usize = 5;

/// Where the features of a model are among the columns of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    columns: Vec<usize>,
    left_out: Vec<String>,
}

impl Order {
    /// The first is the first, and so on.
    pub fn as_it_is(columns: usize) -> Self {
        Self { columns: (0..columns).collect(), left_out: Vec::new() }
    }

    /// These columns, in this order.
    pub(crate) fn of_places(columns: Vec<usize>) -> Self {
        Self { columns, left_out: Vec::new() }
    }

    /// The columns that the options choose of so many, which may have names; nothing where they choose none.
    pub(crate) fn chosen(
        names: Option<&[String]>,
        columns: usize,
        options: &ReadOptions,
    ) -> Result<Option<Self>, Problem> {
        if options.columns.is_empty() && options.drop.is_empty() {
            return Ok(None);
        }
        let own = Self::as_it_is(columns).names(names);
        let all = |wanted: &[String], kept: bool| -> Result<Vec<bool>, Problem> {
            let mut found = vec![!kept; columns];
            find_all(wanted, Some(&own), columns)?.into_iter().for_each(|at| found[at] = kept);
            Ok(found)
        };
        let wanted = all(&options.columns, !options.columns.is_empty())?;
        let kept = all(&options.drop, false)?;
        let columns: Vec<usize> = (0..columns).filter(|&at| wanted[at] && kept[at]).collect();
        Ok(Some(Self::of_places(columns)))
    }

    /// The names of these columns, where so many have these, or `x1`, `x2` and so on.
    pub fn names(&self, names: Option<&[String]>) -> Vec<String> {
        let name = |&at: &usize| {
            names.and_then(|names| names.get(at)).cloned().unwrap_or_else(|| format!("x{}", at + 1))
        };
        self.columns.iter().map(name).collect()
    }

    /// By their names. Every feature must be there, and only once.
    pub fn of_names(columns: &[String], features: &[String]) -> Result<Self, Problem> {
        if columns == features {
            return Ok(Self::as_it_is(columns.len()));
        }
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut twice = HashSet::new();
        for (at, name) in columns.iter().enumerate() {
            if places.insert(name, at).is_some() {
                twice.insert(name.as_str());
            }
        }
        let missing: Vec<&str> =
            features.iter().map(String::as_str).filter(|name| !places.contains_key(name)).collect();
        if !missing.is_empty() {
            return Err(Problem::NoSuchFeatures { missing: described(&missing, columns) });
        }
        let mut found = Vec::with_capacity(features.len());
        for name in features {
            // What is taken is gone: a name that the model has twice is as unclear as one that the columns have twice.
            match places.remove(name.as_str()) {
                Some(at) if !twice.contains(name.as_str()) => found.push(at),
                _ => return Err(Problem::FeatureTwice { name: shortened(name) }),
            }
        }
        let mut unknown: Vec<usize> = places.into_values().collect();
        unknown.sort_unstable();
        let left_out = unknown.into_iter().map(|at| columns[at].clone()).collect();
        Ok(Self { columns: found, left_out })
    }

    /// By the places of the pixels: images that are laid out as `found` for a model that wants them as `wanted`.
    pub fn of_pixels(found: ImageShape, wanted: ImageShape) -> Result<Self, Problem> {
        if (found.height, found.width) != (wanted.height, wanted.width) {
            return Err(Problem::OtherImages {
                got: (found.height, found.width),
                want: (wanted.height, wanted.width),
            });
        }
        if found.colour != wanted.colour {
            return Err(Problem::OtherColours { colour: found.colour });
        }
        let mut columns = vec![0; found.features().unwrap_or(0)];
        for down in 0..found.height {
            for right in 0..found.width {
                let pixels = wanted.pixel(down, right).zip(found.pixel(down, right));
                pixels.for_each(|(to, from)| columns[to] = from);
            }
        }
        Ok(Self { columns, left_out: Vec::new() })
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.columns.len()
    }

    /// The columns that are no features, in words.
    pub fn left_out(&self) -> Option<String> {
        (!self.left_out.is_empty()).then(|| listed(self.left_out.iter().map(String::as_str)))
    }

    /// Whether a matrix with so many columns stays as it is.
    fn changes_nothing(&self, columns: usize) -> bool {
        self.columns.iter().copied().eq(0..columns)
    }

    fn of_matrix<T: Real>(&self, x: &Matrix<T>) -> Result<Matrix<T>, Problem> {
        let (n, d) = x.shape();
        match x {
            Matrix::Dense(x) => {
                Ok(Matrix::Dense(Mat::from_fn(n, self.columns.len(), |i, j| x[(i, self.columns[j])])))
            }
            Matrix::Sparse(x) => {
                let mut places = vec![None; d];
                self.columns.iter().enumerate().for_each(|(to, &from)| places[from] = Some(to));
                let (view, places) = (x.view(), &places);
                let row = |i| view.row(i).filter_map(move |(j, value)| places[j].map(|j| (i, j, value)));
                let entries = (0..n).flat_map(|i| row(i).collect::<Vec<_>>()).collect();
                Ok(Matrix::Sparse(Csr::from_triplets((n, self.columns.len()), entries)?))
            }
        }
    }
}

impl Numbers {
    /// The columns in this order, and no others. Copies only where that changes something.
    pub fn in_order(self, order: &Order) -> Result<Self, Problem> {
        if order.changes_nothing(self.shape().1) {
            return Ok(self);
        }
        Ok(match self {
            Self::F32(x) => Self::F32(order.of_matrix(&x)?),
            Self::F64(x) => Self::F64(order.of_matrix(&x)?),
        })
    }
}

impl Streamed {
    /// The columns in this order, and no others.
    #[must_use]
    pub fn in_order(mut self, order: &Order) -> Self {
        if !order.changes_nothing(self.rows.shape().1) {
            self.rows = self.rows.picking(order.columns.clone());
        }
        self
    }
}

/// The missing names, each with the column that may be meant.
fn described(missing: &[&str], columns: &[String]) -> String {
    let one = |name: &&str| {
        let meant = nearest(name, columns.iter().map(String::as_str));
        let meant = meant.map_or_else(String::new, |meant| format!(" (is it '{meant}'?)"));
        format!("'{}'{meant}", shortened(name))
    };
    let mut names: Vec<String> = missing.iter().take(SHOWN).map(one).collect();
    if missing.len() > SHOWN {
        names.push(format!("and {} more", missing.len() - SHOWN));
    }
    names.join(", ")
}
