//! What an iteration is measured against: two bare products, and reading X twice.

use cudarc::driver::CudaSlice;
use cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT;
use emmf::Result;

use crate::card::Card;
use crate::number::Number;

/// Times that each is measured, after some that are not.
const ROUNDS: usize = 9;
const BEFORE: usize = 2;

/// Milliseconds of what cannot be left out, medians by events of the card.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Floor {
    /// X·U and XᵀV by cuBLAS, in full precision.
    pub products: f64,
    /// A copy of X on the card, which reads and writes as many bytes as reading it twice.
    pub reading: f64,
}

impl Card {
    /// The floor for n×d samples and c centroids.
    pub fn floor(&self, shape: (usize, usize, usize), double: bool) -> Result<Floor> {
        if double { self.floor_of::<f64>(shape) } else { self.floor_of::<f32>(shape) }
    }

    fn floor_of<T: Number>(&self, (n, d, c): (usize, usize, usize)) -> Result<Floor> {
        let mut p = self.zeros::<T>(n * c)?;
        let (x, u, v) = (self.numbers::<T>(n * d)?, self.numbers::<T>(d * c)?, self.numbers::<T>(n * c)?);
        let mut q = self.zeros::<T>(d * c)?;
        let project = self.median(|| self.product((&mut p, c), (&x, d), (&u, c), (n, d, c)))?;
        let pull = self.median(|| self.turned_products((&mut q, false), (&x, d), (&v, c), (d, n, c), 1))?;
        drop((p, v));
        let mut copy = self.zeros::<T>(n * d)?;
        let reading = self.median(|| self.copy(&x, &mut copy))?;
        Ok(Floor { products: project + pull, reading })
    }

    /// Numbers from 0 to 1, a few million different ones: products of zeros would be faster.
    fn numbers<T: Number>(&self, len: usize) -> Result<CudaSlice<T>> {
        let some: Vec<T> = (0..(1 << 22).min(len))
            .map(|i: usize| {
                T::from_f64(f64::from(i.wrapping_mul(2_654_435_761) as u32) / f64::from(u32::MAX))
            })
            .collect();
        let mut all = self.zeros(len)?;
        for first in (0..len).step_by(some.len().max(1)) {
            let many = some.len().min(len - first);
            self.put(&some[..many], &mut all.slice_mut(first..first + many))?;
        }
        Ok(all)
    }

    /// The median time of some work on the card, in milliseconds.
    fn median(&self, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
        let event = || self.context().new_event(Some(CU_EVENT_DEFAULT)).map_err(|error| self.failed(error));
        let mut times = Vec::new();
        for round in 0..BEFORE + ROUNDS {
            let (begin, end) = (event()?, event()?);
            begin.record(self.stream()).map_err(|error| self.failed(error))?;
            work()?;
            end.record(self.stream()).map_err(|error| self.failed(error))?;
            let took = begin.elapsed_ms(&end).map_err(|error| self.failed(error))?;
            if round >= BEFORE {
                times.push(f64::from(took));
            }
        }
        times.sort_by(f64::total_cmp);
        Ok(times[ROUNDS / 2])
    }
}
