//! Tables as text: Markdown and LaTeX, and rows for the terminal.

use std::fmt::Write;

use crate::summary::{Cell, Summary};

/// A table of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The first row.
    pub head: Vec<String>,
    /// The others.
    pub rows: Vec<Vec<String>>,
}

/// How a cell is set in bold.
type Bold = fn(&str) -> String;

impl Summary {
    /// Means and deviations, the paper's values and the differences, as Markdown: the best in bold, what cannot be told
    /// apart from it with a star.
    pub fn markdown(&self) -> Table {
        self.table(
            "±",
            |text| format!("**{text}**"),
            |cell| if cell.params.is_empty() { String::new() } else { format!("<br>{}", cell.params) },
        )
    }

    /// The same for LaTeX.
    pub fn latex(&self) -> Table {
        self.table("$\\pm$", |text| format!("\\textbf{{{text}}}"), |_| String::new())
    }

    /// The same for the terminal.
    pub fn plain(&self) -> Table {
        self.table("±", |text| format!("{text}!"), |_| String::new())
    }

    fn table(&self, plus_minus: &str, bold: Bold, note: impl Fn(&Cell) -> String) -> Table {
        let shown = |cell: &Option<Cell>| {
            let Some(cell) = cell else { return "–".into() };
            let mean = format!("{:.3}", cell.mean());
            let mean = if cell.best { bold(&mean) } else { mean };
            let tied = if cell.tied && !cell.best { "*" } else { "" };
            let mut text = format!("{mean}{tied} {plus_minus} {:.3}", cell.deviation());
            if let Some(published) = cell.published {
                // Writing to a string cannot fail.
                let _ = write!(text, " ({published:.3}, {:+.3})", cell.mean() - published);
            }
            text + &note(cell)
        };
        let head = std::iter::once(self.measure.name().to_owned()).chain(self.columns.iter().cloned());
        let rows = self
            .rows
            .iter()
            .map(|(name, cells)| std::iter::once(name.clone()).chain(cells.iter().map(shown)).collect());
        Table { head: head.collect(), rows: rows.collect() }
    }
}

impl Table {
    /// As Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
        let rule = format!("|---{}\n", "|---".repeat(self.head.len() - 1) + "|");
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        line(&self.head) + &rule + &rows
    }

    /// As a LaTeX `tabular`.
    pub fn to_latex(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> =
                cells.iter().map(|cell| cell.replace('%', "\\%").replace('–', "--")).collect();
            format!("{} \\\\\n", cells.join(" & ")).replace('×', "$\\times$")
        };
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        let columns = "l".to_owned() + &"r".repeat(self.head.len() - 1);
        format!(
            "\\begin{{tabular}}{{{columns}}}\n\\hline\n{}\\hline\n{rows}\\hline\n\\end{{tabular}}\n",
            line(&self.head)
        )
    }
}
