//! The inner kernels on small fixed data, one call each, on one thread: what `kernels` times and
//! `instructions` counts.

use std::hint::black_box;

use emmf::data::{Data, Dense, Sparse};
use emmf::init::{self, Random};
use emmf::model::ResidualScale;
use emmf::{Cancel, Csr, Factors, Mat, Model, Real, Running, Solver, Spec, View, metrics, synth};

/// Ten blocks of samples; c is no multiple of any vector's length.
const SHAPE: (usize, usize) = (960, 512);
const C: usize = 50;

/// A name, and what makes the data and gives the call.
pub(crate) type Kernel = (&'static str, fn() -> Box<dyn FnMut()>);

/// Makes the present thread the only one of a pool, for as long as the result lives.
pub(crate) fn one_thread() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().expect("a pool")
}

pub(crate) fn all() -> Vec<Kernel> {
    vec![
        ("project_f32", || project(dense::<f32>())),
        ("project_f64", || project(dense::<f64>())),
        ("project_columns_f32", || project(columns())),
        ("project_sparse_f32", || project(sparse())),
        ("t_dot_f32", || t_dot(dense::<f32>())),
        ("t_dot_f64", || t_dot(dense::<f64>())),
        ("t_dot_sparse_f32", || t_dot(sparse())),
        ("residual_f32", residual),
        ("steps_nmf_f32", || steps("nmf", Solver::Mu)),
        ("steps_emmf_f32", || steps("emmf", Solver::Mu)),
        ("steps_hals_f32", || steps("nmf", Solver::Hals)),
        ("transform_f32", || transform(96)),
        ("kmeans_f32", kmeans),
        ("accuracy", accuracy),
    ]
}

/// The matrices live as long as the process.
fn kept<A>(value: A) -> &'static A {
    Box::leak(Box::new(value))
}

fn uniform<T: Real>() -> &'static Mat<T> {
    kept(synth::uniform(SHAPE.0, SHAPE.1, 1))
}

fn dense<T: Real>() -> Dense<'static, T> {
    Dense::new(uniform().view(), None)
}

fn columns() -> Dense<'static, f32> {
    let x = uniform::<f32>();
    Dense::new(View::col_major(x.as_slice(), SHAPE.0, SHAPE.1).expect("a view"), None)
}

/// One entry in twenty.
fn sparse() -> Sparse<'static, f32> {
    let entry = |at: usize| (at / SHAPE.1, at % SHAPE.1, 1.0 + at as f32);
    let entries = (0..SHAPE.0 * SHAPE.1).step_by(19).map(entry).collect();
    Sparse::new(kept(Csr::from_triplets(SHAPE, entries).expect("entries inside")).view(), None)
}

fn project<T: Real>(x: impl Data<T> + 'static) -> Box<dyn FnMut()> {
    let (u, mut v) = (synth::uniform::<T>(SHAPE.1, C, 2), Mat::<T>::zeros(SHAPE.0, C));
    Box::new(move || {
        x.project(&u, v.as_mut_slice(), &mut [(); SHAPE.0], |block| block.a.copy_from_slice(block.p));
        black_box(&v);
    })
}

fn t_dot<T: Real>(x: impl Data<T> + 'static) -> Box<dyn FnMut()> {
    let (v, q) = (synth::uniform::<T>(SHAPE.0, C, 2), vec![T::ONE; SHAPE.0]);
    let mut u = Mat::<T>::zeros(SHAPE.1, C);
    Box::new(move || {
        x.t_dot(&q, &v, &mut u);
        black_box(&u);
    })
}

/// By its definition, sample by sample.
fn residual() -> Box<dyn FnMut()> {
    let (x, u, v) = (dense::<f32>(), synth::uniform::<f32>(SHAPE.1, C, 2), synth::uniform::<f32>(96, C, 3));
    Box::new(move || {
        (0..96).for_each(|i| {
            black_box(x.residual_sq(i, &u, v.row(i)));
        });
    })
}

/// Three iterations with few features, so that they are not all product.
fn steps(method: &str, solver: Solver) -> Box<dyn FnMut()> {
    let (n, d) = (SHAPE.0, 64);
    let x = synth::uniform::<f32>(n, d, 1);
    let start = Factors { u: synth::uniform(d, C, 2), v: synth::uniform(n, C, 3) };
    let spec = Spec::new(method, C).solver(solver).max_iter(3).polish(false);
    Box::new(move || {
        black_box(spec.on(&x).start(&start).threads(1).fit().expect("a fit"));
    })
}

fn transform(samples: usize) -> Box<dyn FnMut()> {
    let x = synth::uniform::<f32>(samples, SHAPE.1, 1);
    let (spec, scale) = (Spec::new("nmf", C), ResidualScale { center: 0.0, spread: 1.0 });
    let model = Model::from_parts(spec, synth::uniform(SHAPE.1, C, 2), Vec::new(), scale).expect("a model");
    Box::new(move || {
        black_box(model.transform_with(&x, &Running::on(1)).expect("coefficients"));
    })
}

fn kmeans() -> Box<dyn FnMut()> {
    let (x, weights) = (dense::<f32>(), vec![1.0; SHAPE.0]);
    Box::new(move || {
        let clusters = init::kmeans(&x, 10, &weights, &mut Random::new(1), &Cancel::new());
        black_box(clusters.expect("clusters"));
    })
}

/// The tables of random labels are the hardest.
fn accuracy() -> Box<dyn FnMut()> {
    let labels = |seed: u64| -> Vec<usize> {
        let places = synth::uniform::<f64>(2000, 1, seed).into_vec();
        places.iter().map(|place| (100.0 * place) as usize).collect()
    };
    let (truth, predicted) = (labels(1), labels(2));
    Box::new(move || {
        black_box(metrics::accuracy(&truth, &predicted).expect("labels"));
    })
}
