//! Whether a record goes together: every list as long as it must be, every index inside, every number finite.
//!
//! A record is a file that one passes on. Pages and figures rely on what is checked here, and check nothing themselves.

use std::fmt::Display;

use emmf::method::Value;
use emmf::spec::MOST_LAYERS;

use super::{Record, SampleColumns, tree};

/// A part of a record that contradicts the rest of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct Inconsistent {
    /// The field.
    pub place: String,
    /// What is wrong with it.
    pub why: String,
}

pub(crate) type Checked = Result<(), Inconsistent>;

pub(crate) fn wrong<T>(place: impl Into<String>, why: impl Into<String>) -> Result<T, Inconsistent> {
    Err(Inconsistent { place: place.into(), why: why.into() })
}

/// As many entries as there are of something else.
pub(crate) fn length(place: &str, entries: usize, (count, of): (usize, &str)) -> Checked {
    if entries == count {
        return Ok(());
    }
    wrong(place, format!("it has {entries} entries, but there are {count} {of}"))
}

/// Every index counts something that there is.
pub(crate) fn below(place: &str, indices: &[usize], (count, of): (usize, &str)) -> Checked {
    match indices.iter().position(|index| *index >= count) {
        None => Ok(()),
        Some(at) => {
            wrong(format!("{place}[{at}]"), format!("it is {}, but there are {count} {of}", indices[at]))
        }
    }
}

/// Every index is above the one before it.
pub(crate) fn rising(place: &str, indices: &[usize]) -> Checked {
    match indices.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(()),
        Some(at) => wrong(format!("{place}[{}]", at + 1), "it is not above the one before it"),
    }
}

/// Every number is one.
pub(crate) fn finite<T: Copy + Display + Into<f64>>(place: &str, numbers: &[T]) -> Checked {
    match numbers.iter().position(|number| !(*number).into().is_finite()) {
        None => Ok(()),
        Some(at) => {
            let place = if numbers.len() == 1 { place.to_owned() } else { format!("{place}[{at}]") };
            wrong(place, format!("it is {}, which is not finite", numbers[at]))
        }
    }
}

impl Record {
    /// Checks that everything in it goes together, so that whoever shows it need not.
    pub fn check(&self) -> Result<(), Inconsistent> {
        let (n, k) = (self.data.n, self.spec.k);
        self.samples.check(n)?;
        if k == 0 || k > n {
            return wrong("spec.k", format!("it is {k}, but must be from 1 to {n}, the number of samples"));
        }
        let clusters = self.spec.label_count();
        if clusters == 0 || clusters > n {
            let what = format!("it is {clusters}, but must be from 1 to {n}, the number of samples");
            return wrong("spec.clusters", what);
        }
        below("samples.label", &self.samples.label, (clusters, "clusters"))?;
        below("set_aside", &self.set_aside, (n, "samples"))?;
        rising("set_aside", &self.set_aside)?;
        below("unassigned", &self.unassigned, (n, "samples"))?;
        rising("unassigned", &self.unassigned)?;
        for group in &self.groups {
            below("groups", group, (n, "samples"))?;
            rising("groups", group)?;
        }
        finite("objective", &[self.objective])?;
        finite("initial", &[self.initial])?;
        finite("threshold", &[self.threshold])?;
        finite("trace", &self.trace)?;
        length("trace", self.trace.len(), (self.iterations, "iterations"))?;
        self.check_consensus()?;
        self.check_choices()?;
        for (name, value) in &self.extras {
            match value {
                Value::Number(number) => finite(&format!("extras.{name}"), &[*number])?,
                Value::Vector(numbers) => finite(&format!("extras.{name}"), numbers)?,
                Value::Indices(_) | Value::Matrix(_) => {}
            }
        }
        self.check_layers()?;
        self.sketch.as_ref().map_or(Ok(()), |sketch| sketch.check(n, (k, clusters)))
    }

    /// Widths fall, nodes are those of the layers, and samples those that there are.
    fn check_layers(&self) -> Checked {
        let (n, widths) = (self.data.n, self.spec.widths());
        if widths.len() > MOST_LAYERS {
            return wrong(
                "spec.above",
                format!("there are {} layers; at most {MOST_LAYERS} are possible", widths.len()),
            );
        }
        if let Some([wide, narrow, ..]) = widths.windows(2).find(|pair| pair[0] <= pair[1]) {
            return wrong(
                "spec.above",
                format!("{narrow} is not below {wide}, the width of the layer below"),
            );
        }
        let layers = &self.samples.layers;
        if !layers.is_empty() {
            length("samples.layers", layers.len(), (widths.len(), "layers"))?;
        }
        for (on, &width) in layers.iter().zip(&widths) {
            length("samples.layers.labels", on.labels.len(), (n, "samples"))?;
            below("samples.layers.labels", &on.labels, (width, "nodes"))?;
            if !on.reasons.is_empty() {
                length("samples.layers.reasons", on.reasons.len(), (n, "samples"))?;
            }
            for (name, column) in [("residuals", &on.residuals), ("scores", &on.scores)] {
                length(&format!("samples.layers.{name}"), column.len(), (n, "samples"))?;
                finite(&format!("samples.layers.{name}"), column)?;
            }
        }
        let Some(tree) = &self.tree else { return Ok(()) };
        length("samples.layers", layers.len(), (tree.layers, "layers of the tree"))?;
        tree::check(tree, &widths, n)
    }

    /// A stability for each component, a distance and a weight for each restart.
    fn check_consensus(&self) -> Checked {
        let Some(consensus) = &self.consensus else { return Ok(()) };
        let restarts = (self.spec.restarts, "restarts");
        let lists = [
            ("consensus.stability", &consensus.stability, (self.spec.k, "components")),
            ("consensus.distances", &consensus.distances, restarts),
            ("consensus.weights", &consensus.weights, restarts),
        ];
        for (place, numbers, of) in lists {
            length(place, numbers.len(), of)?;
            finite(place, numbers)?;
        }
        Ok(())
    }

    /// How parameters and the number of clusters were chosen.
    fn check_choices(&self) -> Checked {
        for point in self.grid.iter().flat_map(|grid| &grid.points) {
            finite("grid.points", &[point.value, point.score, point.objective])?;
        }
        let Some(choice) = &self.choice else { return Ok(()) };
        let numbers = (choice.ks.len(), "numbers of clusters");
        length("choice.stability", choice.stability.len(), numbers)?;
        length("choice.spread", choice.spread.len(), numbers)?;
        finite("choice.stability", &choice.stability)?;
        finite("choice.spread", &choice.spread)
    }
}

impl SampleColumns {
    fn check(&self, n: usize) -> Checked {
        let samples = (n, "samples");
        length("samples.label", self.label.len(), samples)?;
        let columns = [("residual", &self.residual), ("weight", &self.weight), ("score", &self.score)];
        for (name, column) in columns {
            length(&format!("samples.{name}"), column.len(), samples)?;
            finite(&format!("samples.{name}"), column)?;
        }
        if !self.reason.is_empty() {
            length("samples.reason", self.reason.len(), samples)?;
        }
        for (name, column) in [("truth", &self.truth), ("name", &self.name), ("text", &self.text)] {
            let entries = column.as_ref().map_or(n, Vec::len);
            length(&format!("samples.{name}"), entries, samples)?;
        }
        Ok(())
    }
}
