//! Results on disk, one line a run, written as soon as the run ends.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::PathBuf;

use crate::Error;
use crate::origin::Origin;
use crate::plan::Plan;
use crate::results_file::{ResultsFile, Row, Rows, fields, found};
use crate::run::Found;

/// A file of results that more are added to.
pub struct Store {
    path: PathBuf,
    file: File,
    head: String,
    rows: Rows,
}

impl Store {
    /// Goes on with a file, which is made where there is none. What a killed run left half written is dropped. Results
    /// of emmf 0.1 are refused: what is added could not be told from them.
    pub fn open(found: ResultsFile) -> Result<Self, Error> {
        let path = found.path.clone();
        let wrong = |why: String| Error::Results { file: path.clone(), why };
        if found.is_of_0_1() {
            let why = "was written by emmf 0.1, which recorded neither the settings nor the data of its runs, so \
                       nobody can tell whether they belong to this experiment; --show still makes its pages";
            return Err(wrong(why.into()));
        }
        let io = |error: std::io::Error| wrong(error.to_string());
        let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(io)?;
        // Two programs that write to one file would cut each other's lines. Not every file system knows locks.
        let locked = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if locked || file.metadata().map_err(io)?.len() != found.length {
            return Err(Error::Busy { file: path.clone() });
        }
        file.set_len(found.whole).map_err(io)?;
        if found.whole == 0 {
            writeln!(file, "{}", found.head).map_err(io)?;
        }
        Ok(Self { path: found.path, file, head: found.head, rows: found.rows })
    }

    /// Whether a run was made.
    pub(crate) fn holds(&self, key: &[String; 5]) -> bool {
        self.rows.contains_key(key)
    }

    /// Keeps what a run found.
    pub(crate) fn add(&mut self, key: [String; 5], origin: Origin, found: Found) -> Result<(), Error> {
        let row = Row { origin: Some(origin), found };
        let mut line = csv::Writer::from_writer(Vec::new());
        let written = line.write_record(fields(&key, &row)).map_err(|error| error.to_string());
        let bytes = written.and_then(|()| line.into_inner().map_err(|error| error.to_string()));
        let kept = bytes.and_then(|bytes| self.file.write_all(&bytes).map_err(|error| error.to_string()));
        kept.map_err(|why| Error::Results { file: self.path.clone(), why })?;
        self.rows.insert(key, row);
        Ok(())
    }

    /// Rewrites the file in the order of the plan: the same file however many runs were made at a time. Results that the
    /// plan does not ask for, of other data sets or more seeds, follow.
    pub fn sort(self, plan: &Plan) -> Result<HashMap<[String; 5], Found>, Error> {
        emmf_io::write_atomically(&self.path, |out| {
            writeln!(out, "{}", self.head)?;
            let mut lines = csv::Writer::from_writer(out);
            let planned: Vec<[String; 5]> = plan.cases.iter().map(|case| plan.key(case)).collect();
            let wanted: HashSet<&[String; 5]> = planned.iter().collect();
            let mut others: Vec<&[String; 5]> =
                self.rows.keys().filter(|key| !wanted.contains(key)).collect();
            others.sort_unstable();
            for key in planned.iter().chain(others) {
                if let Some(row) = self.rows.get(key) {
                    lines.write_record(fields(key, row))?;
                }
            }
            lines.flush()
        })?;
        Ok(found(self.rows))
    }
}
