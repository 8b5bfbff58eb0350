//! The two floating-point types of the library.

use std::fmt::{Debug, Display, LowerExp};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// `f32` or `f64`; sealed.
pub trait Real:
    Copy
    + Debug
    + Default
    + Display
    + LowerExp
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<Output = Self>
    + MulAssign
    + Div<Output = Self>
    + Neg<Output = Self>
    + Sum
    + sealed::Product
    + sealed::Wide
    + sealed::Dots
    + crate::fit::Compiled
    + crate::fit::OnDevice
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// The smallest normal number. Entries of U and V below it are flushed to zero: subnormal
    /// numbers carry no information here and are slow to compute with.
    const TINY: Self;
    /// The largest finite number.
    const MOST: Self;
    /// Differences below this share of what was subtracted are rounding.
    const NOISE: Self;
    /// A squared residual below this share of ‖x‖² has lost too many digits in the Gram form
    /// ‖x‖² − 2v·(Uᵀx) + vᵀUᵀUv and is recomputed from its definition.
    const CANCELLATION: f64;

    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;
    /// The same number in double precision.
    fn to_f64(self) -> f64;
    /// Square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// Power with a real exponent.
    #[must_use]
    fn powf(self, exponent: Self) -> Self;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;
}

pub(crate) mod sealed {
    /// A row-major matrix: its entries and the distance of its rows.
    pub(crate) type Rows<'a, T> = (&'a [T], usize);

    /// The left side of a product: a row-major matrix, or the transpose of one.
    #[derive(Debug, Clone, Copy)]
    pub enum Left<'a, T> {
        /// As it is.
        Rows(Rows<'a, T>),
        /// Its transpose.
        Columns(Rows<'a, T>),
    }

    /// Numbers that are in double precision already.
    pub trait Wide: Sized {
        /// The same numbers, where they are.
        fn wide(values: &[Self]) -> Option<&[f64]>;
    }

    impl Wide for f32 {
        fn wide(_: &[Self]) -> Option<&[f64]> {
            None
        }
    }

    impl Wide for f64 {
        fn wide(values: &[Self]) -> Option<&[f64]> {
            Some(values)
        }
    }

    /// The matrix product, implemented in `data/product.rs`.
    pub trait Product: Sized {
        /// C = A·B, or C += A·B where `add`; `shape` is (rows of A, columns of A, columns of B).
        fn gemm(
            c: (&mut [Self], usize),
            a: Left<'_, Self>,
            b: Rows<'_, Self>,
            shape: (usize, usize, usize),
            add: bool,
        );

        /// Row i of `out` = Σ value·(row of B) over the (row, value) pairs of `entries(i)`, or += where `add`; B and
        /// `out` have `columns` columns, tightly packed.
        fn gather<I: Iterator<Item = (usize, Self)> + Clone>(
            out: &mut [Self],
            b: &[Self],
            columns: usize,
            add: bool,
            entries: impl Fn(usize) -> I,
        );
    }

    /// Products of rows with rows, implemented in `data/dots.rs`.
    pub trait Dots: Sized {
        /// Numbers in a vector of this machine.
        fn lanes() -> usize;

        /// C = A·Bᵀ; `shape` is (rows of A, columns of both, rows of B).
        fn dots(c: (&mut [Self], usize), a: Rows<'_, Self>, b: Rows<'_, Self>, shape: (usize, usize, usize));
    }
}

macro_rules! real {
    ($t:ident, $cancellation:expr) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAME: &'static str = stringify!($t);
            const TINY: Self = $t::MIN_POSITIVE;
            const MOST: Self = $t::MAX;
            const NOISE: Self = 2.0 * $t::EPSILON;
            const CANCELLATION: f64 = $cancellation;

            #[expect(clippy::allow_attributes, reason = "lossless for one of the two types")]
            #[allow(clippy::cast_lossless, reason = "lossless for one of the two types")]
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            fn powf(self, exponent: Self) -> Self {
                self.powf(exponent)
            }
            fn is_finite(self) -> bool {
                self.is_finite()
            }
        }
    };
}

real!(f32, 1e-4);
real!(f64, 1e-6);
