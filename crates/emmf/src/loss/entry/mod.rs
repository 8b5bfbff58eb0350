//! Losses of the entry-wise methods: sums over the entries of a function of x and its approximation y.
//! One file each; to add one, add a file, its name in the list below and a line in the
//! [registry](crate::registry).

pub mod beta;
pub mod correntropy;
pub mod divergence;
pub(crate) mod elementary;
pub mod huber;
pub mod hypersurface;
pub mod itakura_saito;
pub mod l1;

pub use beta::Beta;
pub(crate) use beta::steepest;
pub use correntropy::EntryCorrentropy;
pub use divergence::Divergence;
pub use huber::Huber;
pub use hypersurface::Hypersurface;
pub use itakura_saito::ItakuraSaito;
pub use l1::L1;

use serde::{Deserialize, Serialize};

use crate::real::Real;

/// A loss Σ share(x, y) over the entries. Written as a function of (x − y)² it is concave and nondecreasing,
/// so that half the sum of weight·(x − y)² touches it from above and lowering that lowers the loss; or it
/// says that it is [fresh](EntryLoss::FRESH).
///
/// In double precision, without branches and without calls: loops over it become vector instructions.
pub trait EntryLoss: Copy + Send + Sync {
    /// The weights of the V step are those after the U step, because another argument than the one above
    /// makes the multiplicative rule descend.
    const FRESH: bool = false;

    /// The entry's share of the objective.
    fn share(&self, x: f64, y: f64) -> f64;

    /// (∂share/∂y)/(y − x), up to a common factor, which changes nothing.
    fn weight(&self, x: f64, y: f64) -> f64;

    /// What is reported as the pull of the entry: its weight, unless weights are no measure of trust.
    #[inline(always)]
    fn pull(&self, x: f64, y: f64) -> f64 {
        self.weight(x, y)
    }
}

/// How many numbers a vector register takes at most: sums run in this many lanes on every machine.
const LANES: usize = 8;

/// Σ f(x, y) over the pairs, in a fixed order. Where x is NaN, it is missing and counts nothing.
#[inline(always)]
pub(crate) fn sum<T: Real>(x: &[T], y: &[T], f: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            let (x, y) = (x[lane].to_f64(), y[lane].to_f64());
            let term = f(x, y);
            sums[lane] += if x.is_nan() { 0.0 } else { term };
        }
    }
    for ((sum, x), y) in sums.iter_mut().zip(x_rest).zip(y_rest) {
        let (x, y) = (x.to_f64(), y.to_f64());
        let term = f(x, y);
        *sum += if x.is_nan() { 0.0 } else { term };
    }
    sums.iter().sum()
}

/// w = f(x, y), 0 where x is missing.
#[inline(always)]
pub(crate) fn map<T: Real>(x: &[T], y: &[T], w: &mut [T], f: impl Fn(f64, f64) -> f64) {
    for ((&x, &y), w) in x.iter().zip(y).zip(w) {
        let x = x.to_f64();
        let value = f(x, y.to_f64());
        *w = T::from_f64(if x.is_nan() { 0.0 } else { value });
    }
}

macro_rules! entry_losses {
    ($($name:ident),* $(,)?) => {
        /// Any loss of an entry, with its scale.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "each is documented where it is defined")]
        pub enum AnyEntryLoss { $($name($name)),* }

        impl AnyEntryLoss {
            /// See [`EntryLoss::FRESH`].
            pub(crate) fn is_fresh(self) -> bool {
                match self { $(Self::$name(_) => $name::FRESH),* }
            }

            /// Σ share over a row.
            #[inline(always)]
            pub(crate) fn share_of_row<T: Real>(self, x: &[T], y: &[T]) -> f64 {
                match self { $(Self::$name(loss) => sum(x, y, |x, y| loss.share(x, y))),* }
            }

            /// Σ pull over a row.
            #[inline(always)]
            pub(crate) fn pull_of_row<T: Real>(self, x: &[T], y: &[T]) -> f64 {
                match self { $(Self::$name(loss) => sum(x, y, |x, y| loss.pull(x, y))),* }
            }

            /// The weights of a row.
            #[inline(always)]
            pub(crate) fn weigh_row<T: Real>(self, x: &[T], y: &[T], w: &mut [T]) {
                match self { $(Self::$name(loss) => map(x, y, w, |x, y| loss.weight(x, y))),* }
            }

            /// See [`EntryLoss::share`].
            pub fn share(self, x: f64, y: f64) -> f64 {
                match self { $(Self::$name(loss) => loss.share(x, y)),* }
            }

            /// See [`EntryLoss::weight`].
            pub fn weight(self, x: f64, y: f64) -> f64 {
                match self { $(Self::$name(loss) => loss.weight(x, y)),* }
            }
        }

        $(impl From<$name> for AnyEntryLoss {
            fn from(loss: $name) -> Self {
                Self::$name(loss)
            }
        })*
    };
}

entry_losses!(Divergence, ItakuraSaito, Beta, L1, Huber, EntryCorrentropy, Hypersurface);

impl AnyEntryLoss {
    /// β and the floor of y, where this is a β-divergence.
    pub(crate) fn beta(self) -> Option<(f64, f64)> {
        match self {
            Self::Divergence(Divergence { floor }) => Some((1.0, floor)),
            Self::ItakuraSaito(ItakuraSaito { floor }) => Some((0.0, floor)),
            Self::Beta(Beta { beta, floor }) => Some((beta, floor)),
            _ => None,
        }
    }
}
