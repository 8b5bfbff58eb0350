//! Samples that are moved somewhere else for a fit: to a graphics card.

use super::Given;
use super::fitting::Fitting;
use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::matrix::Samples;
use crate::method::SampleSide;
use crate::model::Fit;
use crate::opaque::opaque;
use crate::real::Real;
use crate::registry::{self, Places};
use crate::spec::{Missing, Spec};

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
    /// With what they are fitted.
    pub spec: &'x Spec,
}

opaque! { [T] Prepared<'_, T>; }

impl<'x, T> Prepared<'x, T> {
    /// Samples, what each is multiplied by, ‖xᵢ‖² after that, how often each counts, and with what they are fitted.
    pub fn new(
        x: Samples<'x, T>,
        factors: Option<&'x [T]>,
        norms_sq: &'x [f64],
        weights: &'x [f64],
        spec: &'x Spec,
    ) -> Self {
        Self { x, factors, norms_sq, weights, spec }
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
        let side = T::take(device, Prepared::new(x, factors, data.norms_sq(), self.weights, self.spec))?;
        self.fit_side(&*side, given)
    }
}

impl Spec {
    /// Fails, with the name of the `device`, where a fit with these parameters needs all samples in this memory: no [`Device`] can run it
    /// then, and nothing is done elsewhere than where it was asked for.
    pub fn check_device(&self, device: &str) -> Result<()> {
        match self.stays_here()? {
            None => Ok(()),
            Some(what) => Err(refused(device, what)),
        }
    }

    /// What of such a fit needs the samples in this memory, if anything does.
    fn stays_here(&self) -> Result<Option<&'static str>> {
        let entry = registry::find(&self.method)?;
        Ok(if self.missing == Missing::Nan {
            Some("missing values")
        } else if self.is_deep() {
            Some("layers")
        } else if entry.facts.places != Places::Anywhere {
            Some(entry.name)
        } else if entry.follows(self).is_some() {
            Some("a graph")
        } else if !entry.penalties(self, (1.0, 1.0)).are_none() {
            Some("penalties (alpha-w, alpha-h)")
        } else {
            None
        })
    }
}

/// What a device cannot do is said.
pub(super) fn refused(device: &str, what: &str) -> Error {
    let must = format!(
        "cpu with {what}: a card only runs methods that weight samples, such as emmf, on all samples at once and without a graph, layers, penalties or missing values"
    );
    Error::param("device", device, must)
}
