//! The side of a card over an engine in this memory: orders, sums and ends are those of the library.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use emmf::method::SampleSide;
use emmf::method::side::{Place, Shards};
use emmf::registry::METHODS;
use emmf::{
    Checkpoint, Device, Fit, Given, Init, LabelRule, Mat, Observer, Outliers, Prepared, Result, RowSource,
    Samples, Solver, Spec, Step, StopBy,
};
use emmf_cuda::{Card, Choice, Side, missing};

use crate::card::{samples, start};
use crate::here::Here;

fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| 1.0 + (i % 3) as f64).collect()
}

fn on_engine(spec: &Spec, x: &Mat<f64>, weights: &[f64], given: Given<'_, f64>) -> Fit<f64> {
    let engine = Here::new(x.clone(), weights.to_vec(), Place::whole(x.rows()));
    spec.fit_side(&Side::new(Arc::new(engine)), given).unwrap()
}

fn alike(one: &Fit<f64>, other: &Fit<f64>, what: &str) {
    assert_eq!(one.trace.len(), other.trace.len(), "{what}");
    for (one, other) in one.trace.iter().zip(&other.trace) {
        assert!((one / other - 1.0).abs() < 1e-9, "{what}: {one} and {other}");
    }
    assert!((one.objective / other.objective - 1.0).abs() < 1e-9, "{what}");
    assert_eq!(one.labels, other.labels, "{what}");
    for (one, other) in one.v.as_slice().iter().zip(other.v.as_slice()) {
        assert!((one - other).abs() < 1e-6, "{what}: {one} and {other}");
    }
    for (one, other) in one.residuals.iter().zip(&other.residuals) {
        assert!((one - other).abs() < 1e-6, "{what}: {one} and {other}");
    }
}

#[test]
fn every_loss_fits_as_in_one_memory() {
    let (x, start, weights) = (samples::<f64>(331, 9, 3, 0.3), start::<f64>(331, 9, 3), weights(331));
    let losses = METHODS.iter().filter(|entry| entry.loss(&BTreeMap::new()).is_some());
    for name in losses.map(|entry| entry.name) {
        for solver in [Solver::Mu, Solver::Hals] {
            let spec = Spec::new(name, 3).solver(solver).max_iter(25).tol(0.0).outliers(Outliers::Keep);
            let given = || Given { start: Some(&start), ..Given::default() };
            let spec = spec.label_rule(LabelRule::Unit);
            let one = spec.on(&x).start(&start).weights(&weights).fit().unwrap();
            alike(&one, &on_engine(&spec, &x, &weights, given()), &format!("{name}, {solver}"));
        }
    }
}

#[test]
fn every_start_is_that_of_one_memory() {
    let (x, ones) = (samples::<f64>(331, 9, 3, 0.2), vec![1.0; 331]);
    for init in [Init::Kmeans, Init::Trimmed, Init::KmeansParallel, Init::Random, Init::Nndsvd] {
        let spec =
            Spec::emmf(3).init(init).max_iter(20).outliers(Outliers::Keep).stop_by(StopBy::Coefficients);
        let one = spec.fit(&x).unwrap();
        alike(&one, &on_engine(&spec, &x, &ones, Given::default()), &format!("{init:?}"));
    }
}

/// Samples of which thousands are too much to fetch, such as sparse ones, are clustered in this memory, all of them.
#[test]
fn what_is_not_fetched_is_clustered_here() {
    let (n, d, k) = (20_010, 3, 2);
    let (x, ones) = (samples::<f64>(n, d, k, 0.2), vec![1.0; n]);
    let spec = Spec::emmf(k).max_iter(5).tol(0.0).outliers(Outliers::Keep).label_rule(LabelRule::Largest);
    let mut engine = Here::new(x.clone(), ones, Place::whole(n));
    engine.fetches = false;
    let there = spec.fit_side(&Side::new(Arc::new(engine)), Given::default()).unwrap();
    alike(&spec.fit(&x).unwrap(), &there, "all samples");
}

/// Several cards are several sides.
#[test]
fn shards_on_engines_fit_as_one() {
    let (x, weights) = (samples::<f64>(331, 9, 3, 0.3), weights(331));
    let spec = Spec::emmf(3).init(Init::KmeansParallel).max_iter(15).outliers(Outliers::Keep);
    let one = on_engine(&spec, &x, &weights, Given::default());
    let place = Place::whole(331);
    for shards in [2, 3] {
        let sides = Place::cut(331, place.rows_per_part(), shards).into_iter().map(|place| {
            let rows = place.first..place.first + place.count;
            let part = Mat::from_fn(place.count, 9, |i, j| x[(rows.start + i, j)]);
            let engine = Here::new(part, weights[rows].to_vec(), place);
            (place, Box::new(Side::new(Arc::new(engine))) as Box<dyn SampleSide<f64>>)
        });
        let shards = Shards::new(sides.collect()).unwrap();
        alike(&one, &spec.fit_side(&shards, Given::default()).unwrap(), "shards");
    }
}

#[test]
fn choices_are_read_as_they_are_written() {
    for (text, choice) in
        [("auto", Choice::Auto), ("cpu", Choice::Cpu), ("cuda", Choice::Cuda(0)), ("cuda:3", Choice::Cuda(3))]
    {
        assert_eq!(text.parse::<Choice>().unwrap(), choice);
        assert_eq!(choice.to_string().parse::<Choice>().unwrap(), choice);
    }
    for text in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "CUDA"] {
        assert!(text.parse::<Choice>().unwrap_err().to_string().contains("cuda:N"), "{text}");
    }
}

/// What is not there is said in one sentence, and is no panic.
#[test]
fn a_card_that_is_not_there_says_so() {
    let error = Card::open(4096).unwrap_err().to_string();
    assert!(error.starts_with("cuda:4096 cannot be used: ") && !error.contains('\n'), "{error}");
    assert_eq!(missing().is_some(), error.contains("cpu"), "{error}");
    // Where it need not be a card, it is none.
    let (spec, many, few) = (Spec::emmf(100), Huge(1_000_000_000, 1000), Huge(100, 10));
    if missing().is_some() {
        assert!(Choice::Auto.card(&spec, &Samples::Stream(&many)).unwrap().is_none());
    }
    assert!(Choice::Auto.card(&spec, &Samples::Stream(&few)).unwrap().is_none());
    assert!(Choice::Cpu.card(&spec, &Samples::Stream(&many)).unwrap().is_none());
}

/// Samples of which only the shape is looked at.
struct Huge(usize, usize);

impl RowSource<f64> for Huge {
    fn shape(&self) -> (usize, usize) {
        (self.0, self.1)
    }

    fn read(&self, _: Range<usize>, _: &mut [f64]) -> Result<()> {
        unreachable!("nobody reads it")
    }
}

/// What no card runs is an error where a card was named, before one is looked for, and the processor where it was not.
#[test]
fn what_no_card_runs_stays_on_the_processor() {
    let x = Huge(1_000_000_000, 1000);
    let penalised = |name| Spec::new("nmf", 100).param(name, 0.1);
    let deep = Spec::deep(&[20, 5]);
    for (spec, what) in [
        (Spec::new("pnmf", 100), "pnmf"),
        (Spec::new("g-emmf", 100), "g-emmf"),
        (penalised("alpha-w"), "penalties"),
        (penalised("alpha-h"), "penalties"),
        (deep, "layers"),
    ] {
        let error = Choice::Cuda(0).card(&spec, &Samples::Stream(&x)).unwrap_err().to_string();
        assert!(error.contains("cuda:0") && error.contains("cpu with ") && error.contains(what), "{error}");
        assert!(Choice::Auto.card(&spec, &Samples::Stream(&x)).unwrap().is_none(), "{what}");
    }
    let error = Choice::Cuda(1).only_cpu("batches").unwrap_err().to_string();
    assert!(error.contains("cuda:1") && error.contains("cpu or auto with batches"), "{error}");
    assert!(Choice::Auto.only_cpu("batches").is_ok() && Choice::Cpu.only_cpu("batches").is_ok());
}

/// A place for samples that is not this memory.
#[derive(Debug)]
struct There;

impl Device for There {
    fn name(&self) -> String {
        "there:0".into()
    }

    fn take_f32<'x>(&'x self, _: Prepared<'x, f32>) -> Result<Box<dyn SampleSide<f32> + 'x>> {
        unreachable!("nothing is fitted in single precision")
    }

    fn take_f64<'x>(&'x self, samples: Prepared<'x, f64>) -> Result<Box<dyn SampleSide<f64> + 'x>> {
        let (n, d) = samples.x.shape();
        let mut x = Mat::zeros(n, d);
        samples.x.read(0..n, x.as_mut_slice())?;
        assert_eq!(samples.spec.k, 3);
        let engine = Here::new(x, samples.weights.to_vec(), Place::whole(n));
        Ok(Box::new(Side::new(Arc::new(engine))))
    }
}

/// A fit on a device is that of this memory, and what a device cannot do names the processor.
#[test]
fn fits_on_a_device_are_those_of_this_memory() {
    let x = samples::<f64>(331, 9, 3, 0.3);
    let spec = Spec::emmf(3).max_iter(20);
    let (here, there) = (spec.fit(&x).unwrap(), spec.on(&x).device(&There).fit().unwrap());
    alike(&here, &there, "on a device");
    assert_eq!(here.set_aside, there.set_aside);
    let given = Given { device: Some(&There), ..Given::default() };
    let error = spec.fit_online(&x, given, None).unwrap_err().to_string();
    assert!(error.contains("there:0") && error.contains("cpu with batches"), "{error}");
    let penalised = Spec::new("nmf", 3).param("alpha-h", 0.1);
    let error = penalised.on(&x).device(&There).fit().unwrap_err().to_string();
    assert!(error.contains("there:0") && error.contains("cpu with penalties"), "{error}");
}

/// Saves a checkpoint after some iterations, and loses the engine before another.
struct Keeper {
    engine: Arc<Here>,
    iteration: usize,
    kept: Option<Checkpoint>,
    refused: Option<String>,
}

impl Observer for Keeper {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        self.iteration = step.iteration;
        ControlFlow::Continue(())
    }

    fn keep(&mut self, save: &mut dyn FnMut() -> Result<Checkpoint>) {
        match self.iteration {
            4 => self.kept = Some(save().unwrap()),
            6 => {
                self.engine.is_lost.store(true, Ordering::Relaxed);
                self.refused = save().err().map(|error| error.to_string());
            }
            _ => {}
        }
    }
}

/// A card that is lost in the middle is an error, of the checkpoint, too; from the one before, a fit goes on as if nothing had been.
#[test]
fn a_card_that_is_lost_saves_nothing() {
    let (x, ones) = (samples::<f64>(331, 9, 3, 0.3), vec![1.0; 331]);
    for solver in [Solver::Mu, Solver::Hals] {
        let engine = Arc::new(Here::new(x.clone(), ones.clone(), Place::whole(331)));
        let side = Side::new(engine.clone());
        let spec = Spec::emmf(3).solver(solver).max_iter(12).tol(0.0).outliers(Outliers::Keep);
        let whole = spec.fit_side(&side, Given::default()).unwrap();
        let mut keeper = Keeper { engine: engine.clone(), iteration: 0, kept: None, refused: None };
        let given = Given { observer: Some(&mut keeper), ..Given::default() };
        let ended = spec.fit_side(&side, given).unwrap_err().to_string();
        assert!(ended.contains("it was lost"), "{ended}");
        assert!(keeper.refused.unwrap().contains("it was lost"), "{solver}");
        engine.is_lost.store(false, Ordering::Relaxed);
        let given = Given { resume: keeper.kept.as_ref(), ..Given::default() };
        let resumed = spec.fit_side(&side, given).unwrap();
        assert_eq!((&resumed.v, &resumed.trace), (&whole.v, &whole.trace), "{solver}");
    }
}
