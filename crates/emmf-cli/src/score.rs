//! `emmf score TRUTH PREDICTED`: how well two labelings agree.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use emmf::metrics::{Contingency, NmiNorm};

use crate::input::budget;
use crate::output::{print, table};
use crate::values::size;

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf score classes.txt result\n  \
    emmf score iris.csv result --labels species --json")]
pub(crate) struct ScoreArgs {
    /// File with the true classes: one per line, or a column or variable of any data file
    truth: PathBuf,
    /// Folder of a fit, or a file with the predicted clusters
    predicted: PathBuf,
    /// Column or variable of TRUTH that holds the classes [default: one named label, class, gnd, y …]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    labels: Option<String>,
    /// Column or variable of PREDICTED that holds the clusters
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    predicted_labels: Option<String>,
    /// Memory limit for reading, such as 2GB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ScoreArgs) -> Result<()> {
    let budget = budget(args.max_memory);
    let truth = emmf_io::read_labels(&args.truth, args.labels.as_deref(), &budget)?;
    let file =
        if args.predicted.is_dir() { args.predicted.join("samples.csv") } else { args.predicted.clone() };
    let predicted = emmf_io::read_labels(&file, args.predicted_labels.as_deref(), &budget)?;
    if truth.len() != predicted.len() {
        bail!(
            "{} has {} labels and {} has {}; both must hold one label per sample, in the same order, \
             and a line of names only if it is 'label' or 'class'",
            args.truth.display(),
            truth.len(),
            args.predicted.display(),
            predicted.len()
        );
    }
    let counts = Contingency::new(&truth, &predicted)?;
    let values = [
        ("acc", counts.accuracy()),
        ("nmi", counts.nmi(NmiNorm::Sqrt)),
        ("nmi_max", counts.nmi(NmiNorm::Max)),
        ("nmi_arithmetic", counts.nmi(NmiNorm::Arithmetic)),
        ("nmi_min", counts.nmi(NmiNorm::Min)),
        ("ari", counts.ari()),
        ("purity", counts.purity()),
    ];
    if args.json {
        let mut object: serde_json::Map<_, _> =
            values.iter().map(|&(name, value)| (name.to_string(), value.into())).collect();
        object.insert("n".into(), truth.len().into());
        writeln!(std::io::stdout(), "{}", serde_json::Value::Object(object))?;
    } else {
        let mut table = table(["measure", "value"]);
        for (name, value) in values {
            table.add_row([name.to_string(), format!("{value:.4}")]);
        }
        print(&table)?;
    }
    Ok(())
}
