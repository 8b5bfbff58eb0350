//! Finding the matrix and the labels among the named variables of a `.mat` or `.npz` file.

use crate::advice::Setting;
use crate::array::Array;
use crate::budget::Budget;
use crate::dataset::{Dataset, Dtype, Numbers};
use crate::error::{Problem, listed, nearest, shortened};
use crate::options::{LABEL_VARIABLES, MATRIX_VARIABLES, NAME_VARIABLES, ReadOptions};
use crate::sparse::SparseArrays;

/// What a variable holds.
#[derive(Debug)]
pub(crate) enum Variable<'a> {
    Dense(Array<'a>),
    Sparse(SparseArrays<'a>),
    Text(Vec<String>),
    /// Something that is neither matrix nor labels, in words.
    Other(String),
}

impl Variable<'_> {
    fn is_matrix(&self) -> bool {
        matches!(self, Self::Dense(_) | Self::Sparse(_))
    }

    /// Number of entries, of what can be labels.
    fn label_count(&self) -> Option<usize> {
        match self {
            Self::Dense(array) if array.is_vector() => Some(array.len()),
            Self::Text(labels) => Some(labels.len()),
            _ => None,
        }
    }

    fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense(array) => array.shape(),
            Self::Sparse(arrays) => arrays.shape,
            Self::Text(_) | Self::Other(_) => (0, 0),
        }
    }

    /// As labels.
    pub(crate) fn into_labels(self, name: &str, budget: &Budget) -> Result<Vec<String>, Problem> {
        match self {
            Self::Dense(array) if array.is_vector() => array.to_labels(budget),
            Self::Text(labels) => Ok(labels),
            Self::Other(what) => Err(not_labels(name, &what)),
            Self::Dense(_) | Self::Sparse(_) => Err(not_labels(name, "a matrix")),
        }
    }

    /// As a matrix.
    pub(crate) fn into_numbers(
        self,
        name: &str,
        (dtype, budget): (Option<Dtype>, &Budget),
    ) -> Result<Numbers, Problem> {
        let what = match self {
            Self::Dense(array) => return array.to_numbers(dtype, budget),
            Self::Sparse(arrays) => return arrays.into_numbers(dtype, budget),
            Self::Text(_) => "text".to_owned(),
            Self::Other(what) => what,
        };
        Err(Problem::unsupported(format!("{name} ({what})"), "store a two-dimensional array of numbers"))
    }
}

fn variable_called(name: &str) -> String {
    format!("variable '{}'", shortened(name))
}

fn not_labels(name: &str, what: &str) -> Problem {
    Problem::unsupported(format!("{name} ({what})"), "store the labels as a vector, one per sample")
}

/// The named variables of a file, in its order.
pub(crate) struct Variables<'a>(pub(crate) Vec<(String, Variable<'a>)>);

impl<'a> Variables<'a> {
    /// The matrix and the labels that the options, or the usual names, point to.
    pub(crate) fn into_dataset(mut self, options: &ReadOptions) -> Result<Dataset, Problem> {
        let at = self.find_matrix(options)?;
        let (name, matrix) = self.0.swap_remove(at);
        let (samples, features) = matrix.shape();
        let columns = self.usual_column_names(features);
        let budget = &options.budget;
        let labels = match &options.labels {
            Some(wanted) => {
                let at = self.find(wanted).ok_or_else(|| self.unknown("variable with the labels", wanted))?;
                Some(self.0.swap_remove(at).1.into_labels(&variable_called(wanted), budget)?)
            }
            None => self.usual_labels(samples, budget)?,
        };
        let names = match self.id(options)? {
            Some(at) => Some(self.0.swap_remove(at).1.into_labels("the names", budget)?),
            None => None,
        };
        let x = matrix.into_numbers(&variable_called(&name), (options.dtype, budget))?;
        Dataset { names, ..Dataset::new(x, labels, columns) }.checked()
    }

    /// The labels alone.
    pub(crate) fn into_labels(
        mut self,
        wanted: Option<&str>,
        budget: &Budget,
    ) -> Result<Vec<String>, Problem> {
        self.0.retain(|(name, _)| wanted.is_some() || !NAME_VARIABLES.contains(&name.as_str()));
        let found = match wanted {
            Some(wanted) => self.find(wanted).ok_or_else(|| self.unknown("variable with the labels", wanted)),
            None => self.find_labels(),
        };
        let (name, variable) = self.0.swap_remove(found?);
        variable.into_labels(&variable_called(&name), budget)
    }

    /// The variable with the names of the samples.
    fn id(&self, options: &ReadOptions) -> Result<Option<usize>, Problem> {
        match (&options.id, &options.usual.id) {
            (Some(wanted), _) => {
                self.find(wanted).map(Some).ok_or_else(|| self.unknown("variable with the names", wanted))
            }
            (None, Some(usual)) => Ok(self.find(usual)),
            (None, None) => Ok(None),
        }
    }

    fn find(&self, wanted: &str) -> Option<usize> {
        self.0.iter().position(|(name, _)| name == wanted)
    }

    fn names(&self) -> String {
        listed(self.0.iter().map(|(name, _)| name.as_str()))
    }

    fn unknown(&self, kind: &'static str, wanted: &str) -> Problem {
        let nearest = nearest(wanted, self.0.iter().map(|(name, _)| name.as_str()));
        Problem::NoSuchVariable { kind, wanted: wanted.into(), nearest, available: self.names() }
    }

    fn only(&self, fits: impl Fn(&Variable<'a>) -> bool) -> Option<usize> {
        let mut fitting = (0..self.0.len()).filter(|&at| fits(&self.0[at].1));
        let first = fitting.next()?;
        fitting.next().is_none().then_some(first)
    }

    fn find_labels(&self) -> Result<usize, Problem> {
        let usual = LABEL_VARIABLES.iter().find_map(|name| self.find(name));
        let only = || self.only(|variable| variable.label_count().is_some());
        usual.or_else(only).ok_or_else(|| Problem::Ambiguous {
            kind: "variable with the labels",
            available: self.names(),
            setting: Setting::Labels,
        })
    }

    fn find_matrix(&self, options: &ReadOptions) -> Result<usize, Problem> {
        if let Some(wanted) = &options.variable {
            return self.find(wanted).ok_or_else(|| self.unknown("variable", wanted));
        }
        if let Some(at) = options.usual.variable.as_deref().and_then(|usual| self.find(usual)) {
            return Ok(at);
        }
        let usual = || MATRIX_VARIABLES.iter().filter_map(|name| self.find(name));
        let proper = |v: &Variable<'a>| v.is_matrix() && v.label_count().is_none();
        // The last resort is a usual name whose content will be refused with its reason.
        usual()
            .find(|&at| self.0[at].1.is_matrix())
            .or_else(|| self.only(proper))
            .or_else(|| self.only(Variable::is_matrix))
            .or_else(|| usual().next())
            .ok_or_else(|| Problem::Ambiguous {
                kind: "variable",
                available: self.names(),
                setting: Setting::Variable,
            })
    }

    /// Variables of the usual names count only if they have one entry per sample.
    fn usual_labels(&mut self, samples: usize, budget: &Budget) -> Result<Option<Vec<String>>, Problem> {
        let fits = |at: &usize| self.0[*at].1.label_count() == Some(samples);
        let Some(at) = LABEL_VARIABLES.iter().filter_map(|name| self.find(name)).find(fits) else {
            return Ok(None);
        };
        let (name, variable) = self.0.swap_remove(at);
        variable.into_labels(&variable_called(&name), budget).map(Some)
    }

    fn usual_column_names(&mut self, features: usize) -> Option<Vec<String>> {
        let at = NAME_VARIABLES.iter().find_map(|name| self.find(name))?;
        match self.0.swap_remove(at).1 {
            Variable::Text(names) if names.len() == features => Some(names),
            _ => None,
        }
    }
}
