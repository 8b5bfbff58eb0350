//! Samples as points of a plane, for plotting: so that samples that are alike are near each other, and along their two principal
//! components ([`layout`]).

mod descent;
mod directions;
mod layout;
mod principal;

pub(crate) use layout::laid_out;
pub use layout::{Layout, Likeness, layout};
pub use principal::Plane;
