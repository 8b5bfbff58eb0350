//! What the restarts of a fit agree on.

use serde::{Deserialize, Serialize};

/// A component below this stability is not the same in all restarts.
pub const STABLE: f64 = 0.9;

/// What the restarts of a fit agree on: the components of the model are those of no single restart.
///
/// The components of a restart are the directions of its centroids. They are matched one to one with those of the consensus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Consensus {
    /// How well each component is found again: the mean cosine between it and its match in the restarts that count, from 0 to 1.
    pub stability: Vec<f64>,
    /// How far each restart is from the consensus: the root mean square of the distances between matched components of
    /// unit length, from 0 to √2.
    pub distances: Vec<f64>,
    /// How much each restart counts. The weights sum to 1; those of restarts that were set aside are 0.
    pub weights: Vec<f64>,
}

impl Consensus {
    /// The components whose stability is below [`STABLE`], ascending, from 0.
    ///
    /// ```
    /// use emmf::{Init, Spec, synth};
    /// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
    /// let fit = Spec::emmf(3).init(Init::Random).restarts(8).consensus(true).fit(&data.x)?;
    /// let found = fit.consensus.expect("restarts that agree");
    /// assert!(found.unstable().is_empty() && found.stability.len() == 3);
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn unstable(&self) -> Vec<usize> {
        (0..self.stability.len()).filter(|&k| self.stability[k] < STABLE).collect()
    }

    /// The restarts that were set aside because they are far from what the others agree on, ascending, from 0.
    pub fn set_aside(&self) -> Vec<usize> {
        (0..self.weights.len()).filter(|&restart| self.weights[restart] == 0.0).collect()
    }
}
