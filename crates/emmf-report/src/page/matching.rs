//! Which clusters of several runs of the same data belong together, so that they have the same colour.

use emmf::metrics::Contingency;
use emmf_io::Record;
use serde::Serialize;

/// More clusters than this cannot be told apart by colours anyway.
const MOST_CLUSTERS: usize = 1_000;

/// A run among the others.
#[derive(Serialize)]
pub(super) struct Matched {
    /// The first run of the same data: what is selected in one of them is selected in all.
    link: usize,
    /// The colour of every cluster, where it is not its number.
    colours: Option<Vec<usize>>,
    /// Colours of all runs of the same data.
    palette: usize,
    /// The share of the samples in clusters that are matched with those of the first run.
    agreement: Option<f64>,
}

/// Every run, its clusters matched one to one with those of the first run of the same data so that most samples are in clusters that
/// belong together. A cluster that is left over has a colour of its own.
pub(super) fn matched(records: &[&Record]) -> Vec<Matched> {
    let same =
        |a: &Record, b: &Record| (&a.data.name, a.data.n, a.data.d) == (&b.data.name, b.data.n, b.data.d);
    let link = |record: &&Record| records.iter().position(|first| same(first, record)).unwrap_or(0);
    let mut runs: Vec<Matched> =
        records.iter().map(|record| one(records[link(record)], record, link(record))).collect();
    for link in 0..runs.len() {
        let colours = |run: &Matched| if run.link == link { run.palette } else { 0 };
        let palette = runs.iter().map(colours).max().unwrap_or(0);
        runs.iter_mut().filter(|run| run.link == link).for_each(|run| run.palette = palette);
    }
    runs
}

fn one(first: &Record, record: &Record, link: usize) -> Matched {
    let (theirs, own) = (first.spec.label_count(), record.spec.label_count());
    let alone = Matched { link, colours: None, palette: own, agreement: None };
    if std::ptr::eq(first, record) || theirs.max(own) > MOST_CLUSTERS {
        return alone;
    }
    let Ok(table) = Contingency::new(&first.samples.label, &record.samples.label) else { return alone };
    let (their_labels, own_labels) = (distinct(&first.samples.label), distinct(&record.samples.label));
    let mut colours: Vec<Option<usize>> = vec![None; own];
    for (cluster, class) in table.matching().into_iter().enumerate() {
        colours[own_labels[cluster]] = class.map(|class| their_labels[class]);
    }
    let mut free = theirs..;
    let colours: Vec<usize> =
        colours.into_iter().filter_map(|colour| colour.or_else(|| free.next())).collect();
    let palette = colours.iter().max().map_or(theirs, |last| theirs.max(last + 1));
    Matched { link, colours: Some(colours), palette, agreement: Some(table.accuracy()) }
}

/// The labels that occur, ascending.
fn distinct(labels: &[usize]) -> Vec<usize> {
    let mut labels = labels.to_vec();
    labels.sort_unstable();
    labels.dedup();
    labels
}
