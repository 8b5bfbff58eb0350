//! What is done to the data before a fit.

use serde::{Deserialize, Serialize};

use crate::sets::title;

/// What is done to the data before a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Contamination {
    /// Nothing.
    None,
    /// Random vectors with entries in [0, 10σ] after the samples, σ the largest entry of the unit samples. Only the
    /// samples are judged.
    Outliers {
        /// How many for each sample.
        share: f64,
        /// What the start sees.
        #[serde(default)]
        start: StartFrom,
    },
    /// A square of random pixels in some images of each class.
    Blocks {
        /// Its side.
        size: usize,
        /// Images of each class.
        per_class: usize,
    },
    /// Random vectors as long as the unit samples after these. Only the samples are judged.
    Scattered {
        /// How many for each sample.
        share: f64,
    },
    /// Nearly equal random vectors after the samples. Only the samples are judged.
    Cluster {
        /// How many for each sample.
        share: f64,
    },
    /// Samples a hundred times too long after the others. Only the others are judged.
    Long {
        /// How many for each sample.
        share: f64,
    },
    /// Samples of another data set after those of this one, brought to its number of features. Only the samples of
    /// this one are judged.
    Foreign {
        /// How many for each sample.
        share: f64,
        /// The other data set.
        data: String,
    },
    /// Some samples with some of their entries 0 or the largest one.
    SaltAndPepper {
        /// How many of the samples.
        share: f64,
        /// How many of their entries.
        entries: f64,
    },
}

/// What the start sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartFrom {
    /// Samples and outliers.
    #[default]
    All,
    /// The samples without the outliers, which nobody could tell apart.
    Clean,
}

impl Contamination {
    /// Its column in the tables.
    pub fn label(&self) -> String {
        match self {
            Self::None => "clean".into(),
            Self::Outliers { share, start: StartFrom::All } => format!("{:.0} % outliers", 100.0 * share),
            Self::Outliers { share, start: StartFrom::Clean } => {
                format!("{:.0} % outliers, clean start", 100.0 * share)
            }
            Self::Blocks { size, .. } => format!("{size}×{size}"),
            Self::Scattered { share } => format!("{:.0} % scattered", 100.0 * share),
            Self::Cluster { share } => format!("{:.0} % in a cluster", 100.0 * share),
            Self::Long { share } => format!("{:.0} % too long", 100.0 * share),
            Self::Foreign { share, data } => format!("{:.0} % of {}", 100.0 * share, title(data)),
            Self::SaltAndPepper { share, .. } => format!("{:.0} % salt and pepper", 100.0 * share),
        }
    }

    /// How many samples it adds for each one, where it adds any.
    pub(crate) fn added(&self) -> Option<f64> {
        match self {
            Self::Outliers { share, .. }
            | Self::Scattered { share }
            | Self::Cluster { share }
            | Self::Long { share }
            | Self::Foreign { share, .. } => Some(*share),
            Self::None | Self::Blocks { .. } | Self::SaltAndPepper { .. } => None,
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let share = match self {
            Self::SaltAndPepper { share, entries } => {
                if !(0.0..=1.0).contains(entries) {
                    return Err(format!("contamination: entries = {entries} is not between 0 and 1"));
                }
                Some(*share)
            }
            _ => self.added(),
        };
        match share {
            Some(share) if !(share >= 0.0 && share.is_finite()) => {
                Err(format!("contamination: share = {share} is not a number of at least 0"))
            }
            _ => Ok(()),
        }
    }
}
