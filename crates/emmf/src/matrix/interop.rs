//! Matrices of other libraries as samples, without a copy.

use super::View;
use crate::error::{Error, Result};
use crate::real::Real;

/// Rows of an array are samples, whatever its memory order; strides must not be negative.
///
/// ```
/// use emmf::{Spec, View};
/// let x = ndarray::array![[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]];
/// let fit = Spec::emmf(2).fit(View::try_from(x.view())?)?;
/// assert_eq!(fit.labels[0], fit.labels[1]);
/// # Ok::<(), emmf::Error>(())
/// ```
#[cfg(feature = "ndarray")]
impl<'a, T: Real> TryFrom<ndarray::ArrayView2<'a, T>> for View<'a, T> {
    type Error = Error;

    fn try_from(array: ndarray::ArrayView2<'a, T>) -> Result<Self> {
        let (shape, strides) = (array.dim(), [array.strides()[0], array.strides()[1]]);
        let backwards = || Error::param("the strides", format!("{strides:?}"), "at least 0: copy the array");
        let [down, across] = strides.map(usize::try_from);
        let (down, across) = (down.map_err(|_| backwards())?, across.map_err(|_| backwards())?);
        // A view with gaps between its rows is no slice; what it is a view of is.
        let data = array.to_slice().or_else(|| array.reversed_axes().to_slice());
        let gaps = || {
            let must = "contiguous, in either order: copy the array";
            Error::param("the memory of the array", "one with gaps", must)
        };
        View::new(data.ok_or_else(gaps)?, shape, (down, across))
    }
}

/// Rows of a matrix are samples.
///
/// ```
/// use emmf::{Spec, View};
/// let x = nalgebra::DMatrix::from_row_slice(4, 2, &[1.0, 0.0, 2.0, 0.1, 0.0, 1.0, 0.1, 3.0]);
/// let fit = Spec::emmf(2).fit(View::try_from(&x)?)?;
/// assert_eq!(fit.labels[0], fit.labels[1]);
/// # Ok::<(), emmf::Error>(())
/// ```
#[cfg(feature = "nalgebra")]
impl<'a, T: Real> TryFrom<&'a nalgebra::DMatrix<T>> for View<'a, T> {
    type Error = Error;

    fn try_from(matrix: &'a nalgebra::DMatrix<T>) -> Result<Self> {
        View::col_major(matrix.as_slice(), matrix.nrows(), matrix.ncols())
    }
}
