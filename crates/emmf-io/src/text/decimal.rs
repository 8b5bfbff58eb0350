//! Numbers as they are written in one country or another.

use super::records::Delimiter;

/// What stands before the decimals of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decimal {
    Point,
    Comma,
}

impl Decimal {
    /// A comma where something else separates the fields, numbers have commas, and none has a point.
    pub(super) fn sniff(records: &[Vec<String>], delimiter: Delimiter) -> Self {
        let fields = || records.iter().flatten().map(String::as_str);
        let has_commas = fields().any(|field| !is_plain(field) && Self::Comma.parse(field).is_some());
        let has_points = fields().any(|field| field.contains('.') && is_plain(field));
        if delimiter != Delimiter::Byte(b',') && has_commas && !has_points {
            Self::Comma
        } else {
            Self::Point
        }
    }

    /// The number that a field holds.
    pub(super) fn parse(self, field: &str) -> Option<f64> {
        match (self, field.split_once(',')) {
            (Self::Comma, Some((whole, decimals))) => {
                let whole = without_groups(whole)?;
                (!decimals.contains(['.', ','])).then(|| format!("{whole}.{decimals}").parse().ok())?
            }
            // A point alone may group digits or begin decimals.
            (Self::Comma, None) if field.contains('.') => None,
            (Self::Comma, None) | (Self::Point, _) => field.parse().ok().or_else(|| truth(field)),
        }
    }

    /// Whether a field holds a number.
    pub(super) fn is_number(self, field: &str) -> bool {
        self.parse(field).is_some()
    }
}

/// True and false as numbers, as they are in files that know them as values of their own.
pub(super) fn truth(field: &str) -> Option<f64> {
    match field {
        "true" | "True" | "TRUE" => Some(1.0),
        "false" | "False" | "FALSE" => Some(0.0),
        _ => None,
    }
}

fn is_plain(field: &str) -> bool {
    field.parse::<f64>().is_ok()
}

/// The digits before a decimal comma, of which points may group three each.
fn without_groups(whole: &str) -> Option<String> {
    let mut groups = whole.split('.');
    let first = groups.next()?;
    let is_group = |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    let grouped = whole.len() > first.len();
    let whole_first = !grouped || first.trim_start_matches(['-', '+']).len() <= 3;
    (whole_first && groups.all(is_group)).then(|| whole.replace('.', ""))
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn numbers_with_a_comma() {
        let read = |field| Decimal::Comma.parse(field);
        assert_eq!(read("1,5"), Some(1.5));
        assert_eq!(read("-0,25"), Some(-0.25));
        assert_eq!(read("1.234,5"), Some(1234.5));
        assert_eq!(read("12.345.678,9e-1"), Some(1_234_567.89));
        assert_eq!(read("7"), Some(7.0));
        for field in ["1.5", "1,5,5", "1234.567,8", "1.23,4", "1,2.3", "", ",", "x"] {
            assert_eq!(read(field), None, "{field}");
        }
    }
}
