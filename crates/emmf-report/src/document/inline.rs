//! What texts are made of: plain words, `code`, **bold** and links. Both languages take it from here, and escape all
//! that is plain.

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inline<'a> {
    Plain(&'a str),
    Code(&'a str),
    Bold(Vec<Inline<'a>>),
    /// What is shown, and the address: of this page's neighbours or of the web.
    Link(Vec<Inline<'a>>, &'a str),
}

/// The parts of a text.
pub(super) fn parse(text: &str) -> Vec<Inline<'_>> {
    let mut parts = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while at < text.len() {
        if let Some((part, end)) = special(text, at) {
            if plain < at {
                parts.push(Inline::Plain(&text[plain..at]));
            }
            parts.push(part);
            (plain, at) = (end, end);
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    if plain < text.len() {
        parts.push(Inline::Plain(&text[plain..]));
    }
    parts
}

/// What begins here, if it is not plain, and where it ends.
fn special(text: &str, at: usize) -> Option<(Inline<'_>, usize)> {
    let rest = &text[at..];
    let between = |open: &str, close: &str| {
        let inside = rest.strip_prefix(open)?;
        let inside = &inside[..inside.find(close)?];
        (!inside.is_empty()).then_some((inside, at + open.len() + inside.len() + close.len()))
    };
    if let Some((code, end)) = between("`", "`") {
        return Some((Inline::Code(code), end));
    }
    if let Some((bold, end)) = between("**", "**").filter(|(bold, _)| bold.trim() == *bold) {
        return Some((Inline::Bold(parse(bold)), end));
    }
    link(rest).map(|(name, address)| {
        (Inline::Link(parse(name), address), at + name.len() + address.len() + "[]()".len())
    })
}

/// The name and the address of a link, where the text begins with one that leads to this page's neighbours or to the web.
fn link(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = until(text.strip_prefix('[')?, |c| matches!(c, '[' | ']'))?;
    let odd = |c: char| c.is_whitespace() || c.is_control() || "()<>\"\\`*".contains(c);
    let (address, rest) = until(rest.strip_prefix("](")?, odd)?;
    let leads = !address.contains(':') || address.starts_with("https://");
    (leads && !address.is_empty() && rest.starts_with(')')).then_some((name, address))
}

/// What comes before the first of these characters, and what follows.
fn until(text: &str, end: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    text.find(end).map(|at| text.split_at(at))
}

#[cfg(test)]
mod tests {
    use super::Inline::{Bold, Code, Link, Plain};
    use super::parse;

    #[test]
    fn parts_of_a_text() {
        assert_eq!(parse("a < `b` c"), [Plain("a < "), Code("b"), Plain(" c")]);
        assert_eq!(parse("**b `c`**"), [Bold(vec![Plain("b "), Code("c")])]);
        assert_eq!(parse("[x](y.md)."), [Link(vec![Plain("x")], "y.md"), Plain(".")]);
        for plain in
            ["a ** b", "[0, 1]", "[x](javascript:y)", "[x](a b)", "`", "λ**", "[x](<b>)", "x [y] (z)"]
        {
            assert_eq!(parse(plain), [Plain(plain)], "{plain}");
        }
    }
}
