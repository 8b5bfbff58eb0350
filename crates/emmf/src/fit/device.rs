//! Samples that are moved somewhere else for a fit: to a graphics card.

use super::Given;
use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::matrix::Samples;
use crate::method::SampleSide;
use crate::model::Fit;
use crate::opaque::opaque;
use crate::real::Real;

use super::fitting::Fitting;

/// A place other than this memory where the samples of a fit may be while it runs. What needs all samples at once before and
/// after the iterations (preprocessing, screening for outliers, their scores) is done in this memory.
pub trait Device: Sync {
    /// What it is called, in errors.
    fn name(&self) -> String;

    /// Moves the samples there.
    fn take_f32<'x>(&'x self, samples: Prepared<'x, f32>) -> Result<Box<dyn SampleSide<f32> + 'x>>;

    /// The same in double precision.
    fn take_f64<'x>(&'x self, samples: Prepared<'x, f64>) -> Result<Box<dyn SampleSide<f64> + 'x>>;
}

/// Numbers that can be on a device: both types.
pub trait OnDevice: Sized {
    /// Moves samples of this type there.
    fn take<'x>(
        device: &'x dyn Device,
        samples: Prepared<'x, Self>,
    ) -> Result<Box<dyn SampleSide<Self> + 'x>>;
}

impl OnDevice for f32 {
    fn take<'x>(device: &'x dyn Device, samples: Prepared<'x, f32>) -> Result<Box<dyn SampleSide<f32> + 'x>> {
        device.take_f32(samples)
    }
}

impl OnDevice for f64 {
    fn take<'x>(device: &'x dyn Device, samples: Prepared<'x, f64>) -> Result<Box<dyn SampleSide<f64> + 'x>> {
        device.take_f64(samples)
    }
}

/// Samples that are ready to be fitted.
#[non_exhaustive]
pub struct Prepared<'x, T> {
    /// As they were given.
    pub x: Samples<'x, T>,
    /// What each is multiplied by, if anything.
    pub factors: Option<&'x [T]>,
    /// ‖xᵢ‖² after that.
    pub norms_sq: &'x [f64],
    /// How often each counts.
    pub weights: &'x [f64],
}

opaque! { [T] Prepared<'_, T>; }

impl<'x, T> Prepared<'x, T> {
    /// Samples, what each is multiplied by, ‖xᵢ‖² after that, and how often each counts.
    pub fn new(x: Samples<'x, T>, factors: Option<&'x [T]>, norms_sq: &'x [f64], weights: &'x [f64]) -> Self {
        Self { x, factors, norms_sq, weights }
    }
}

impl Fitting<'_> {
    /// Fits the samples where the device takes them.
    pub(super) fn fit_on<T: Real>(
        self,
        device: &dyn Device,
        data: &Stored<'_, T>,
        given: &mut Given<'_, T>,
    ) -> Result<Fit<T>> {
        let (x, factors) = data.parts();
        let side = T::take(device, Prepared::new(x, factors, data.norms_sq(), self.weights))?;
        self.fit_side(&*side, given)
    }
}

/// What a device cannot do is said, and not done elsewhere.
pub(super) fn refused(device: &dyn Device, what: &str) -> Error {
    let must = format!(
        "cpu with {what}: a card only runs methods that weight samples, such as emmf, without a graph, layers or missing values"
    );
    Error::param("device", device.name(), must)
}
