//! A page as one HTML file: no script, no network, light and dark.
//!
//! Nothing but our own elements becomes HTML: all that is plain in a text is escaped.

use super::inline::{Inline, parse};
use super::{Block, Cell, Document, Plate, Rank, Table};
use crate::Error;
use crate::page::{escape, hash};

const STYLE: &str = concat!(include_str!("../style.css"), include_str!("document.css"));

impl Document {
    /// As one HTML file.
    pub fn html(&self) -> Result<String, Error> {
        let blocks = || self.blocks.iter().enumerate();
        let links = blocks().filter_map(|(at, block)| match block {
            Block::Section(title) => Some(format!("<a href=\"#s{at}\">{}</a>\n", inline(title))),
            _ => None,
        });
        let links = links.collect::<Vec<_>>().concat();
        let body = blocks().map(|(at, block)| block.html(at)).collect::<Result<Vec<_>, Error>>()?.concat();
        let (title, style) = (escape(&self.title), hash(STYLE));
        Ok(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{style}'; \
             img-src data:; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
             <nav aria-label=\"sections\">\n{links}</nav>\n<main>\n{body}</main>\n</body>\n</html>\n"
        ))
    }
}

impl Block {
    fn html(&self, at: usize) -> Result<String, Error> {
        Ok(match self {
            Self::Section(title) => format!("<h2 id=\"s{at}\">{}</h2>\n", inline(title)),
            Self::Part(title) => format!("<h3>{}</h3>\n", inline(title)),
            Self::Text(text) => format!("<p>{}</p>\n", inline(text)),
            Self::List(points) => {
                let points = points.iter().map(|point| format!("<li>{}</li>\n", inline(point)));
                format!("<ul>\n{}</ul>\n", points.collect::<String>())
            }
            Self::Table(table) => table.html(),
            Self::Figure(Plate { caption, plot, .. }) => {
                let caption = inline(caption);
                format!(
                    "<figure>\n<div class=\"wide\">{}</div>\n<figcaption>{caption}</figcaption>\n</figure>\n",
                    plot.svg()?
                )
            }
        })
    }
}

impl Table {
    fn html(&self) -> String {
        let class = |column: usize| if self.is_text(column) { " class=\"text\"" } else { "" };
        let head = self.head.iter().enumerate();
        let head = head.map(|(at, name)| format!("<th scope=\"col\"{}>{}</th>", class(at), inline(name)));
        let head = head.collect::<Vec<_>>().concat();
        let row = |cells: &Vec<Cell>| {
            let cells = cells.iter().enumerate().map(|(at, cell)| match at {
                0 => format!("<th scope=\"row\">{}</th>", content(cell)),
                _ => format!("<td{}>{}</td>", class(at), content(cell)),
            });
            format!("<tr>{}</tr>\n", cells.collect::<Vec<_>>().concat())
        };
        let rows = self.rows.iter().map(row).collect::<Vec<_>>().concat();
        format!(
            "<div class=\"wide\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        )
    }
}

fn content(cell: &Cell) -> String {
    let text = inline(&cell.marked());
    let text = if cell.rank == Rank::Best { format!("<b>{text}</b>") } else { text };
    let notes = cell.notes.iter().map(|note| format!("<br><small>{}</small>", inline(note)));
    text + &notes.collect::<Vec<_>>().concat()
}

/// Text with its code, bold parts and links.
fn inline(text: &str) -> String {
    parse(text).iter().map(shown).collect()
}

fn shown(part: &Inline<'_>) -> String {
    let all = |parts: &[Inline<'_>]| parts.iter().map(shown).collect::<String>();
    match part {
        Inline::Plain(text) => escape(text),
        Inline::Code(code) => format!("<code>{}</code>", escape(code)),
        Inline::Bold(parts) => format!("<b>{}</b>", all(parts)),
        Inline::Link(parts, address) => format!("<a href=\"{}\">{}</a>", escape(address), all(parts)),
    }
}

#[cfg(test)]
mod tests {
    use super::inline;

    #[test]
    fn texts_are_escaped_before_they_are_set() {
        assert_eq!(inline("a < **b** & `c*d`"), "a &lt; <b>b</b> &amp; <code>c*d</code>");
        assert_eq!(inline("[x](y.md) and [0, 1]"), "<a href=\"y.md\">x</a> and [0, 1]");
        assert_eq!(inline("[x](javascript:y)"), "[x](javascript:y)");
        assert_eq!(inline("a ** b"), "a ** b");
    }
}
