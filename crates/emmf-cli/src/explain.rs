//! `emmf explain`: one sample in terms of a model.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args as ClapArgs;
use comfy_table::Table;
use emmf::model::OnLayer;
use emmf::outliers::{Part, Reason, THRESHOLD};
use emmf::{Mat, Missing, Model, Real, Running, Samples};
use emmf_io::{AnyModel, Features, Misfit, Record, misfits};

use crate::args::InputArgs;
use crate::input;
use crate::look::{About, LookArgs};
use crate::matching::matched;
use crate::output::{model_file, print, table};
use crate::progress::Waiting;
use crate::values::{count, size};
use crate::wording::explained;

/// Residuals that differ by less than this share belong to the same sample.
const SAME: f64 = 1e-6;

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf explain result rays.csv --row 7\n  \
    emmf explain result cells.h5ad --name AAACCTG-1 --json")]
#[command(group = clap::ArgGroup::new("sample").required(true).args(["row", "name"]))]
pub(crate) struct ExplainArgs {
    /// Folder of a fit, or its model.safetensors
    #[arg(value_name = "RESULT")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// The sample, by its row, counted from 0
    #[arg(long, value_name = "I", value_parser = count, allow_negative_numbers = true)]
    pub(crate) row: Option<usize>,
    /// The sample, by its name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Memory limit for reading, such as 2GB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<u64>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

/// What the record of a fit knows about one of its samples.
struct Fitted {
    /// How much it pulled at the centroids.
    weight: f64,
    outlier: bool,
    set_aside: bool,
    /// The outliers that it is one of and that are alike.
    group: Option<Vec<usize>>,
}

/// A sample in terms of a model.
struct Explanation {
    row: usize,
    name: Option<String>,
    class: Option<String>,
    cluster: usize,
    residual: f64,
    score: f64,
    outlier: bool,
    reason: Reason,
    /// What every reason says, the largest part of the score first.
    parts: Vec<Part>,
    /// The sample on every layer, where there are several.
    layers: Vec<OnLayer>,
    /// Scores above this are those of outliers.
    threshold: f64,
    fitted: Option<Fitted>,
    coefficients: Vec<f64>,
    worst: Vec<Misfit>,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<()> {
    let file = model_file(&args.model);
    let (model, notes) = emmf_io::read_model_and_notes(&file)?;
    let missing = model.spec().missing;
    let reading = Waiting::new("reading the samples", false);
    let (x, mut about) =
        args.look.read(&args.input, (missing, &input::budget(args.max_memory)), Some(&notes))?;
    let order = matched((&mut about, x.shape().1), &args.input.data, (&model, &notes))?;
    let x = x.in_order(&order)?;
    drop(reading);
    let row = row(args, x.shape().0, about.names.as_deref())?;
    let sample = Sample { row, file: &file, data: &args.input.data };
    let found = match model {
        AnyModel::F32(model) => explain(sample, &model, x.into_f32().samples(), &about),
        AnyModel::F64(model) => explain(sample, &model, x.into_f64().samples(), &about),
    }?;
    if args.json { print_json(&found) } else { print_tables(&found, missing) }
}

/// The row of the sample that is asked for.
fn row(args: &ExplainArgs, samples: usize, names: Option<&[String]>) -> Result<usize> {
    let file = args.input.data.display();
    if let Some(row) = args.row {
        if row >= samples {
            bail!("--row is {row}, but {file} has the rows 0 to {}", samples - 1);
        }
        return Ok(row);
    }
    let wanted = args.name.as_deref().unwrap_or_default();
    let Some(names) = names else {
        bail!("{file}: its samples have no names; give --row, or name the column that holds them with --id");
    };
    names.iter().position(|name| name == wanted).ok_or_else(|| {
        let meant = emmf_io::nearest(wanted, names.iter().map(String::as_str));
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean '{name}'?"));
        anyhow!("{file}: there is no sample named '{wanted}'{meant}")
    })
}

/// Which sample, of which files.
#[derive(Clone, Copy)]
struct Sample<'a> {
    row: usize,
    file: &'a Path,
    data: &'a Path,
}

fn explain<T: Real>(
    sample: Sample<'_>,
    model: &Model<T>,
    x: Samples<'_, T>,
    about: &About,
) -> Result<Explanation> {
    let worded = |error: emmf::Error| explained(&error, sample.data);
    let row = x.row(sample.row).map_err(worded)?;
    let d = row.len();
    let given = Mat::from_vec(row, 1, d).map_err(worded)?;
    let coded = model.transform_with(&given, &Running::on(1)).map_err(worded)?;
    let mut parts = model.outlier_parts(&given, &Running::on(1)).map_err(worded)?.swap_remove(0);
    parts.sort_by(|a, b| b.part.total_cmp(&a.part).then(b.z.total_cmp(&a.z)));
    let prepared = model.prepare(&given).map_err(worded)?.cast::<f64>();
    let approximation = model.reconstruct(&coded.v).map_err(worded)?.cast::<f64>();
    let pixels = about.image.map(|shape| {
        let mut names = vec![String::new(); d];
        for down in 0..shape.height {
            for right in 0..shape.width {
                let parts = if shape.colour { [" red", " green", " blue"] } else { [""; 3] };
                let features = shape.pixel(down, right).zip(parts);
                features.for_each(|(at, part)| names[at] = format!("pixel {down},{right}{part}"));
            }
        }
        names
    });
    let names = about.columns.as_deref().or(pixels.as_deref());
    let of_row = |list: &Option<Vec<String>>| list.as_ref().and_then(|list| list.get(sample.row).cloned());
    let record = record_of(sample.file)?;
    let fitted = record.as_ref().and_then(|record| of_the_fit(record, sample.row, coded.residuals[0]));
    // Of other samples than those of the fit only the score is known.
    let threshold = record.map_or(THRESHOLD, |record| record.threshold);
    Ok(Explanation {
        row: sample.row,
        name: of_row(&about.names),
        class: of_row(&about.labels),
        cluster: coded.labels[0],
        residual: coded.residuals[0],
        score: coded.scores[0],
        outlier: fitted.as_ref().map_or(coded.scores[0] > threshold, |fitted| fitted.outlier),
        reason: coded.reasons[0],
        parts,
        layers: coded.layers,
        threshold,
        fitted,
        coefficients: coded.v.row(0).iter().map(|v| v.to_f64()).collect(),
        worst: misfits(prepared.as_slice(), approximation.as_slice(), Features { names, image: None }),
    })
}

/// The record of the fit, where it is beside the model.
fn record_of(model: &Path) -> Result<Option<Record>> {
    let path = model.with_file_name(emmf_io::RECORD_FILE);
    let Ok(record) = emmf_io::read_record(&path) else { return Ok(None) };
    emmf_io::check_same_fit(model, &record, &path)?;
    Ok(Some(record))
}

/// What the fit made of the sample, where it is one of those that the model was fitted to.
fn of_the_fit(record: &Record, row: usize, residual: f64) -> Option<Fitted> {
    let fitted = *record.samples.residual.get(row)?;
    let is_same = (fitted - residual).abs() <= SAME * fitted.abs().max(residual.abs());
    let (weight, outlier) = (*record.samples.weight.get(row)?, record.outliers().nth(row)?);
    let group = record.groups.iter().find(|group| group.binary_search(&row).is_ok()).cloned();
    is_same.then(|| Fitted { weight, outlier, set_aside: record.set_aside.contains(&row), group })
}

fn print_json(found: &Explanation) -> Result<()> {
    let object = serde_json::json!({
        "row": found.row,
        "name": found.name,
        "class": found.class,
        "label": found.cluster,
        "residual": found.residual,
        "score": found.score,
        "outlier": found.outlier,
        "reason": found.outlier.then(|| found.reason.name()),
        "parts": found.parts,
        "layers": found.layers.iter().map(|on| on_layer(on, found.threshold)).collect::<Vec<_>>(),
        "group": found.fitted.as_ref().and_then(|fitted| fitted.group.as_ref()),
        "weight": found.fitted.as_ref().map(|fitted| fitted.weight),
        "coefficients": found.coefficients,
        "worst": found.worst,
    });
    writeln!(std::io::stdout().lock(), "{object}")?;
    Ok(())
}

/// Node, residual, score and, of an outlier, the reason on a layer.
fn on_layer(on: &OnLayer, threshold: f64) -> serde_json::Value {
    let is_odd = on.scores[0] > threshold;
    serde_json::json!({
        "label": on.labels[0],
        "residual": on.residuals[0],
        "score": on.scores[0],
        "reason": is_odd.then(|| on.reasons[0].name()),
    })
}

/// The same as a table.
fn layers(layers: &[OnLayer], threshold: f64) -> Table {
    let mut found = table(["layer", "node", "residual", "score", "outlier"]);
    for (layer, on) in (1..).zip(layers) {
        let told = if on.scores[0] > threshold { on.reasons[0].told() } else { "no" };
        found.add_row([
            format!("{layer}"),
            on.labels[0].to_string(),
            format!("{:.4}", on.residuals[0]),
            format!("{:.2}", on.scores[0]),
            told.to_string(),
        ]);
    }
    found
}

/// Whether it is an outlier, and why.
fn verdict(found: &Explanation) -> String {
    if !found.outlier {
        return "no".into();
    }
    let aside =
        found.fitted.as_ref().filter(|fitted| fitted.set_aside).map(|_| "set aside before the start".into());
    let group = found.fitted.as_ref().and_then(|fitted| fitted.group.as_ref());
    let alike = group.map(|group| format!("one of {} that are alike but unlike the rest", group.len()));
    let said = [Some(format!("yes, {}", found.reason.told())), alike, aside];
    said.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// How far the sample is from the usual for every reason, and the part of the score that each makes.
fn reasons(parts: &[Part]) -> Table {
    let mut reasons = table(["looked at", "robust z", "part of the score"]);
    for part in parts {
        reasons.add_row([
            part.reason.looked_at().to_string(),
            format!("{:.2}", part.z),
            format!("{:.2}", part.part),
        ]);
    }
    reasons
}

fn print_tables(found: &Explanation, missing: Missing) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let name = found.name.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
    let class = found.class.as_ref().map_or_else(String::new, |class| format!(", class {class}"));
    writeln!(out, "row {}{name}: cluster {}{class}", found.row, found.cluster)?;
    let weight = found.fitted.as_ref().map_or_else(
        || {
            "unknown: it is not a sample of the fit, or the record.json of the fit is not beside the model"
                .into()
        },
        |fitted| format!("{:.4}", fitted.weight),
    );
    let outlier = verdict(found);
    writeln!(out, "residual {:.4}, outlier score {:.2}, outlier: {outlier}", found.residual, found.score)?;
    writeln!(out, "weight {weight}\n")?;
    drop(out);
    if !found.layers.is_empty() {
        print(&layers(&found.layers, found.threshold))?;
        writeln!(std::io::stdout().lock())?;
    }
    print(&reasons(&found.parts))?;
    let mut out = std::io::stdout().lock();
    writeln!(out)?;
    let mut order: Vec<usize> = (0..found.coefficients.len()).collect();
    order.sort_by(|&a, &b| found.coefficients[b].total_cmp(&found.coefficients[a]));
    let mut coefficients = table(["centroid", "coefficient"]);
    for k in order.into_iter().filter(|&k| found.coefficients[k] > 0.0) {
        coefficients.add_row([k.to_string(), format!("{:.4}", found.coefficients[k])]);
    }
    drop(out);
    print(&coefficients)?;
    let mut worst = table(["fits worst", "value", "fitted", "difference"]);
    for misfit in &found.worst {
        let gap = misfit.value - misfit.fitted;
        worst.add_row([
            misfit.name.clone(),
            format!("{:.4}", misfit.value),
            format!("{:.4}", misfit.fitted),
            format!("{gap:+.4}"),
        ]);
    }
    writeln!(std::io::stdout().lock())?;
    print(&worst)?;
    if missing == Missing::Nan {
        writeln!(std::io::stdout().lock(), "\nMissing values are left out.")?;
    }
    Ok(())
}
