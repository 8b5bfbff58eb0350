//! Which column of a table holds the texts, which one their classes, and which one their names.

use crate::budget::Budget;
use crate::error::Problem;
use crate::options::{ReadOptions, find_column, is_label_column};
use crate::remark::Remark;
use crate::roles::{INDEX, Kind, Progress, Table, no_such_column, whole};
use crate::texts::Texts;
use std::collections::HashSet;

/// The columns of a table of texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextRoles {
    pub(crate) texts: usize,
    pub(crate) labels: Option<usize>,
    pub(crate) names: Option<usize>,
    /// Whether nobody asked for these names: they count if they tell the texts apart.
    is_guess: bool,
}

impl TextRoles {
    /// By what the options say, then by what the columns are called, where these are `named` and not only numbered.
    pub(crate) fn of(
        column: &str,
        (names, width, named): (Option<&[String]>, usize, bool),
        options: &ReadOptions,
    ) -> Result<Self, Problem> {
        let find = |wanted: &str| {
            find_column(wanted, names, width).ok_or_else(|| no_such_column(wanted, names, width))
        };
        let texts = find(column)?;
        let is_free = |at: &usize| *at != texts;
        let is_named = |at: usize, is: fn(&str) -> bool| named && names.is_some_and(|names| is(&names[at]));
        let usual = || (0..width).find(|&at| is_free(&at) && is_named(at, is_label_column));
        let labels = options.labels.as_deref().map(find).transpose()?.or_else(usual);
        let usual_id = || find_column(options.usual.id.as_deref()?, names, width);
        let asked = options.id.as_deref().map(find).transpose()?.or_else(usual_id);
        let index = (0..width).find(|&at| is_named(at, |name| name.starts_with(INDEX)));
        let guess = || index.or(Some(0)).filter(|at| is_free(at) && labels != Some(*at));
        Ok(Self { texts, labels, names: asked.or_else(guess), is_guess: asked.is_none() })
    }

    /// The texts, with names that nobody asked for only where these tell them apart.
    pub(crate) fn settled(
        &self,
        found: Texts,
        names: Option<&[String]>,
        budget: &Budget,
    ) -> Result<Texts, Problem> {
        let (Some(at), Some(values)) = (self.names.filter(|_| self.is_guess), &found.names) else {
            return Ok(found);
        };
        // What pandas keeps an index in has no name of its own.
        let called = names.map(|names| if names[at].starts_with(INDEX) { "" } else { &names[at] }.to_owned());
        let kind = kind(called.as_deref(), values, budget)?;
        let table = Table { names: called.as_ref().map(std::slice::from_ref), kinds: &[kind] };
        let mut remarks = Vec::new();
        let (Some(_), _) = table.first_column(&mut remarks) else {
            return Ok(Texts { names: None, ..found });
        };
        let remark = (!remarks.is_empty()).then(|| Remark::NamesOfTexts { column: table.called(0) });
        Ok(Texts { remark, ..found })
    }
}

/// What a column of this name holds.
fn kind(name: Option<&str>, values: &[String], budget: &Budget) -> Result<Kind, Problem> {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
    let Some(numbers) = numbers else {
        let mut seen = HashSet::with_capacity(values.len());
        let differ = values.len() > 1 && values.iter().all(|value| seen.insert(value.as_str()));
        return Ok(if differ { Kind::Names } else { Kind::Texts });
    };
    let (mut progress, budget) = (Progress::of(name), budget.fork());
    for value in numbers {
        if !progress.add(whole(value), &budget)? {
            break;
        }
    }
    Ok(progress.kind())
}
