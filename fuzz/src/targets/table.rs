//! A data file of any format.

use emmf_io::{Dataset, Dtype, ReadOptions, read_bytes};

use crate::case::{Answer, Case, Verdict, refused};
use crate::memory::budget;
use crate::seeds::Seed;
use crate::{Random, mutate};

/// A file and how it is to be read.
pub(super) struct Table {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) options: ReadOptions,
}

impl Table {
    pub(super) fn new(name: &str, bytes: Vec<u8>, random: &mut Random) -> Self {
        Self { name: name.into(), bytes, options: options(random) }
    }

    /// A valid file with a few changes.
    pub(super) fn changed(seeds: &[Seed], random: &mut Random) -> Self {
        let (seed, other) = crate::seeds::pick(seeds, random);
        let bytes = mutate::mutated(&seed.bytes, &other.bytes, random);
        // An ending that says something else, or nothing, must not confuse a reader.
        let name =
            if random.one_in(16) { random.pick(&["x", "x.csv", "x.npy", "x.mat"]) } else { &seed.name };
        Self::new(name, bytes, random)
    }
}

/// Mostly none.
pub(super) fn options(random: &mut Random) -> ReadOptions {
    let mut options = ReadOptions { budget: budget(), ..ReadOptions::default() };
    if !random.one_in(3) {
        return options;
    }
    options.dtype = random.pick(&[None, Some(Dtype::F32), Some(Dtype::F64)]);
    options.labels =
        random.pick(&[None, None, Some("-1"), Some("y"), Some("label"), Some("0")]).map(Into::into);
    options.variable = random.pick(&[None, None, None, Some("X"), Some("nothing")]).map(Into::into);
    options.header = random.pick(&[None, Some(true), Some(false)]);
    options.delimiter = random.pick(&[None, None, Some(';'), Some(' '), Some('é')]);
    options.missing = random.one_in(2);
    options.decimal = random.pick(&[None, None, Some(','), Some('.'), Some('x')]);
    options.id = random.pick(&[None, None, None, Some("1"), Some("id"), Some("nothing")]).map(Into::into);
    options.columns = random
        .pick(&[&[][..], &[], &["*"], &["a", "-1"], &["no*"]])
        .iter()
        .map(ToString::to_string)
        .collect();
    options.drop = random.pick(&[&[][..], &[], &["1"], &["?"]]).iter().map(ToString::to_string).collect();
    options.transpose = random.one_in(6);
    options
}

impl Case for Table {
    fn check(&self) -> Verdict {
        match read_bytes(&self.bytes, &self.name, &self.options) {
            Err(error) => refused(&error, &self.name),
            Ok(data) => sound(&data),
        }
    }

    fn show(&self) -> String {
        format!("{} of {} bytes, read with {:?}", self.name, self.bytes.len(), self.options)
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }
}

/// What was read goes together.
pub(super) fn sound(data: &Dataset) -> Verdict {
    let (n, d) = data.x.shape();
    if n == 0 || d == 0 {
        return Err(format!("a matrix of {n}x{d} was taken"));
    }
    if data.labels.as_ref().is_some_and(|labels| labels.len() != n) {
        return Err(format!("labels of another number than the {n} samples"));
    }
    if data.names.as_ref().is_some_and(|names| names.len() != n) {
        return Err(format!("names of another number than the {n} samples"));
    }
    if data.columns.as_ref().is_some_and(|columns| columns.len() != d) {
        return Err(format!("names of another number than the {d} features"));
    }
    Ok(Answer::Taken)
}
