//! Why a sample is an outlier, and why nobody can say much about it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a sample is an outlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The centroids do not describe it.
    #[default]
    Centroids,
    /// It is far from the other samples.
    Neighbours,
    /// It is far from the other samples, all scaled to unit length.
    Direction,
    /// Its values are rare, feature by feature.
    Values,
    /// It is much longer than the others.
    Length,
    /// The leading directions of the other samples do not describe it.
    Structure,
}

impl Reason {
    /// The reasons that contribute to the score.
    pub const PARTS: [Self; 6] =
        [Self::Centroids, Self::Neighbours, Self::Direction, Self::Values, Self::Length, Self::Structure];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Centroids => "centroids",
            Self::Neighbours => "neighbours",
            Self::Direction => "direction",
            Self::Values => "values",
            Self::Length => "length",
            Self::Structure => "structure",
        }
    }

    /// What is looked at.
    pub fn looked_at(self) -> &'static str {
        match self {
            Self::Centroids => "what the centroids leave of it",
            Self::Neighbours => "distance to other samples",
            Self::Direction => "the same at unit length",
            Self::Values => "how rare its values are",
            Self::Length => "length",
            Self::Structure => "what directions of others leave of it",
        }
    }

    /// In a sentence.
    pub fn told(self) -> &'static str {
        match self {
            Self::Centroids => "the centroids do not describe it",
            Self::Neighbours => "it is far from all others",
            Self::Direction => "it is unlike the others, whatever its length",
            Self::Values => "its values are rare, feature by feature",
            Self::Length => "it is much longer than the others",
            Self::Structure => "it is not made of what the others are made of",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a verdict about outliers says less than it could.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// The centroids describe the samples exactly.
    Exact,
    /// Nothing but residuals is known.
    Residuals,
    /// There are too few samples.
    Few,
}

impl Doubt {
    /// In a sentence.
    pub fn told(self) -> &'static str {
        match self {
            Self::Exact => {
                "the centroids describe the samples exactly, so no residual stands out; judged without residuals"
            }
            Self::Residuals => "judged by residuals alone",
            Self::Few => "there are too few samples to say much",
        }
    }
}
