//! The file of results, one line a run, written as soon as the run ends.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::experiment::Show;
use crate::plan::Plan;
use crate::run::{Course, Result as Found};

const HEAD: [&str; 9] =
    ["data", "contamination", "method", "params", "seed", "acc", "nmi", "iterations", "objective"];
/// What follows where the objective is shown by iterations.
const COURSE: [&str; 2] = ["rises", "trace"];

/// The results of an experiment, on disk.
pub struct Store {
    path: PathBuf,
    file: File,
    head: String,
    found: HashMap<[String; 5], Found>,
}

impl Store {
    /// The results of this plan in a file, which is made where there is none. What a killed run left half written is
    /// dropped.
    pub fn open(path: &Path, plan: &Plan) -> Result<Self, Error> {
        let more: &[&str] = if plan.runs.show == Show::Convergence { &COURSE } else { &[] };
        let head = [&HEAD, more].concat();
        let wrong = |why: String| Error::Results { file: path.into(), why };
        let io = |error: std::io::Error| wrong(error.to_string());
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io)?;
        let mut text = String::new();
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        file.read_to_string(&mut text).map_err(io)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(io)?;
        if whole == 0 {
            writeln!(file, "{}", head.join(",")).map_err(io)?;
        }
        let mut found = HashMap::new();
        let mut lines = csv::Reader::from_reader(&text.as_bytes()[..whole]);
        if whole > 0 && lines.headers().map_err(|error| wrong(error.to_string()))? != head.as_slice() {
            return Err(wrong(format!("does not begin with the line {:?}", head.join(","))));
        }
        for line in lines.records() {
            let line = line.map_err(|error| wrong(error.to_string()))?;
            let (key, result) =
                parse(&line).ok_or_else(|| wrong(format!("cannot read the line {line:?}")))?;
            found.insert(key, result);
        }
        Ok(Self { path: path.into(), file, head: head.join(","), found })
    }

    /// What a run found, if it was made.
    pub fn get(&self, key: &[String; 5]) -> Option<&Found> {
        self.found.get(key)
    }

    /// Keeps what a run found.
    pub fn add(&mut self, key: [String; 5], result: Found) -> Result<(), Error> {
        let mut line = csv::Writer::from_writer(Vec::new());
        let written = line.write_record(fields(&key, &result)).map_err(|error| error.to_string());
        let bytes = written.and_then(|()| line.into_inner().map_err(|error| error.to_string()));
        let kept = bytes.and_then(|bytes| self.file.write_all(&bytes).map_err(|error| error.to_string()));
        kept.map_err(|why| Error::Results { file: self.path.clone(), why })?;
        self.found.insert(key, result);
        Ok(())
    }

    /// All that runs found.
    pub fn into_results(self) -> HashMap<[String; 5], Found> {
        self.found
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
                self.found.keys().filter(|key| !wanted.contains(key)).collect();
            others.sort_unstable();
            for key in planned.iter().chain(others) {
                if let Some(result) = self.found.get(key) {
                    lines.write_record(fields(key, result))?;
                }
            }
            lines.flush()
        })?;
        Ok(self.found)
    }
}

fn fields(key: &[String; 5], found: &Found) -> Vec<String> {
    let numbers = [
        found.acc.to_string(),
        found.nmi.to_string(),
        found.iterations.to_string(),
        found.objective.to_string(),
    ];
    let course = found.course.iter().flat_map(|Course { rises, trace }| {
        let trace: Vec<String> = trace.iter().map(ToString::to_string).collect();
        [rises.to_string(), trace.join(" ")]
    });
    key.iter().map(|name| emmf_io::disarmed(name).into_owned()).chain(numbers).chain(course).collect()
}

fn parse(line: &csv::StringRecord) -> Option<([String; 5], Found)> {
    let number = |at: usize| line.get(at)?.parse::<f64>().ok();
    let key: Vec<String> =
        (0..5).map(|at| line.get(at).map(|field| emmf_io::meant(field).into())).collect::<Option<_>>()?;
    let iterations = line.get(7)?.parse().ok()?;
    let course = match (line.get(9), line.get(10)) {
        (Some(rises), Some(trace)) => {
            let trace = trace.split(' ').map(|value| value.parse().ok()).collect::<Option<_>>()?;
            Some(Course { rises: rises.parse().ok()?, trace })
        }
        _ => None,
    };
    let found = Found { acc: number(5)?, nmi: number(6)?, iterations, objective: number(8)?, course };
    Some((key.try_into().ok()?, found))
}
