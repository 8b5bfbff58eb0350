//! Random problems of every awkward kind, all registered methods with several settings, and one matrix in
//! every storage.

use std::collections::BTreeMap;

use emmf::{Csr, CsrView, Factors, Graph, Indices, Mat, Real, Samples, Solver, Spec, View, registry};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Plain,
    Zeros,
    ZeroSamples,
    ZeroFeatures,
    IdenticalSamples,
    ExactRank,
    OneSample,
    MoreCentroidsThanFeatures,
    Outliers,
}

pub(crate) const KINDS: [Kind; 9] = [
    Kind::Plain,
    Kind::Zeros,
    Kind::ZeroSamples,
    Kind::ZeroFeatures,
    Kind::IdenticalSamples,
    Kind::ExactRank,
    Kind::OneSample,
    Kind::MoreCentroidsThanFeatures,
    Kind::Outliers,
];

/// Samples and a start; all numbers are the same in both floating-point types.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) x: Mat<f64>,
    pub(crate) start: Factors<f64>,
    pub(crate) k: usize,
}

pub(crate) fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Uniform in (0, 1], a multiple of 2⁻²⁰.
fn number(rng: &mut Xoshiro256PlusPlus) -> f64 {
    f64::from(rng.random_range(1..=1_u32 << 20)) / f64::from(1_u32 << 20)
}

pub(crate) fn uniform(rows: usize, cols: usize, rng: &mut Xoshiro256PlusPlus) -> Mat<f64> {
    Mat::from_fn(rows, cols, |_, _| number(rng))
}

pub(crate) fn problem(kind: Kind, seed: u64) -> Problem {
    let mut rng = rng(seed);
    let (mut n, mut d) = (rng.random_range(8..15), rng.random_range(3..9));
    let mut k = rng.random_range(1..=3);
    match kind {
        Kind::OneSample => (n, k) = (1, 1),
        Kind::MoreCentroidsThanFeatures => (d, k) = (2, 4),
        _ => {}
    }
    let mut x = uniform(n, d, &mut rng);
    match kind {
        Kind::Zeros => x.as_mut_slice().iter_mut().for_each(|x| {
            if rng.random::<f64>() < 0.6 {
                *x = 0.0;
            }
        }),
        Kind::ZeroSamples => [0, n - 1].into_iter().for_each(|i| x.row_mut(i).fill(0.0)),
        Kind::ZeroFeatures => (0..n).for_each(|i| {
            x[(i, 0)] = 0.0;
            x[(i, d - 1)] = 0.0;
        }),
        Kind::IdenticalSamples => {
            let first = x.row(0).to_vec();
            (0..=n / 2).for_each(|i| x.row_mut(i).copy_from_slice(&first));
        }
        Kind::ExactRank => x = low_rank(n, d, k, &mut rng),
        Kind::Outliers => x.row_mut(1).iter_mut().for_each(|x| *x *= 64.0),
        _ => {}
    }
    // One entry that differs: a constant matrix is refused.
    x[(0, 0)] = x[(0, 0)].max(0.5);
    let start = Factors { u: uniform(d, k, &mut rng), v: uniform(n, k, &mut rng) };
    Problem { x, start, k }
}

/// Rank k exactly, in both floating-point types: the factors are multiples of ¼.
pub(crate) fn low_rank(n: usize, d: usize, k: usize, rng: &mut Xoshiro256PlusPlus) -> Mat<f64> {
    let quarters = |rows: usize, rng: &mut Xoshiro256PlusPlus| {
        Mat::from_fn(rows, k, |_, _| f64::from(rng.random_range(1..=8_u32)) / 4.0)
    };
    let (u, v) = (quarters(d, rng), quarters(n, rng));
    Mat::from_fn(n, d, |i, j| v.row(i).iter().zip(u.row(j)).map(|(v, u)| v * u).sum())
}

pub(crate) fn cast<T: Real>(f: &Factors<f64>) -> Factors<T> {
    Factors { u: f.u.cast(), v: f.v.cast() }
}

/// No parameters, and each parameter of the method at a few values of its range.
pub(crate) fn settings(entry: &registry::Entry) -> Vec<BTreeMap<String, f64>> {
    let mut all = vec![BTreeMap::new()];
    for param in entry.params {
        let values = if param.whole {
            vec![param.above + 1.0, param.above + 2.0]
        } else if param.up_to < registry::MOST {
            vec![param.above + 0.4 * (param.up_to - param.above), param.up_to]
        } else {
            vec![param.above + 0.3, param.above + 2.0]
        };
        all.extend(values.into_iter().map(|value| BTreeMap::from([(param.name.to_owned(), value)])));
    }
    all
}

/// Every method, with every setting.
pub(crate) fn methods(k: usize) -> Vec<Spec> {
    let of = |entry: &'static registry::Entry| {
        settings(entry).into_iter().map(move |params| {
            // Laws count iterations: none ends before it is told to.
            let mut spec = Spec::new(entry.name, k).tol(0.0);
            spec.params = params;
            // Which graph is chosen may hang on the last digit.
            spec.graph = spec.clone().as_published().graph;
            spec
        })
    };
    registry::METHODS.iter().flat_map(of).collect()
}

/// Every method, with every setting and every solver.
pub(crate) fn specs(k: usize) -> Vec<Spec> {
    let solvers = |spec: Spec| {
        let entry = registry::find(&spec.method).unwrap();
        let mut all = Vec::new();
        if entry.solvers.is_empty() {
            all.push(spec.clone());
        }
        if entry.solvers.contains(&Solver::Mu) {
            all.extend([0.5, 1.0, 0.3].map(|p| spec.clone().exponent(p)));
        }
        if entry.solvers.contains(&Solver::Hals) {
            all.extend([1, 3].map(|sweeps| spec.clone().solver(Solver::Hals).sweeps(sweeps)));
        }
        all
    };
    methods(k).into_iter().flat_map(solvers).collect()
}

/// The stored entries of a matrix with both widths of indices.
pub(crate) struct Sparse<T> {
    shape: (usize, usize),
    starts: Vec<i32>,
    columns: Vec<i32>,
    wide: Csr<T>,
    values: Vec<T>,
}

impl<T: Real> Sparse<T> {
    pub(crate) fn of(x: &Mat<T>) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..x.rows() {
            // Columns in falling order: no order is promised.
            for j in (0..x.cols()).rev().filter(|&j| x[(i, j)] != T::ZERO) {
                columns.push(j as i32);
                values.push(x[(i, j)]);
            }
            starts.push(values.len() as i32);
        }
        let wide = |x: &[i32]| x.iter().map(|&x| i64::from(x)).collect();
        let csr = Csr::new(x.shape(), wide(&starts), wide(&columns), values.clone()).unwrap();
        Self { shape: x.shape(), starts, columns, wide: csr, values }
    }

    pub(crate) fn narrow(&self) -> CsrView<'_, T> {
        let (starts, columns) = (Indices::I32(&self.starts), Indices::I32(&self.columns));
        CsrView::new(self.shape, starts, columns, &self.values).unwrap()
    }

    pub(crate) fn wide(&self) -> CsrView<'_, T> {
        self.wide.view()
    }
}

/// Calls `visit` with the same matrix in every storage.
pub(crate) fn in_every_storage<T: Real>(x: &Mat<T>, mut visit: impl FnMut(&str, Samples<'_, T>)) {
    let (n, d) = x.shape();
    visit("C order", x.into());
    let turned = x.transposed();
    visit("F order", View::col_major(turned.as_slice(), n, d).unwrap().into());
    let (down, across) = (3 * d + 2, 3);
    let mut spread = vec![-T::ONE; n * down];
    for i in 0..n {
        (0..d).for_each(|j| spread[i * down + j * across] = x[(i, j)]);
    }
    visit("no unit stride", View::new(&spread, (n, d), (down, across)).unwrap().into());
    let sparse = Sparse::of(x);
    visit("csr i32", sparse.narrow().into());
    visit("csr i64", sparse.wide().into());
}

/// |a − b| against the largest number in either.
pub(crate) fn distance<T: Real>(a: &Mat<T>, b: &Mat<T>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let pairs = || a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a.to_f64(), b.to_f64()));
    let largest = pairs().map(|(a, b)| a.abs().max(b.abs())).fold(f64::MIN_POSITIVE, f64::max);
    pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

/// The problem of the method notes (graph.md 0.5) with its start: six samples in two clusters, and two triangles with a
/// bridge between them.
pub(crate) fn two_triangles() -> (Mat<f64>, Factors<f64>, Graph) {
    let x = Mat::from_rows([
        [5.0, 0.0, 1.0],
        [4.0, 1.0, 1.0],
        [6.0, 2.0, 1.0],
        [0.0, 4.0, 1.0],
        [1.0, 5.0, 0.0],
        [2.0, 6.0, 2.0],
    ]);
    let start = Factors {
        u: Mat::from_rows([[5.0, 1.0], [1.0, 5.0], [1.0, 1.0]]),
        v: Mat::from_fn(6, 2, |i, k| if i / 3 == k { 1.2 } else { 0.2 }),
    };
    let edges = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)];
    (x, start, Graph::from_edges(6, edges.map(|(i, j)| (i, j, 1.0))).unwrap())
}
