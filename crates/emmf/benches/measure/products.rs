//! The two bare products X·U and Xᵀ·V by faer: the floor of an iteration.

use std::time::Instant;

use emmf::{Factors, Mat, Real};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

pub(crate) struct Products<T> {
    xu: Mat<T>,
    xtv: Mat<T>,
    threads: usize,
    pool: rayon::ThreadPool,
}

impl<T: Real + faer::traits::ComplexField> Products<T> {
    pub(crate) fn new(start: &Factors<T>, threads: usize) -> Self {
        let ((d, c), n) = (start.u.shape(), start.v.rows());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        Self { xu: Mat::zeros(n, c), xtv: Mat::zeros(d, c), threads, pool }
    }

    /// Milliseconds of both products, for every repetition.
    pub(crate) fn time(&mut self, x: &Mat<T>, start: &Factors<T>, repetitions: usize) -> Vec<f64> {
        let Self { xu, xtv, threads, pool } = self;
        let par = if *threads == 1 { Par::Seq } else { Par::rayon(*threads) };
        let mut both = || {
            let began = Instant::now();
            let one = <T as Real>::ONE;
            matmul(as_faer_mut(xu), Accum::Replace, as_faer(x), as_faer(&start.u), one, par);
            matmul(as_faer_mut(xtv), Accum::Replace, as_faer(x).transpose(), as_faer(&start.v), one, par);
            1e3 * began.elapsed().as_secs_f64()
        };
        pool.install(|| (0..repetitions).map(|_| both()).collect())
    }
}

fn as_faer<T: Real>(a: &Mat<T>) -> MatRef<'_, T> {
    MatRef::from_row_major_slice(a.as_slice(), a.rows(), a.cols())
}

fn as_faer_mut<T: Real>(a: &mut Mat<T>) -> MatMut<'_, T> {
    let (rows, cols) = a.shape();
    MatMut::from_row_major_slice_mut(a.as_mut_slice(), rows, cols)
}
