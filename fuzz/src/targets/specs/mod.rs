//! Random specs on nasty data: every method, start, solver and parameter, every storage and both types of numbers.

mod choice;
mod data;
mod descent;
mod promises;
mod storage;

use emmf::{Graph, Mat, Spec};

use crate::Random;
use crate::case::{Case, Verdict};
use data::Kind;
use storage::Storage;

/// A fit that somebody may ask for.
pub(super) struct Problem {
    spec: Spec,
    x: Mat<f64>,
    kind: Kind,
    storage: Storage,
    /// In single precision.
    single: bool,
    weights: Option<Vec<f64>>,
    graph: Option<Graph>,
    /// Start from given factors, all of this value.
    start: Option<f64>,
    /// What is looked at besides, as it takes longer.
    besides: Besides,
}

/// A second look at a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Besides {
    Nothing,
    /// Two threads give the same bits.
    Threads,
    /// Model and record come back from their files.
    Files,
    /// The record makes a page and figures.
    Pages,
    /// Sparse storage gives the same fit.
    Sparse,
}

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    let (kind, x) = data::matrix(random);
    let (n, d) = x.shape();
    let spec = choice::spec(random, (n, d));
    let besides = match random.below(32) {
        0..4 => Besides::Threads,
        4..8 => Besides::Files,
        8 => Besides::Pages,
        9..12 => Besides::Sparse,
        _ => Besides::Nothing,
    };
    Box::new(Problem {
        storage: random.pick(&storage::ALL),
        single: random.one_in(3),
        weights: random.one_in(8).then(|| choice::weights(random, n)),
        graph: (spec.graph.is_some() && random.one_in(4)).then(|| choice::graph(random, n)).flatten(),
        start: random.one_in(10).then(|| random.pick(&[1.0, 0.0, 1e-300, 1e-20, 1e20, 1e300])),
        spec,
        x,
        kind,
        besides,
    })
}

impl Case for Problem {
    fn check(&self) -> Verdict {
        if self.single { promises::check::<f32>(self) } else { promises::check::<f64>(self) }
    }

    fn show(&self) -> String {
        let Self { spec, x, kind, storage, single, weights, start, besides, .. } = self;
        let row = |i: usize| x.row(i).iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(",");
        let rows: Vec<_> = (0..x.rows()).map(row).collect();
        let given = format!("weights {weights:?}, start {start:?}, own graph {}", self.graph.is_some());
        format!(
            "{spec:?}\n{kind:?} {:?}, {storage:?}, {}, {given}, besides {besides:?}\n{}",
            x.shape(),
            if *single { "f32" } else { "f64" },
            rows.join("\n")
        )
    }

    /// The samples as a table of text.
    fn bytes(&self) -> Vec<u8> {
        let row = |i: usize| self.x.row(i).iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        (0..self.x.rows()).map(|i| row(i) + "\n").collect::<String>().into_bytes()
    }
}
