//! The layers above the first of a model, in numbers for its file.

use emmf::method::Layer;
use emmf::model::ResidualScale;
use emmf::{Mat, Model, Real};
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::{Numbers, broken};
use crate::error::Problem;

/// The centroids of all layers above side by side, and their shares one after the other.
pub(super) const CENTROIDS: &str = "layer_centroids";
const SHARES: &str = "layer_shares";

/// All but matrices.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct Noted {
    certainty: Vec<Vec<f64>>,
    scales: Vec<ResidualScale>,
}

pub(super) fn noted<T: Real>(model: &Model<T>) -> Noted {
    let certainty = model.layers().iter().map(|layer| layer.certainty.clone()).collect();
    Noted { certainty, scales: model.layer_scales().to_vec() }
}

/// The shares, which are in double precision.
pub(super) fn put_shares<T: Real>(model: &Model<T>, numbers: &mut Numbers) {
    let shares: Vec<f64> = model.layers().iter().flat_map(|layer| layer.b.as_slice().to_vec()).collect();
    numbers.put::<f64>(SHARES, &[shares.len()], &shares);
}

/// The centroids, which are of the type of U.
pub(super) fn put_centroids<T: Real>(model: &Model<T>, numbers: &mut Numbers) {
    let d = model.centroids().rows();
    let row = |j: usize| model.layers().iter().flat_map(move |layer| layer.u.row(j).to_vec());
    let all: Vec<T> = (0..d).flat_map(row).collect();
    let width: usize = model.layers().iter().map(|layer| layer.u.cols()).sum();
    numbers.put(CENTROIDS, &[d, width], &all);
}

/// Gives a model its layers; `all` are their centroids side by side.
pub(super) fn put_together<T: Real>(
    model: Model<T>,
    (noted, all): (Noted, &Mat<T>),
    tensors: &SafeTensors<'_>,
) -> Result<Model<T>, Problem> {
    let tensor = tensors.tensor(SHARES).map_err(broken)?;
    if tensor.dtype() != Dtype::F64 {
        return Err(Problem::malformed(SHARES, format!("it is {:?}, not F64", tensor.dtype())));
    }
    let shares: Vec<f64> =
        tensor.data().as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
    let widths = model.spec().widths();
    let entries =
        widths.windows(2).try_fold(0_usize, |sum, pair| sum.checked_add(pair[0].checked_mul(pair[1])?));
    let columns = widths.iter().skip(1).try_fold(0_usize, |sum, width| sum.checked_add(*width));
    if entries != Some(shares.len())
        || columns != Some(all.cols())
        || noted.certainty.len() + 1 != widths.len()
    {
        return Err(Problem::malformed("the layers", "they are not as wide as the parameters say"));
    }
    let (mut left, mut start, mut layers) = (&shares[..], 0, Vec::new());
    for (pair, certainty) in widths.windows(2).zip(noted.certainty) {
        let (own, rest) = left.split_at(pair[0] * pair[1]);
        let b = Mat::from_vec(own.to_vec(), pair[0], pair[1]).map_err(broken)?;
        let u = Mat::from_fn(all.rows(), pair[1], |j, k| all[(j, start + k)]);
        layers.push(Layer { u, b, certainty });
        (left, start) = (rest, start + pair[1]);
    }
    model.with_layers(layers, noted.scales).map_err(broken)
}
