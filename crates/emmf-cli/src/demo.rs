//! `emmf demo`: NMF, l2,1-NMF and EMMF side by side on contaminated data, and a page about it.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use emmf::synth::{Labelled, Rays, rays_with_outliers};
use emmf::{Init, Spec};
use emmf_io::{DataInfo, Record};
use emmf_report::{Comparison, OUTLIER, comparison_page};

use crate::args::DemoArgs;
use crate::interrupt::uninterrupted;
use crate::output::table;

const METHODS: [&str; 3] = ["nmf", "l21-nmf", "emmf"];

pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    emmf_io::check_folder(&args.out)?;
    let rays =
        Rays { classes: 5, features: 100, samples: 500, outliers: 40, seed: args.seed, ..Rays::default() };
    let data = rays_with_outliers::<f64>(&rays)?;
    let records = METHODS.map(|method| record(method, &data, &rays));
    let records = records.into_iter().collect::<Result<Vec<_>>>()?;
    let comparisons = records.iter().map(Comparison::new).collect::<Result<Vec<_>, _>>()?;
    let page = comparison_page("Factorization with outliers in the data", &comparisons)?;
    let path = args.out.join("index.html");
    uninterrupted(|| write_page(&path, &page))?;
    let mut shown = table(["method", "accuracy, good samples", "outliers among the top-ranked", "seconds"]);
    for comparison in &comparisons {
        shown.add_row([
            comparison.record.spec.method.clone(),
            format!("{:.3}", comparison.good.accuracy),
            format!("{} of {}", comparison.found, comparison.outliers()),
            format!("{:.2}", comparison.record.seconds.total),
        ]);
    }
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} good samples in {} clusters, {} gross outliers",
        rays.samples, rays.classes, rays.outliers
    )?;
    writeln!(out, "{shown}")?;
    writeln!(out, "The page is {}", path.display())?;
    Ok(())
}

fn write_page(path: &Path, page: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        let problem =
            || format!("{}: the folder cannot be made; name another one with --out", folder.display());
        std::fs::create_dir_all(folder).with_context(problem)?;
    }
    Ok(emmf_io::write_atomically(path, |out| out.write_all(page.as_bytes()))?)
}

/// All methods start from the same trimmed k-means: plain k-means would give its centroids to the outliers.
fn record(method: &str, data: &Labelled<f64>, rays: &Rays) -> Result<Record> {
    let fit = Spec::new(method, rays.classes).init(Init::Trimmed).seed(rays.seed).fit(&data.x)?;
    let (n, d) = data.x.shape();
    let info = DataInfo { name: "Clusters on rays".into(), n, d, dtype: "f64".into(), sparse: false };
    let class = |(label, &outlier): (&usize, &bool)| if outlier { OUTLIER.into() } else { label.to_string() };
    let truth = data.labels.iter().zip(&data.outlier).map(class).collect();
    Ok(Record::new(&fit, info, Some(truth))?)
}
