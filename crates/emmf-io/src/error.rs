//! What can go wrong with a file: which file, where in it, and what to do about it.

use crate::advice::{Advice, Setting};
use crate::budget::Limit;
use std::io;

/// A file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}{}", after(.problem))]
pub struct Error {
    /// The file, as the caller named it.
    pub file: String,
    /// What is wrong with it. Part of the message, so not a source that would be shown again.
    pub problem: Problem,
}

/// What is wrong with a file; [`Problem::advice`] says what to do about it where the message does not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The system refused to read it.
    #[error("cannot be read: {error}; {hint}", error = said(.0), hint = reading_hint(.0))]
    Read(io::Error),
    /// The system refused to write it.
    #[error("cannot be written: {error}; {hint}", error = said(.0), hint = writing_hint(.0))]
    Write(io::Error),
    /// Another program is about to write there.
    #[error(
        "is in use by another emmf, which is writing its results there; wait for it, or choose another folder"
    )]
    InUse,
    /// A writer was killed while it changed the files of a folder, and the change cannot be completed.
    #[error(
        "holds the files of two runs, because a program was killed while writing, and this cannot be repaired: \
         {0}; make the folder writable and try again, or write the results somewhere else"
    )]
    Halfway(io::Error),
    /// Two files that a reader takes for those of one fit are of two.
    #[error("belongs to another fit than the {other} beside it; fit again, or move one of them away")]
    Foreign {
        /// The other file.
        other: &'static str,
    },
    /// A number that the file has no way to say.
    #[error(
        "cannot be written: '{name}' is not a finite number; change the parameters or the scale of the data that make it so"
    )]
    NotFinite {
        /// What the number is called.
        name: String,
    },
    /// There was no room to unpack it.
    #[error(
        "cannot be unpacked into a temporary file: {0}; free some space, or name another folder for \
         temporary files (TMPDIR)"
    )]
    Spool(io::Error),
    /// There is not one number in it.
    #[error("holds no numbers ({rows} rows, {cols} columns); one row per sample is needed")]
    Empty {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// Neither the content nor the ending of the name tells the format.
    #[error("its format is not known; {instead}")]
    UnknownFormat {
        /// What to do instead.
        instead: String,
    },
    /// Something that the format allows and this crate does not.
    #[error("{what} cannot be read; {instead}")]
    Unsupported {
        /// The thing.
        what: String,
        /// What to do instead.
        instead: String,
    },
    /// The bytes contradict the format.
    #[error("is damaged or cut off at {place}: {why}; download or save the file again")]
    Malformed {
        /// Byte, line, variable or column.
        place: String,
        /// What is wrong there.
        why: String,
    },
    /// A setting that is for other files than this one.
    #[error("`{setting}` is only for {}", setting.meant_for())]
    Idle {
        /// The setting.
        setting: Setting,
    },
    /// A text field that must be a number.
    #[error("line {line}, column {column}: '{text}' is not a number")]
    NotANumber {
        /// Line, from 1.
        line: usize,
        /// Column, from 1, with its name where it has one.
        column: String,
        /// The field, shortened.
        text: String,
        /// What to do about it.
        advice: Advice,
    },
    /// A row with more or fewer fields than the first.
    #[error("line {line} has {got} fields, but the first line has {want}")]
    Ragged {
        /// Line, from 1.
        line: usize,
        /// Fields of the first line.
        want: usize,
        /// Fields of this line.
        got: usize,
    },
    /// No column of that name or number.
    #[error(
        "there is no column '{wanted}'{}; the columns are {available} (numbers count from 1, -1 is the last)",
        guess(.nearest.as_deref())
    )]
    NoSuchColumn {
        /// What was asked for.
        wanted: String,
        /// What may be meant.
        nearest: Option<String>,
        /// What there is.
        available: String,
    },
    /// Nothing of that name.
    #[error("there is no {kind} named '{wanted}'{}; there {} {available}", guess(.nearest.as_deref()), are(.available))]
    NoSuchVariable {
        /// A variable, a layer, a sheet, a list.
        kind: &'static str,
        /// What was asked for.
        wanted: String,
        /// What may be meant.
        nearest: Option<String>,
        /// What there is.
        available: String,
    },
    /// Features of a model that are not among the columns.
    #[error(
        "there is no column {missing}, which the model was fitted to; give samples with the columns of the fit, in any order"
    )]
    NoSuchFeatures {
        /// Their names, and the columns that may be meant.
        missing: String,
    },
    /// A feature of a model that several columns may be.
    #[error(
        "several columns, or several features of the model, are named '{name}', and it is not clear which is which; \
         give samples with the columns of the fit in the same order"
    )]
    FeatureTwice {
        /// The name.
        name: String,
    },
    /// Images of another height and width than those of the model.
    #[error(
        "the images are {}x{}, but the model was fitted to images of {}x{}",
        .got.0, .got.1, .want.0, .want.1
    )]
    OtherImages {
        /// Height and width.
        got: (usize, usize),
        /// Those of the model.
        want: (usize, usize),
    },
    /// Images in colour for a model of grey ones, or the other way round.
    #[error(
        "the images are {}, but the model was fitted to {} images; give images of that kind",
        if *.colour { "in colour" } else { "grey" }, if *.colour { "grey" } else { "colour" }
    )]
    OtherColours {
        /// Whether these are in colour.
        colour: bool,
    },
    /// Pixels that are said to lie in another order than those of the model.
    #[error(
        "the pixels are said to be in another order (row-major or column-major) than in the images that the \
         model was fitted to"
    )]
    OtherLayout,
    /// An image of another size than the first of a folder.
    #[error("is an image of {}x{}, but {first} is one of {}x{}", .got.0, .got.1, .want.0, .want.1)]
    ImageSize {
        /// Height and width.
        got: (usize, usize),
        /// The first image.
        first: String,
        /// Its height and width.
        want: (usize, usize),
    },
    /// None or several of the variables or columns could be meant.
    #[error("it is not clear which {kind} is meant; there {} {available}", are(.available))]
    Ambiguous {
        /// Matrix or labels.
        kind: &'static str,
        /// What there is.
        available: String,
        /// What chooses.
        setting: Setting,
    },
    /// The part of a file that is read by default holds no numbers, and there are others.
    #[error("{part} holds no numbers; there {} also {others}", are(.others))]
    OtherParts {
        /// What was read.
        part: String,
        /// What else there is.
        others: String,
    },
    /// An entry without a value.
    #[error("column '{column}' has no value in row {row} (from 1)")]
    Missing {
        /// Name of the column.
        column: String,
        /// Row, from 1.
        row: usize,
    },
    /// Labels and samples do not go together.
    #[error("there are {labels} labels for {samples} samples; each sample needs one")]
    LabelCount {
        /// Number of labels.
        labels: usize,
        /// Number of samples.
        samples: usize,
    },
    /// Names and features do not go together.
    #[error("there are {names} column names for {columns} columns; each column needs one")]
    ColumnCount {
        /// Number of names.
        names: usize,
        /// Number of columns.
        columns: usize,
    },
    /// Names and samples do not go together.
    #[error("there are {names} names for {samples} samples; each sample needs one")]
    NameCount {
        /// Number of names.
        names: usize,
        /// Number of samples.
        samples: usize,
    },
    /// What was given as labels differs for every sample.
    #[error(
        "'{column}' has a different value for each of the {samples} samples, so it names them and holds no classes"
    )]
    LabelsDiffer {
        /// The column or variable.
        column: String,
        /// Number of samples.
        samples: usize,
    },
    /// There are columns, but all of them hold texts.
    #[error("holds no numbers: {columns}")]
    OnlyTexts {
        /// The columns, in words.
        columns: String,
        /// One that may be meant.
        column: String,
    },
    /// There are words, but none of them counts.
    #[error("none of its {of} words counts: each is in too few or too many of the texts, or a stop word")]
    NoWords {
        /// How many there are.
        of: usize,
    },
    /// It gives each byte once only, but would have to be read several times.
    #[error("is a pipe, which cannot be read more than once; save it to a file first")]
    Pipe,
    /// There is not enough memory for what it says it holds.
    #[error(
        "{what} would take {needed} bytes of memory, but only {left} of {} are left; allow more, or save the data \
         as .npy or .parquet, which can be read in blocks of samples", limit.bytes()
    )]
    Memory {
        /// The part of the file, or what is made of it.
        what: String,
        /// Bytes that it would take.
        needed: u64,
        /// Bytes that were left.
        left: u64,
        /// How many there were, and who says so.
        limit: Limit,
    },
    /// Unpacks to more than the file's size makes plausible.
    #[error("{place} unpacks to more than {limit} bytes; if that is right, save it uncompressed")]
    TooLarge {
        /// The part of the file.
        place: String,
        /// How much was allowed.
        limit: u64,
    },
    /// A sparse matrix whose shape is out of all proportion to its entries.
    #[error(
        "says it is {rows}x{cols} with only {entries} entries stored; \
         if that is right, remove the empty rows and columns"
    )]
    Implausible {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
        /// Number of stored entries.
        entries: usize,
    },
    /// The arrays of a sparse matrix contradict each other.
    #[error("{0}; save the file again")]
    Sparse(#[from] emmf::Error),
    /// The format to write has no place for something.
    #[error("a .{format} file has no place for {what}; {instead}")]
    CannotHold {
        /// The format.
        format: &'static str,
        /// What does not fit.
        what: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
}

impl Problem {
    /// The bytes at `place` contradict the format.
    pub(crate) fn malformed(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Malformed { place: place.into(), why: why.into() }
    }

    /// The format allows `what`, this crate does not.
    pub(crate) fn unsupported(what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into(), instead: instead.into() }
    }

    /// What to do about it, where the message does not say so.
    pub fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::Idle { setting } => Advice::LeaveOut(*setting),
            Self::Ambiguous { setting, .. } => Advice::Choose(*setting),
            Self::OtherParts { .. } => Advice::Choose(Setting::Variable),
            Self::NotANumber { advice, .. } => advice.clone(),
            Self::Missing { .. } => Advice::FillIn,
            Self::LabelsDiffer { column, .. } => Advice::Names { column: column.clone() },
            Self::NoWords { .. } => Advice::MoreWords,
            Self::OnlyTexts { column, .. } => Advice::CountWords { column: column.clone() },
            Self::Ragged { .. } => Advice::Fields,
            Self::ImageSize { want: (height, width), .. } => Advice::Resize(*height, *width),
            Self::OtherImages { .. } => Advice::OtherImages,
            Self::OtherLayout => Advice::OtherLayout,
            _ => return None,
        })
    }

    /// Names the file.
    pub(crate) fn of(self, file: impl Into<String>) -> Error {
        Error { file: file.into(), problem: self }
    }
}

/// The name that is most like the wanted one, where one is like it at all.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    const ALIKE: f64 = 0.7;
    let wanted = wanted.to_lowercase();
    let likeness = |name: &&str| strsim::jaro_winkler(&wanted, &name.to_lowercase());
    let best = names.into_iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) > ALIKE).then(|| shortened(best))
}

fn after(problem: &Problem) -> String {
    problem.advice().map_or_else(String::new, |advice| format!("; {advice}"))
}

/// One name, or several with a comma between them.
fn are(names: &str) -> &'static str {
    if names.contains("', '") { "are" } else { "is" }
}

fn guess(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean '{name}'?)"))
}

/// What the system said, without the number of the error.
fn said(error: &io::Error) -> String {
    let text = error.to_string();
    let number = error.raw_os_error().map(|number| format!(" (os error {number})"));
    number.and_then(|number| text.strip_suffix(&number).map(str::to_owned)).unwrap_or(text)
}

fn reading_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "check its name",
        io::ErrorKind::IsADirectory => "name a file, not a folder",
        io::ErrorKind::PermissionDenied => "check its permissions",
        _ => "check its name and permissions",
    }
}

fn writing_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space or choose another place"
        }
        io::ErrorKind::FileTooLarge => {
            "raise the limit on the size of files (ulimit -f) or choose another place"
        }
        io::ErrorKind::IsADirectory => "there is a folder of this name; name a file",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "there is a file where a folder is needed; choose another name"
        }
        io::ErrorKind::NotFound => "create its folder first, or choose another place",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "check the permissions of the folder or choose another place"
        }
        _ => "check the folder, its permissions and the free space",
    }
}

/// The first names of a list, for an error message.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<&str> = names.into_iter().collect();
    let mut list: Vec<String> =
        names.iter().take(SHOWN).map(|name| format!("'{}'", shortened(name))).collect();
    if names.len() > SHOWN {
        list.push(format!("and {} more", names.len() - SHOWN));
    }
    if list.is_empty() { "none at all".into() } else { list.join(", ") }
}

/// At most 40 characters of a text that came from a file, without control characters.
pub(crate) fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut short: String =
        text.chars().take(SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}
