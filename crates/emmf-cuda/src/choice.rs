//! What users say about the device.

use std::fmt;
use std::str::FromStr;

use emmf::registry::{self, Places};
use emmf::{Error, Missing, Result, Spec};

use crate::card::Card;
use crate::library::missing;

/// Where a fit is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Choice {
    /// A card where one is there and the work is large enough to gain by it, else the processor.
    Auto,
    /// The processor.
    #[default]
    Cpu,
    /// The card of this number.
    Cuda(usize),
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => return Ok(Self::Auto),
            "cpu" => return Ok(Self::Cpu),
            "cuda" => return Ok(Self::Cuda(0)),
            _ => {}
        }
        let number = text.strip_prefix("cuda:").and_then(|number| number.parse().ok());
        number
            .map(Self::Cuda)
            .ok_or_else(|| Error::param("device", text, "auto, cpu, cuda or cuda:N, N from 0"))
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

impl Choice {
    /// The card on which samples with so many [stored](emmf::Samples::stored) entries are to be fitted, if any.
    pub fn card(self, spec: &Spec, entries: usize) -> Result<Option<Card>> {
        match self {
            Self::Cuda(_) if !is_possible(spec)? => {
                let must = format!(
                    "cpu with {}: a card only runs methods that weight samples, such as emmf, without a graph, layers or missing values",
                    spec.method
                );
                Err(Error::param("device", self, must))
            }
            Self::Cuda(number) => Card::open(number).map(Some),
            Self::Auto if is_possible(spec)? && work(spec, entries) >= WORTH && missing().is_none() => {
                Ok(Card::open(0).ok())
            }
            Self::Auto | Self::Cpu => Ok(None),
        }
    }
}

/// Whether a card could run this fit.
fn is_possible(spec: &Spec) -> Result<bool> {
    let places = registry::find(&spec.method)?.facts.places;
    let flat = spec.graph.is_none() && !spec.is_deep();
    Ok(places == Places::Anywhere && flat && spec.missing != Missing::Nan)
}

/// Multiplications of all iterations from which on a card is done before a processor: to find the card, to compile kernels and to take
/// the samples there takes a few seconds.
const WORTH: f64 = 2e12;

/// Multiplications with X of all iterations of a fit.
fn work(spec: &Spec, entries: usize) -> f64 {
    2.0 * entries as f64 * spec.k as f64 * (spec.max_iter * spec.restarts) as f64
}
