//! Fields without a value.

/// How programs and people write that there is no value, in small letters.
const GAPS: [&str; 9] = ["", "na", "n/a", "#n/a", "null", "none", "nan", "-", "?"];

/// Whether a field stands for a value that is not there.
pub(crate) fn is_gap(field: &str) -> bool {
    GAPS.iter().any(|gap| field.trim().eq_ignore_ascii_case(gap))
}
