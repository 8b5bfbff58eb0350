//! Model files: bytes with changes, and whole files whose JSON has changes; then `transform` with what was read.

use emmf::{Coded, Mat, Model, Real};
use emmf_io::{AnyModel, Notes, model_from_bytes, model_to_bytes};
use serde_json::Value;

use crate::case::{Answer, Case, Verdict, refused};
use crate::seeds::MODELS;
use crate::{Random, json, mutate};

/// Features up to which samples are coded.
const MOST_FEATURES: usize = 4096;

struct ModelFile {
    bytes: Vec<u8>,
}

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    let mut bytes = random.choose(&MODELS).clone();
    if !random.one_in(3) {
        bytes = with_other_json(&bytes, random).unwrap_or(bytes);
    }
    if random.one_in(3) {
        let other = random.choose(&MODELS);
        mutate::mutate(&mut bytes, other, random);
    }
    Box::new(ModelFile { bytes })
}

/// The file with other JSON in its header, whose length is right again. The header's texts hold JSON themselves.
fn with_other_json(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let (header, tensors) = rest.split_at_checked(u64::from_le_bytes(*length) as usize)?;
    let mut header: Value = serde_json::from_slice(header).ok()?;
    let texts = header.get_mut("__metadata__")?.as_object_mut()?;
    if random.one_in(6) {
        json::mutate(&mut header, random);
    } else {
        let keys = [
            "spec",
            "preprocessing",
            "residual_scale",
            "coding",
            "label_centres",
            "label_directions",
            "features",
            "scores",
        ];
        let text = texts.get_mut(random.pick(&keys))?;
        let mut inside: Value = serde_json::from_str(text.as_str()?).ok()?;
        json::mutate(&mut inside, random);
        *text = inside.to_string().into();
    }
    let header = header.to_string();
    Some([&(header.len() as u64).to_le_bytes(), header.as_bytes(), tensors].concat())
}

impl Case for ModelFile {
    fn check(&self) -> Verdict {
        match model_from_bytes(&self.bytes, "m.safetensors") {
            Err(error) => refused(&error, "m.safetensors"),
            Ok(model) => {
                let again = model_to_bytes(&model, &Notes::default())
                    .and_then(|bytes| model_from_bytes(&bytes, "again"));
                if again.as_ref().ok() != Some(&model) {
                    return Err(format!("written and read again it is another: {:?}", again.err()));
                }
                match &model {
                    AnyModel::F32(model) => codes(model),
                    AnyModel::F64(model) => codes(model),
                }
            }
        }
    }

    fn show(&self) -> String {
        format!("a model file of {} bytes: {}", self.bytes.len(), String::from_utf8_lossy(&self.bytes))
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }
}

/// Samples are coded by a model that was taken, or refused with a reason.
fn codes<T: Real>(model: &Model<T>) -> Verdict {
    let (d, k) = model.centroids().shape();
    if d > MOST_FEATURES {
        return Ok(Answer::Taken);
    }
    let x = Mat::from_fn(3, d, |i, j| T::from_f64((i * j % 4) as f64));
    match model.transform(&x) {
        Err(error) => refused(&error, ""),
        Ok(coded) => whole(&coded, k),
    }
}

fn whole<T: Real>(coded: &Coded<T>, k: usize) -> Verdict {
    if coded.v.shape() != (3, k) || coded.residuals.len() != 3 || coded.scores.len() != 3 {
        return Err(format!("coefficients of {:?} for three samples and k = {k}", coded.v.shape()));
    }
    if coded.labels.len() != 3 || coded.labels.iter().any(|&label| label >= k) {
        return Err(format!("the labels {:?} with k = {k}", coded.labels));
    }
    Ok(Answer::Taken)
}
