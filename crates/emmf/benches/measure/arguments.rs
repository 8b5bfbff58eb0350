//! `JOB name=value …`

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::str::FromStr;

pub(crate) struct Arguments {
    job: String,
    values: BTreeMap<String, String>,
}

impl Arguments {
    /// Cargo adds options of its own, which begin with a dash.
    pub(crate) fn new(arguments: impl Iterator<Item = String>) -> Self {
        let mut words = arguments.filter(|word| !word.starts_with('-'));
        let job = words.next().expect("the name of a job");
        let pair = |word: String| {
            let (name, value) = word.split_once('=').expect("name=value");
            (name.to_owned(), value.to_owned())
        };
        Self { job, values: words.map(pair).collect() }
    }

    pub(crate) fn job(&self) -> &str {
        &self.job
    }

    pub(crate) fn get<N: FromStr<Err: Debug>>(&self, name: &str) -> Option<N> {
        let value = self.values.get(name)?;
        Some(value.parse().unwrap_or_else(|error| panic!("{name}={value}: {error:?}")))
    }

    pub(crate) fn number<N: FromStr<Err: Debug>>(&self, name: &str, default: N) -> N {
        self.get(name).unwrap_or(default)
    }

    pub(crate) fn text(&self, name: &str, default: &str) -> String {
        self.number(name, default.to_owned())
    }
}
