//! An input that is opened once: a pipe gives its bytes only once, so what was looked at is kept.

use crate::budget::Budget;
use crate::error::{Error, Problem};
use crate::format::Format;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes that are looked at. The header of an NPY file is no longer.
const HEAD: u64 = 1 << 17;

/// An open input, with its first bytes.
pub(crate) struct Source {
    /// What messages call it.
    pub(crate) name: String,
    pub(crate) head: Vec<u8>,
    rest: Rest,
}

/// What follows the first bytes.
enum Rest {
    /// A file of so many bytes, which can be read at any place.
    File(File, u64),
    /// A pipe, a terminal, a device: each byte comes once.
    Pipe(Box<dyn Read>),
}

impl Source {
    /// Opens a file or a pipe; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let from_input = path.as_os_str() == "-";
        let name = if from_input { "standard input".into() } else { path.display().to_string() };
        let open = || -> io::Result<(Vec<u8>, Rest)> {
            let mut rest = if from_input { Rest::Pipe(Box::new(io::stdin().lock())) } else { opened(path)? };
            let mut head = Vec::new();
            rest.reader().take(HEAD).read_to_end(&mut head)?;
            Ok((head, rest))
        };
        match open() {
            Ok((head, rest)) => Ok(Self { name, head, rest }),
            Err(error) => Err(Problem::Read(error).of(name)),
        }
    }

    /// The format, as far as the first bytes and the name tell.
    pub(crate) fn format(&self) -> Result<Format, Problem> {
        Format::detect(&self.head, &self.name)
    }

    /// The file and how long it is, unless it is a pipe.
    pub(crate) fn file(&self) -> Option<(&File, u64)> {
        match &self.rest {
            Rest::File(file, length) => Some((file, *length)),
            Rest::Pipe(_) => None,
        }
    }

    /// The file, its first bytes and how long it is, where it can be read at any place.
    pub(crate) fn into_file(self) -> Result<(File, Vec<u8>, u64), Problem> {
        match self.rest {
            Rest::File(file, length) => Ok((file, self.head, length)),
            Rest::Pipe(_) => Err(Problem::Pipe),
        }
    }

    /// All bytes.
    pub(crate) fn bytes(mut self, budget: &Budget) -> Result<Vec<u8>, Problem> {
        let head = std::mem::take(&mut self.head);
        let more = self.file().map_or(0, |(_, length)| length.saturating_sub(head.len() as u64));
        budget.read_to_end(self.rest.reader(), (head, more), Problem::Read, "the file")
    }
}

impl Rest {
    fn reader(&mut self) -> &mut dyn Read {
        match self {
            Self::File(file, _) => file,
            Self::Pipe(pipe) => pipe,
        }
    }
}

fn opened(path: &Path) -> io::Result<Rest> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    Ok(if about.is_file() { Rest::File(file, about.len()) } else { Rest::Pipe(Box::new(file)) })
}
