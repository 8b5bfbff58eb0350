//! What the columns of a text hold. Tables of numbers alone are recognised by their first lines and not read twice.

use super::decimal::{Decimal, truth};
use super::gap::is_gap;
use super::records::{Delimiter, for_each};
use crate::budget::Budget;
use crate::error::Problem;
use crate::roles::{Kind, Progress, SEEN};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Fewer texts than this differ by chance.
const FEW: usize = 10;

/// How the text is written.
#[derive(Clone, Copy)]
pub(super) struct Form<'t> {
    pub(super) text: &'t str,
    pub(super) delimiter: Delimiter,
    pub(super) decimal: Decimal,
    pub(super) header: bool,
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

/// What the columns hold, where `first` are the first records without a line of names, and `name` is that of the first column.
pub(super) fn kinds(
    form: Form<'_>,
    (first, width): (&[Vec<String>], usize),
    name: Option<&str>,
    budget: &Budget,
) -> Result<Vec<Kind>, Problem> {
    let is_text = |field: &String| !is_number_somewhere(field) && !is_gap(field);
    let texts: Vec<bool> =
        (0..width).map(|at| first.iter().any(|record| record.get(at).is_some_and(is_text))).collect();
    let number = |record: &[&str]| record.first().and_then(|field| field.parse().ok());
    let mut progress = Progress::of(name);
    let mut goes_on = true;
    for record in first {
        let fields: Vec<&str> = record.iter().map(String::as_str).collect();
        goes_on = goes_on && progress.add(number(&fields), budget)?;
    }
    let mut kinds = vec![Kind::Numbers; width];
    if !goes_on && !texts.contains(&true) {
        return Ok(kinds);
    }
    let mut progress = Progress::of(name);
    let mut seen: Vec<Seen> = (0..width).map(|_| Seen::default()).collect();
    let mut skip = form.header;
    for_each(form.text, form.delimiter, |record| {
        if std::mem::take(&mut skip) {
            return Ok(true);
        }
        goes_on = goes_on && progress.add(number(record.fields), budget)?;
        for (at, field) in record.fields.iter().enumerate().take(width).filter(|(at, _)| texts[*at]) {
            seen[at].add(field, budget);
        }
        Ok(goes_on || texts.contains(&true))
    })?;
    if goes_on {
        kinds[0] = progress.kind();
    }
    for (at, seen) in seen.iter().enumerate().filter(|(at, _)| texts[*at]) {
        kinds[at] = seen.kind(at == 0);
    }
    Ok(kinds)
}

impl Seen {
    fn add(&mut self, field: &str, budget: &Budget) {
        match field {
            field if is_number_somewhere(field) && truth(field).is_none() => self.numbers += 1,
            // In a column of texts it is one, in one of numbers it is a gap.
            _ => self.texts += 1,
        }
        // Where there is no room to remember them, they count as alike.
        if self.alike || budget.take(Some(SEEN), "the names of the samples").is_err() {
            (self.alike, self.different) = (true, HashSet::new());
            return;
        }
        let mut hash = DefaultHasher::new();
        field.hash(&mut hash);
        self.alike = !self.different.insert(hash.finish());
    }

    /// A first column may have numbers among its names.
    fn kind(&self, first: bool) -> Kind {
        let different = !self.alike && self.texts > 1;
        match self.numbers {
            _ if first && different && self.texts > self.numbers => Kind::Names,
            0 if different && self.texts >= FEW => Kind::Names,
            0 => Kind::Texts,
            _ => Kind::Numbers,
        }
    }
}
