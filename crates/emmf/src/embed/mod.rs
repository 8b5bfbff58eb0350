//! Samples as points of a plane, for plotting: by the main directions of their coefficients ([`plane`]), or so that samples that
//! are alike are near each other ([`layout`]).

mod descent;
mod layout;
mod main_axes;
mod principal;

pub(crate) use layout::laid_out;
pub use layout::{Layout, Likeness, layout};
pub use principal::{Plane, plane};
