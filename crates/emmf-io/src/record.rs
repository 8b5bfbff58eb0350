//! The record of a run: everything about a fit that a table, a plot or a page shows, as versioned JSON.

pub(crate) mod check;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use emmf::method::{Extra, Value};
use emmf::metrics::Clustering;
use emmf::model::{Consensus, NodeTree, OnLayer, Seconds};
use emmf::outliers::{Doubt, Judge, Reason, THRESHOLD, outliers};
use emmf::{Choice, Fit, Real, Spec, Stop};
use serde::{Deserialize, Serialize};

use crate::atomic::{folder_of, write_atomically};
use crate::budget::Budget;
use crate::error::{Error, Problem};
use crate::journal::settle;
use crate::json;
use crate::read::load;
use crate::sketch::Sketch;
use crate::text::field;

/// Version of the format. It changes when a reader of the old one would misread the new one.
pub const RECORD_VERSION: u32 = 1;

/// The data of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataInfo {
    /// File name, or what else the data are called.
    pub name: String,
    /// Samples.
    pub n: usize,
    /// Features.
    pub d: usize,
    /// `"f32"` or `"f64"`.
    pub dtype: String,
    /// Whether only nonzero entries are stored.
    pub sparse: bool,
}

/// How a parameter was chosen among several values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GridInfo {
    /// The parameter.
    pub name: String,
    /// What decided: `"modularity"`, which needs no true classes, or `"accuracy"`, which does.
    pub by: String,
    /// The value with the highest score.
    pub chosen: f64,
    /// All values.
    pub points: Vec<GridPoint>,
}

/// One value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GridPoint {
    /// The value.
    pub value: f64,
    /// The score of its fit; higher is better.
    pub score: f64,
    /// The objective of its fit.
    pub objective: f64,
}

/// One value a sample in every column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleColumns {
    /// Cluster, from 0.
    pub label: Vec<usize>,
    /// ‖x − U·v‖₂.
    pub residual: Vec<f64>,
    /// Qᵢᵢ.
    pub weight: Vec<f64>,
    /// Outlier score; higher is worse.
    pub score: Vec<f64>,
    /// What makes the score; older records do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reason: Vec<Reason>,
    /// True class, where known.
    pub truth: Option<Vec<String>>,
    /// What the sample is called, where it has a name, for example of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Vec<String>>,
    /// How the sample begins, where it is a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Vec<String>>,
    /// Node, residual and score on every layer, from the first on, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<OnLayer>,
}

/// Class of samples that belong to none.
pub const OUTLIER: &str = "outlier";

/// True classes and clusters of the samples that belong to a class, where any does.
pub fn without_outliers<'a>(truth: &'a [String], labels: &[usize]) -> (Vec<&'a str>, Vec<usize>) {
    let inside = truth.iter().zip(labels).filter(|(class, _)| *class != OUTLIER);
    inside.map(|(class, label)| (class.as_str(), *label)).unzip()
}

/// The record of one fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`RECORD_VERSION`] of the writer.
    pub version: u32,
    /// Version of the program.
    pub emmf: String,
    /// All parameters.
    pub spec: Spec,
    /// What was fitted.
    pub data: DataInfo,
    /// Iterations made.
    pub iterations: usize,
    /// Why the loop ended.
    pub stop: Stop,
    /// Objective of the factors.
    pub objective: f64,
    /// Objective before the first iteration.
    pub initial: f64,
    /// Objective after each iteration.
    pub trace: Vec<f64>,
    /// The best restart, from 0.
    pub restart: usize,
    /// What the restarts agree on, where the model is their consensus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus: Option<Consensus>,
    /// Wall time.
    pub seconds: Seconds,
    /// The score above which a sample is an outlier.
    #[serde(default = "threshold")]
    pub threshold: f64,
    /// The samples that were set aside as outliers before the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<usize>,
    /// Outliers that are alike, where there are several: the samples of each group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<usize>>,
    /// What keeps the verdict about outliers from saying more, where something does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// The samples whose coefficients are all zero: they belong to no cluster, whatever their label.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unassigned: Vec<usize>,
    /// Agreement with the true classes, where known, of the samples that are not of the class [`OUTLIER`].
    pub clustering: Option<Clustering>,
    /// The search that chose a parameter, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<GridInfo>,
    /// Per-sample results.
    pub samples: SampleColumns,
    /// What else the method found, but for matrices, which are files of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extras: BTreeMap<String, Value<f64>>,
    /// The command that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How the number of clusters was chosen, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// The nodes of all layers, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<NodeTree>,
    /// What a page shows besides the numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Sketch>,
    /// What is worth knowing about the data, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The other files of the fit in its folder, with their SHA-256.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

impl Record {
    /// The record of a fit, with the true classes where known.
    pub fn new<T: Real>(fit: &Fit<T>, data: DataInfo, truth: Option<Vec<String>>) -> emmf::Result<Self> {
        let compare = |truth: &Vec<String>| {
            let (classes, labels) = without_outliers(truth, &fit.labels);
            if classes.is_empty() {
                Clustering::compare(truth, &fit.labels)
            } else {
                Clustering::compare(&classes, &labels)
            }
        };
        Ok(Self {
            version: RECORD_VERSION,
            emmf: env!("CARGO_PKG_VERSION").into(),
            spec: fit.model.spec().clone(),
            data,
            iterations: fit.trace.len(),
            stop: fit.stop,
            objective: fit.objective,
            initial: fit.initial,
            trace: fit.trace.clone(),
            restart: fit.restart,
            consensus: fit.consensus.clone(),
            seconds: fit.seconds,
            threshold: THRESHOLD,
            set_aside: fit.set_aside.clone(),
            groups: fit.groups.clone(),
            unassigned: (0..fit.v.rows()).filter(|&i| fit.v.row(i).iter().all(|v| *v == T::ZERO)).collect(),
            doubt: fit.model.judge().and_then(Judge::doubt),
            clustering: truth.as_ref().map(compare).transpose()?,
            grid: None,
            samples: SampleColumns {
                label: fit.labels.clone(),
                residual: fit.residuals.clone(),
                weight: fit.weights.clone(),
                score: fit.scores.clone(),
                reason: fit.reasons.clone(),
                truth,
                name: None,
                text: None,
                layers: fit.layers.clone(),
            },
            extras: fit.extras.iter().filter_map(noted).collect(),
            command: None,
            choice: None,
            tree: if fit.layers.is_empty() { None } else { Some(fit.model.tree(&fit.layers)?) },
            sketch: None,
            notes: Vec::new(),
            files: BTreeMap::new(),
        })
    }

    /// Whether each sample is an outlier: its score is above the threshold, or it was set aside.
    pub fn outliers(&self) -> impl Iterator<Item = bool> + '_ {
        outliers(&self.samples.score, &self.set_aside, self.threshold)
    }
}

fn threshold() -> f64 {
    THRESHOLD
}

/// An extra result with its name, where it goes into the record.
fn noted<T: Real>(extra: &Extra<T>) -> Option<(String, Value<f64>)> {
    let value = match &extra.value {
        Value::Number(number) => Value::Number(*number),
        Value::Indices(indices) => Value::Indices(indices.clone()),
        Value::Vector(vector) => Value::Vector(vector.clone()),
        Value::Matrix(_) => return None,
    };
    Some((extra.name.to_string(), value))
}

/// Writes a record as JSON, as a whole or not at all.
pub fn write_record(path: &Path, record: &Record) -> Result<(), Error> {
    let text = record_to(record).map_err(|problem| problem.of(path.display().to_string()))?;
    write_atomically(path, |out| out.write_all(text.as_bytes()))
}

/// The text of a record.
pub(crate) fn record_to(record: &Record) -> Result<String, Problem> {
    json::to_text(record).map(|text| text + "\n")
}

/// The files that a record says belong to its fit, with their hashes; none where there is no record that says so.
pub(crate) fn files_of(record: &Path) -> BTreeMap<String, String> {
    #[derive(Deserialize)]
    struct Files {
        files: BTreeMap<String, String>,
    }
    let known = fs::read(record).ok().and_then(|bytes| serde_json::from_slice::<Files>(&bytes).ok());
    let mut files = known.map(|known| known.files).unwrap_or_default();
    // A record never reaches out of its folder.
    files.retain(|name, _| Path::new(name).file_name().is_some_and(|last| last == name.as_str()));
    files
}

/// Reads a record, and [checks](Record::check) it.
pub fn read_record(path: &Path) -> Result<Record, Error> {
    settle(&folder_of(path))?;
    let (bytes, name) = load(path, &Budget::default())?;
    record_from(&bytes).map_err(|problem| problem.of(name))
}

fn record_from(bytes: &[u8]) -> Result<Record, Problem> {
    let version: Version = serde_json::from_slice(bytes).map_err(|error| damaged(None, &error))?;
    if version.version != RECORD_VERSION {
        let what = format!("a record of version {}", version.version);
        return Err(Problem::unsupported(what, "use the program that wrote it, or a newer one"));
    }
    let bytes = json::without_threads(bytes, "/spec");
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let record: Record = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| damaged(Some(error.path().to_string()), error.inner()))?;
    json.end().map_err(|error| damaged(None, &error))?;
    record.check().map_err(|check::Inconsistent { place, why }| Problem::malformed(place, why))?;
    Ok(record)
}

/// What is wrong with the JSON, and in which field.
fn damaged(field: Option<String>, error: &serde_json::Error) -> Problem {
    let place = format!("line {}, column {}", error.line(), error.column());
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or_default();
    Problem::malformed(
        place,
        match field {
            // JSON has no other way to write a number that is not finite.
            Some(field) if why.starts_with("invalid type: null") => {
                format!("{field} is null, but a finite number or another value is needed")
            }
            Some(field) if field != "." => format!("{field}: {why}"),
            _ => why.into(),
        },
    )
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// One line a sample: row, label, residual, weight, score, whether it is an outlier (yes or no), why, its node, score and
/// reason on every layer, where there are several, and its name and the beginning of its text, where it has them, as CSV.
pub(crate) fn samples_to(out: &mut dyn Write, record: &Record) -> io::Result<()> {
    let samples = &record.samples;
    let texts = [("name", &samples.name), ("text", &samples.text)];
    let texts: Vec<_> = texts.into_iter().filter_map(|(name, texts)| Some((name, texts.as_ref()?))).collect();
    write!(out, "row,label,residual,weight,score,outlier,reason")?;
    (1..=samples.layers.len())
        .try_for_each(|layer| write!(out, ",label{layer},score{layer},reason{layer}"))?;
    texts.iter().try_for_each(|(name, _)| write!(out, ",{name}"))?;
    writeln!(out)?;
    for (row, outlier) in record.outliers().enumerate() {
        let reason = samples.reason.get(row).filter(|_| outlier).map_or("", |reason| reason.name());
        let outlier = if outlier { "yes" } else { "no" };
        let (label, residual) = (samples.label[row], samples.residual[row]);
        let (weight, score) = (samples.weight[row], samples.score[row]);
        write!(out, "{row},{label},{residual},{weight},{score},{outlier},{reason}")?;
        for on in &samples.layers {
            let is_odd = on.scores[row] > record.threshold;
            let reason = on.reasons.get(row).filter(|_| is_odd).map_or("", |reason| reason.name());
            write!(out, ",{},{},{reason}", on.labels[row], on.scores[row])?;
        }
        for (_, texts) in &texts {
            write!(out, ",{}", field(&texts[row]))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
