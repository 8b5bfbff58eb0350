//! The end of a fit for samples whose products are made elsewhere.

use crate::data::BLOCK;
use crate::matrix::Mat;
use crate::method::nnls::Normal;
use crate::method::residual::gram_form;
use crate::real::Real;
use crate::real::sealed::{Left, Product};
use crate::threads::each;
use crate::threads::prelude::*;

/// Codes samples in terms of given centroids by least squares, exactly, from P = XU in double precision.
pub struct Recode {
    normal: Normal,
}

impl Recode {
    /// For centroids U, d×c.
    pub fn new<T: Real>(u: &Mat<T>) -> Self {
        Self { normal: Normal::new(u) }
    }

    /// Solves for the rows of V that belong to these rows of P.
    pub fn solve<T: Real>(&self, p: &[f64], v: &mut [T]) {
        let c = self.normal.gram.cols();
        if c == 0 {
            return;
        }
        each(v.par_chunks_mut(BLOCK * c).zip(p.par_chunks(BLOCK * c)), |(v, p)| {
            let (mut exact, mut room) = (vec![0.0; v.len()], self.normal.nnls.room(v.len() / c));
            self.normal.nnls.solve_rows(p, &mut exact, &mut room);
            v.iter_mut().zip(exact).for_each(|(v, exact)| *v = T::from_f64(exact));
        });
    }

    /// Residuals ‖xᵢ − U·vᵢ‖ given the same rows of P, V and ‖xᵢ‖²; negative where they have to be measured by their definition,
    /// because too few digits are left.
    pub fn residuals<T: Real>(&self, p: &[f64], v: &[T], norms_sq: &[f64], out: &mut [f64]) {
        let (g, c) = (&self.normal.gram, self.normal.gram.cols());
        let blocks = out.par_chunks_mut(BLOCK).zip(norms_sq.par_chunks(BLOCK));
        each(
            blocks.zip(v.par_chunks(BLOCK * c).zip(p.par_chunks(BLOCK * c))),
            |((out, norms_sq), (v, p))| {
                let exact: Vec<f64> = v.iter().map(|v| v.to_f64()).collect();
                let mut vg = vec![0.0; v.len()];
                f64::gemm((&mut vg, c), Left::Rows((&exact, c)), (g.as_slice(), c), (out.len(), c, c), false);
                let rows = v.chunks_exact(c).zip(p.chunks_exact(c)).zip(vg.chunks_exact(c));
                for ((out, norm_sq), ((v, p), vg)) in out.iter_mut().zip(norms_sq).zip(rows) {
                    *out = gram_form(*norm_sq, (v, p, vg)).map_or(-1.0, f64::sqrt);
                }
            },
        );
    }
}
