//! `emmf demo`: NMF, l2,1-NMF and EMMF as published, and what a user gets by default, side by side on contaminated data, and a
//! page about it.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use emmf::registry::DEFAULT;
use emmf::synth::{Labelled, Rays, rays_with_outliers};
use emmf::{Init, Spec};
use emmf_io::{DataInfo, Features, Record, Sketch};
use emmf_report::{Comparison, OUTLIER, Summary, comparison_page};
use serde_json::json;

use crate::output::{print, table};
use crate::progress::Counting;
use crate::values::seed;

const METHODS: [&str; 3] = ["nmf", "l21-nmf", "emmf"];
/// One data set could be a lucky one.
const DATA_SETS: u64 = 5;

#[derive(ClapArgs)]
pub(crate) struct DemoArgs {
    /// Folder for the page.
    #[arg(long, value_name = "DIR", default_value = "emmf-demo")]
    out: PathBuf,
    /// Seed for all random numbers.
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    emmf_io::check_folder(&args.out)?;
    let records = fitted(args.seed)?;
    let data_sets = records.iter().map(|records| records.iter().map(Comparison::new).collect());
    let data_sets = data_sets.collect::<Result<Vec<Vec<_>>, _>>()?;
    let page = comparison_page("Clustering with outliers in the data", &data_sets)?;
    let path = args.out.join("index.html");
    write_page(&path, &page)?;
    let summaries = Summary::all(&data_sets);
    if args.json {
        return as_json(&path, &summaries);
    }
    let mut out = std::io::stdout();
    let Rays { samples, classes, outliers, .. } = data(args.seed);
    writeln!(
        out,
        "{DATA_SETS} data sets, each of {samples} good samples in {classes} clusters and {outliers} gross outliers\n"
    )?;
    let mut shown =
        table(["method", "accuracy, good samples", "worst", "outliers among the top-ranked", "seconds"]);
    for summary in summaries {
        shown.add_row([
            summary.method,
            format!("{:.3}", summary.accuracy),
            format!("{:.3}", summary.worst),
            format!("{} of {}", summary.found, summary.outliers),
            format!("{:.3}", summary.seconds),
        ]);
    }
    print(&shown)?;
    writeln!(out, "\nThe page is {}", path.display())?;
    Ok(())
}

/// The records of every data set.
fn fitted(seed: u64) -> Result<Vec<Vec<Record>>> {
    let progress = Counting::new("fitting four methods to each data set", false);
    let one = |at: u64| {
        progress.step(at as usize, DATA_SETS as usize);
        records(seed.wrapping_add(at))
    };
    (0..DATA_SETS).map(one).collect()
}

/// What the table says, and where the page is.
fn as_json(page: &Path, summaries: &[Summary]) -> Result<()> {
    let methods: Vec<_> = summaries
        .iter()
        .map(|summary| {
            json!({
                "method": summary.method,
                "accuracy": summary.accuracy,
                "worst": summary.worst,
                "found": summary.found,
                "outliers": summary.outliers,
                "seconds": summary.seconds,
            })
        })
        .collect();
    let object = json!({ "written": [page.display().to_string()], "methods": methods });
    Ok(writeln!(std::io::stdout(), "{object}")?)
}

fn data(seed: u64) -> Rays {
    Rays { classes: 10, features: 20, samples: 500, outliers: 50, noise: 0.05, seed, ..Rays::default() }
}

fn write_page(path: &Path, page: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        let problem =
            || format!("{}: the folder cannot be created; choose another one with --out", folder.display());
        std::fs::create_dir_all(folder).with_context(problem)?;
    }
    Ok(emmf_io::write_atomically(path, |out| out.write_all(page.as_bytes()))?)
}

/// Every method on the same data.
fn records(seed: u64) -> Result<Vec<Record>> {
    let rays = data(seed);
    let made = rays_with_outliers::<f64>(&rays)?;
    // These see all samples and start from the same trimmed k-means: plain k-means would give its centroids to the outliers. So what
    // differs is the loss.
    let published = METHODS.map(|method| Spec::new(method, rays.classes).as_published().init(Init::Trimmed));
    let specs = published.into_iter().chain([Spec::new(DEFAULT, rays.classes)]);
    specs.map(|spec| record(&spec.seed(rays.seed), &made)).collect()
}

fn record(spec: &Spec, data: &Labelled<f64>) -> Result<Record> {
    let fit = spec.fit(&data.x)?;
    let (n, d) = data.x.shape();
    let info = DataInfo { name: "Clusters on rays".into(), n, d, dtype: "f64".into(), sparse: false };
    let class = |(label, &outlier): (&usize, &bool)| if outlier { OUTLIER.into() } else { label.to_string() };
    let truth = data.labels.iter().zip(&data.outlier).map(class).collect();
    let mut record = Record::new(&fit, info, Some(truth))?;
    record.sketch = Some(Sketch::new(&fit, (&data.x).into(), Features::default())?);
    Ok(record)
}
