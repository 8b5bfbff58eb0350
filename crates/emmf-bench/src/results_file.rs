//! The format of the file of results: a line of names, then one line a run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::experiment::Show;
use crate::origin::{Hashes, Origin, difference};
use crate::plan::Plan;
use crate::run::{Course, Found};

/// What a run is called: data set, contamination, method, parameters, seed.
const KEY: [&str; 5] = ["data", "contamination", "method", "params", "seed"];
const ORIGIN: [&str; 2] = ["settings", "data_sha256"];
const FOUND: [&str; 5] = ["acc", "nmi", "nmi_max", "iterations", "objective"];
/// What follows where the objective is shown by iterations.
const COURSE: [&str; 2] = ["rises", "trace"];
/// What follows where outliers are to be found.
const DETECTION: [&str; 1] = ["auc"];
/// What emmf 0.1 wrote, which kept neither settings nor data.
const FOUND_OF_0_1: [&str; 4] = ["acc", "nmi", "iterations", "objective"];

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// Where it comes from; unknown in a file of emmf 0.1.
    pub(crate) origin: Option<Origin>,
    pub(crate) found: Found,
}

pub(crate) type Rows = HashMap<[String; 5], Row>;

/// A file of results that was looked at, and not touched.
pub struct ResultsFile {
    pub(crate) path: PathBuf,
    pub(crate) head: String,
    pub(crate) rows: Rows,
    /// Bytes up to the end of the last whole line.
    pub(crate) whole: u64,
    /// All bytes.
    pub(crate) length: u64,
    of_0_1: bool,
}

impl ResultsFile {
    /// Looks at the results of this plan; there are none where there is no file. What a killed run left half written
    /// is passed over.
    pub fn read(path: &Path, plan: &Plan) -> Result<Self, Error> {
        let wrong = |why: String| Error::Results { file: path.into(), why };
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.map_err(|error| wrong(error.to_string()))?,
        };
        let more: &[&str] = match plan.runs.show {
            Show::Convergence => &COURSE,
            Show::Detection => &DETECTION,
            _ => &[],
        };
        let head = [&KEY[..], &ORIGIN, &FOUND, more].concat().join(",");
        let head_of_0_1 = [&KEY[..], &FOUND_OF_0_1, more].concat().join(",");
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let first = text.lines().next().unwrap_or_default();
        let of_0_1 = whole > 0 && first == head_of_0_1;
        // A kill may have cut the first line itself.
        let begun = whole == 0 && head.starts_with(first);
        if !begun && !of_0_1 && first != head {
            return Err(wrong(format!(
                "does not begin with the line {head:?}, so it holds no results of this experiment"
            )));
        }
        let mut rows = Rows::new();
        for line in csv::Reader::from_reader(&text.as_bytes()[..whole]).records() {
            let line = line.map_err(|error| wrong(error.to_string()))?;
            let (key, row) =
                parse(&line, of_0_1).ok_or_else(|| wrong(format!("cannot read the line {line:?}")))?;
            rows.insert(key, row);
        }
        Ok(Self { path: path.into(), head, rows, whole: whole as u64, length: text.len() as u64, of_0_1 })
    }

    /// Whether it was written by emmf 0.1, so that nobody can tell with which settings and from which data.
    pub fn is_of_0_1(&self) -> bool {
        self.of_0_1
    }

    /// Refuses results of runs that the plan asks for, but with other settings, or from files in `folder` that have
    /// changed since. Files that are not there are not compared.
    pub fn check(&self, plan: &Plan, folder: &Path) -> Result<(), Error> {
        let mut hashes = Hashes::new(folder);
        for case in &plan.cases {
            let key = plan.key(case);
            let Some(made) = self.rows.get(&key).and_then(|row| row.origin.as_ref()) else { continue };
            let wrong = |why: String| Error::Results {
                file: self.path.clone(),
                why: format!("the runs of {} on {} were made {why}", key[2], key[0]),
            };
            let now = plan.settings(case).map_err(wrong)?;
            if made.settings != now {
                return Err(wrong(difference(&made.settings, &now)));
            }
            let files = plan.files(case);
            if hashes.of(&files).is_some_and(|now| now != made.data) {
                return Err(wrong(format!("before {} was changed", files.join(" or "))));
            }
        }
        Ok(())
    }

    /// All that runs found.
    pub fn into_results(self) -> HashMap<[String; 5], Found> {
        found(self.rows)
    }
}

pub(crate) fn found(rows: Rows) -> HashMap<[String; 5], Found> {
    rows.into_iter().map(|(key, row)| (key, row.found)).collect()
}

/// The fields of a line.
pub(crate) fn fields(key: &[String; 5], Row { origin, found }: &Row) -> Vec<String> {
    let origin = origin.iter().flat_map(|Origin { settings, data }| [settings.clone(), data.clone()]);
    let numbers = [
        found.acc.to_string(),
        found.nmi.to_string(),
        found.nmi_max.map(|nmi| nmi.to_string()).unwrap_or_default(),
        found.iterations.to_string(),
        found.objective.to_string(),
    ];
    let course = found.course.iter().flat_map(|Course { rises, trace }| {
        let trace: Vec<String> = trace.iter().map(ToString::to_string).collect();
        [rises.to_string(), trace.join(" ")]
    });
    let names = key.iter().cloned().chain(origin).map(|name| emmf_io::disarmed(&name).into_owned());
    let auc = found.auc.map(|auc| auc.to_string());
    names.chain(numbers).chain(auc).chain(course).collect()
}

fn parse(line: &csv::StringRecord, of_0_1: bool) -> Option<([String; 5], Row)> {
    let mut fields = line.iter();
    let mut text = || fields.next().map(|field| emmf_io::meant(field).to_owned());
    let key = [text()?, text()?, text()?, text()?, text()?];
    let _seed: u64 = key[4].parse().ok()?;
    let origin = if of_0_1 { None } else { Some(Origin { settings: text()?, data: text()? }) };
    let (acc, nmi) = (text()?.parse().ok()?, text()?.parse().ok()?);
    let nmi_max = if of_0_1 { None } else { Some(text()?.parse().ok()?) };
    let (iterations, objective) = (text()?.parse().ok()?, text()?.parse().ok()?);
    let (auc, course) = match (text(), text()) {
        (Some(rises), Some(trace)) => {
            let trace = trace.split(' ').map(|value| value.parse().ok()).collect::<Option<_>>()?;
            (None, Some(Course { rises: rises.parse().ok()?, trace }))
        }
        (Some(auc), None) => (Some(auc.parse().ok()?), None),
        _ => (None, None),
    };
    Some((key, Row { origin, found: Found { acc, nmi, nmi_max, iterations, objective, auc, course } }))
}

#[cfg(test)]
mod tests {
    use super::{Course, Found, Origin, Row, fields, parse};

    #[test]
    fn rows_come_back_from_their_lines() {
        let key = ["a.npz", "10 % outliers, clean start", "\"EMMF\"", "lambda=1e2", "3"].map(Into::into);
        let origin = Some(Origin { settings: "max_iter = 3; method = emmf".into(), data: "ab cd".into() });
        let course = Some(Course { rises: 1, trace: vec![3.0, 0.1 + 0.2] });
        for (auc, course) in [(None, None), (None, course), (Some(0.9), None)] {
            let found = Found {
                auc,
                acc: 0.1 + 0.2,
                nmi: 0.5,
                nmi_max: Some(0.4),
                iterations: 3,
                objective: 1e-300,
                course,
            };
            let row = Row { origin: origin.clone(), found };
            let line = csv::StringRecord::from(fields(&key, &row));
            assert_eq!(parse(&line, false), Some((key.clone(), row)));
        }
        let old = csv::StringRecord::from(vec!["a", "clean", "b", "", "0", "0.5", "0.25", "7", "1.5"]);
        let found = Found {
            acc: 0.5,
            nmi: 0.25,
            nmi_max: None,
            iterations: 7,
            objective: 1.5,
            auc: None,
            course: None,
        };
        let key = ["a", "clean", "b", "", "0"].map(Into::into);
        assert_eq!(parse(&old, true), Some((key, Row { origin: None, found })));
        assert_eq!(parse(&old, false), None);
    }
}
