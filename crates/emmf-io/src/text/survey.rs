//! What the columns of a text hold. Tables of numbers alone are recognised by their first lines and not read twice.

use super::decimal::Decimal;
use super::records::{Delimiter, for_each};
use crate::budget::Budget;
use crate::error::Problem;
use crate::roles::Kind;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Bytes of a text that was seen, in the set of those that were.
const SEEN: u64 = 24;

/// How the text is written.
#[derive(Clone, Copy)]
pub(super) struct Form<'t> {
    pub(super) text: &'t str,
    pub(super) delimiter: Delimiter,
    pub(super) decimal: Decimal,
    pub(super) header: bool,
}

/// A field without a value.
pub(super) fn is_gap(field: &str) -> bool {
    field.is_empty() || field.eq_ignore_ascii_case("na")
}

/// A number, with whatever stands before its decimals: a column of such is no text, and is refused with advice.
fn is_number_somewhere(field: &str) -> bool {
    Decimal::Point.is_number(field) || Decimal::Comma.is_number(field)
}

/// What is known of a column so far.
#[derive(Default)]
struct Seen {
    texts: usize,
    numbers: usize,
    different: HashSet<u64>,
    alike: bool,
}

/// What the columns hold, where `first` are the first records without a line of names.
pub(super) fn kinds(
    form: Form<'_>,
    (first, width): (&[Vec<String>], usize),
    budget: &Budget,
) -> Result<Vec<Kind>, Problem> {
    let is_text = |field: &String| !is_number_somewhere(field) && !is_gap(field);
    let texts: Vec<bool> =
        (0..width).map(|at| first.iter().any(|record| record.get(at).is_some_and(is_text))).collect();
    let heads = first.iter().enumerate().map(|(i, record)| (i, record.first().map_or("", String::as_str)));
    let start = counting_from(first);
    let mut counts = start.is_some() && heads.clone().all(|(i, field)| is_count(field, i, start));
    let mut kinds = vec![Kind::Numbers; width];
    if !counts && !texts.contains(&true) {
        return Ok(kinds);
    }
    let mut seen: Vec<Seen> = (0..width).map(|_| Seen::default()).collect();
    let (mut row, mut skip) = (0, form.header);
    for_each(form.text, form.delimiter, |record| {
        if std::mem::take(&mut skip) {
            return Ok(true);
        }
        counts = counts && record.fields.first().is_some_and(|field| is_count(field, row, start));
        row += 1;
        for (at, field) in record.fields.iter().enumerate().take(width).filter(|(at, _)| texts[*at]) {
            seen[at].add(field, (at == 0).then_some(budget))?;
        }
        Ok(true)
    })?;
    for (at, seen) in seen.iter().enumerate().filter(|(at, _)| texts[*at]) {
        kinds[at] = seen.kind(at == 0);
    }
    if counts {
        kinds[0] = Kind::Counts;
    }
    Ok(kinds)
}

/// Fewer rows than this count by chance.
const FEW: usize = 4;

fn counting_from(first: &[Vec<String>]) -> Option<u64> {
    let start = first.first()?.first()?.parse().ok()?;
    (start <= 1 && first.len() >= FEW).then_some(start)
}

fn is_count(field: &str, row: usize, start: Option<u64>) -> bool {
    start.is_some_and(|start| field.parse() == Ok(start + row as u64))
}

impl Seen {
    fn add(&mut self, field: &str, budget: Option<&Budget>) -> Result<(), Problem> {
        if is_number_somewhere(field) {
            self.numbers += 1;
        } else {
            self.texts += 1;
        }
        let Some(budget) = budget.filter(|_| !self.alike) else { return Ok(()) };
        budget.take(Some(SEEN), "the names of the samples")?;
        let mut hash = DefaultHasher::new();
        field.hash(&mut hash);
        self.alike = !self.different.insert(hash.finish());
        if self.alike {
            self.different = HashSet::new();
        }
        Ok(())
    }

    /// A first column may have numbers among its names.
    fn kind(&self, first: bool) -> Kind {
        let mostly_text = self.texts > self.numbers;
        match self.numbers {
            _ if first && mostly_text && !self.alike && self.texts > 1 => Kind::Names,
            0 => Kind::Texts,
            _ => Kind::Numbers,
        }
    }
}
