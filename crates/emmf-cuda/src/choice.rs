//! What users say about the device.

use std::fmt;
use std::str::FromStr;

use emmf::{Error, Real, Result, Samples, Spec};

use crate::card::Card;
use crate::library::missing;
use crate::room;

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
    /// The card on which these samples are to be fitted, if any.
    pub fn card<T: Real>(self, spec: &Spec, x: &Samples<'_, T>) -> Result<Option<Card>> {
        match self {
            Self::Cpu => Ok(None),
            Self::Auto => Ok(worthwhile(spec, x)),
            Self::Cuda(number) => {
                spec.check_device(&self.to_string())?;
                let card = Card::open(number)?;
                room::check_solver::<T>(&card, spec)?;
                Ok(Some(card))
            }
        }
    }

    /// Fails where this names a card: `such` work is done on the processor, and is not done there silently.
    pub fn only_cpu(self, such: &str) -> Result<()> {
        match self {
            Self::Cuda(_) => Err(Error::param("device", self, format!("cpu or auto with {such}"))),
            Self::Cpu | Self::Auto => Ok(()),
        }
    }
}

/// The first card, where it can run this fit and is done earlier than the processor.
fn worthwhile<T: Real>(spec: &Spec, x: &Samples<'_, T>) -> Option<Card> {
    if spec.check_device("auto").is_err() || work(spec, x.stored()) < WORTH || missing().is_some() {
        return None;
    }
    let card = Card::open(0).ok()?;
    let can = room::check_solver::<T>(&card, spec).is_ok() && room::holds(&card, x, spec).ok()?;
    can.then_some(card)
}

/// Multiplications of all iterations from which on a card is done before a processor: to find the card, to compile kernels and to take
/// the samples there takes a few seconds.
const WORTH: f64 = 2e12;

/// Multiplications with X of all iterations of a fit.
fn work(spec: &Spec, entries: usize) -> f64 {
    2.0 * entries as f64 * spec.k as f64 * (spec.max_iter * spec.restarts) as f64
}
