//! What the scores of a model go by, in numbers for its file.

use emmf::Real;
use emmf::outliers::{Bins, Judge, Rarity, Scales};
use serde::{Deserialize, Serialize};

use crate::error::Problem;

/// What is noted of a judge beside its tensors.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct Noted {
    #[serde(flatten)]
    pub(super) scales: Scales,
    /// With the residuals on the layers above the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) above: Vec<Scales>,
    /// What a value counts that nobody has.
    pub(super) unseen: f64,
    /// Digits that tell bins apart.
    pub(super) digits: u32,
    /// Whether values are shares of the largest of their sample, whose bins are then the last ones.
    #[serde(default)]
    pub(super) shares: bool,
}

pub(super) fn noted<T: Real>(judge: &Judge<T>) -> Noted {
    let (unseen, digits) = judge.rarity().map_or((0.0, 0), |rarity| (rarity.unseen(), rarity.digits()));
    let shares = judge.rarity().and_then(Rarity::largest).is_some();
    Noted { scales: *judge.scales(), above: judge.above().to_vec(), unseen, digits, shares }
}

/// Numbers of a feature before those of its bins: centre, range, the first bin, how many there are.
pub(super) const HEAD: usize = 4;

/// The heads of all features, and of the largest values where there are such bins, and the numbers of their bins.
pub(super) fn bins_to(rarity: &Rarity) -> (Vec<f64>, Vec<f64>) {
    let all = || rarity.features().iter().chain(rarity.largest());
    let head = |bins: &Bins| [bins.center, bins.range, f64::from(bins.first), bins.surprise.len() as f64];
    let surprises = all().flat_map(|bins| bins.surprise.iter().copied()).collect();
    (all().flat_map(head).collect(), surprises)
}

pub(super) fn bins_from(heads: &[f64], mut surprises: &[f64], noted: &Noted) -> Result<Rarity, Problem> {
    let wrong = |why: &str| Problem::malformed("bins", why);
    let (heads, rest) = heads.as_chunks::<HEAD>();
    let mut features = Vec::with_capacity(heads.len());
    for &[center, range, first, many] in heads {
        let most = surprises.len();
        let whole = |x: f64| x.is_finite() && x.fract() == 0.0 && x.abs() <= f64::from(i32::MAX / 2);
        if !whole(first) || !whole(many) || many < 0.0 || many as usize > most {
            return Err(wrong("they are not those of its features"));
        }
        let (own, others) = surprises.split_at(many as usize);
        features.push(Bins { center, range, first: first as i32, surprise: own.to_vec() });
        surprises = others;
    }
    if !rest.is_empty() || !surprises.is_empty() || !noted.unseen.is_finite() {
        return Err(wrong("they are not those of its features"));
    }
    let largest = if noted.shares { features.pop() } else { None };
    Ok(Rarity::new(features, largest, noted.unseen, noted.digits))
}
