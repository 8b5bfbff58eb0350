//! What `emmf fit` prints about a fit.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use comfy_table::Table;
use emmf::Stop;
use emmf::method::Value;
use emmf::model::{Consensus, NodeTree, STABLE};
use emmf_io::{OUTLIER, Record};

use crate::output;

/// The fit as one JSON object.
pub(crate) fn print_json(record: &Record) -> Result<()> {
    let mut object = serde_json::json!({
        "method": record.spec.method,
        "solver": record.spec.solver,
        "init": record.spec.init,
        "normalize": record.spec.normalize,
        "dtype": record.data.dtype,
        "n": record.data.n,
        "d": record.data.d,
        "k": record.spec.k,
        "layers": record.spec.widths(),
        "seed": record.spec.seed,
        "restart": record.restart,
        "iterations": record.iterations,
        "stop": record.stop,
        "objective": record.objective,
        "outliers": record.outliers().filter(|outlier| *outlier).count(),
        "threshold": record.threshold,
        "set_aside": record.set_aside.len(),
        "seconds": record.seconds.total,
        "clusters": sizes(record),
        "unassigned": record.unassigned.len(),
    });
    if let (Some(clustering), Some(object)) = (record.clustering, object.as_object_mut()) {
        object.insert("acc".into(), clustering.accuracy.into());
        object.insert("nmi".into(), clustering.nmi.into());
        object.insert("ari".into(), clustering.ari.into());
        object.insert("purity".into(), clustering.purity.into());
    }
    if let (Some(consensus), Some(object)) = (&record.consensus, object.as_object_mut()) {
        object.insert("consensus".into(), told(consensus)?);
    }
    if let (Some(grid), Some(object)) = (&record.grid, object.as_object_mut()) {
        object.insert("grid".into(), serde_json::to_value(grid)?);
    }
    if let (Some(choice), Some(object)) = (&record.choice, object.as_object_mut()) {
        object.insert("choice".into(), serde_json::to_value(choice)?);
    }
    if let (false, Some(object)) = (record.extras.is_empty(), object.as_object_mut()) {
        object.insert("extras".into(), serde_json::to_value(&record.extras)?);
    }
    writeln!(std::io::stdout().lock(), "{object}")?;
    Ok(())
}

/// The fit as a table for people.
pub(crate) fn print(record: &Record, out: Option<&Path>, page: Option<&Path>) -> Result<()> {
    let mut shown = Table::new();
    shown.load_style(comfy_table::presets::NOTHING);
    shown.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    output::fill(&mut shown);
    let (data, spec) = (&record.data, &record.spec);
    let storage = if data.sparse { "sparse" } else { "dense" };
    shown.add_row(["data", &format!("{}: {}×{} {storage} {}", data.name, data.n, data.d, data.dtype)]);
    if let Some(words) = record.notes.iter().find(|note| note.contains("words count")) {
        shown.add_row(["words", words]);
    }
    let wide = if spec.is_deep() { format!("layers {}", widths(record)) } else { format!("k = {}", spec.k) };
    shown.add_row(["method", &format!("{}, {wide}, seed {}", spec.method, spec.seed)]);
    if let Some(tree) = &record.tree {
        shown.add_row(["tree", &nodes(tree)]);
    }
    if let Some(choice) = &record.choice {
        shown.add_row(["number of clusters", &choice.to_string()]);
    }
    if let Some(graph) = followed(record) {
        shown.add_row(["graph", &graph]);
    }
    let seconds = record.seconds.total;
    shown.add_row(["iterations", &format!("{}{}, {seconds:.2} s", record.iterations, ended(record))]);
    let (now, before) = (short(record.objective), short(record.initial));
    shown.add_row(["objective", &format!("{now}, {before} at the start")]);
    if let Some(consensus) = &record.consensus {
        shown.add_row(["consensus", &agreement(consensus)]);
    }
    if let Some(grid) = &record.grid {
        let point = |point: &emmf_io::GridPoint| format!("{:e}: {:.3}", point.value, point.score);
        let points: Vec<_> = grid.points.iter().map(point).collect();
        let by = if grid.by == "accuracy" { "accuracy, WITH THE TRUE CLASSES" } else { &grid.by };
        let text = format!("{} = {:e} by {by} ({})", grid.name, grid.chosen, points.join(", "));
        shown.add_row(["chosen from the grid", &text]);
    }
    shown.add_row(["cluster sizes", &cluster_sizes(record)]);
    shown.add_row(["outliers", &outliers(record)]);
    shown.add_row(["highest scores", &worst_samples(record)]);
    if !record.unassigned.is_empty() {
        shown.add_row(["in no cluster", &unassigned(record)]);
    }
    if let Some(c) = record.clustering {
        let values =
            format!("acc {:.3}, nmi {:.3}, ari {:.3}, purity {:.3}", c.accuracy, c.nmi, c.ari, c.purity);
        let known = record.samples.truth.iter().flatten();
        let left_out = known.filter(|class| *class == OUTLIER).count();
        let without = if left_out == 0 {
            String::new()
        } else {
            format!(" (without {left_out} of the class {OUTLIER})")
        };
        shown.add_row(["against the labels", &(values + &without)]);
    }
    if let Some(out) = out {
        shown.add_row(["written to", &out.display().to_string()]);
    }
    if let Some(page) = page {
        shown.add_row(["page", &page.display().to_string()]);
    }
    output::print(&shown)
}

/// What the restarts agree on, with the names of what they do not agree on.
fn told(consensus: &Consensus) -> Result<serde_json::Value> {
    let mut told = serde_json::to_value(consensus)?;
    if let Some(object) = told.as_object_mut() {
        object.insert("unstable".into(), consensus.unstable().into());
        object.insert("set_aside".into(), consensus.set_aside().into());
    }
    Ok(told)
}

/// How stable the components are, which are not, and which restarts do not count.
fn agreement(consensus: &Consensus) -> String {
    let numbers = |numbers: Vec<usize>| listed(&numbers.iter().map(ToString::to_string).collect::<Vec<_>>());
    let restarts = consensus.weights.len();
    let (mean, least) = (
        consensus.stability.iter().sum::<f64>() / consensus.stability.len().max(1) as f64,
        consensus.stability.iter().copied().fold(1.0, f64::min),
    );
    let mut said = vec![format!("{restarts} restarts, mean stability {mean:.3}, least {least:.3}")];
    let (unstable, aside) = (consensus.unstable(), consensus.set_aside());
    if !unstable.is_empty() {
        said.push(format!("unstable (below {STABLE}): {}", numbers(unstable)));
    }
    if !aside.is_empty() {
        said.push(format!("restarts set aside: {}", numbers(aside)));
    }
    said.join("; ")
}

/// The widths of the layers.
fn widths(record: &Record) -> String {
    record.spec.widths().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// How many nodes of every layer have samples, how sure their parents are, and which have none.
fn nodes(tree: &NodeTree) -> String {
    let of = |layer: usize| tree.nodes.iter().filter(move |node| node.layer == layer);
    let counts: Vec<String> = (1..=tree.layers).map(|layer| of(layer).count().to_string()).collect();
    let sure: Vec<f64> = tree.nodes.iter().filter_map(|node| node.certainty).collect();
    let mean = sure.iter().sum::<f64>() / sure.len().max(1) as f64;
    let empty: Vec<String> = tree.empty.iter().map(|(layer, node)| format!("L{layer}.{node}")).collect();
    let without = match &empty[..] {
        [] => String::new(),
        _ => format!("; left out, as they have no samples: {}", listed(&empty)),
    };
    format!("{} nodes, mean certainty {mean:.2}{without}", counts.join(", "))
}

/// Some names, and how many more there are.
fn listed(names: &[String]) -> String {
    let more = if names.len() > 5 { format!(" and {} more", names.len() - 5) } else { String::new() };
    names[..names.len().min(5)].join(", ") + &more
}

/// Why the iterations ended, unless it is that there were to be so many.
fn ended(record: &Record) -> String {
    let all = record.stop == Stop::MaxIter && record.spec.tol.unwrap_or_default() == 0.0;
    if all { String::new() } else { format!(" ({})", record.stop) }
}

/// The graph that the clusters follow, where it was chosen.
fn followed(record: &Record) -> Option<String> {
    let number = |name: &str| match record.extras.get(name)? {
        Value::Number(value) => Some(*value),
        _ => None,
    };
    let (width, modularity) = (number("graph-centroids")?, number("graph-modularity")?);
    let neighbours = record.spec.graph.unwrap_or_default().neighbours;
    let of = if width > 0.0 { format!("by {width} centroids") } else { "by direction".into() };
    Some(format!("{neighbours} nearest neighbours {of}, modularity {modularity:.3}"))
}

/// How many samples each cluster has.
fn sizes(record: &Record) -> Vec<usize> {
    let mut sizes = vec![0; record.spec.label_count()];
    record.samples.label.iter().for_each(|&label| sizes[label] += 1);
    sizes
}

/// Clusters whose sizes are told one by one.
const MOST_SIZES: usize = 40;

fn cluster_sizes(record: &Record) -> String {
    let sizes = sizes(record);
    let shown: Vec<_> = sizes.iter().take(MOST_SIZES).map(ToString::to_string).collect();
    let more = if sizes.len() > MOST_SIZES {
        format!(" and {} more", sizes.len() - MOST_SIZES)
    } else {
        String::new()
    };
    shown.join(" ") + &more
}

/// A number with four digits.
fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !(1e-3..1e6).contains(&size) {
        return if size == 0.0 { "0".into() } else { format!("{value:.3e}") };
    }
    let decimals = (3.0 - size.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.decimals$}")
}

/// What a sample is called.
fn called(record: &Record, row: usize) -> String {
    if record.samples.name.is_some() { named(record, row) } else { format!("row {row}") }
}

/// The name of a sample, or its number.
fn named(record: &Record, row: usize) -> String {
    let name = record.samples.name.as_ref().and_then(|names| names.get(row));
    name.map_or_else(|| row.to_string(), |name| name.chars().take(24).collect())
}

/// Samples of which no centroid has a share.
fn unassigned(record: &Record) -> String {
    let rows: Vec<_> = record.unassigned.iter().take(5).map(|&row| called(record, row)).collect();
    let more = if record.unassigned.len() > rows.len() { ", …" } else { "" };
    let count = record.unassigned.len();
    format!("{count} of {}, which no centroid describes: {}{more}", record.data.n, rows.join(", "))
}

/// How many outliers there are, and how many of them the fit did not see.
fn outliers(record: &Record) -> String {
    let count = record.outliers().filter(|outlier| *outlier).count();
    let found =
        format!("{count} of {}: a score above {}", record.data.n, (1e3 * record.threshold).round() / 1e3);
    let mut said = vec![match record.set_aside.len() {
        0 => found,
        1 => {
            format!("{found}, or set aside before the start (one sample, which then took no part in the fit)")
        }
        aside => {
            format!(
                "{found}, or set aside before the start ({aside} samples, which then took no part in the fit)"
            )
        }
    }];
    said.extend(record.groups.iter().map(|group| alike(group, record)));
    said.extend(record.doubt.map(|doubt| doubt.told().into()));
    said.join("; ")
}

/// Outliers that are alike. As many as a quarter of what clusters have on average may be a cluster that was not asked for.
fn alike(group: &[usize], record: &Record) -> String {
    let rows: Vec<_> = group.iter().take(3).map(|&row| named(record, row)).collect();
    let rows = match record.samples.name {
        Some(_) => rows.join(", "),
        None => format!("rows {}", rows.join(", ")),
    };
    let more = if group.len() > 3 { ", …" } else { "" };
    let k = record.spec.label_count();
    let large = 4 * k * group.len() >= record.samples.score.len();
    let advice = if large && !record.spec.is_deep() {
        format!(": a cluster of their own? Try -k {}", k + 1)
    } else {
        String::new()
    };
    format!("{} of them are alike but unlike the rest ({rows}{more}){advice}", group.len())
}

/// The five outliers with the highest scores, or samples where there are fewer; those that were set aside are outliers.
fn worst_samples(record: &Record) -> String {
    let score = &record.samples.score;
    let outlier: Vec<bool> = record.outliers().collect();
    let mut order: Vec<usize> = (0..score.len()).collect();
    order.sort_by(|&a, &b| outlier[b].cmp(&outlier[a]).then(score[b].total_cmp(&score[a])));
    let why = |i: usize| record.samples.reason.get(i).filter(|_| outlier[i]);
    let one = |&i: &usize| {
        let why = why(i).map_or_else(String::new, |reason| format!(" {reason}"));
        let aside = if record.set_aside.binary_search(&i).is_ok() { ", set aside" } else { "" };
        format!("{}: {}{why}{aside}", called(record, i), short(score[i]))
    };
    let shown: Vec<_> = order.iter().take(5).map(one).collect();
    let rows = if record.samples.name.is_none() { " (rows from 0)" } else { "" };
    shown.join("; ") + rows
}
