//! A fit whose model is what its restarts agree on, instead of the best of them.

mod agree;

use super::Given;
use super::fitting::{Best, Fitting};
use crate::checkpoint::Snapshot;
use crate::error::{Error, Result};
use crate::iterate::{Run, Stop};
use crate::matrix::Mat;
use crate::method::{Ending, Factorization};
use crate::model::Consensus;
use crate::real::Real;
use crate::spec::LabelRule;

pub(super) use agree::Restart;
use agree::agree;

/// The names under which every method that can have a consensus keeps its factors in a checkpoint.
const CENTROIDS: &str = "u";
const COEFFICIENTS: &str = "v";

impl Fitting<'_> {
    /// The components of a restart: its centroids, with layers those of the first.
    pub(super) fn components(&self, saved: &Snapshot) -> Result<Restart> {
        let (k, all) = (self.spec.k, self.all());
        let u =
            saved.parts.get(CENTROIDS).filter(|u| u.len().is_multiple_of(all)).ok_or_else(no_centroids)?;
        Ok(Restart::new(Mat::from_fn(u.len() / all, k, |j, at| u[j * all + at])))
    }

    /// Centroids of all layers.
    fn all(&self) -> usize {
        self.spec.widths().iter().sum()
    }

    /// The components of the restarts before a checkpoint.
    pub(super) fn resumed_components<T>(&self, given: &Given<'_, T>) -> Result<Vec<Restart>> {
        let Some(saved) = given.saved().filter(|_| self.spec.consensus) else { return Ok(Vec::new()) };
        let k = self.spec.k;
        let fits = |numbers: &Vec<f64>| numbers.len() > k && numbers.len().is_multiple_of(k);
        if saved.components.len() != saved.restart || !saved.components.iter().all(fits) {
            let got = format!("one with the components of {} restarts", saved.components.len());
            let must = format!("one with those of {} restarts, with {k} in each", saved.restart);
            return Err(Error::param("the checkpoint", got, must));
        }
        Ok(saved.components.iter().map(|numbers| Restart::from_numbers(numbers, k)).collect())
    }

    /// Brings the best restart to the consensus of all, with V coded exactly. A fit that is ended early keeps the best restart as it
    /// is, and layers above the first are always those of the best restart.
    pub(super) fn agreed<'w, T: Real>(
        &mut self,
        of: &'w dyn Factorization<T>,
        given: &Given<'_, T>,
        best: Best<'w, T>,
    ) -> Result<(Run<'w, T>, Option<Consensus>)> {
        let Best { mut run, restart, components } = best;
        if !self.spec.consensus || run.stop.is_early() {
            return Ok((run, None));
        }
        let (u, consensus) = self.pool.awake(|| agree(&components, restart));
        let mut saved = run.save()?;
        self.put(&u, &mut saved)?;
        match self.coded(of, given, (restart, &saved)) {
            Ok(v) => {
                saved.parts.insert(COEFFICIENTS.into(), v);
                run.load(&saved)?;
                Ok((run, Some(consensus)))
            }
            Err(Error::Cancelled | Error::OutOfTime) => {
                run.stop = if self.deadline.is_over() { Stop::TimeLimit } else { Stop::Cancelled };
                Ok((run, None))
            }
            Err(error) => Err(error),
        }
    }

    /// Puts the components in the place of those of the first layer.
    fn put(&self, u: &Mat<f64>, saved: &mut Snapshot) -> Result<()> {
        let (k, all) = (self.spec.k, self.all());
        let part = saved.parts.get_mut(CENTROIDS).ok_or_else(no_centroids)?;
        let rows = part.chunks_exact_mut(all).zip(u.as_slice().chunks_exact(k));
        rows.for_each(|(to, from)| to[..k].copy_from_slice(from));
        Ok(())
    }

    /// V for the centroids of what was saved, unless the fit is ended before it is there.
    fn coded<T: Real>(
        &mut self,
        of: &dyn Factorization<T>,
        given: &Given<'_, T>,
        (restart, saved): (usize, &Snapshot),
    ) -> Result<Vec<f64>> {
        let run = self.begin(of, given, (restart, Some(saved)))?;
        let cancel = given.running.cancel.clone();
        let ending = Ending {
            polish: true,
            labels: LabelRule::Largest,
            clusters: self.spec.k,
            weights: Vec::new(),
            seed: self.spec.seed,
            deadline: self.deadline,
            cancel: cancel.clone(),
        };
        let outcome = run.work.finish(ending)?;
        (self.intact)()?;
        if cancel.is_cancelled() || self.deadline.is_over() {
            return Err(Error::Cancelled);
        }
        Ok(outcome.factors.v.as_slice().iter().map(|v| v.to_f64()).collect())
    }
}

/// A method of one's own may keep its centroids elsewhere.
fn no_centroids() -> Error {
    Error::param("consensus", "asked for", "left out with a method whose checkpoints name no u")
}
