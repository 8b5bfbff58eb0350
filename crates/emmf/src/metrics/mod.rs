//! How good a result is: agreement of two labelings, how far apart clusters are, weight of the outliers, quality of a ranking.
//!
//! Labels may be of any ordered type, and the two labelings of different types; only which samples
//! share a label counts, never its name. [`Clustering::compare`] gives all four numbers at once.

pub mod accuracy;
pub mod ari;
mod assignment;
pub mod clustering;
pub mod contingency;
pub mod modularity;
pub mod nmi;
pub mod outlier_effect;
pub mod purity;
pub mod ranking;
pub mod silhouette;

pub use accuracy::accuracy;
pub use ari::ari;
pub(crate) use assignment::assign;
pub use clustering::Clustering;
pub use contingency::{Cell, Contingency};
pub use modularity::modularity;
pub use nmi::{NmiNorm, nmi};
pub use outlier_effect::entropy_bound;
pub use purity::purity;
pub use ranking::{precision_at, roc_auc};
pub use silhouette::silhouettes;
pub(crate) use silhouette::silhouettes_of;
