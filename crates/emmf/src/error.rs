//! Everything that can go wrong: the value, where it is and what to do about it.

use std::fmt;

/// A setting that a message names, called as in [`Spec`](crate::Spec), or a parameter of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting<'a> {
    /// Its name.
    pub name: &'a str,
    /// The value that is meant, where one is.
    pub value: Option<&'a str>,
}

impl fmt::Display for Setting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => write!(f, "{} = {value}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// Stands for a mark around a setting where it is none.
const TYPED: &str = "\u{0}";

/// The result of a fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call was refused. Not converging, running out of time and being ended during the iterations are not errors:
/// they are [`Stop`](crate::iterate::Stop) values of a successful fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is out of its range.
    #[error("{name} is {got}, but must be {must}")]
    Param {
        /// Its name, the same in library, command line and Python.
        name: &'static str,
        /// What was given.
        got: String,
        /// What is allowed.
        must: String,
    },
    /// Two things that belong together differ in size.
    #[error("the size of {what} is {}x{}, but must be {}x{}", got.0, got.1, want.0, want.1)]
    Shape {
        /// The one that is wrong.
        what: &'static str,
        /// Its rows and columns.
        got: (usize, usize),
        /// What they must be.
        want: (usize, usize),
    },
    /// The call was cancelled before it had a result, see [`Cancel`](crate::Cancel).
    #[error("cancelled before there was a result")]
    Cancelled,
    /// The time was up before there was a graph that the objective of the method needs.
    #[error(
        "`time_limit` was over before there was a graph of the samples; \
         allow more time, or choose a method without a graph, for example `method = emmf`"
    )]
    OutOfTime,
    /// The data are empty.
    #[error("the data are empty ({rows} samples, {cols} features)")]
    Empty {
        /// Number of samples.
        rows: usize,
        /// Number of features.
        cols: usize,
    },
    /// A negative entry, which no nonnegative factorization can take.
    #[error(
        "the value {value} in sample {row}, feature {col} (both from 0) is negative; \
         remove it, or move every feature to a minimum of 0 with `normalize = shift`"
    )]
    Negative {
        /// Sample, from 0.
        row: usize,
        /// Feature, from 0.
        col: usize,
        /// The entry.
        value: f64,
    },
    /// A NaN or an infinite entry.
    #[error(
        "the value in sample {row}, feature {col} (both from 0) is {value}; replace or remove it{}",
        if value.is_nan() { ", or use `missing = nan` to leave it out of the fit and have it filled in" } else { "" }
    )]
    NonFinite {
        /// Sample, from 0.
        row: usize,
        /// Feature, from 0.
        col: usize,
        /// The entry.
        value: f64,
    },
    /// The same value everywhere.
    #[error("all entries are {value}: there is nothing to factorize")]
    Constant {
        /// The value.
        value: f64,
    },
    /// The index arrays of a sparse matrix contradict each other.
    #[error("the sparse matrix is malformed at row {row}: {why}")]
    Sparse {
        /// The first bad row, from 0.
        row: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The operation needs dense storage.
    #[error("{what} would turn a sparse matrix into a dense one; {instead}")]
    WouldDensify {
        /// The operation.
        what: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// A sample or a feature without a single value.
    #[error("{what} {at} (from 0) has no value at all; remove it")]
    NothingObserved {
        /// Sample or feature.
        what: &'static str,
        /// Which, from 0.
        at: usize,
    },
    /// Something that cannot be combined with missing values.
    #[error("missing values cannot be combined with {what}; {instead}")]
    Missing {
        /// The other thing.
        what: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// The method does not take X in this storage.
    #[error("{method} does not take {storage} data; choose another method or store the data differently")]
    Storage {
        /// The method.
        method: &'static str,
        /// How the data are stored.
        storage: String,
    },
    /// No such name in the registry.
    #[error("there is no {kind} named '{name}'; did you mean '{nearest}'?")]
    Unknown {
        /// What kind of thing was looked up.
        kind: &'static str,
        /// The name that was given.
        name: String,
        /// The registered name that is nearest to it.
        nearest: String,
    },
    /// A factor is no longer finite.
    #[error("the factors overflowed in iteration {iteration}; {remedy}")]
    Diverged {
        /// The iteration, from 1; 0 is the start.
        iteration: usize,
        /// What to do about it.
        remedy: String,
    },
    /// A result is not finite although no iteration failed.
    #[error("{what} would be {value}; {remedy}")]
    NotFinite {
        /// The result.
        what: &'static str,
        /// Its first value that is not finite.
        value: f64,
        /// What to do about it.
        remedy: String,
    },
    /// All entries are so small that their squares vanish.
    #[error("the largest entry is {largest:e}, too small for this floating-point type; {remedy}")]
    TooSmall {
        /// The largest entry.
        largest: f64,
        /// What to do about it.
        remedy: String,
    },
    /// Some entries are so large that their squares overflow.
    #[error("the largest entry is {largest:e}, too large for this floating-point type; {remedy}")]
    TooLarge {
        /// The largest entry.
        largest: f64,
        /// What to do about it.
        remedy: String,
    },
    /// A sample that cannot be scaled to unit length.
    #[error(
        "sample {row} (from 0) has a length of {length:e}: the factor that would make it 1 does not fit this number type; \
         remove the sample, or multiply all data by a large number"
    )]
    TooShort {
        /// Sample, from 0.
        row: usize,
        /// Its length.
        length: f64,
    },
    /// Samples that are not in memory could not be read.
    #[error("cannot read the samples {first} to {last} (from 0): {why}")]
    Read {
        /// The first of them.
        first: usize,
        /// The last of them.
        last: usize,
        /// What the source said.
        why: String,
    },
    /// The operation needs all samples in memory.
    #[error("{what} needs the samples in memory; {instead}")]
    WouldLoad {
        /// The operation.
        what: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// The machine does not have the memory that the fit needs.
    #[error(
        "the fit needs {:.1} GB on top of the samples, which this machine does not have; use a smaller k or fewer samples",
        *bytes as f64 / 1e9
    )]
    Memory {
        /// Bytes that it needs.
        bytes: usize,
    },
    /// A device other than the processor cannot do something, or is not available.
    #[error("{device} cannot be used: {why}")]
    Device {
        /// Its name.
        device: String,
        /// What it said, and what to do instead.
        why: String,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        why: String,
    },
}

impl Error {
    /// An [`Error::Param`] from anything that can be displayed.
    pub fn param(name: &'static str, got: impl std::fmt::Display, must: impl Into<String>) -> Self {
        Self::Param { name, got: got.to_string(), must: must.into() }
    }

    /// The message, with every setting as the front end calls it whose words these are.
    pub fn told(&self, call: impl Fn(Setting<'_>) -> String) -> String {
        // Marks in what somebody typed are none of ours.
        let typed = |text: &str| text.replace('`', TYPED);
        let message = match self {
            Self::Param { name, got, must } => format!("`{name}` is {}, but must be {must}", typed(got)),
            Self::Unknown { kind, name, nearest } => {
                Self::Unknown { kind, name: typed(name), nearest: nearest.clone() }.to_string()
            }
            other => other.to_string(),
        };
        // What stands between marks is a setting: no other message has any.
        let pieces = message.split('`').enumerate();
        let told = pieces.map(|(at, piece)| match (at % 2, piece.split_once(" = ")) {
            (0, _) => piece.to_owned(),
            (_, Some((name, value))) => call(Setting { name, value: Some(value) }),
            (_, None) => call(Setting { name: piece, value: None }),
        });
        told.collect::<String>().replace(TYPED, "`")
    }

    /// The same error where so many samples come before those that it counts.
    pub(crate) fn after(mut self, samples: usize) -> Self {
        match &mut self {
            Self::Negative { row, .. }
            | Self::NonFinite { row, .. }
            | Self::Sparse { row, .. }
            | Self::TooShort { row, .. } => *row += samples,
            Self::Read { first, last, .. } => {
                *first += samples;
                *last += samples;
            }
            _ => {}
        }
        self
    }

    /// An [`Error::Diverged`] of a method, which does not know what to do about it: [`Error::advised`] does.
    pub(crate) fn diverged(iteration: usize) -> Self {
        Self::Diverged { iteration, remedy: String::new() }
    }

    /// The same error, with this remedy where it has none.
    pub(crate) fn advised(mut self, advice: impl FnOnce() -> String) -> Self {
        if let Self::Diverged { remedy, .. } | Self::NotFinite { remedy, .. } = &mut self
            && remedy.is_empty()
        {
            *remedy = advice();
        }
        self
    }
}
