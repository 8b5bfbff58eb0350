//! A model as serde writes it: its parts, which are put together and checked again when they are read.

use serde::{Deserialize, Serialize};

use super::{Model, Past, ResidualScale};
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::method::{Coding, Layer};
use crate::outliers::{Bins, Judge, Rare, Rarity, Reference, Scales};
use crate::preprocess::Fitted;
use crate::real::Real;
use crate::spec::Spec;

/// All that a model is made of.
#[derive(Serialize, Deserialize)]
pub(super) struct Written<T> {
    spec: Spec,
    u: Mat<T>,
    preprocess: Vec<Fitted>,
    residual_scale: ResidualScale,
    coding: Coding,
    label_centres: Vec<Option<Vec<f64>>>,
    judge: Option<WrittenJudge<T>>,
    past: Option<WrittenPast>,
    /// The layers above the first, and what scores on them are relative to.
    layers: Vec<Layer<T>>,
    layer_scales: Vec<ResidualScale>,
}

#[derive(Serialize, Deserialize)]
struct WrittenJudge<T> {
    reference: Option<Mat<T>>,
    /// Bins of the features, what a value counts that nobody has, and digits.
    rarity: Option<(Vec<Bins>, f64, u32)>,
    /// Bins of the largest value of a sample, where the others are shares of it.
    #[serde(default)]
    largest: Option<Bins>,
    rare: Option<(Mat<T>, Vec<f64>)>,
    scales: Scales,
    /// With the residuals on the layers above the first.
    #[serde(default)]
    above: Vec<Scales>,
}

/// The sums of the past, whose matrices a model file keeps elsewhere.
#[derive(Serialize, Deserialize)]
struct WrittenPast {
    sums: Past,
    a: Mat<f64>,
    b: Mat<f64>,
}

impl<T: Real> From<Model<T>> for Written<T> {
    fn from(model: Model<T>) -> Self {
        let (layers, layer_scales) = (model.layers().to_vec(), model.layer_scales().to_vec());
        let Model { spec, u, preprocess, residual_scale, coding, label_centres, judge, past, .. } = model;
        let past = past.map(|sums| WrittenPast { a: sums.a.clone(), b: sums.b.clone(), sums });
        let judge = judge.as_ref().map(WrittenJudge::from);
        Self { spec, u, preprocess, residual_scale, coding, label_centres, judge, past, layers, layer_scales }
    }
}

impl<T: Real> From<&Judge<T>> for WrittenJudge<T> {
    fn from(judge: &Judge<T>) -> Self {
        let bins = |rarity: &Rarity| (rarity.features().to_vec(), rarity.unseen(), rarity.digits());
        Self {
            reference: judge.reference().map(|reference| reference.samples().clone()),
            rarity: judge.rarity().map(bins),
            largest: judge.rarity().and_then(Rarity::largest).cloned(),
            rare: judge.rare().map(|rare| (rare.centres.clone(), rare.radii.clone())),
            scales: *judge.scales(),
            above: judge.above().to_vec(),
        }
    }
}

impl<T: Real> WrittenJudge<T> {
    fn judge(self) -> Result<Judge<T>> {
        let largest = self.largest;
        let rarity = self.rarity.map(|(bins, unseen, digits)| Rarity::new(bins, largest, unseen, digits));
        let rare = self.rare.map(|(centres, radii)| Rare { centres, radii });
        Judge::from_parts(self.reference.map(Reference::of), rarity, rare, self.scales)?
            .with_above(self.above)
    }
}

impl<T: Real> TryFrom<Written<T>> for Model<T> {
    type Error = Error;

    fn try_from(written: Written<T>) -> Result<Self> {
        let mut model =
            Self::from_parts(written.spec, written.u, written.preprocess, written.residual_scale)?
                .with_coding(written.coding)?
                .with_label_centres(written.label_centres)?
                .with_layers(written.layers, written.layer_scales)?;
        if let Some(judge) = written.judge {
            model = model.with_judge(judge.judge()?)?;
        }
        if let Some(WrittenPast { sums, a, b }) = written.past {
            model = model.with_past(Past { a, b, ..sums })?;
        }
        Ok(model)
    }
}
