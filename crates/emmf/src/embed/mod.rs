//! Samples as points of a plane, for plotting: so that samples that are alike are near each other, and along their two principal
//! components ([`layout`], [`plane`]).

mod compared;
mod descent;
mod directions;
mod layout;
mod principal;

pub use compared::Likeness;
pub(crate) use layout::laid_out;
pub use layout::{Layout, layout};
pub(crate) use principal::plane_of;
pub use principal::{Plane, plane};
