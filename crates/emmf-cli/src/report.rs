//! `emmf report`: an interactive page about one or several fits.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args as ClapArgs;
use emmf_io::Record;
use emmf_report::report_page;

use crate::output::wrote;
use crate::progress::Waiting;

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf report result --out page.html\n  \
    emmf report nmf/record.json emmf/record.json --out both.html --title \"NMF and EMMF\"")]
pub(crate) struct ReportArgs {
    /// record.json of a fit, or its folder; several are shown side by side.
    #[arg(required = true, value_name = "RECORD")]
    pub(crate) records: Vec<PathBuf>,
    /// HTML file to write; - is standard output.
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(crate) out: PathBuf,
    /// Heading of the page.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Print one JSON object about what was written
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &ReportArgs) -> Result<()> {
    emmf_io::check_writable(&args.out)?;
    let reading = Waiting::new("reading the fits", false);
    let records = args.records.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    drop(reading);
    let records: Vec<&Record> = records.iter().collect();
    write(&args.out, &args.title.clone().unwrap_or_else(|| title(&records)), &records)?;
    wrote(&[&args.out], args.json)
}

/// The record of a fit, by its file or by the folder of the fit.
pub(crate) fn read(path: &Path) -> Result<Record> {
    let file: PathBuf = if path.is_dir() { path.join(emmf_io::RECORD_FILE) } else { path.into() };
    Ok(emmf_io::read_record(&file)?)
}

/// Writes the page, as a whole or not at all.
pub(crate) fn write(path: &Path, title: &str, records: &[&Record]) -> Result<()> {
    let drawing = Waiting::new("drawing the page", false);
    let page = report_page(title, records)?;
    drop(drawing);
    Ok(emmf_io::write_atomically(path, |out| out.write_all(page.as_bytes()))?)
}

/// What a page is called that has no other name.
pub(crate) fn title(records: &[&Record]) -> String {
    if let [record] = records {
        return format!(
            "{}: {} clusters by {}",
            record.data.name,
            record.spec.label_count(),
            record.spec.method
        );
    }
    let mut data: Vec<&str> = records.iter().map(|record| record.data.name.as_str()).collect();
    data.dedup();
    format!("{}: {} fits side by side", data.join(", "), records.len())
}
