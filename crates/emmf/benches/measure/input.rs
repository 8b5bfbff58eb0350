//! X and the start of a job: from files, or uniform random numbers.

use emmf::{CsrView, Factors, Indices, Mat, Real, Samples, synth};

use crate::arguments::Arguments;
use crate::npy;

pub(crate) struct Input<T> {
    x: Stored<T>,
    pub(crate) start: Factors<T>,
}

enum Stored<T> {
    Dense(Mat<T>),
    Sparse { shape: (usize, usize), row_starts: Vec<i32>, columns: Vec<i32>, values: Vec<T> },
}

impl<T: Real> Input<T> {
    /// `x=` names a file; else X is n×d, with `row_entries=` entries a row or dense. `u=` and `v=` name the
    /// files of the start; else it is uniform with c columns. With `noise=` X is the product of the start and so much
    /// noise beside it, as at the end of a good fit.
    pub(crate) fn new(arguments: &Arguments) -> Self {
        if let Some(noise) = arguments.get("noise") {
            return Self::nearly_fitted(arguments, noise);
        }
        let x = if let Some(path) = arguments.get::<String>("x") {
            Stored::Dense(npy::read(&path))
        } else {
            let shape = (arguments.number("n", 1), arguments.number("d", 1));
            match arguments.get("row_entries") {
                Some(entries) => Stored::sparse(shape, entries),
                None => Stored::Dense(synth::uniform(shape.0, shape.1, 1)),
            }
        };
        let ((n, d), c) = (x.samples().shape(), arguments.number("c", 1));
        let factor = |name: &str, rows: usize, seed: u64| match arguments.get::<String>(name) {
            Some(path) => npy::read(&path),
            None => synth::uniform(rows, c, seed),
        };
        let start = Factors { u: factor("u", d, 2), v: factor("v", n, 3) };
        Self { x, start }
    }

    /// Every entry of V·Uᵀ is off by up to `noise` of itself.
    fn nearly_fitted(arguments: &Arguments, noise: f64) -> Self {
        let (n, d, c) = (arguments.number("n", 1), arguments.number("d", 1), arguments.number("c", 1));
        let start = Factors { u: synth::uniform(d, c, 2), v: synth::uniform(n, c, 3) };
        let off = synth::uniform::<T>(n, d, 1);
        let entry = |i: usize, j: usize| {
            let pairs = start.v.row(i).iter().zip(start.u.row(j));
            let product: f64 = pairs.map(|(v, u): (&T, &T)| v.to_f64() * u.to_f64()).sum();
            T::from_f64(product * (1.0 + noise * (2.0 * off[(i, j)].to_f64() - 1.0)))
        };
        Self { x: Stored::Dense(Mat::from_fn(n, d, entry)), start }
    }

    pub(crate) fn samples(&self) -> Samples<'_, T> {
        self.x.samples()
    }

    /// X, which must be dense.
    pub(crate) fn dense(&self) -> &Mat<T> {
        match &self.x {
            Stored::Dense(x) => x,
            Stored::Sparse { .. } => panic!("this job takes dense samples only"),
        }
    }
}

impl<T: Real> Stored<T> {
    /// Every row has so many entries, one in each of as many equal ranges of columns.
    fn sparse((n, d): (usize, usize), entries: usize) -> Self {
        let places = synth::uniform::<f32>(n, entries, 1);
        let column = |(at, &place): (usize, &f32)| {
            let (start, end) = (at % entries * d / entries, (at % entries + 1) * d / entries);
            (start + (place * (end - start) as f32) as usize).min(end - 1) as i32
        };
        Self::Sparse {
            shape: (n, d),
            row_starts: (0..=n).map(|i| (i * entries) as i32).collect(),
            columns: places.as_slice().iter().enumerate().map(column).collect(),
            values: synth::uniform(n, entries, 4).into_vec(),
        }
    }

    fn samples(&self) -> Samples<'_, T> {
        match self {
            Self::Dense(x) => x.into(),
            Self::Sparse { shape, row_starts, columns, values } => {
                let (row_starts, columns) = (Indices::I32(row_starts), Indices::I32(columns));
                CsrView::new(*shape, row_starts, columns, values).expect("a sparse matrix").into()
            }
        }
    }
}
