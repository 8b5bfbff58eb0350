//! `emmf plot`: a figure of a fit.

use std::path::PathBuf;

use anyhow::{Error, Result, anyhow, bail};
use clap::Args as ClapArgs;
use emmf_report::Figure;

use crate::output::wrote;
use crate::report;
use crate::values::PlotKind;

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf plot result --kind residuals --out residuals.svg\n  \
    emmf plot result --kind centroids --out centroids.png")]
pub(crate) struct PlotArgs {
    /// record.json of a fit, or its folder.
    pub(crate) record: PathBuf,
    /// What to draw.
    #[arg(long, value_enum)]
    pub(crate) kind: PlotKind,
    /// File to write, .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Print one JSON object about what was written
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &PlotArgs) -> Result<()> {
    let ending = args.out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    emmf_io::check_writable(&args.out)?;
    let figure = |record| Figure::new(record, args.kind.into());
    let bytes = match ending.as_deref() {
        Some("svg") => figure(&report::read(&args.record)?).svg().map_err(worded)?.into_bytes(),
        Some("png") => figure(&report::read(&args.record)?).png().map_err(worded)?,
        _ => {
            bail!("{}: a figure is written as .svg or .png; choose one of these endings", args.out.display())
        }
    };
    emmf_io::write_atomically(&args.out, |out| out.write_all(&bytes))?;
    wrote(&[&args.out], args.json)
}

/// An error of a figure, with the option that helps.
fn worded(error: emmf_report::Error) -> Error {
    match error {
        emmf_report::Error::NoTree { .. } => anyhow!("{error}, as with --layers 60,20"),
        other => other.into(),
    }
}
