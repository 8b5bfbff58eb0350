//! Writing results: folders that are known to be writable before the work starts, files that are whole
//! or not there, tables.

use std::path::Path;

use anyhow::{Context, Result};
use comfy_table::{ContentArrangement, Table, presets};

/// Makes the folder and proves that files can be written to it.
pub(crate) fn prepare_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    emmf_io::check_writable(&folder.join("record.json"))?;
    Ok(())
}

/// A table in the style of this program.
pub(crate) fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    table
}
