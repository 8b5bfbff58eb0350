//! `--grid`: one fit for each value of a parameter, of which the best is kept.

use std::borrow::Cow;

use anyhow::{Result, anyhow, bail};
use emmf::metrics::{Clustering, modularity};
use emmf::{Fit, Real, Running, Samples, Spec};
use emmf_io::{GridInfo, GridPoint};

use crate::args::FitArgs;
use crate::complain;
use crate::interrupt;
use crate::values::GridByName;

/// The values that a parameter is to take.
#[derive(Clone)]
pub(crate) struct Grid {
    name: String,
    values: Vec<f64>,
}

impl Grid {
    /// `lambda=1e1,1e3,1e5`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (name, values) = text.split_once('=').ok_or("write it as NAME=VALUE,VALUE,…")?;
        let number = |value: &str| value.trim().parse().map_err(|_| format!("'{value}' is not a number"));
        let values = values.split(',').map(number).collect::<Result<Vec<f64>, String>>()?;
        Ok(Self { name: name.into(), values })
    }
}

/// Scores a fit: more is better.
enum Judge<'a> {
    /// Neighbours are to share clusters.
    Modularity(Cow<'a, emmf::Graph>),
    /// Agreement with the true classes.
    Accuracy(&'a [String]),
}

/// The graph by which clusters are judged: the one that was given, or the nearest neighbours of the samples.
fn graph<'a, T: Real>(
    (spec, threads): (&Spec, Option<usize>),
    x: Samples<'_, T>,
    given: Option<&'a emmf::Graph>,
) -> Result<Cow<'a, emmf::Graph>> {
    if let Some(graph) = given {
        return Ok(Cow::Borrowed(graph));
    }
    let spec = spec.clone().graph(spec.graph.unwrap_or_default());
    Ok(Cow::Owned(spec.graph_of(x, &Running::on(threads))?))
}

/// The best fit, and how it was found.
pub(crate) fn search<T: Real>(
    args: &FitArgs,
    (spec, grid): (&Spec, &Grid),
    (x, labels, given): (Samples<'_, T>, Option<&Vec<String>>, Option<&emmf::Graph>),
    mut fit: impl FnMut(&Spec) -> Result<Fit<T>>,
) -> Result<(Fit<T>, GridInfo)> {
    if spec.params.contains_key(&grid.name) {
        bail!("--grid tries values of {}, which is already given; leave one of them out", grid.name);
    }
    let judge = match (args.grid_by, labels) {
        (GridByName::Acc, Some(labels)) => Judge::Accuracy(labels),
        (GridByName::Acc, None) => bail!("--grid-by acc needs the true classes; name them with --labels"),
        (GridByName::Modularity, _) => Judge::Modularity(graph((spec, args.threads), x, given)?),
    };
    let mut points = Vec::new();
    let mut best: Option<(f64, f64, Fit<T>)> = None;
    for &value in &grid.values {
        if best.is_some() && interrupt::is_asked() {
            break;
        }
        let fitted = fit(&spec.clone().param(&grid.name, value))?;
        let score = match &judge {
            Judge::Modularity(graph) => modularity(graph, &fitted.labels)?,
            Judge::Accuracy(labels) => Clustering::compare(labels, &fitted.labels)?.accuracy,
        };
        points.push(GridPoint { value, score, objective: fitted.objective });
        if best.as_ref().is_none_or(|(_, highest, _)| score > *highest) {
            best = Some((value, score, fitted));
        }
    }
    let (chosen, _, fit) = best.ok_or_else(|| anyhow!("--grid has no values"))?;
    let by = match args.grid_by {
        GridByName::Acc => "accuracy",
        GridByName::Modularity => "modularity",
    };
    if matches!(judge, Judge::Accuracy(_)) {
        complain(&format!(
            "WARNING: {} = {chosen} was chosen by accuracy, using the true classes. Without them nobody \
             could make this choice or reach the scores of this fit.",
            grid.name
        ));
    }
    Ok((fit, GridInfo { name: grid.name.clone(), by: by.into(), chosen, points }))
}
