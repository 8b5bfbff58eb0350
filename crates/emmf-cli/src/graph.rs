//! The graph over the samples on the command line.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use emmf::{Graph, GraphKind, GraphSpec};
use emmf_io::{Budget, Matrix, ReadOptions};

use crate::args::heading;
use crate::values::{GraphWeightsName, StopByName, count};

#[derive(ClapArgs)]
#[command(next_help_heading = heading::GRAPH)]
pub(crate) struct GraphArgs {
    /// Graph over the samples that the clusters should follow
    ///
    /// auto, knn, adaptive, or a file with a symmetric sparse matrix (MTX, NPZ, MAT) or a list of edges (CSV: two samples,
    /// from 0, and a weight) [default: auto with a method that needs a graph, otherwise none].
    #[arg(long, value_name = "auto|knn|adaptive|FILE", hide_short_help = true)]
    pub(crate) graph: Option<String>,
    /// Number of nearest neighbours each sample is linked to [default: 5]
    #[arg(long, visible_alias = "neighbors", value_name = "N", value_parser = count, allow_negative_numbers = true, hide_short_help = true)]
    pub(crate) neighbours: Option<usize>,
    /// Weights of the edges between nearest neighbours [default: binary]
    #[arg(long, value_name = "KIND", value_enum, hide_short_help = true)]
    pub(crate) graph_weights: Option<GraphWeightsName>,
    /// Whether some neighbours may be missed for speed [default: true from 300000 samples]
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set, hide_short_help = true)]
    pub(crate) approximate: Option<bool>,
    /// Weight λ of the graph, the same as --param lambda=L [default: chosen from the data]
    #[arg(long, value_name = "L", allow_negative_numbers = true, hide_short_help = true)]
    pub(crate) lambda: Option<f64>,
    /// What --tol is compared with: the change of the objective or of the coefficients
    ///
    /// [default: coefficients with a graph, otherwise objective]
    #[arg(long, value_name = "WHAT", value_enum, hide_short_help = true)]
    pub(crate) stop_by: Option<StopByName>,
}

impl GraphArgs {
    /// Whether anything is said about a graph.
    pub(crate) fn is_asked(&self) -> bool {
        self.graph.is_some()
            || self.neighbours.is_some()
            || self.graph_weights.is_some()
            || self.approximate.is_some()
    }

    /// The graph of a fit; `needed` where the method has one whatever the user says, `published` where it is to be the paper's.
    pub(crate) fn spec(&self, needed: bool, published: bool) -> Result<Option<GraphSpec>> {
        let kind = match self.graph.as_deref() {
            Some("auto") => GraphKind::Auto,
            Some("knn") => GraphKind::Knn,
            Some("adaptive") => GraphKind::Adaptive,
            Some(_) => GraphKind::Given,
            None if needed && published => GraphKind::Knn,
            None if needed => GraphKind::Auto,
            None => {
                let asked = [
                    ("--neighbours", self.neighbours.is_some()),
                    ("--graph-weights", self.graph_weights.is_some()),
                    ("--approximate", self.approximate.is_some()),
                ];
                if let Some((option, _)) = asked.iter().find(|(_, asked)| *asked) {
                    bail!("{option} needs a graph, but there is none; add --graph knn");
                }
                return Ok(None);
            }
        };
        let default = GraphSpec::default();
        Ok(Some(GraphSpec {
            kind,
            neighbours: self.neighbours.unwrap_or(default.neighbours),
            weighting: self.graph_weights.map_or(default.weighting, Into::into),
            approximate: self.approximate,
            ..default
        }))
    }

    /// The graph of the file that was named, for so many samples.
    pub(crate) fn read(&self, samples: usize, budget: &Budget) -> Result<Option<Graph>> {
        match self.graph.as_deref() {
            None | Some("auto" | "knn" | "adaptive") => Ok(None),
            Some(file) => read(Path::new(file), samples, budget).map(Some),
        }
    }
}

fn read(path: &Path, samples: usize, budget: &Budget) -> Result<Graph> {
    if !path.exists() {
        bail!("--graph is {}, which is neither knn nor adaptive nor a file", path.display());
    }
    let file = || path.display().to_string();
    let whole = |node: f64| {
        let is_whole = node >= 0.0 && node.fract() == 0.0 && node < samples as f64;
        if is_whole { Ok(node as usize) } else { bail!("{node} is not a sample from 0 to {}", samples - 1) }
    };
    // Edges may begin with samples that count 0, 1, 2: these are no names.
    let columns = vec!["*".to_owned()];
    let options = ReadOptions { columns, budget: budget.clone(), ..ReadOptions::default() };
    match emmf_io::read(path, &options)?.x.into_f64() {
        Matrix::Sparse(w) => Graph::from_csr(w.view()).with_context(file),
        Matrix::Dense(w) if w.shape() == (samples, samples) => {
            let edges = (0..w.rows()).flat_map(|i| (0..w.cols()).map(move |j| (i, j)));
            let entries = edges.map(|(i, j)| (i, j, w[(i, j)])).filter(|edge| edge.2 != 0.0);
            Graph::from_edges(w.rows(), entries).with_context(file)
        }
        Matrix::Dense(edges) if edges.cols() == 2 || edges.cols() == 3 => {
            let edge = |row: usize| {
                let edge = edges.row(row);
                let weight = edge.get(2).copied().unwrap_or(1.0);
                let named = || format!("{}: edge {row} (from 0)", file());
                Ok((whole(edge[0]).with_context(named)?, whole(edge[1]).with_context(named)?, weight))
            };
            let edges = (0..edges.rows()).map(edge).collect::<Result<Vec<_>>>()?;
            Graph::from_edges(samples, edges).with_context(file)
        }
        Matrix::Dense(other) => bail!(
            "{}: is {}x{}; a graph is a square matrix, or a list of edges with two or three columns",
            file(),
            other.rows(),
            other.cols()
        ),
    }
}
