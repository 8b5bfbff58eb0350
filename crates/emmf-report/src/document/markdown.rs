//! A page as Markdown.

use super::{Block, Cell, Document, Plate, Rank, Table};

impl Document {
    /// As Markdown; the figures are expected in this folder beside it, as SVG.
    pub fn markdown(&self, folder: &str) -> String {
        let blocks = self.blocks.iter().map(|block| block.markdown(folder));
        std::iter::once(format!("# {}\n", self.title)).chain(blocks).collect::<Vec<_>>().join("\n")
    }
}

impl Block {
    fn markdown(&self, folder: &str) -> String {
        match self {
            Self::Section(title) => format!("## {title}\n"),
            Self::Part(title) => format!("### {title}\n"),
            Self::Text(text) => format!("{text}\n"),
            Self::List(points) => {
                points.iter().map(|point| format!("- {point}\n")).collect::<Vec<_>>().concat()
            }
            Self::Table(table) => table.markdown(),
            Self::Figure(Plate { name, caption, .. }) => {
                let alt = caption.replace(['[', ']', '*', '`'], "");
                format!("![{alt}]({folder}/{name}.svg)\n\n<sub>{caption}</sub>\n")
            }
        }
    }
}

impl Table {
    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
        let text = |column: usize| column == 0 || self.is_text(column);
        let rule = (0..self.head.len()).map(|column| if text(column) { "---" } else { "---:" });
        let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        let rows: String = self.rows.iter().map(|row| line(row.iter().map(cell).collect())).collect();
        line(self.head.clone()) + &rule + &rows
    }
}

fn cell(cell: &Cell) -> String {
    let text = cell.marked().replace('|', "\\|");
    let text = if cell.rank == Rank::Best { format!("**{text}**") } else { text };
    let notes = cell.notes.iter().map(|note| format!("<br><sub>{}</sub>", note.replace('|', "\\|")));
    text + &notes.collect::<String>()
}
