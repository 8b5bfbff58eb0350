//! The best centroids for coefficients that a method has found by other means.

use super::Nnls;
use crate::data::{BLOCK, Data, Gram};
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// U ≥ 0 with the least ‖X − VUᵀ‖², exactly.
pub(super) fn best_centroids<T: Real, X: Data<T>>(x: &X, v: &Mat<T>) -> Mat<T> {
    let ((n, d), c) = (x.shape(), v.cols());
    let mut u = Mat::zeros(d, c);
    x.t_dot(&vec![T::ONE; n], v, &mut u);
    let nnls = Nnls::new(Gram::new(c).of(&v.cast()));
    each(u.as_mut_slice().par_chunks_mut(BLOCK * c), |rows| {
        let p: Vec<f64> = rows.iter().map(|p| p.to_f64()).collect();
        let (mut solved, mut room) = (vec![0.0; p.len()], nnls.room(BLOCK));
        nnls.solve_rows(&p, &mut solved, &mut room);
        rows.iter_mut().zip(solved).for_each(|(u, solved)| *u = T::from_f64(solved));
    });
    u
}
