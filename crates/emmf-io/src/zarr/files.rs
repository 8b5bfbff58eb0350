//! Where the files of a store are: in a folder, or in a zip archive.

use crate::budget::Budget;
use crate::error::Problem;
use crate::inflate::Allowance;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Folders within folders that are counted.
const DEEPEST: usize = 4;

pub(super) enum Files<'a> {
    Folder(PathBuf),
    Zip { archive: RefCell<ZipArchive<Cursor<&'a [u8]>>>, names: BTreeSet<String>, bytes: usize },
}

impl<'a> Files<'a> {
    pub(super) fn folder(path: &Path) -> Self {
        Self::Folder(path.to_owned())
    }

    pub(super) fn zip(bytes: &'a [u8]) -> Result<Self, Problem> {
        let bad = |error: zip::result::ZipError| Problem::malformed("the zip directory", error.to_string());
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(bad)?;
        let names = archive.file_names().flatten().map(std::borrow::Cow::into_owned).collect();
        Ok(Self::Zip { archive: RefCell::new(archive), names, bytes: bytes.len() })
    }

    /// The bytes of a file; nothing where there is none.
    pub(super) fn get(&self, name: &str, budget: &Budget) -> Result<Option<Vec<u8>>, Problem> {
        match self {
            Self::Folder(folder) => match File::open(folder.join(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(Problem::Read(error)),
                Ok(file) => whole(file, budget),
            },
            Self::Zip { names, .. } if !names.contains(name) => Ok(None),
            Self::Zip { archive, bytes, .. } => {
                let mut archive = archive.borrow_mut();
                let bad = |error: zip::result::ZipError| Problem::malformed(name, error.to_string());
                let file = archive.by_name(name).map_err(bad)?;
                Allowance::for_input(*bytes, budget).read(file, name).map(Some)
            }
        }
    }

    /// The names of what is directly in a folder of the store.
    pub(super) fn members(&self, path: &str) -> Vec<String> {
        match self {
            Self::Folder(folder) => {
                let entries = fs::read_dir(folder.join(path)).into_iter().flatten().flatten();
                let mut names: Vec<String> =
                    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
                names.sort();
                names
            }
            Self::Zip { names, .. } => {
                let front = within(path, "");
                let rest = names.range(front.clone()..).map_while(|name| name.strip_prefix(&front));
                let first = rest.filter_map(|rest| rest.split('/').next());
                let found: BTreeSet<&str> = first.filter(|name| !name.is_empty()).collect();
                found.into_iter().map(str::to_owned).collect()
            }
        }
    }

    /// Bytes of all files in a folder of the store.
    pub(super) fn size(&self, path: &str) -> usize {
        match self {
            Self::Folder(folder) => size(&folder.join(path), 0),
            Self::Zip { bytes, .. } => *bytes,
        }
    }
}

fn whole(mut file: File, budget: &Budget) -> Result<Option<Vec<u8>>, Problem> {
    let about = file.metadata().map_err(Problem::Read)?;
    if about.is_dir() {
        return Ok(None);
    }
    budget
        .read_to_end(file.by_ref(), (Vec::new(), about.len()), Problem::Read, "a part of the store")
        .map(Some)
}

fn size(folder: &Path, depth: usize) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(about) if about.is_dir() && depth < DEEPEST => size(&entry.path(), depth + 1),
        Ok(about) if about.is_file() => about.len() as usize,
        _ => 0,
    });
    sizes.fold(0, usize::saturating_add)
}

/// A path within a path.
pub(super) fn within(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}
