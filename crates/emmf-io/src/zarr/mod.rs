//! Zarr stores, versions 2 and 3: a folder of chunks, or a zip archive of one. AnnData, and any whose arrays are
//! matrices.

mod blosc;
mod chunks;
mod codecs;
mod files;
mod node;

use crate::array::Array;
use crate::budget::Budget;
use crate::dataset::Dataset;
use crate::error::{Problem, shortened};
use crate::guarded::guarded;
use crate::options::ReadOptions;
use crate::tree::{self, Tree};
use crate::variables::{Variable, Variables};
use files::{Files, within};
use node::{Described, Node, Shape};
use std::path::Path;

/// What tells a store: the descriptions of its outermost group or array.
const MARKS: [&str; 3] = ["zarr.json", ".zgroup", ".zarray"];

/// Whether a file of this name describes the outermost group or array of a store.
pub(crate) fn is_mark(name: &str) -> bool {
    MARKS.contains(&name)
}

/// Whether a folder is a store.
pub(crate) fn is_store(folder: &Path) -> bool {
    MARKS.iter().any(|mark| folder.join(mark).is_file())
}

/// Reads the matrix, the labels and the names from a folder.
pub(crate) fn read_folder(folder: &Path, options: &ReadOptions) -> Result<Dataset, Problem> {
    read(&Store { files: Files::folder(folder), budget: &options.budget }, options)
}

/// Reads the matrix, the labels and the names from a zip archive.
pub(crate) fn read_zip(bytes: &[u8], options: &ReadOptions) -> Result<Dataset, Problem> {
    read(&Store { files: Files::zip(bytes)?, budget: &options.budget }, options)
}

/// Reads the labels alone from a folder.
pub(crate) fn labels_of_folder(
    folder: &Path,
    (wanted, budget): (Option<&str>, &Budget),
) -> Result<Vec<String>, Problem> {
    labels(&Store { files: Files::folder(folder), budget }, wanted)
}

/// Reads the labels alone from a zip archive.
pub(crate) fn labels_of_zip(
    bytes: &[u8],
    (wanted, budget): (Option<&str>, &Budget),
) -> Result<Vec<String>, Problem> {
    labels(&Store { files: Files::zip(bytes)?, budget }, wanted)
}

fn read(store: &Store<'_>, options: &ReadOptions) -> Result<Dataset, Problem> {
    guarded("its arrays", || match store.node("")? {
        Some(Node { array: Some(_), .. }) => {
            Variables(vec![("X".into(), store.variable("")?)]).into_dataset(options)
        }
        _ => tree::read(store, options),
    })
}

fn labels(store: &Store<'_>, wanted: Option<&str>) -> Result<Vec<String>, Problem> {
    guarded("its arrays", || match store.node("")? {
        Some(Node { array: Some(_), .. }) => store.variable("")?.into_labels("the array", store.budget),
        _ => tree::read_labels(store, wanted),
    })
}

struct Store<'a> {
    files: Files<'a>,
    budget: &'a Budget,
}

impl Store<'_> {
    /// What is described at this path.
    fn node(&self, path: &str) -> Result<Option<Node>, Problem> {
        Node::read(&self.files, path, &self.budget.fork())
    }

    /// Whether what is described at this path is so. Where there is no memory to look, it may be: reading it will tell.
    fn may(&self, path: &str, be: impl Fn(&Node) -> bool) -> bool {
        match self.node(path) {
            Ok(node) => node.as_ref().is_some_and(be),
            Err(problem) => matches!(problem, Problem::Memory { .. }),
        }
    }

    /// Whether there is an array at this path that is understood and is so.
    fn may_hold(&self, path: &str, be: impl Fn(&Described) -> bool) -> bool {
        self.may(path, |node| matches!(&node.array, Some(Ok(array)) if be(array)))
    }

    fn variable(&self, path: &str) -> Result<Variable<'static>, Problem> {
        let array = self.node(path)?.and_then(|node| node.array);
        let array = array.ok_or_else(|| Problem::malformed(quoted(path), "it is not there"))?;
        chunks::read((&self.files, path), &array.map_err(|unclear| unclear.of(path))?, self.budget)
    }
}

/// A path for a message.
fn quoted(path: &str) -> String {
    if path.is_empty() { "the array".into() } else { format!("'{}'", shortened(path)) }
}

impl Tree for Store<'_> {
    fn budget(&self) -> &Budget {
        self.budget
    }

    fn has_array(&self, path: &str) -> bool {
        self.may(path, |node| node.array.is_some())
    }

    fn has_group(&self, path: &str) -> bool {
        self.may(path, |node| node.array.is_none())
    }

    fn members(&self, path: &str) -> Result<Vec<String>, Problem> {
        let mut names = Vec::new();
        for name in self.files.members(path) {
            match self.node(&within(path, &name)) {
                Ok(Some(_)) => names.push(name),
                Err(problem @ Problem::Memory { .. }) => return Err(problem),
                Ok(None) | Err(_) => {}
            }
        }
        Ok(names)
    }

    fn said(&self, path: &str, name: &str) -> Option<String> {
        self.node(path).ok()??.attributes.get(name)?.as_str().map(str::to_owned)
    }

    fn counted(&self, path: &str, name: &str) -> Option<Vec<i64>> {
        let node = self.node(path).ok()??;
        let value = node.attributes.get(name)?;
        value
            .as_i64()
            .map(|number| vec![number])
            .or_else(|| value.as_array()?.iter().map(serde_json::Value::as_i64).collect())
    }

    fn shape(&self, path: &str) -> Result<Option<Shape>, Problem> {
        Ok(self.node(path)?.and_then(|node| node.array?.ok()?.matrix()))
    }

    fn is_text(&self, path: &str) -> bool {
        self.may_hold(path, Described::is_text)
    }

    fn is_numeric(&self, path: &str) -> bool {
        self.may_hold(path, |array| array.element().is_some())
    }

    fn unclear(&self, path: &str) -> Option<String> {
        match self.node(path).ok()??.array? {
            Ok(_) => None,
            Err(unclear) => Some(unclear.to_string()),
        }
    }

    fn array(&self, path: &str) -> Result<Array<'static>, Problem> {
        match self.variable(path)? {
            Variable::Dense(array) => Ok(array),
            _ => Err(Problem::unsupported(
                format!("{} (no matrix of numbers)", quoted(path)),
                "store a two-dimensional array of numbers",
            )),
        }
    }

    fn texts(&self, path: &str) -> Result<Vec<String>, Problem> {
        match self.variable(path)? {
            Variable::Text(texts) => Ok(texts),
            _ => Err(Problem::unsupported(format!("{} (no texts)", quoted(path)), "store an array of texts")),
        }
    }
}
