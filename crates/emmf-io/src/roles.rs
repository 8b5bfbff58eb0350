//! Which columns of a table are features, which one names the samples and which one holds their classes.

use crate::budget::Budget;
use crate::error::{Problem, listed, nearest};
use crate::options::{ReadOptions, find_column, is_label_column, matches};
use crate::remark::Remark;
use std::collections::HashSet;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Numbers,
    /// 0, 1, 2 or 1, 2, 3 and so on.
    Counts,
    /// Whole numbers of which each is larger than the one before.
    Rising,
    /// Whole numbers of which no two are alike, in a column that is called like one of names.
    Ids,
    Texts,
    /// Texts of which no two are alike.
    Names,
    /// Neither numbers nor text.
    Other,
}

impl Kind {
    pub(crate) fn is_numeric(self) -> bool {
        matches!(self, Self::Numbers | Self::Counts | Self::Rising | Self::Ids)
    }
}

/// What the columns are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Roles {
    pub(crate) features: Vec<usize>,
    pub(crate) labels: Option<usize>,
    pub(crate) names: Option<usize>,
    pub(crate) remarks: Vec<Remark>,
}

/// The columns of a table: what each is called, where they have names, and what it holds.
pub(crate) struct Table<'a> {
    pub(crate) names: Option<&'a [String]>,
    pub(crate) kinds: &'a [Kind],
}

/// Columns that pandas adds to keep an index; they are no features.
pub(crate) const INDEX: &str = "__index_level_";

impl Table<'_> {
    /// The options, with what pandas keeps an index in: it names the samples, unless it only counts them.
    pub(crate) fn with_index(&self, options: &ReadOptions) -> ReadOptions {
        let mut wanted = options.clone();
        let names = self.names.unwrap_or_default();
        let Some(at) = names.iter().position(|name| name.starts_with(INDEX)) else { return wanted };
        if wanted.id.is_none() && matches!(self.kinds[at], Kind::Texts | Kind::Names) {
            wanted.id = Some(names[at].clone());
        }
        wanted.drop.push(names[at].clone());
        wanted
    }

    /// Decides by what the options say, then by what the columns are called and hold.
    pub(crate) fn roles(&self, options: &ReadOptions) -> Result<Roles, Problem> {
        let labels = options.labels.as_deref().map(|wanted| self.find(wanted)).transpose()?;
        let usual = || find_column(options.usual.id.as_deref()?, self.names, self.kinds.len());
        let mut names = options.id.as_deref().map(|wanted| self.find(wanted)).transpose()?.or_else(usual);
        let chosen = self.all(&options.columns)?;
        let dropped = self.all(&options.drop)?;
        let usual = |at: &usize| {
            is_label_column(&self.called(*at))
                && Some(*at) != names
                && !chosen.contains(at)
                && !dropped.contains(at)
        };
        let labels = labels.or_else(|| (0..self.kinds.len()).find(usual));
        let mut remarks = Vec::new();
        let free = labels != Some(0) && !chosen.contains(&0) && !dropped.contains(&0) && self.kinds.len() > 1;
        let mut index = None;
        if names.is_none() && free {
            (names, index) = self.first_column(&mut remarks);
        }
        let is_open = |at: &usize| ![labels, names, index].contains(&Some(*at)) && !dropped.contains(at);
        let (features, others): (Vec<usize>, Vec<usize>) = (0..self.kinds.len())
            .filter(is_open)
            .filter(|at| chosen.is_empty() || chosen.contains(at))
            .partition(|&at| chosen.contains(&at) || self.kinds[at].is_numeric());
        if features.is_empty() && others.iter().any(|&at| matches!(self.kinds[at], Kind::Texts | Kind::Names))
        {
            return Err(self.only_texts(&others));
        }
        remarks.extend(self.left_out(&others));
        Ok(Roles { features, labels, names, remarks })
    }

    /// A first column that names the samples, or one that only numbers them.
    pub(crate) fn first_column(&self, remarks: &mut Vec<Remark>) -> (Option<usize>, Option<usize>) {
        let column = self.called(0);
        let unnamed = self.names.is_some_and(|names| names[0].is_empty());
        match self.kinds[0] {
            // What pandas and R write without being asked.
            Kind::Counts if unnamed => (None, Some(0)),
            _ if unnamed && self.kinds[0] != Kind::Other => (Some(0), None),
            Kind::Names => {
                remarks.push(Remark::Names { column });
                (Some(0), None)
            }
            Kind::Ids => {
                remarks.push(Remark::Ids { column });
                (Some(0), None)
            }
            Kind::Counts => {
                remarks.push(Remark::Counts { column });
                (Some(0), None)
            }
            Kind::Rising => {
                remarks.push(Remark::Rising { column });
                (None, None)
            }
            _ => (None, None),
        }
    }

    fn left_out(&self, columns: &[usize]) -> Vec<Remark> {
        let of = |kind: Kind| -> Vec<String> {
            columns.iter().filter(|&&at| self.kinds[at] == kind).map(|&at| self.called(at)).collect()
        };
        let said = [
            (of(Kind::Texts), (|columns| Remark::Texts { columns }) as fn(Vec<String>) -> Remark),
            (of(Kind::Names), |columns| Remark::OtherNames { columns }),
            (of(Kind::Other), |columns| Remark::NoNumbers { columns }),
        ];
        said.into_iter()
            .filter(|(columns, _)| !columns.is_empty())
            .map(|(columns, told)| told(columns))
            .collect()
    }

    /// There is nothing to fit in these columns, but words that can be counted.
    fn only_texts(&self, columns: &[usize]) -> Problem {
        let texts = || columns.iter().filter(|&&at| matches!(self.kinds[at], Kind::Texts | Kind::Names));
        let names: Vec<String> = texts().map(|&at| self.called(at)).collect();
        let hold = if names.len() == 1 { "holds" } else { "hold" };
        let columns = format!("{} {hold} text", listed(names.iter().map(String::as_str)));
        Problem::OnlyTexts { columns, column: names.into_iter().next_back().unwrap_or_default() }
    }

    /// The name of a column, or its number.
    pub(crate) fn called(&self, at: usize) -> String {
        self.names.map_or_else(|| (at + 1).to_string(), |names| names[at].clone())
    }

    /// The column that is wanted by name or number.
    pub(crate) fn find(&self, wanted: &str) -> Result<usize, Problem> {
        find_column(wanted, self.names, self.kinds.len())
            .ok_or_else(|| no_such_column(wanted, self.names, self.kinds.len()))
    }

    /// The columns of a list of names, numbers and patterns.
    fn all(&self, wanted: &[String]) -> Result<Vec<usize>, Problem> {
        find_all(wanted, self.names, self.kinds.len())
    }
}

/// Which of so many columns are meant by a list of names, numbers and patterns.
pub(crate) fn find_all(
    wanted: &[String],
    names: Option<&[String]>,
    width: usize,
) -> Result<Vec<usize>, Problem> {
    let is_meant = |pattern: &str, at: usize| match names {
        Some(names) => matches(pattern, &names[at]),
        None => matches(pattern, &(at + 1).to_string()),
    };
    let mut found = Vec::new();
    for one in wanted {
        let before = found.len();
        match find_column(one, names, width) {
            Some(at) => found.push(at),
            None => found.extend((0..width).filter(|&at| is_meant(one, at))),
        }
        if found.len() == before {
            return Err(no_such_column(one, names, width));
        }
    }
    Ok(found)
}

/// The column is not there: those that are, and the nearest name.
pub(crate) fn no_such_column(wanted: &str, names: Option<&[String]>, width: usize) -> Problem {
    let available = names.map_or_else(
        || format!("1 to {width} (they have no names)"),
        |names| listed(names.iter().map(String::as_str)),
    );
    let nearest = nearest(wanted, names.unwrap_or_default().iter().map(String::as_str));
    Problem::NoSuchColumn { wanted: wanted.into(), nearest, available }
}

/// Fewer rows than this count by chance, or rise by chance.
const FEW: usize = 4;
const FEW_RISING: usize = 10;

/// What the whole numbers of a first column do from row to row.
pub(crate) struct Progress {
    /// Those seen so far, where the column is called like one of names.
    seen: Option<HashSet<i64>>,
    rows: usize,
    last: i64,
    counts: bool,
    rises: bool,
}

/// Bytes of a number or a text that was seen, in the set of those that were.
pub(crate) const SEEN: u64 = 24;

impl Progress {
    /// Of a column of this name.
    pub(crate) fn of(name: Option<&str>) -> Self {
        let seen = name.is_some_and(is_id_column).then(HashSet::new);
        Self { seen, rows: 0, last: 0, counts: true, rises: true }
    }

    /// The number of the next row, if it is whole; whether more rows can change anything.
    pub(crate) fn add(&mut self, value: Option<i64>, budget: &Budget) -> Result<bool, Problem> {
        let Some(value) = value else {
            (self.seen, self.counts, self.rises) = (None, false, false);
            return Ok(false);
        };
        if self.rows == 0 {
            self.counts = value == 0 || value == 1;
        } else {
            self.rises = self.rises && value > self.last;
            self.counts = self.counts && Some(value) == self.last.checked_add(1);
        }
        (self.last, self.rows) = (value, self.rows + 1);
        if let Some(seen) = &mut self.seen {
            budget.take(Some(SEEN), "the names of the samples")?;
            if !seen.insert(value) {
                self.seen = None;
            }
        }
        Ok(self.seen.is_some() || self.counts || self.rises)
    }

    pub(crate) fn kind(&self) -> Kind {
        match self.rows {
            FEW.. if self.counts => Kind::Counts,
            FEW.. if self.seen.is_some() => Kind::Ids,
            FEW_RISING.. if self.rises => Kind::Rising,
            _ => Kind::Numbers,
        }
    }
}

/// The whole number that a number is.
pub(crate) fn whole(value: f64) -> Option<i64> {
    // Those beyond are not told apart by a floating-point number.
    const LARGEST: f64 = (1_i64 << 53) as f64;
    (value.fract() == 0.0 && value.abs() <= LARGEST).then_some(value as i64)
}

/// Whether a column is called as one that tells samples apart: `id`, `customer_id`, `PatientID`, `key`.
fn is_id_column(name: &str) -> bool {
    const WORDS: [&str; 8] = ["id", "ids", "key", "index", "idx", "uid", "uuid", "guid"];
    const ALONE: [&str; 14] = [
        "customer", "patient", "subject", "client", "user", "member", "account", "sample", "case", "order",
        "record", "row", "no", "nr",
    ];
    let name = name.trim();
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| WORDS.contains(&word))
        || ALONE.contains(&lower.as_str())
        || name.ends_with("ID")
        || name.ends_with("Id")
}
