//! Tables whose cells hold a value, its rank, and notes in small print.

/// Cells longer than this are sentences.
const SENTENCE: usize = 32;

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The first row.
    pub head: Vec<String>,
    /// The others.
    pub rows: Vec<Vec<Cell>>,
}

/// How a value compares with the others of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rank {
    /// Below the best, or nothing to be compared.
    #[default]
    Other,
    /// The best.
    Best,
    /// Not to be told apart from the best.
    Tied,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// What stands first.
    pub text: String,
    /// How it compares.
    pub rank: Rank,
    /// What stands below it, in small print.
    pub notes: Vec<String>,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl Cell {
    /// The text with its rank: a star for what is tied with the best.
    pub(super) fn marked(&self) -> String {
        if self.rank == Rank::Tied { format!("{}\u{a0}*", self.text) } else { self.text.clone() }
    }
}

impl Table {
    /// A table of these columns.
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Whether a column holds sentences, which are broken into lines, or numbers, which are not.
    pub(super) fn is_text(&self, column: usize) -> bool {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.text.chars().count()).any(|length| length > SENTENCE)
    }

    /// Rows for the terminal: the best with a triangle, what is tied with it with a star.
    pub fn plain(&self) -> Vec<Vec<String>> {
        let shown = |cell: &Cell| {
            let rank = if cell.rank == Rank::Best { " ▲" } else { "" };
            let first = cell.marked() + rank;
            std::iter::once(first).chain(cell.notes.iter().cloned()).collect::<Vec<_>>().join("\n")
        };
        self.rows.iter().map(|row| row.iter().map(shown).collect()).collect()
    }

    /// As a LaTeX `tabular`.
    pub fn latex(&self) -> String {
        let shown = |cell: &Cell| {
            let text = escaped(&cell.marked());
            let text = if cell.rank == Rank::Best { format!("\\textbf{{{text}}}") } else { text };
            let notes = cell.notes.iter().map(|note| escaped(note)).collect::<Vec<_>>().join(", ");
            if notes.is_empty() { text } else { format!("{text} ({notes})") }
        };
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let rows: String = self.rows.iter().map(|row| line(row.iter().map(shown).collect())).collect();
        let head = line(self.head.iter().map(|name| escaped(name)).collect());
        let columns = "l".to_owned() + &"r".repeat(self.head.len().saturating_sub(1));
        format!("\\begin{{tabular}}{{{columns}}}\n\\hline\n{head}\\hline\n{rows}\\hline\n\\end{{tabular}}\n")
    }
}

/// Text that LaTeX sets as it is: nothing in it is a command.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' | '&' | '_' | '#' | '$' | '{' | '}' => out.extend(['\\', c]),
            // A row that begins with one of these would be taken for an option of the line before it.
            '[' | ']' | '*' => out.extend(['{', c, '}']),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            // In the usual fonts of LaTeX these are other characters.
            '<' | '>' | '|' => out.extend(['$', c, '$']),
            '"' => out.push_str("{''}"),
            '–' => out.push_str("--"),
            '−' => out.push_str("$-$"),
            '±' => out.push_str("$\\pm$"),
            '×' => out.push_str("$\\times$"),
            'λ' => out.push_str("$\\lambda$"),
            'μ' => out.push_str("$\\mu$"),
            '½' => out.push_str("$\\frac12$"),
            '\u{a0}' => out.push('~'),
            c if c.is_control() => out.push(' '),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn promise_13_nothing_in_a_table_is_a_command_of_latex() {
        let mut table = Table::new(["\\input /etc/passwd", "a^2~b"]);
        table.rows.push(vec!["[2cm] \\def\\x{#1}".into(), "<&%$_|\n\n*\"".into()]);
        let text = table.latex();
        for part in [
            "\\textbackslash{}input /etc/passwd & a\\textasciicircum{}2\\textasciitilde{}b",
            "{[}2cm{]} \\textbackslash{}def\\textbackslash{}x\\{\\#1\\} & $<$\\&\\%\\$\\_$|$  {*}{''}",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
