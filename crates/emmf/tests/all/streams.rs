//! Samples that are read when they are needed give what the same samples in memory give.

use crate::oracle;

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

use emmf::preprocess::Normalize;
use emmf::registry::METHODS;
use emmf::{Error, Factors, Init, Mat, Real, Result, RowSource, Running, Samples, Spec, Step};
use oracle::problems::{rng, uniform};

/// A matrix that pretends to be a file; reading fails after so many calls. Counts the samples that are read.
pub(crate) struct Pretended<T> {
    x: Mat<T>,
    good: AtomicUsize,
    read: AtomicUsize,
}

impl<T: Real> Pretended<T> {
    pub(crate) fn new(x: &Mat<f64>, good: usize) -> Self {
        Self { x: x.cast(), good: AtomicUsize::new(good), read: AtomicUsize::new(0) }
    }

    /// How often all samples were read so far.
    fn walks(&self) -> f64 {
        self.read.load(Ordering::Relaxed) as f64 / self.x.rows() as f64
    }
}

impl<T: Real> RowSource<T> for Pretended<T> {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn read(&self, rows: Range<usize>, out: &mut [T]) -> Result<()> {
        let left = self.good.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |good| good.checked_sub(1));
        if left.is_err() {
            return Err(Error::Read { first: rows.start, last: rows.end - 1, why: "gone".into() });
        }
        self.read.fetch_add(rows.len(), Ordering::Relaxed);
        let d = self.x.cols();
        out.copy_from_slice(&self.x.as_slice()[rows.start * d..rows.end * d]);
        Ok(())
    }
}

/// Larger than a block and a strip, and no multiple of them.
fn samples() -> Mat<f64> {
    uniform(700, 30, &mut rng(5))
}

/// The same in four groups: without any, rounding would decide which graph is chosen.
fn groups() -> Mat<f64> {
    let x = samples();
    Mat::from_fn(x.rows(), x.cols(), |i, j| x[(i, j)] + f64::from(u8::from(i % 4 == j % 4)))
}

fn specs() -> impl Iterator<Item = Spec> {
    let starts = [Init::Kmeans, Init::Trimmed, Init::Random, Init::Nndsvd];
    let by_start = starts.into_iter().map(|init| Spec::emmf(4).init(init));
    // One graph of each kind is enough: the one that is chosen, and for the others the nearest neighbours.
    let chosen = |name: &str| name == "g-emmf";
    let of_method = move |name: &str| {
        let spec = Spec::new(name, 4).init(Init::Random);
        if chosen(name) { spec } else { spec.as_published() }
    };
    let by_method = METHODS.iter().map(move |method| of_method(method.name));
    let scaled = [Normalize::Unit, Normalize::Max, Normalize::Clip];
    let by_scale = scaled.into_iter().map(|step| Spec::emmf(4).init(Init::Random).normalize([step]));
    by_start.chain(by_method).chain(by_scale).map(|spec| spec.max_iter(5))
}

fn agree<T: Real>(tolerance: f64) {
    let [plain, in_groups] = [samples(), groups()].map(|x| Pretended::<T>::new(&x, usize::MAX));
    for spec in specs() {
        let name = format!("{} from {:?}, {:?}", spec.method, spec.init, spec.normalize);
        let source = if spec.method == "g-emmf" { &in_groups } else { &plain };
        let near = spec.fit(&source.x).unwrap();
        let far = spec.fit(Samples::Stream(source)).unwrap();
        assert_eq!(near.labels, far.labels, "{name}");
        let difference = (near.objective - far.objective).abs();
        assert!(difference <= tolerance * near.objective.abs(), "{name}: {difference:e}");
        let coded = far.model.transform(Samples::Stream(source)).unwrap();
        assert_eq!(coded, far.model.transform(&source.x).unwrap(), "{name}");
    }
}

#[test]
fn every_method_and_start_f64() {
    agree::<f64>(1e-9);
}

#[test]
fn every_method_and_start_f32() {
    agree::<f32>(1e-4);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let source = Pretended::<f64>::new(&samples(), usize::MAX);
    let fit =
        |threads| Spec::emmf(4).max_iter(10).on(Samples::Stream(&source)).threads(threads).fit().unwrap();
    let (one, three) = (fit(1), fit(3));
    assert_eq!((one.v, one.trace), (three.v, three.trace));
}

/// Wherever reading fails, in the checks, the start, the loop or the last coding, the fit says so.
#[test]
fn a_source_that_fails_ends_the_fit() {
    let x = samples();
    let whole = Pretended::<f64>::new(&x, usize::MAX);
    let spec = Spec::emmf(4).max_iter(10);
    spec.fit(Samples::Stream(&whole)).unwrap();
    let calls = usize::MAX - whole.good.load(Ordering::Relaxed);
    // A hundred places, from the first read to the last.
    for good in (0..calls).step_by((calls / 100).max(1)) {
        let error = spec.fit(Samples::Stream(&Pretended::<f64>::new(&x, good))).unwrap_err();
        assert!(matches!(error, Error::Read { .. }), "after {good} of {calls} reads: {error}");
    }
    let model = spec.fit(&x).unwrap().model;
    let error = model.transform(Samples::Stream(&Pretended::new(&x, 3))).unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
}

/// How often the samples are read before the first product: once, and once more where the factor of a sample depends on
/// all others.
const WALKS: [(&[Normalize], f64); 5] = [
    (&[], 1.0),
    (&[Normalize::Unit], 1.0),
    (&[Normalize::Shift], 1.0),
    (&[Normalize::Max], 2.0),
    (&[Normalize::Clip, Normalize::Unit], 2.0),
];

#[test]
fn samples_are_read_once_before_the_first_product() {
    let x = samples();
    let start = Factors { u: uniform(30, 4, &mut rng(1)), v: uniform(700, 4, &mut rng(2)) };
    for (steps, before) in WALKS {
        let spec = Spec::emmf(4).init(Init::Random).normalize(steps).as_published().max_iter(3);
        let source = Pretended::<f64>::new(&x, usize::MAX);
        // Random numbers are as large as the mean entry, which is a product.
        spec.start_of(Samples::Stream(&source), &Running::default()).unwrap();
        assert_eq!(source.walks(), before + 1.0, "{steps:?}");
        // The residuals of the start, and two products in each iteration.
        let source = Pretended::<f64>::new(&x, usize::MAX);
        let mut walks = Vec::new();
        let mut observer = |_: &Step| {
            walks.push(source.walks());
            ControlFlow::Continue(())
        };
        spec.on(Samples::Stream(&source)).start(&start).observe(&mut observer).fit().unwrap();
        assert_eq!(walks, [3.0, 5.0, 7.0].map(|products| before + products), "{steps:?}");
    }
}

/// The steps of a model have nothing to learn.
#[test]
fn new_samples_are_read_once_for_all_factors() {
    for (steps, _) in WALKS {
        let model = Spec::emmf(4).normalize(steps).max_iter(3).fit(&samples()).unwrap().model;
        let source = Pretended::<f64>::new(&samples(), usize::MAX);
        model.prepare(Samples::Stream(&source)).unwrap();
        assert_eq!(source.walks(), 2.0, "{steps:?}, and once more to give them");
    }
}

#[test]
fn steps_that_copy_the_samples_are_refused() {
    let source = Pretended::<f64>::new(&samples(), usize::MAX);
    let error = Spec::emmf(4).normalize([Normalize::Tfidf]).fit(Samples::Stream(&source)).unwrap_err();
    assert!(matches!(error, Error::WouldLoad { .. }), "{error}");
}
