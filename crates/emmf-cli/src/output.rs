//! Writing results: files that are whole or not there, and tables.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use emmf_io::Dataset;

/// Writes a data set, with its labels beside it where the format has no place for them.
pub(crate) fn write_data(path: &Path, data: Dataset) -> Result<()> {
    if path.as_os_str() == "-" {
        return Ok(emmf_io::write(path, &data)?);
    }
    Ok(emmf_io::write_with_labels(path, data)?)
}

/// Prints a table, its lines without blanks at their ends.
pub(crate) fn print(table: &Table) -> Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{}", table.trim_fmt())?)
}

/// A table in the style of this program, as wide as the terminal.
pub(crate) fn table<'a>(header: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    let rule = LineStyle::none().fill('─').junction('─');
    table
        .load_style(TableStyle::new().header_separator(rule))
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header.into_iter().collect::<Vec<_>>());
    table
}
