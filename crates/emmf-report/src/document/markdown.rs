//! A page as Markdown.
//!
//! Nothing but our own marks becomes Markdown or HTML: all that is plain goes through [`plain`].

use std::fmt::Write as _;

use super::inline::{Inline, parse};
use super::{Block, Cell, Document, Plate, Rank, Table};

impl Document {
    /// As Markdown; the figures are expected in this folder beside it, as SVG.
    pub fn markdown(&self, folder: &str) -> String {
        let blocks = self.blocks.iter().map(|block| block.markdown(folder));
        let title = format!("# {}\n", plain(&one_line(&self.title)));
        std::iter::once(title).chain(blocks).collect::<Vec<_>>().join("\n")
    }
}

impl Block {
    fn markdown(&self, folder: &str) -> String {
        match self {
            Self::Section(title) => format!("## {}\n", inline(title)),
            Self::Part(title) => format!("### {}\n", inline(title)),
            Self::Text(text) => format!("{}\n", at_start(&inline(text))),
            Self::List(points) => {
                let points = points.iter().map(|point| format!("- {}\n", at_start(&inline(point))));
                points.collect::<Vec<_>>().concat()
            }
            Self::Table(table) => table.markdown(),
            Self::Figure(Plate { name, caption, .. }) => {
                let alt = plain(&one_line(caption).replace(['[', ']', '*', '`'], ""));
                format!(
                    "![{alt}]({}/{}.svg)\n\n<sub>{}</sub>\n",
                    address(folder),
                    address(name),
                    inline(caption)
                )
            }
        }
    }
}

impl Table {
    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let text = |column: usize| column == 0 || self.is_text(column);
        let rule = (0..self.head.len()).map(|column| if text(column) { "---" } else { "---:" });
        let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        let rows: String = self.rows.iter().map(|row| line(row.iter().map(cell).collect())).collect();
        line(self.head.iter().map(|name| in_cell(name)).collect()) + &rule + &rows
    }
}

fn cell(cell: &Cell) -> String {
    let text = in_cell(&cell.text);
    let text = match cell.rank {
        Rank::Best => format!("**{text}**"),
        Rank::Tied => format!("{text}\u{a0}*"),
        Rank::Other => text,
    };
    let notes = cell.notes.iter().map(|note| format!("<br><sub>{}</sub>", in_cell(note)));
    text + &notes.collect::<String>()
}

/// A text whose bars do not end the cell.
fn in_cell(text: &str) -> String {
    inline(text).replace('|', "\\|")
}

fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

/// A text with its code, bold parts and links.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in parse(&one_line(text)) {
        // With this sign before it, a link is an image.
        if matches!(part, Inline::Link(..)) && out.ends_with('!') {
            out.insert(out.len() - 1, '\\');
        }
        out += &shown(&part);
    }
    out
}

fn shown(part: &Inline<'_>) -> String {
    let all = |parts: &[Inline<'_>]| parts.iter().map(shown).collect::<String>();
    match part {
        Inline::Plain(text) => plain(text),
        Inline::Code(code) => format!("`{code}`"),
        Inline::Bold(parts) => format!("**{}**", all(parts)),
        Inline::Link(parts, address) => format!("[{}]({address})", all(parts)),
    }
}

/// Text that Markdown shows as it is. Only what could mean something is escaped: pages are also read as they are.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let after = rest.clone().next();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '<' if after.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)) => {
                out.push_str("&lt;");
            }
            '&' if after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '#') => out.push_str("&amp;"),
            ']' if after.is_some_and(|c| "([:".contains(c)) => out.push_str("\\]"),
            '_' if is_word(Some(before)) && is_word(after) => out.push('_'),
            '*' if before.is_whitespace() && after.is_none_or(char::is_whitespace) => out.push('*'),
            '\\' | '`' | '*' | '_' | '~' => out.extend(['\\', c]),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// A paragraph that begins like a heading, a list, a quotation or a rule, but is none.
fn at_start(text: &str) -> String {
    let text = text.trim_start();
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let numbered = digits > 0 && (rest.starts_with(". ") || rest.starts_with(") "));
    let marked = digits == 0 && rest.starts_with(['#', '>', '+', '-', '=', '|']);
    if numbered || marked { format!("{number}\\{rest}") } else { text.to_owned() }
}

/// A path of which nothing ends the address.
fn address(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_./~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{at_start, inline};
    use crate::{Block, Cell, Document, Table};

    #[test]
    fn promise_13_nothing_in_a_text_becomes_html_or_markdown() {
        for (text, shown) in [
            ("<script>x</script>", "&lt;script>x&lt;/script>"),
            ("<!-- x --> &lt; a < b & c", "&lt;!-- x --> &amp;lt; a < b & c"),
            ("[x](javascript:y)", "[x\\](javascript:y)"),
            ("![x](javascript:y)", "![x\\](javascript:y)"),
            ("![x](https://a/b.png)", "\\![x](https://a/b.png)"),
            ("*a* _b_ c_d ~e~ f * g", "\\*a\\* \\_b\\_ c_d \\~e\\~ f * g"),
            ("a\\`b`", "a\\\\`b`"),
            ("one\n\n<b>two", "one  &lt;b>two"),
            ("**bold** and `<code>` in [0, 10σ]", "**bold** and `<code>` in [0, 10σ]"),
        ] {
            assert_eq!(inline(text), shown, "{text}");
        }
        for (text, shown) in
            [("# a", "\\# a"), ("- a", "\\- a"), ("12. a", "12\\. a"), ("   a", "a"), ("1.5", "1.5")]
        {
            assert_eq!(at_start(&inline(text)), shown);
        }
    }

    #[test]
    fn promise_13_a_cell_ends_where_it_ends() {
        let mut table = Table::new(["<b>a", "b|c"]);
        table.rows.push(vec!["x|<img src=y>\n|".into(), Cell { notes: vec!["<i>|".into()], .."`|`".into() }]);
        let page = Document { title: "<h1>".into(), blocks: vec![Block::Table(table)] }.markdown("f");
        assert!(page.starts_with("# &lt;h1>\n"), "{page}");
        assert!(page.contains("| &lt;b>a | b\\|c |\n"), "{page}");
        assert!(page.contains("| x\\|&lt;img src=y> \\| | `\\|`<br><sub>&lt;i>\\|</sub> |"), "{page}");
    }
}
