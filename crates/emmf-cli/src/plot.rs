//! `emmf plot`: a figure of a fit.

use anyhow::{Result, bail};
use emmf_report::Figure;

use crate::args::PlotArgs;
use crate::interrupt::uninterrupted;
use crate::report;

pub(crate) fn run(args: &PlotArgs) -> Result<()> {
    let ending = args.out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    emmf_io::check_writable(&args.out)?;
    let figure = |record| Figure::new(record, args.kind.into());
    let bytes = match ending.as_deref() {
        Some("svg") => figure(&report::read(&args.record)?).svg()?.into_bytes(),
        Some("png") => figure(&report::read(&args.record)?).png()?,
        _ => {
            bail!("{}: a figure is written as .svg or .png; choose one of these endings", args.out.display())
        }
    };
    Ok(uninterrupted(|| emmf_io::write_atomically(&args.out, |out| out.write_all(&bytes)))?)
}
