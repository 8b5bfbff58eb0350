//! [`Spec::fit`]: from checked parameters and samples to a [`Fit`].

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::fit::{self, Observer, Run, Step, StopRule};
use crate::init::{self, Factors, Random};
use crate::matrix::Samples;
use crate::method::{Irls, IrlsState, Method, Update};
use crate::model::{Fit, Model, ResidualScale, Seconds, code, labels, residuals};
use crate::preprocess;
use crate::real::Real;
use crate::registry;
use crate::spec::{Solver, Spec};
use crate::threads;

/// What a fit may be given besides samples and parameters.
pub struct Given<'a, T> {
    /// How often each sample counts. Where the smallest positive weight is below 1, all are multiplied
    /// so that it is 1.
    pub sample_weights: Option<&'a [f64]>,
    /// U and V to start from, instead of `spec.init`.
    pub start: Option<&'a Factors<T>>,
    /// Sees every iteration and may end the fit.
    pub observer: &'a mut (dyn Observer + Send),
}

impl Spec {
    /// Fits the samples.
    ///
    /// ```
    /// use emmf::{Mat, Spec};
    /// let x = Mat::from_rows([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]]);
    /// let fit = Spec::emmf(2).fit(&x)?;
    /// assert_eq!(fit.labels[0], fit.labels[1]);
    /// assert_ne!(fit.labels[0], fit.labels[2]);
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn fit<'a, T: Real>(&self, x: impl Into<Samples<'a, T>>) -> Result<Fit<T>> {
        let mut observer = |_: &Step| ControlFlow::Continue(());
        self.fit_with(x, Given { sample_weights: None, start: None, observer: &mut observer })
    }

    /// Fits the samples with sample weights, a given start or an observer.
    pub fn fit_with<'a, T: Real>(
        &self,
        x: impl Into<Samples<'a, T>>,
        mut given: Given<'_, T>,
    ) -> Result<Fit<T>> {
        let (x, began) = (x.into(), Instant::now());
        self.check(x.shape(), &given)?;
        let weights = sample_weights(given.sample_weights, x.shape().0)?;
        threads::within(self.threads, || {
            let (fitted, mut prepared) = preprocess::fit(&self.normalize, x)?;
            let scale = prepared.take_scale();
            let samples = prepared.samples();
            let data = Stored::new(samples, scale);
            data.intact()?;
            not_constant(&samples)?;
            not_too_small(&data)?;
            let mut job = Job {
                spec: self,
                method: self.irls(&data, weights)?,
                data: &data,
                deadline: self.time_limit.map(|limit| began + Duration::from_secs_f64(limit)),
                seconds: Seconds { prepare: began.elapsed().as_secs_f64(), ..Seconds::default() },
            };
            let (run, restart) = job.best_run(&mut given)?;
            let mut fit = job.finish(run, fitted, restart)?;
            fit.seconds.total = began.elapsed().as_secs_f64();
            Ok(fit)
        })?
    }

    /// The one check of all parameters.
    fn check<T: Real>(&self, (n, d): (usize, usize), given: &Given<'_, T>) -> Result<()> {
        registry::find(&self.method)?.check(&self.params)?;
        if n == 0 || d == 0 {
            return Err(Error::Empty { rows: n, cols: d });
        }
        if self.k == 0 || self.k > n {
            return Err(Error::param(
                "k",
                self.k,
                format!("at least 1 and at most {n}, the number of samples"),
            ));
        }
        let counts = [
            ("sweeps", self.sweeps),
            ("restarts", self.restarts),
            ("init_restarts", self.init_restarts),
            ("max_iter", self.max_iter),
            ("threads", self.threads.unwrap_or(1)),
        ];
        if let Some((name, got)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(Error::param(name, got, "at least 1"));
        }
        // ε² must not underflow: a residual of exactly 0 would get an infinite weight.
        let positive =
            [("epsilon", self.epsilon, 1e-150), ("time_limit", self.time_limit, f64::MIN_POSITIVE)];
        for (name, value, least) in positive {
            if let Some(value) = value
                && !(value >= least && value <= 1e9)
            {
                let least =
                    if least > f64::MIN_POSITIVE { format!("at least {least:e}") } else { "above 0".into() };
                return Err(Error::param(name, value, format!("{least} and at most 1e9")));
            }
        }
        if !(self.tol >= 0.0 && self.tol < 1.0) {
            return Err(Error::param("tol", self.tol, "at least 0 and below 1"));
        }
        if let Some(exponent) = self.exponent {
            if self.solver == Solver::Hals {
                return Err(Error::param(
                    "exponent",
                    exponent,
                    "left out with solver = hals, which has none",
                ));
            }
            if !(exponent > 0.0 && exponent <= 1.0) {
                return Err(Error::param(
                    "exponent",
                    exponent,
                    "above 0 and at most 1, else nothing descends",
                ));
            }
        }
        if let Some(start) = given.start {
            start.check((n, d), self.k)?;
            if self.restarts > 1 {
                return Err(Error::param("restarts", self.restarts, "1 with a given start"));
            }
        }
        Ok(())
    }

    fn irls<T: Real, X: Data<T>>(&self, x: &X, sample_weights: Vec<f64>) -> Result<Irls> {
        let entry = registry::find(&self.method)?;
        let params = self.params.clone();
        let counted = x.norms_sq().iter().zip(&sample_weights);
        let mean_norm =
            counted.map(|(norm, s)| s * norm.sqrt()).sum::<f64>() / sample_weights.iter().sum::<f64>();
        let update = match self.solver {
            Solver::Mu => Update::Multiplicative { exponent: self.exponent.unwrap_or(entry.exponent) },
            Solver::Hals => Update::Hals { sweeps: self.sweeps },
        };
        let epsilon = self.epsilon.unwrap_or((1e-10 * mean_norm).max(1e-150));
        Ok(Irls { loss: Box::new(move || entry.loss(&params)), update, epsilon, sample_weights })
    }
}

/// The weights as counts: the smallest positive one is at least 1, so that no sample's residual exceeds
/// the weighted sum of all, and the weights of the entropy loss stay positive.
fn sample_weights(given: Option<&[f64]>, n: usize) -> Result<Vec<f64>> {
    let Some(given) = given else { return Ok(vec![1.0; n]) };
    if given.len() != n {
        return Err(Error::Shape { what: "the sample weights", got: (given.len(), 1), want: (n, 1) });
    }
    if let Some((i, weight)) = given.iter().enumerate().find(|(_, w)| !(**w >= 0.0 && w.is_finite())) {
        let got = format!("{weight} for sample {i} (from 0)");
        return Err(Error::param("sample_weight", got, "finite and not negative"));
    }
    let smallest = given.iter().copied().filter(|&w| w > 0.0).fold(f64::INFINITY, f64::min);
    if smallest == f64::INFINITY {
        return Err(Error::param("sample_weight", "0 for every sample", "positive for at least one"));
    }
    Ok(given.iter().map(|w| w / smallest.min(1.0)).collect())
}

/// A matrix with one value everywhere has nothing to factorize.
fn not_constant<T: Real>(x: &Samples<'_, T>) -> Result<()> {
    let (n, d) = x.shape();
    let (any, differs, stored) = (OnceLock::new(), AtomicBool::new(false), AtomicUsize::new(0));
    x.try_for_rows(|_, row| {
        if let Some(&first) = row.first() {
            let any = *any.get_or_init(|| first);
            differs.fetch_or(row.iter().any(|&value| value != any), Ordering::Relaxed);
            stored.fetch_add(row.len(), Ordering::Relaxed);
        }
        Ok(())
    })?;
    let any = any.into_inner().unwrap_or(T::ZERO);
    let zeros = stored.into_inner() < n * d;
    if n * d == 1 || differs.into_inner() || (zeros && any != T::ZERO) {
        return Ok(());
    }
    Err(Error::Constant { value: any.to_f64() })
}

/// Products of samples must not vanish in their own type.
fn not_too_small<T: Real, X: Data<T>>(x: &X) -> Result<()> {
    let longest = x.norms_sq().iter().copied().fold(0.0, f64::max);
    let least = T::TINY.to_f64() / T::NOISE.to_f64();
    if longest > 0.0 && longest < least {
        return Err(Error::TooSmall { longest: longest.sqrt() });
    }
    Ok(())
}

/// One fit under way.
struct Job<'a, X> {
    spec: &'a Spec,
    method: Irls,
    data: &'a X,
    deadline: Option<Instant>,
    seconds: Seconds,
}

impl<X> Job<'_, X> {
    /// The restart with the lowest objective, and its number.
    fn best_run<T: Real>(&mut self, given: &mut Given<'_, T>) -> Result<(Run<IrlsState<T>>, usize)>
    where
        X: Data<T>,
    {
        let rule = StopRule { max_iter: self.spec.max_iter, tol: self.spec.tol, deadline: self.deadline };
        let mut best: Option<(Run<IrlsState<T>>, usize)> = None;
        for restart in 0..self.spec.restarts {
            let began = Instant::now();
            let start = if let Some(start) = given.start {
                start.clone()
            } else {
                let mut rng = Random::stream(self.spec.seed, restart);
                init::start(self.spec, self.data, &self.method.sample_weights, &mut rng)?
            };
            self.data.intact()?;
            self.seconds.init += began.elapsed().as_secs_f64();
            let began = Instant::now();
            let (method, data) = (&self.method, self.data);
            // Samples that cannot be read end the loop.
            let mut observer = |step: &Step| match data.intact() {
                Ok(()) => given.observer.iteration(step),
                Err(_) => ControlFlow::Break(()),
            };
            let run = threads::awake(|| fit::run(method, data, start, &rule, restart, &mut observer));
            data.intact()?;
            let run = run?;
            self.seconds.iterate += began.elapsed().as_secs_f64();
            let stop = run.stop;
            let over = matches!(stop, fit::Stop::Cancelled | fit::Stop::TimeLimit);
            let value = |run: &Run<IrlsState<T>>| Method::<T, X>::objective(&self.method, &run.state);
            if best.as_ref().is_none_or(|(best, _)| value(&run) < value(best)) {
                best = Some((run, restart));
            }
            if over {
                // Whichever restart is kept: this is why there are no more.
                if let Some((best, _)) = &mut best {
                    best.stop = stop;
                }
                break;
            }
        }
        best.ok_or_else(|| Error::param("restarts", 0, "at least 1"))
    }

    fn finish<T: Real>(
        &self,
        run: Run<IrlsState<T>>,
        fitted: Vec<preprocess::Fitted>,
        restart: usize,
    ) -> Result<Fit<T>>
    where
        X: Data<T>,
    {
        let Run { state, initial, trace, stop } = run;
        let (Factors { u, mut v }, loss) = state.into_parts();
        let labels = labels(&v, &u, self.spec.labels);
        let residuals = if self.spec.polish {
            let (exact, residuals) = code(self.data, &u);
            v = exact;
            residuals
        } else {
            residuals(self.data, &u, &mut v)
        };
        let smoothed: Vec<f64> = residuals.iter().map(|r| self.method.smoothed(&*loss, r * r)).collect();
        let mut weights = vec![0.0; residuals.len()];
        let objective = self.method.weigh(&*loss, &smoothed, &mut weights);
        self.data.intact()?;
        let scale = ResidualScale::of(&residuals);
        Ok(Fit {
            scores: residuals.iter().map(|&r| scale.score(r)).collect(),
            objective,
            weights,
            model: Model::from_parts(self.spec.clone(), u, fitted, scale)?,
            v,
            labels,
            residuals,
            initial,
            trace,
            stop,
            restart,
            seconds: self.seconds,
        })
    }
}
