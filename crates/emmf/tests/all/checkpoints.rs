//! A fit that goes on from a checkpoint ends as one that was never stopped, bit for bit.

use crate::oracle;

use std::ops::ControlFlow;

use emmf::preprocess::Normalize;
use emmf::registry::{self, Storage};
use emmf::{
    Checkpoint, Error, Fit, Init, Mat, Missing, Observer, Outliers, Real, Samples, Solver, Spec, Step, Stop,
    synth,
};
use oracle::problems::{Sparse, methods, rng, uniform};

/// Keeps the checkpoint of one iteration, and ends the fit there if it is to.
struct Keeper {
    at: (usize, usize),
    ends: bool,
    now: (usize, usize),
    kept: Option<Checkpoint>,
}

impl Keeper {
    fn new(at: (usize, usize), ends: bool) -> Self {
        Self { at, ends, now: (0, 0), kept: None }
    }
}

impl Observer for Keeper {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        self.now = (step.restart, step.iteration);
        if self.ends && self.now == self.at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn keep(&mut self, save: &mut dyn FnMut() -> emmf::Result<Checkpoint>) {
        if self.now == self.at {
            self.kept = Some(save().unwrap());
        }
    }
}

/// Everything but the times.
fn assert_same<T: Real>(one: &Fit<T>, other: &Fit<T>, what: &str) {
    assert_eq!(one.model, other.model, "{what}");
    assert_eq!(one.v, other.v, "{what}");
    assert_eq!(one.trace, other.trace, "{what}");
    assert_eq!((one.initial, one.objective), (other.initial, other.objective), "{what}");
    assert_eq!((one.stop, one.restart), (other.stop, other.restart), "{what}");
    assert_eq!(one.labels, other.labels, "{what}");
    assert_eq!(one.residuals, other.residuals, "{what}");
    assert_eq!(one.weights, other.weights, "{what}");
    assert_eq!(one.scores, other.scores, "{what}");
    assert_eq!(one.extras, other.extras, "{what}");
    assert_eq!(one.layers, other.layers, "{what}");
    assert_eq!(one.consensus, other.consensus, "{what}");
}

/// Stops at one iteration, goes on from what was kept, as text and back.
fn resumes<T: Real>(spec: &Spec, x: Samples<'_, T>, at: (usize, usize)) {
    let what = format!("{spec:?}, stopped at {at:?}");
    let whole = spec.fit(x).unwrap();
    if whole.trace.len() <= at.1 {
        return;
    }
    let mut keeper = Keeper::new(at, true);
    spec.on(x).observe(&mut keeper).fit().unwrap();
    let text = serde_json::to_string(&keeper.kept.unwrap()).unwrap();
    let kept: Checkpoint = serde_json::from_str(&text).unwrap();
    assert_same(&spec.on(x).resume(&kept).fit().unwrap(), &whole, &what);
}

fn samples() -> Mat<f64> {
    let mut rng = rng(8);
    let mut x = uniform(40, 7, &mut rng);
    x.as_mut_slice().iter_mut().step_by(3).for_each(|x| *x = 0.0);
    x
}

#[test]
fn promise_09_every_method_goes_on_from_a_checkpoint() {
    let x = samples();
    let (single, sparse) = (x.cast::<f32>(), Sparse::of(&x));
    for spec in methods(3) {
        let spec = spec.max_iter(9).seed(5);
        resumes(&spec, (&x).into(), (0, 4));
        resumes(&spec, (&single).into(), (0, 1));
        if registry::find(&spec.method).unwrap().storage.contains(&Storage::Sparse) {
            resumes(&spec, sparse.narrow().into(), (0, 5));
        }
    }
}

#[test]
fn promise_09_every_solver_start_and_preprocessing_goes_on() {
    let x = samples();
    let specs = ["emmf", "capped-nmf", "nmf"].into_iter().flat_map(|method| {
        let spec = Spec::new(method, 3).max_iter(14);
        let starts =
            [Init::Random, Init::Nndsvd, Init::Kmeans, Init::Trimmed].map(|init| spec.clone().init(init));
        let hals =
            [true, false].map(|extrapolate| spec.clone().solver(Solver::Hals).extrapolate(extrapolate));
        let scaled = [spec.clone().normalize([Normalize::Unit]), spec.clone().tol(1e-3)];
        let penalised = (method == "nmf").then(|| {
            [Solver::Mu, Solver::Hals].map(|solver| spec.clone().solver(solver).param("alpha-w", 0.01))
        });
        starts.into_iter().chain(hals).chain(scaled).chain(penalised.into_iter().flatten())
    });
    for spec in specs {
        (1..8).for_each(|t| resumes(&spec, (&x).into(), (0, t)));
    }
}

/// Without time to look for outliers a fit iterates over other samples than a fit with time: it leaves nothing to continue from,
/// and starts anew.
#[test]
fn promise_09_a_fit_without_time_starts_anew() {
    let x = synth::rays_with_outliers::<f64>(&synth::Rays { outliers: 12, ..Default::default() }).unwrap().x;
    let spec = Spec::emmf(3).max_iter(30).outliers(Outliers::SetAside);
    let mut keeper = Keeper::new((0, 1), false);
    let limited = spec.clone().time_limit(1e-9).on(&x).observe(&mut keeper).fit().unwrap();
    let whole = spec.fit(&x).unwrap();
    assert!(limited.set_aside.is_empty() && !whole.set_aside.is_empty());
    let resumed = spec.on(&x).resume(&keeper.kept.unwrap()).fit().unwrap();
    assert_same(&resumed, &whole, "anew");
}

/// Counts the fits that are made until screening and scores agree, and ends the second after three iterations if it is to.
#[derive(Default)]
struct Again {
    ends: bool,
    fits: usize,
    last: usize,
    kept: Option<Checkpoint>,
}

impl Observer for Again {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        self.fits += usize::from(self.fits == 0 || step.iteration <= self.last);
        self.last = step.iteration;
        let is_there = self.ends && (self.fits, self.last) == (2, 3);
        if is_there { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn keep(&mut self, save: &mut dyn FnMut() -> emmf::Result<Checkpoint>) {
        self.kept = Some(save().unwrap());
    }
}

/// Samples on rays, some of them once more with a sixth of their features destroyed.
fn destroyed(seed: u64) -> Mat<f64> {
    let rays = synth::Rays {
        classes: 6,
        features: 48,
        samples: 240,
        outliers: 0,
        noise: 0.1,
        seed,
        ..Default::default()
    };
    let x = synth::rays_with_outliers::<f64>(&rays).unwrap().x;
    let (mut random, top) = (rng(seed), x.as_slice().iter().copied().fold(0.0, f64::max));
    let blocks = uniform(24, 2, &mut random);
    let change = |i: usize, j: usize| {
        let from = (40.0 * blocks[(i, 0)]) as usize;
        if (from..from + 8).contains(&j) { top * blocks[(i, 1)].round() } else { x[(i, j)] }
    };
    Mat::from_fn(264, 48, |i, j| if i < 240 { x[(i, j)] } else { change(i - 240, j) })
}

/// A fit that is ended while it is made again, since its scores contradict the screening, goes on from the first.
#[test]
fn promise_09_a_fit_that_is_made_again_goes_on() {
    for method in ["emmf", "g-emmf"] {
        let mut found = 0;
        for seed in 0..8 {
            let (x, spec) = (destroyed(seed), Spec::new(method, 6).max_iter(8).tol(0.0));
            let mut watched = Again::default();
            let whole = spec.on(&x).observe(&mut watched).fit().unwrap();
            if watched.fits < 2 {
                continue;
            }
            found += 1;
            let mut again = Again { ends: true, ..Again::default() };
            let ended = spec.on(&x).observe(&mut again).fit().unwrap();
            assert_eq!((ended.stop, again.fits), (Stop::Cancelled, 2), "{method}, {seed}");
            let resumed = spec.on(&x).resume(&again.kept.unwrap()).fit().unwrap();
            assert_same(&resumed, &whole, &format!("{method}, {seed}"));
            assert_eq!(resumed.set_aside, whole.set_aside, "{method}, {seed}");
        }
        assert!(found > 0, "{method}: no fit was made again");
    }
}

/// Layers with and without a merge, of every loss that can have them.
fn layered() -> Vec<Spec> {
    let entries = registry::METHODS.iter().filter(|entry| entry.facts.layers);
    let both = |entry: &registry::Entry| {
        [0.0, 1.0].map(|merge| Spec::new(entry.name, 5).above([3, 2]).param("merge", merge).max_iter(7))
    };
    entries.flat_map(both).collect()
}

#[test]
fn promise_09_layers_go_on() {
    let x = samples();
    for spec in layered() {
        [1, 4].into_iter().for_each(|t| resumes(&spec, (&x).into(), (0, t)));
        let spec = spec.init(Init::Random).restarts(3);
        (0..3).for_each(|restart| resumes(&spec, (&x).into(), (restart, 2)));
    }
}

/// The components of the restarts before are kept, too.
#[test]
fn promise_09_a_consensus_goes_on() {
    let x = samples();
    for spec in [Spec::emmf(3), Spec::new("l1-nmf", 3), Spec::deep(&[4, 2])] {
        let spec = spec.init(Init::Random).restarts(4).max_iter(6).consensus(true);
        (0..4).for_each(|restart| resumes(&spec, (&x).into(), (restart, 2)));
    }
}

/// A fit that goes on for longer lowers the same objective, though the first layer alone would have been fitted for longer.
#[test]
fn promise_09_layers_go_on_for_longer() {
    let x = samples();
    for spec in layered() {
        let mut keeper = Keeper::new((0, 7), false);
        let first = spec.on(&x).observe(&mut keeper).fit().unwrap();
        let kept = keeper.kept.unwrap();
        let longer = spec.clone().max_iter(15).on(&x).resume(&kept).fit().unwrap();
        assert_eq!((longer.trace.len(), &longer.trace[..7]), (15, &first.trace[..]), "{spec:?}");
        assert_eq!(longer.extras[0], first.extras[0], "{spec:?}");
        if registry::find(&spec.method).unwrap().is_monotone(&spec.params) {
            let falls = |pair: &[f64]| pair[1] <= pair[0] + 1e-10 * pair[0].abs();
            assert!(longer.trace.windows(2).all(falls), "{spec:?}: {:?}", longer.trace);
        }
    }
}

#[test]
fn promise_09_missing_values_go_on() {
    let mut x = samples();
    x.as_mut_slice().iter_mut().step_by(11).for_each(|x| *x = f64::NAN);
    for method in ["emmf", "l21-nmf", "hx-nmf", "l1-nmf", "cim-nmf", "l12-nmf", "nmf-div"] {
        resumes(&Spec::new(method, 3).missing(Missing::Nan).max_iter(8), (&x).into(), (0, 3));
    }
}

/// The best restart so far is kept too, also where it is not the last.
#[test]
fn promise_09_restarts_go_on() {
    let x = samples();
    let spec = Spec::emmf(4).init(Init::Random).restarts(4).max_iter(6);
    for restart in 0..4 {
        (1..6).for_each(|t| resumes(&spec, (&x).into(), (restart, t)));
    }
}

/// Keeping a checkpoint changes nothing.
#[test]
fn promise_09_a_fit_does_not_notice_its_checkpoints() {
    let x = samples();
    for spec in methods(3) {
        let spec = spec.max_iter(6);
        let mut keeper = Keeper::new((0, 3), false);
        let watched = spec.on(&x).observe(&mut keeper).fit().unwrap();
        assert_same(&watched, &spec.fit(&x).unwrap(), &spec.method);
    }
}

#[test]
fn promise_09_a_checkpoint_of_another_fit_is_refused() {
    let x = samples();
    let mut keeper = Keeper::new((0, 2), true);
    Spec::emmf(3).on(&x).observe(&mut keeper).fit().unwrap();
    let kept = keeper.kept.unwrap();
    for spec in [Spec::emmf(4), Spec::new("pnmf", 3), Spec::emmf(3).solver(Solver::Hals)] {
        let error = spec.on(&x).resume(&kept).fit().unwrap_err();
        assert!(matches!(error, Error::Param { name: "the checkpoint", .. }), "{error}");
    }
}
