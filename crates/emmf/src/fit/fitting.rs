//! One fit under way: restarts of a method, the best of them kept, and what it leaves.

use std::ops::ControlFlow;
use std::time::Instant;

use crate::cancel::Deadline;
use crate::checkpoint::{Checkpoint, Snapshot};
use crate::error::{Error, Result};
use crate::init::{Random, Start};
use crate::iterate::{Observer, Phase, Run, Step, Stop, StopRule, iterate};
use crate::method::{Ending, Exponents, Factorization, Method, Of, Penalties, Penalty, Recipe, Shares};
use crate::model::{Fit, Model, ResidualScale, Seconds};
use crate::outliers::Reason;
use crate::preprocess::Fitted;
use crate::real::Real;
use crate::registry::Entry;
use crate::spec::Spec;
use crate::threads::Pool;

use super::consensus::Restart;
use super::{Given, check, guide};

/// One fit under way.
pub(super) struct Fitting<'a> {
    pub(super) spec: &'a Spec,
    pub(super) entry: &'static Entry,
    /// How often each sample counts.
    pub(super) weights: &'a [f64],
    /// Fails where samples could not be read.
    pub(super) intact: &'a (dyn Fn() -> Result<()> + Sync),
    /// What preprocessing took from the samples.
    pub(super) fitted: Vec<Fitted>,
    /// The threads of the fit.
    pub(super) pool: &'a Pool,
    pub(super) deadline: Deadline,
    pub(super) seconds: Seconds,
    /// The clusters at which the first restart starts, where these were found along a graph.
    pub(super) clusters: Option<Vec<usize>>,
    /// Which graph was chosen.
    pub(super) choice: Option<(usize, f64)>,
}

impl<'a> Fitting<'a> {
    /// A fit of samples that are prepared, can always be read and may take their time; the rest is to be filled in.
    pub(super) fn new(spec: &'a Spec, entry: &'static Entry, weights: &'a [f64], pool: &'a Pool) -> Self {
        let (deadline, seconds) = (Deadline::default(), Seconds::default());
        let (fitted, intact) = (Vec::new(), &|| Ok(()));
        Self { spec, entry, weights, intact, fitted, pool, deadline, seconds, clusters: None, choice: None }
    }

    /// Exponent of the multiplicative update.
    pub(super) fn exponent(&self) -> f64 {
        self.spec.exponent.or(self.entry.exponent).unwrap_or(1.0)
    }

    /// The penalties on the factors of samples of this shape.
    pub(super) fn penalties(&self, (n, d): (usize, usize)) -> Penalties {
        // Samples are counted as often as they count; where they are elsewhere nobody knows here how often that is.
        let counted = if self.weights.is_empty() { n as f64 } else { self.weights.iter().sum() };
        self.entry.penalties(self.spec, (counted, d as f64))
    }

    /// Exponents with which steps on either factor descend, as large as they may be.
    pub(super) fn exponents(&self, recipe: Option<Recipe>, penalties: &Penalties) -> Exponents {
        let most = |penalty: &Penalty| recipe.map_or(1.0, |recipe| recipe.steepest(penalty.l2 > 0.0));
        let exponent = |penalty| self.exponent().min(most(penalty));
        Exponents { u: exponent(&penalties.u), v: exponent(&penalties.v) }
    }

    /// Fits what is in `x` with `method`.
    pub(super) fn fit_by<'x, T: Real, X: Sync + ?Sized, M: Method<'x, T, X>>(
        self,
        method: &M,
        x: &'x X,
        given: &mut Given<'_, T>,
    ) -> Result<Fit<T>> {
        self.fit_of(&Of(method, x), given)
    }

    fn fit_of<T: Real>(mut self, of: &dyn Factorization<T>, given: &mut Given<'_, T>) -> Result<Fit<T>> {
        let best = self.best_run(of, given)?;
        let restart = best.restart;
        let (run, consensus) = self.agreed(of, given, best)?;
        let Run { work, initial, trace, mut stop } = run;
        let (rule, clusters) = (self.entry.labels(self.spec), self.spec.label_count());
        // Whoever ends a fit early does not wait for V to be coded anew.
        let polish = (self.spec.polish || consensus.is_some()) && !stop.is_early();
        let cancel = given.running.cancel.clone();
        let (seed, deadline) = (self.spec.seed, self.deadline);
        let weights = if rule.is_kmeans() { self.weights.to_vec() } else { Vec::new() };
        let ending =
            Ending { polish, labels: rule, clusters, weights, seed, deadline, cancel: cancel.clone() };
        given.begins(Phase::Code);
        let outcome = work.finish(ending)?;
        (self.intact)()?;
        if polish && cancel.is_cancelled() {
            stop = Stop::Cancelled;
        } else if polish && self.deadline.is_over() {
            stop = Stop::TimeLimit;
        }
        let scale = ResidualScale::of(&outcome.residuals);
        let model =
            Model::from_parts(self.spec.clone().label_rule(rule), outcome.factors.u, self.fitted, scale)?;
        let mut model = model.with_coding(outcome.coding)?;
        if rule.is_kmeans() {
            let shares = Shares::new(&outcome.factors.v, model.centroids(), rule);
            let centres = shares.centres(&outcome.labels, self.weights, clusters);
            model = model.with_label_centres(centres)?;
        }
        let mut layers = Vec::new();
        if let Some(left) = outcome.layers {
            (model, layers) = model.layered(left, &outcome.residuals)?;
        }
        Ok(Fit {
            layers,
            scores: outcome.residuals.iter().map(|&r| scale.score(r)).collect(),
            objective: outcome.objective,
            weights: outcome.weights,
            model,
            v: outcome.factors.v,
            labels: outcome.labels,
            extras: outcome.extras.into_iter().chain(self.choice.into_iter().flat_map(guide::told)).collect(),
            reasons: vec![Reason::default(); outcome.residuals.len()],
            groups: Vec::new(),
            set_aside: Vec::new(),
            residuals: outcome.residuals,
            imputed: None,
            initial,
            trace,
            stop,
            restart,
            consensus,
            seconds: self.seconds,
        })
    }

    /// The restart with the best objective.
    fn best_run<'w, T: Real>(
        &mut self,
        of: &'w dyn Factorization<T>,
        given: &mut Given<'_, T>,
    ) -> Result<Best<'w, T>> {
        let Spec { max_iter, restarts, .. } = *self.spec;
        let tol = self.entry.tol(self.spec);
        let by = check::stop_by(self.spec, self.entry);
        let cancel = given.running.cancel.clone();
        let rule = StopRule { max_iter, tol, by, deadline: self.deadline, cancel };
        let (first, resume) = given.saved().map_or((0, None), |saved| (saved.restart, Some(&saved.now)));
        let mut best = match given.saved().and_then(|saved| saved.best.as_ref()) {
            Some((restart, saved)) => Some((self.begin(of, given, (*restart, Some(saved)))?, *restart)),
            None => None,
        };
        let mut components = self.resumed_components(given)?;
        // A checkpoint of what was cut short is not one of this fit.
        let in_full = given.resume.is_some() || !self.deadline.is_over();
        for restart in first..restarts {
            let resume = resume.filter(|_| restart == first);
            given.begins(Phase::Start);
            let mut run = match (self.begin(of, given, (restart, resume)), &mut best) {
                (Err(error @ (Error::Cancelled | Error::OutOfTime)), Some((best, _))) => {
                    best.stop = if error == Error::Cancelled { Stop::Cancelled } else { Stop::TimeLimit };
                    break;
                }
                (run, _) => run?,
            };
            let (began, intact, pool) = (Instant::now(), self.intact, self.pool);
            let mut kept = || {
                let saved = |(run, restart): &mut (Run<'_, T>, _)| Ok((*restart, run.save()?));
                best.as_mut().map(saved).transpose()
            };
            let observer = given.observer.as_mut().map(|observer| &mut **observer as _);
            let mut observer = Watch { observer, intact, in_full, best: &mut kept, components: &components };
            let done = pool.awake(|| iterate(&mut run, (&rule, restart), &mut observer));
            intact()?;
            done?;
            self.seconds.iterate += began.elapsed().as_secs_f64();
            let stop = run.stop;
            if self.spec.consensus && !stop.is_early() {
                components.push(self.components(&run.save()?)?);
            }
            let value = |run: &Run<'_, T>| run.work.objective();
            if best.as_ref().is_none_or(|(best, _)| self.entry.goal.is_better(value(&run), value(best))) {
                best = Some((run, restart));
            }
            if stop.is_early() {
                // Whichever restart is kept: this is why there are no more.
                if let Some((best, _)) = &mut best {
                    best.stop = stop;
                }
                break;
            }
        }
        let (run, restart) =
            best.ok_or_else(|| Error::param("restarts", restarts, format!("at least {}", first + 1)))?;
        Ok(Best { run, restart, components })
    }

    /// A restart before its first iteration, or where it was `saved`.
    pub(super) fn begin<'w, T: Real>(
        &mut self,
        of: &'w dyn Factorization<T>,
        given: &Given<'_, T>,
        (restart, saved): (usize, Option<&Snapshot>),
    ) -> Result<Run<'w, T>> {
        let began = Instant::now();
        let rng = Random::stream(self.spec.seed, restart);
        let cancel = given.until(self.deadline);
        let clusters = self.clusters.as_deref().filter(|_| restart == 0);
        let start = Start::new(self.spec, self.weights, given.start, rng);
        let mut start = start.at(clusters).ended_by(&cancel).resuming(saved.is_some());
        let run = self.pool.awake(|| Run::begin(of, &mut start));
        (self.intact)()?;
        let mut run = run?;
        if !run.work.has_begun() {
            cancel.check()?;
        }
        saved.map_or(Ok(()), |saved| run.load(saved))?;
        self.seconds.init += start.seconds();
        self.seconds.iterate += began.elapsed().as_secs_f64() - start.seconds();
        Ok(run)
    }
}

/// The restart with the best objective, and where a consensus is wanted the components of all.
pub(super) struct Best<'w, T> {
    pub(super) run: Run<'w, T>,
    pub(super) restart: usize,
    pub(super) components: Vec<Restart>,
}

/// The caller's observer, where there is one. Samples that cannot be read end the loop, and a checkpoint knows the best restart so far.
struct Watch<'a> {
    observer: Option<&'a mut (dyn Observer + Send)>,
    intact: &'a (dyn Fn() -> Result<()> + Sync),
    /// Whether all that comes before the iterations was done in full.
    in_full: bool,
    best: &'a mut (dyn FnMut() -> Result<Option<(usize, Snapshot)>> + Send),
    components: &'a [Restart],
}

impl Observer for Watch<'_> {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        if (self.intact)().is_err() {
            return ControlFlow::Break(());
        }
        self.observer.as_mut().map_or(ControlFlow::Continue(()), |observer| observer.iteration(step))
    }

    fn keep(&mut self, save: &mut dyn FnMut() -> Result<Checkpoint>) {
        if let Some(observer) = &mut self.observer
            && (self.intact)().is_ok()
        {
            let Self { best, components, in_full, .. } = self;
            if !*in_full {
                return observer.keep(&mut || Ok(Checkpoint::default()));
            }
            let components = || components.iter().map(Restart::numbers).collect();
            observer.keep(&mut || Ok(Checkpoint { best: best()?, components: components(), ..save()? }));
        }
    }
}
