//! What a stopped fit can continue from, bit for bit.
//!
//! A fit is a function of its samples and parameters, so that its start, graph and scales need not be kept: they are made
//! again. Only what iterations change is kept. Every method names that in one function, which an [`Archive`] uses in both
//! directions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::real::Real;

/// A restart after one of its iterations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// The objective before the first iteration.
    pub initial: f64,
    /// The objective after each iteration.
    pub trace: Vec<f64>,
    /// The state of the method, by the names that it gives its parts.
    pub parts: BTreeMap<String, Vec<f64>>,
}

/// A fit after one of its iterations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The restart that is under way, from 0.
    pub restart: usize,
    /// Where it is.
    pub now: Snapshot,
    /// The best of the restarts before, and its number.
    pub best: Option<(usize, Snapshot)>,
    /// The components of the restarts before, with their lengths, where a consensus is to be made of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<Vec<f64>>,
}

impl Checkpoint {
    /// Whether there is anything to continue from. There is not where the time was up before the first iteration: what was made
    /// before that may not be what a fit with more time makes.
    pub(crate) fn has_begun(&self) -> bool {
        !self.now.trace.is_empty()
    }
}

/// Saves the parts of a state, or loads them.
#[derive(Debug)]
pub struct Archive {
    loading: bool,
    parts: BTreeMap<String, Vec<f64>>,
    /// The first part that could not be loaded.
    misfit: Option<&'static str>,
    /// Why the first part that is not in this memory could not be had.
    lost: Option<Error>,
}

impl Archive {
    /// An archive that records the parts it is shown.
    pub fn saving() -> Self {
        Self { loading: false, parts: BTreeMap::new(), misfit: None, lost: None }
    }

    /// An archive that restores the saved values of the parts it is shown.
    pub fn loading(parts: BTreeMap<String, Vec<f64>>) -> Self {
        Self { loading: true, parts, misfit: None, lost: None }
    }

    /// Numbers, of which there are as many when saving as when loading.
    pub fn reals<T: Real>(&mut self, name: &'static str, values: &mut [T]) {
        if !self.loading {
            self.parts.insert(name.into(), values.iter().map(|value| value.to_f64()).collect());
            return;
        }
        match self.parts.remove(name) {
            Some(saved) if saved.len() == values.len() => {
                values.iter_mut().zip(saved).for_each(|(value, saved)| *value = T::from_f64(saved));
            }
            _ => self.misfit = self.misfit.or(Some(name)),
        }
    }

    /// Numbers, any number of them.
    pub fn list(&mut self, name: &'static str, values: &mut Vec<f64>) {
        if self.loading {
            values.resize(self.parts.get(name).map_or(0, Vec::len), 0.0);
        }
        self.reals(name, values);
    }

    /// One number.
    pub fn number(&mut self, name: &'static str, value: &mut f64) {
        self.reals(name, std::slice::from_mut(value));
    }

    /// A count below 2⁵³, or a yes or no as 1 or 0.
    pub fn count(&mut self, name: &'static str, value: &mut usize) {
        let mut number = *value as f64;
        self.number(name, &mut number);
        *value = number as usize;
    }

    /// Numbers that are elsewhere: `read` brings them, and `write` takes there what was loaded. Where either fails, nothing is saved or
    /// loaded.
    pub fn elsewhere<P: ?Sized>(
        &mut self,
        name: &'static str,
        place: &mut P,
        read: impl FnOnce(&mut P) -> Result<Vec<f64>>,
        write: impl FnOnce(&mut P, &[f64]) -> Result<()>,
    ) {
        let moved = read(place).and_then(|mut values| {
            self.reals(name, &mut values);
            if self.loading { write(place, &values) } else { Ok(()) }
        });
        self.lost = self.lost.take().or(moved.err());
    }

    /// What was saved, if every part could be had.
    pub fn into_parts(self) -> Result<BTreeMap<String, Vec<f64>>> {
        self.lost.map_or(Ok(self.parts), Err)
    }

    /// Fails if what was loaded belongs to another fit, or did not reach its place.
    pub fn check(self) -> Result<()> {
        let strange = self.parts.keys().next().map(String::as_str);
        match self.misfit.or(if self.loading { strange } else { None }) {
            None => self.lost.map_or(Ok(()), Err),
            Some(part) => Err(Error::param(
                "the checkpoint",
                format!("that of another fit (its part '{part}' does not fit)"),
                "that of a fit of the same samples with the same parameters",
            )),
        }
    }
}
