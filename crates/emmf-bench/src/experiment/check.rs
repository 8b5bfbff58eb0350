//! Mistakes in an experiment, before its first run.

use std::collections::HashSet;

use super::contamination::Contamination;
use super::runs::{Competitor, Runs, Show};
use crate::sets::title;

/// Most characters of a name.
const LONGEST: usize = 100;

/// The name of an experiment is that of its folder: it must not lead out of the folder for the results.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let odd = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    let why = if name.trim().is_empty() {
        "it is empty"
    } else if matches!(name, "." | "..") || name.contains(odd) {
        "it could lead to another folder"
    } else if name.chars().count() > LONGEST {
        "it is too long"
    } else {
        return Ok(());
    };
    let fix = "use letters, digits, - and _";
    Err(format!("name = {name:?} cannot name the folder of its results, because {why}; {fix}"))
}

impl Runs {
    pub(super) fn check(&self) -> Result<(), String> {
        let empty = |what: &str| Err(format!("has no {what}; name at least one"));
        match (&self.data[..], &self.method[..], self.seeds) {
            ([], ..) => return empty("data"),
            (_, [], _) => return empty("method"),
            (.., 0) => return Err("seeds must be at least 1".into()),
            _ if self.fewer.iter().any(|fewer| fewer.seeds == 0) => {
                return Err("fewer: seeds must be at least 1; use skip to leave runs out".into());
            }
            _ => {}
        }
        self.check_names()?;
        self.contamination.iter().try_for_each(Contamination::check)?;
        for method in &self.method {
            if method.is_start() && self.show == Show::Convergence {
                return Err(format!("{}: a start has no iterations to show; name a method", method.label));
            }
            if method.is_start() && self.show == Show::Detection {
                return Err(format!("{}: a start has no scores; name a method", method.label));
            }
            method.check(self.max_iter)?;
        }
        if self.show == Show::Detection && self.contaminations().contains(&Contamination::None) {
            return Err("detection: without outliers there is nothing to find; name a contamination".into());
        }
        crate::limits::check_runs(self).map_err(|error| error.to_string())
    }

    /// Rows and columns have names of their own, and what is named is there.
    fn check_names(&self) -> Result<(), String> {
        let kinds: Vec<String> = self.contaminations().iter().map(Contamination::label).collect();
        let sets: Vec<String> = self.data.iter().map(|name| title(name)).collect();
        let labels: Vec<String> = self.method.iter().map(|method| method.label.clone()).collect();
        once("methods have the label", "row", &labels)?;
        once("data sets have the name", "column", &sets)?;
        once("contaminations have the label", "column", &kinds)?;
        let skipped = || self.skip.iter();
        let named = self.proposed.iter().chain(&self.beside).chain(skipped().flat_map(|skip| &skip.method));
        if let Some(label) = named.into_iter().find(|label| !labels.contains(label)) {
            return Err(format!("no method has the label {label:?}"));
        }
        let mut named =
            skipped().flat_map(|skip| &skip.data).chain(self.fewer.iter().flat_map(|few| &few.data));
        if let Some(name) = named.find(|name| !self.data.contains(name)) {
            return Err(format!("skip or fewer: {name:?} is not among the data: {}", self.data.join(", ")));
        }
        if let Some(label) =
            skipped().flat_map(|skip| &skip.contamination).find(|label| !kinds.contains(label))
        {
            return Err(format!("no contamination is {label:?}; there are {}", kinds.join(", ")));
        }
        Ok(())
    }
}

/// Refuses names that results could not be told apart by, or that take more than one line of their file.
fn once(two: &str, what: &str, names: &[String]) -> Result<(), String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("two {two} {name:?}; every {what} needs its own"));
        }
        if name.contains(char::is_control) {
            return Err(format!("{name:?} holds a line break or another control character; leave it out"));
        }
    }
    Ok(())
}

impl Competitor {
    pub(super) fn check(&self, max_iter: usize) -> Result<(), String> {
        if self.grid.values().any(Vec::is_empty) {
            return Err(format!("{}: a grid has no values", self.label));
        }
        let spec = self.spec(1, max_iter)?;
        emmf::registry::find(&spec.method).map_err(|error| error.to_string())?;
        Ok(())
    }
}
