//! Which columns of a table are features, which one names the samples and which one holds their classes.

use crate::error::{Problem, listed, nearest};
use crate::options::{ReadOptions, find_column, is_label_column, matches};
use crate::remark::Remark;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Numbers,
    /// 0, 1, 2 or 1, 2, 3 and so on.
    Counts,
    Texts,
    /// Texts of which no two are alike.
    Names,
    /// Neither numbers nor text.
    Other,
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

impl Table<'_> {
    /// Decides by what the options say, then by what the columns are called and hold.
    pub(crate) fn roles(&self, options: &ReadOptions) -> Result<Roles, Problem> {
        let labels = options.labels.as_deref().map(|wanted| self.find(wanted)).transpose()?;
        let mut names = options.id.as_deref().map(|wanted| self.find(wanted)).transpose()?;
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
            .partition(|&at| chosen.contains(&at) || matches!(self.kinds[at], Kind::Numbers | Kind::Counts));
        remarks.extend(self.left_out(&others));
        Ok(Roles { features, labels, names, remarks })
    }

    /// A first column that names the samples, or one that only numbers them.
    fn first_column(&self, remarks: &mut Vec<Remark>) -> (Option<usize>, Option<usize>) {
        let column = self.called(0);
        let unnamed = self.names.is_some_and(|names| names[0].is_empty());
        match self.kinds[0] {
            // What pandas and R write without being asked.
            Kind::Counts if unnamed => (None, Some(0)),
            Kind::Numbers | Kind::Texts | Kind::Names if unnamed => (Some(0), None),
            Kind::Names => {
                remarks.push(Remark::Names { column });
                (Some(0), None)
            }
            Kind::Counts => {
                remarks.push(Remark::Counts { column });
                (Some(0), None)
            }
            _ => (None, None),
        }
    }

    fn left_out(&self, columns: &[usize]) -> Vec<Remark> {
        let of = |kind: fn(Kind) -> bool| -> Vec<String> {
            columns.iter().filter(|&&at| kind(self.kinds[at])).map(|&at| self.called(at)).collect()
        };
        let texts = of(|kind| matches!(kind, Kind::Texts | Kind::Names));
        let others = of(|kind| kind == Kind::Other);
        let texts = (!texts.is_empty()).then_some(Remark::Texts { columns: texts });
        let others = (!others.is_empty()).then_some(Remark::NoNumbers { columns: others });
        texts.into_iter().chain(others).collect()
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
        let mut found = Vec::new();
        for one in wanted {
            let exact = find_column(one, self.names, self.kinds.len());
            let before = found.len();
            match exact {
                Some(at) => found.push(at),
                None => found.extend((0..self.kinds.len()).filter(|&at| matches(one, &self.called(at)))),
            }
            if found.len() == before {
                return Err(no_such_column(one, self.names, self.kinds.len()));
            }
        }
        Ok(found)
    }
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
