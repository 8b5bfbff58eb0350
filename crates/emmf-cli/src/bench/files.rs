//! The files of an experiment: page, figures, tables and numbers.

use std::path::Path;

use anyhow::{Context, Result};
use emmf_bench::{Experiment, Shown};
use emmf_report::Document;

/// Writes the page as HTML and Markdown, its figures as SVG and PNG, and the numbers.
pub(super) fn write(folder: &Path, experiment: &Experiment, shown: &Shown) -> Result<()> {
    let page = shown.document(&experiment.title, &experiment.notes);
    make(folder)?;
    if page.plates().next().is_some() {
        figures(&folder.join("figures"), &page, true)?;
    }
    text(&folder.join("page.html"), &page.html()?)?;
    text(&folder.join("page.md"), &page.markdown("figures"))?;
    shown.files.iter().try_for_each(|(name, content)| text(&folder.join(name), content))
}

/// Writes the page over all experiments: HTML in `out`, Markdown there or in `file`, with its figures in a folder of the
/// same name.
pub(super) fn write_paper(out: &Path, file: Option<&Path>, page: &Document) -> Result<()> {
    make(out)?;
    text(&out.join("paper.html"), &page.html()?)?;
    let file = file.map_or_else(|| out.join("paper.md"), Path::to_path_buf);
    let stem = file.with_extension("");
    figures(&stem, page, false)?;
    let name = stem.file_name().map_or_else(|| "paper".into(), |name| name.to_string_lossy().into_owned());
    text(&file, &page.markdown(&name))
}

fn figures(folder: &Path, page: &Document, png: bool) -> Result<()> {
    make(folder)?;
    for plate in page.plates() {
        text(&folder.join(format!("{}.svg", plate.name)), &plate.plot.svg()?)?;
        if png {
            let bytes = plate.plot.png()?;
            let path = folder.join(format!("{}.png", plate.name));
            emmf_io::write_atomically(&path, |out| out.write_all(&bytes))?;
        }
    }
    Ok(())
}

fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be created", folder.display()))
}

fn text(path: &Path, content: &str) -> Result<()> {
    Ok(emmf_io::write_atomically(path, |out| out.write_all(content.as_bytes()))?)
}
