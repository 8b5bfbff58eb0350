//! A method at work, without its types: the loop and the restarts around it are compiled once for each type of number, not
//! once for each method.

use super::{Ending, Method, Outcome};
use crate::checkpoint::Archive;
use crate::error::Result;
use crate::init::Start;
use crate::matrix::Mat;
use crate::real::Real;

/// A method, and what it factorizes.
pub(crate) trait Factorization<T>: Sync {
    /// The state before the first iteration.
    fn start<'a>(&'a self, start: &mut Start<'_, T>) -> Result<Box<dyn AtWork<T> + 'a>>;
}

/// A factorization under way: a [`Method`] with its state.
pub(crate) trait AtWork<T>: Send {
    /// See [`Method::has_begun`].
    fn has_begun(&self) -> bool;

    /// See [`Method::step`].
    fn step(&mut self) -> Result<()>;

    /// See [`Method::objective`].
    fn objective(&self) -> f64;

    /// See [`Method::has_settled`].
    fn has_settled(&self) -> bool;

    /// See [`Method::parts`].
    fn parts(&mut self, archive: &mut Archive);

    /// See [`Method::coefficients`].
    fn coefficients(&self) -> Option<&Mat<T>>;

    /// See [`Method::movement`].
    fn movement(&mut self) -> Result<Option<f64>>;

    /// See [`Method::finish`].
    fn finish(self: Box<Self>, ending: Ending) -> Result<Outcome<T>>;
}

/// This method, for these samples.
pub(crate) struct Of<'m, 'x, M, X: ?Sized>(pub(crate) &'m M, pub(crate) &'x X);

struct Working<'m, 'x, M, X: ?Sized, S> {
    method: &'m M,
    x: &'x X,
    state: S,
}

impl<'x, T: Real, X: Sync + ?Sized, M: Method<'x, T, X>> Factorization<T> for Of<'_, 'x, M, X> {
    fn start<'a>(&'a self, start: &mut Start<'_, T>) -> Result<Box<dyn AtWork<T> + 'a>> {
        let Self(method, x) = *self;
        Ok(Box::new(Working { method, x, state: method.start(x, start)? }))
    }
}

impl<'x, T: Real, X: Sync + ?Sized, M: Method<'x, T, X>> AtWork<T> for Working<'_, 'x, M, X, M::State> {
    fn has_begun(&self) -> bool {
        self.method.has_begun(&self.state)
    }

    fn step(&mut self) -> Result<()> {
        self.method.step(self.x, &mut self.state)
    }

    fn objective(&self) -> f64 {
        self.method.objective(&self.state)
    }

    fn has_settled(&self) -> bool {
        self.method.has_settled(&self.state)
    }

    fn parts(&mut self, archive: &mut Archive) {
        self.method.parts(&mut self.state, archive);
    }

    fn coefficients(&self) -> Option<&Mat<T>> {
        self.method.coefficients(&self.state)
    }

    fn movement(&mut self) -> Result<Option<f64>> {
        self.method.movement(&mut self.state)
    }

    fn finish(self: Box<Self>, ending: Ending) -> Result<Outcome<T>> {
        self.method.finish(self.x, self.state, ending)
    }
}
