//! Writing results: files that are whole or not there, and tables.

use std::io::Write;
use std::path::{Path, PathBuf};

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

/// The model of a fit, by its file or by the folder of the fit.
pub(crate) fn model_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(emmf_io::MODEL_FILE) } else { path.into() }
}

/// Says which files were written, as a line each or as one JSON object, unless one of them is standard output.
pub(crate) fn wrote(paths: &[&Path], json: bool) -> Result<()> {
    // Nothing goes between the lines of a table.
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return Ok(());
    }
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut out = std::io::stdout().lock();
    if json {
        return Ok(writeln!(out, "{}", serde_json::json!({ "written": paths }))?);
    }
    Ok(paths.iter().try_for_each(|path| writeln!(out, "written to {path}"))?)
}

/// A line on standard error, whose words stay whole where a terminal shows it.
pub(crate) fn folded(line: &str) -> String {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| width.0.into());
    width.map_or_else(|| line.to_owned(), |width| fold(line, width))
}

/// What does not fit into so many columns goes on in the next line, a little to the right.
fn fold(line: &str, width: usize) -> String {
    let (mut folded, mut column) = (String::new(), 0);
    for word in line.split_inclusive([' ', '\n']) {
        if column > 0 && column + word.trim_end().chars().count() > width {
            folded.truncate(folded.trim_end().len());
            folded.push_str("\n  ");
            column = 2;
        }
        folded.push_str(word);
        column = if word.ends_with('\n') { 0 } else { column + word.chars().count() };
    }
    folded
}

/// Prints a table, its lines without blanks at their ends.
pub(crate) fn print(table: &Table) -> Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{}", table.trim_fmt())?)
}

/// Makes a table as wide as the terminal, where there is one.
pub(crate) fn fill(table: &mut Table) {
    if let Some((terminal_size::Width(width), _)) = terminal_size::terminal_size() {
        table.set_width(width);
    }
}

/// A table in the style of this program, as wide as the terminal.
pub(crate) fn table<'a>(header: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    let rule = LineStyle::none().fill('─').junction('─');
    table
        .load_style(TableStyle::new().header_separator(rule))
        .set_content_arrangement(ContentArrangement::Dynamic);
    fill(&mut table);
    table.set_header(header.into_iter().collect::<Vec<_>>());
    table
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn words_stay_whole() {
        assert_eq!(fold("x.csv: one two three", 12), "x.csv: one\n  two three");
        assert_eq!(fold("exactly twelve\nmore", 14), "exactly twelve\nmore");
        assert_eq!(fold("a_word_that_is_too_long for it", 10), "a_word_that_is_too_long\n  for it");
        assert_eq!(fold("", 10), "");
    }
}
