//! What the script of the page reads: the records, thinned where they are long, numbers as packed bytes.

use std::collections::{BTreeMap, BTreeSet};

use emmf::metrics::Clustering;
use emmf::model::{Consensus, STABLE, Seconds};
use emmf::outliers::{Doubt, Reason};
use emmf::{Choice, Spec};
use emmf_io::{DataInfo, GridInfo, Record, Sketch, base64};
use serde::Serialize;

use super::matching::{Matched, matched};
use super::tree::TreeData;
use crate::Summary;

/// Most points of a trace.
const MOST_STEPS: usize = 1_000;
/// Most samples whose numbers are on the page.
const MOST_SAMPLES: usize = 200_000;
/// Of these, those with the highest scores.
const WORST: usize = 2_000;
/// Longer names are cut.
const MOST_CHARACTERS: usize = 120;
/// Bytes up to which all names are on the page; else those of the samples that are shown one by one.
const MOST_NAMES: usize = 4_000_000;

#[derive(Serialize)]
pub(super) struct PageData<'a> {
    emmf: &'static str,
    /// Why a sample is an outlier, in sentences; runs say which.
    reasons: [&'static str; Reason::PARTS.len()],
    runs: Vec<RunData<'a>>,
    pub(super) summary: Option<SummaryData>,
}

#[derive(Serialize)]
struct RunData<'a> {
    name: String,
    data: &'a DataInfo,
    spec: &'a Spec,
    emmf: &'a str,
    iterations: usize,
    stop: String,
    /// Whether it was ended before its own end.
    early: bool,
    objective: f64,
    initial: f64,
    restart: usize,
    consensus: Option<ConsensusData<'a>>,
    trace: Trace,
    seconds: &'a Seconds,
    clustering: &'a Option<Clustering>,
    threshold: f64,
    set_aside: &'a [usize],
    rows: Option<Vec<usize>>,
    residual: String,
    score: String,
    weight: String,
    label: String,
    truth: Option<String>,
    classes: Vec<String>,
    names: Names,
    texts: BTreeMap<usize, &'a str>,
    /// The number of the reason of every sample, a byte each.
    reason: Option<String>,
    groups: &'a [Vec<usize>],
    doubt: Option<&'static str>,
    unassigned: &'a [usize],
    notes: &'a [String],
    grid: &'a Option<GridInfo>,
    #[serde(flatten)]
    matched: Matched,
    choice: &'a Option<Choice>,
    sketch: &'a Option<Sketch>,
    tree: Option<TreeData>,
    command: &'a Option<String>,
    extras: serde_json::Value,
}

/// What the restarts agree on.
#[derive(Serialize)]
struct ConsensusData<'a> {
    stability: &'a [f64],
    /// Below this a component is not stable.
    stable: f64,
    restarts: usize,
    set_aside: Vec<usize>,
}

impl<'a> ConsensusData<'a> {
    fn new(found: &'a Consensus) -> Self {
        let (restarts, set_aside) = (found.weights.len(), found.set_aside());
        Self { stability: &found.stability, stable: STABLE, restarts, set_aside }
    }
}

/// What samples are called.
#[derive(Serialize)]
#[serde(untagged)]
enum Names {
    /// All whose numbers are on the page, in their order.
    All(Vec<String>),
    /// Some, by their rows.
    Some(BTreeMap<usize, String>),
}

#[derive(Serialize)]
struct Trace {
    step: Vec<usize>,
    value: Vec<f64>,
}

#[derive(Serialize)]
pub(super) struct SummaryData {
    data_sets: usize,
    text: &'static str,
    head: [&'static str; 6],
    rows: Vec<[String; 6]>,
}

impl<'a> PageData<'a> {
    pub(super) fn new(records: &[&'a Record]) -> Self {
        let runs = records.iter().zip(names(records)).zip(matched(records));
        let runs = runs.map(|((record, name), matched)| RunData::new(record, name, matched)).collect();
        let reasons = Reason::PARTS.map(Reason::told);
        Self { emmf: env!("CARGO_PKG_VERSION"), reasons, runs, summary: None }
    }
}

impl<'a> RunData<'a> {
    fn new(record: &'a Record, name: String, matched: Matched) -> Self {
        let samples = &record.samples;
        let rows = thinned(record);
        let shown: Vec<usize> = rows.clone().unwrap_or_else(|| (0..samples.label.len()).collect());
        let classes = classes(record);
        let class = |i: &usize| {
            samples.truth.as_ref().and_then(|truth| classes.binary_search(&truth[*i].as_str()).ok())
        };
        let truth: Option<Vec<usize>> =
            (!classes.is_empty()).then(|| shown.iter().filter_map(class).collect());
        Self {
            name,
            data: &record.data,
            spec: &record.spec,
            emmf: &record.emmf,
            iterations: record.iterations,
            stop: record.stop.to_string(),
            early: record.stop.is_early(),
            objective: record.objective,
            initial: record.initial,
            restart: record.restart,
            consensus: record.consensus.as_ref().map(ConsensusData::new),
            trace: trace(&record.trace),
            seconds: &record.seconds,
            clustering: &record.clustering,
            threshold: record.threshold,
            set_aside: &record.set_aside,
            residual: floats(&samples.residual, &shown),
            score: floats(&samples.score, &shown),
            weight: floats(&samples.weight, &shown),
            label: indices(shown.iter().map(|&i| samples.label[i])),
            truth: truth.map(|truth| indices(truth.into_iter())),
            classes: classes.iter().map(|class| cut(class)).collect(),
            names: sample_names(record, &shown),
            texts: texts(record),
            reason: (!samples.reason.is_empty()).then(|| reasons(&samples.reason, &shown)),
            groups: &record.groups,
            doubt: record.doubt.map(Doubt::told),
            unassigned: &record.unassigned,
            notes: &record.notes,
            grid: &record.grid,
            matched,
            tree: TreeData::new(record, &shown),
            rows,
            choice: &record.choice,
            sketch: &record.sketch,
            command: &record.command,
            extras: serde_json::to_value(&record.extras).unwrap_or_default(),
        }
    }
}

impl SummaryData {
    pub(super) fn new(summaries: &[Summary], data_sets: usize) -> Self {
        let row = |summary: &Summary| {
            [
                summary.method.clone(),
                format!("{:.3}", summary.accuracy),
                format!("{:.2}–{:.2}", summary.worst, summary.best),
                format!("{:.3}", summary.nmi),
                format!("{} of {}", summary.found, summary.outliers),
                format!("{:.3}", summary.seconds),
            ]
        };
        Self {
            data_sets,
            text: "Accuracy and NMI (divided by the geometric mean of the entropies) compare the clusters with \
                   the true classes of the good samples; they and the seconds are means. With m outliers, those \
                   among the m samples with the highest outlier scores count as found. The data were made so \
                   that the methods differ; on other data they may do equally well. Everything below is about \
                   the first data set.",
            head: ["method", "accuracy", "worst–best", "NMI", "outliers found", "seconds"],
            rows: summaries.iter().map(row).collect(),
        }
    }
}

/// The methods, and what else tells runs of the same method apart.
fn names(records: &[&Record]) -> Vec<String> {
    let tellers: [fn(&Record) -> String; 4] = [
        |record| record.spec.method.clone(),
        |record| record.data.name.clone(),
        |record| format!("k = {}", record.spec.k),
        |record| format!("seed {}", record.spec.seed),
    ];
    let differs =
        |teller: &fn(&Record) -> String| records.windows(2).any(|two| teller(two[0]) != teller(two[1]));
    let useful: Vec<_> =
        tellers.iter().enumerate().filter(|(at, teller)| *at == 0 || differs(teller)).collect();
    let name =
        |record: &&Record| useful.iter().map(|(_, teller)| teller(record)).collect::<Vec<_>>().join(", ");
    records.iter().map(name).map(|name| cut(&name)).collect()
}

/// Evenly spaced points, the last one among them.
fn trace(all: &[f64]) -> Trace {
    let count = all.len().min(MOST_STEPS);
    let step: Vec<usize> = (1..=count).map(|at| at * all.len() / count).collect();
    Trace { value: step.iter().map(|&step| all[step - 1]).collect(), step }
}

/// The samples whose numbers are on the page, where there are too many for all: the worst, those of the plane, and
/// others evenly spaced.
fn thinned(record: &Record) -> Option<Vec<usize>> {
    let n = record.samples.score.len();
    if n <= MOST_SAMPLES {
        return None;
    }
    let score = &record.samples.score;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| score[b].total_cmp(&score[a]));
    let mut rows: BTreeSet<usize> = order.into_iter().take(WORST).collect();
    rows.extend((0..MOST_SAMPLES).map(|at| at * n / MOST_SAMPLES));
    rows.extend(record.sketch.iter().filter_map(|sketch| sketch.plane.rows.as_ref()).flatten());
    Some(rows.into_iter().filter(|&row| row < n).collect())
}

/// The true classes in their order; none where there are more than can be told apart.
fn classes(record: &Record) -> Vec<&str> {
    let truth = record.samples.truth.iter().flatten().map(String::as_str);
    let classes: Vec<&str> = truth.collect::<BTreeSet<_>>().into_iter().collect();
    if classes.len() > usize::from(u16::MAX) { Vec::new() } else { classes }
}

/// The numbers of the reasons.
fn reasons(all: &[Reason], rows: &[usize]) -> String {
    let number = |reason: Reason| Reason::PARTS.iter().position(|part| *part == reason).unwrap_or(0) as u8;
    base64(&rows.iter().map(|&row| number(all[row])).collect::<Vec<u8>>())
}

/// The rows of the samples that the page shows one by one.
fn shown_singly(record: &Record) -> impl Iterator<Item = usize> + '_ {
    record.sketch.iter().flat_map(|sketch| {
        let points =
            (0..sketch.plane.x.len()).map(|at| sketch.plane.rows.as_ref().map_or(at, |rows| rows[at]));
        points.chain(sketch.outliers.iter().map(|outlier| outlier.row))
    })
}

fn sample_names(record: &Record, rows: &[usize]) -> Names {
    let Some(names) = &record.samples.name else { return Names::Some(BTreeMap::new()) };
    let all: Vec<String> = rows.iter().map(|&row| cut(&names[row])).collect();
    if all.iter().map(String::len).sum::<usize>() <= MOST_NAMES {
        return Names::All(all);
    }
    Names::Some(shown_singly(record).map(|row| (row, cut(&names[row]))).collect())
}

/// How the texts begin of the samples that the page shows one by one.
fn texts(record: &Record) -> BTreeMap<usize, &str> {
    let texts = record.samples.text.as_deref();
    texts
        .map(|texts| shown_singly(record).map(|row| (row, texts[row].as_str())).collect())
        .unwrap_or_default()
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS).collect()
}

/// Little-endian single precision; what it cannot hold becomes its largest number.
fn floats(column: &[f64], rows: &[usize]) -> String {
    let single = |value: f64| if value.is_nan() { 0.0 } else { value.clamp(-1e30, 1e30) as f32 };
    base64(&rows.iter().flat_map(|&row| single(column[row]).to_le_bytes()).collect::<Vec<u8>>())
}

/// Little-endian numbers of two bytes.
pub(super) fn indices(values: impl Iterator<Item = usize>) -> String {
    base64(
        &values
            .flat_map(|value| (value.min(usize::from(u16::MAX)) as u16).to_le_bytes())
            .collect::<Vec<u8>>(),
    )
}
