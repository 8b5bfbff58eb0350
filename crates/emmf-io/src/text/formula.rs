//! Names that a spreadsheet would take for formulas: `=cmd|'/c calc'!A0` in a table runs a program where it is opened.
//!
//! Such a name is written with an apostrophe in front, which spreadsheets understand as "this is text"; a name that has
//! apostrophes there already gets one more. Reading takes one away, so that every name comes back as it was.

use std::borrow::Cow;

/// A text as it is written to a CSV or TSV file: with an apostrophe in front where a spreadsheet would take it for a
/// formula. Our readers take it away again.
pub fn disarmed(text: &str) -> Cow<'_, str> {
    if is_formula(text.trim_start_matches('\'')) { format!("'{text}").into() } else { text.into() }
}

/// The text that [`disarmed`] made a field of.
pub fn meant(field: &str) -> &str {
    match field.strip_prefix('\'') {
        Some(text) if is_formula(text.trim_start_matches('\'')) => text,
        _ => field,
    }
}

/// A number with a sign is a number.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::{disarmed, meant};

    #[test]
    fn promise_13_a_name_is_no_formula_and_comes_back() {
        for name in ["=1+1", "+x", "-x", "@SUM(A1)", "\tx", "\rx", "=", "-"] {
            for quotes in ["", "'", "''"] {
                let name = format!("{quotes}{name}");
                let written = disarmed(&name);
                assert!(written.starts_with('\''), "{name:?}");
                assert_eq!(meant(&written), name);
            }
        }
    }

    #[test]
    fn promise_13_other_names_stay_as_they_are() {
        for name in ["", "x", "a=b", "'x", "''", "-3", "+2.5", "-1e-5", "'-3", "x'", "ö"] {
            assert_eq!(disarmed(name), name);
            assert_eq!(meant(name), name);
        }
    }
}
