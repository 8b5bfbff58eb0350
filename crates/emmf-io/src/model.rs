//! The model file: safetensors with U and what the scores go by, and everything else as JSON in its metadata, so that any
//! safetensors reader opens it.

mod judge;
mod layers;
mod past;

use std::collections::BTreeMap;
use std::path::Path;

use emmf::method::Coding;
use emmf::model::{Past, ResidualScale};
use emmf::outliers::{Judge, Rare, Reference};
use emmf::preprocess::Fitted;
use emmf::synth::ImageShape;
use emmf::{LabelRule, Mat, Model, Real, Spec};
use safetensors::tensor::TensorView;
use safetensors::{Dtype as TensorType, SafeTensors};
use serde::{Deserialize, Serialize};

use crate::atomic::{folder_of, write_atomically};
use crate::budget::Budget;
use crate::error::{Error, Problem};
use crate::journal::settle;
use crate::json::{to_text, without_threads};
use crate::options::Usual;
use crate::read::load;

const FORMAT: &str = "emmf-model";
const VERSION: &str = "1";

/// A model of either floating-point type.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyModel {
    /// Single precision.
    F32(Model<f32>),
    /// Double precision.
    F64(Model<f64>),
}

impl AnyModel {
    /// The parameters of the fit.
    pub fn spec(&self) -> &Spec {
        match self {
            Self::F32(model) => model.spec(),
            Self::F64(model) => model.spec(),
        }
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        match self {
            Self::F32(model) => model.centroids().rows(),
            Self::F64(model) => model.centroids().rows(),
        }
    }
}

/// What a model file says about the features, and about the file that they are from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Notes {
    /// Their names, where they have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Vec<String>>,
    /// How they make up an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageShape>,
    /// Whether they are words, counted in texts.
    #[serde(default)]
    pub words: bool,
    /// The column with the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where else things were in the file, where it was said: new samples are looked for in the same places.
    #[serde(default, skip_serializing_if = "Usual::is_empty")]
    pub usual: Usual,
}

/// What the bytes of a model file, which errors call `name`, say about the features.
pub fn notes_from_bytes(bytes: &[u8], name: &str) -> Result<Notes, Error> {
    notes(bytes).map_err(|problem| problem.of(name))
}

/// Writes a model and what is known about the features, as a whole or not at all.
pub fn write_model<T: Real>(path: &Path, model: &Model<T>, notes: &Notes) -> Result<(), Error> {
    let name = path.display().to_string();
    let bytes = to_bytes(model, notes).map_err(|problem| problem.of(name))?;
    write_atomically(path, |out| out.write_all(&bytes))
}

/// Reads a model.
pub fn read_model(path: &Path) -> Result<AnyModel, Error> {
    settle(&folder_of(path))?;
    let (bytes, name) = load(path, &Budget::default())?;
    model_from_bytes(&bytes, &name)
}

/// Reads a model and what its file says about the features. Both at once: a pipe can be read only once.
pub fn read_model_and_notes(path: &Path) -> Result<(AnyModel, Notes), Error> {
    settle(&folder_of(path))?;
    let (bytes, name) = load(path, &Budget::default())?;
    let both = from_bytes(&bytes).and_then(|model| Ok((model, notes(&bytes)?)));
    both.map_err(|problem| problem.of(name))
}

/// The bytes of a model file.
pub fn model_to_bytes(model: &AnyModel, notes: &Notes) -> Result<Vec<u8>, Error> {
    let bytes = match model {
        AnyModel::F32(model) => to_bytes(model, notes),
        AnyModel::F64(model) => to_bytes(model, notes),
    };
    bytes.map_err(|problem| problem.of("the model"))
}

/// A model from the bytes of a model file, which errors call `name`.
pub fn model_from_bytes(bytes: &[u8], name: &str) -> Result<AnyModel, Error> {
    from_bytes(bytes).map_err(|problem| problem.of(name))
}

/// The header of a safetensors file, its names in the order of the alphabet: the same model gives the same bytes.
#[derive(Serialize)]
struct Header {
    #[serde(rename = "__metadata__")]
    metadata: BTreeMap<&'static str, String>,
    #[serde(flatten)]
    tensors: BTreeMap<&'static str, Tensor>,
}

#[derive(Serialize)]
struct Tensor {
    data_offsets: [usize; 2],
    dtype: TensorType,
    shape: Vec<usize>,
}

/// The numbers of a file, one tensor after the other.
#[derive(Default)]
struct Numbers {
    tensors: BTreeMap<&'static str, Tensor>,
    bytes: Vec<u8>,
}

impl Numbers {
    fn put<T: Real>(&mut self, name: &'static str, shape: &[usize], numbers: &[T]) {
        let from = self.bytes.len();
        let dtype = if T::NAME == f32::NAME {
            self.bytes.extend(numbers.iter().flat_map(|x| (x.to_f64() as f32).to_le_bytes()));
            TensorType::F32
        } else {
            self.bytes.extend(numbers.iter().flat_map(|x| x.to_f64().to_le_bytes()));
            TensorType::F64
        };
        let data_offsets = [from, self.bytes.len()];
        self.tensors.insert(name, Tensor { data_offsets, dtype, shape: shape.to_vec() });
    }
}

/// What the rows are called by which samples are labelled.
fn centres_name(spec: &Spec) -> &'static str {
    if spec.label_rule == Some(LabelRule::Kmeans) { "label_directions" } else { "label_centres" }
}

pub(crate) fn to_bytes<T: Real>(model: &Model<T>, notes: &Notes) -> Result<Vec<u8>, Problem> {
    let mut metadata = BTreeMap::from([
        ("format", FORMAT.to_string()),
        ("version", VERSION.to_string()),
        ("spec", to_text(model.spec())?),
        ("preprocessing", to_text(&model.preprocessing().to_vec())?),
        ("residual_scale", to_text(&model.residual_scale())?),
        ("coding", to_text(model.coding())?),
        (centres_name(model.spec()), to_text(&model.label_centres().to_vec())?),
        ("features", to_text(notes)?),
    ]);
    let mut numbers = Numbers::default();
    // What is always in double precision comes first, so that every number lies at a multiple of its size.
    if let Some(judge) = model.judge() {
        metadata.insert("scores", to_text(&judge::noted(judge))?);
        if let Some(rarity) = judge.rarity() {
            let (heads, surprises) = judge::bins_to(rarity);
            numbers.put::<f64>("bins", &[heads.len() / judge::HEAD, judge::HEAD], &heads);
            numbers.put::<f64>("surprises", &[surprises.len()], &surprises);
        }
        if let Some(rare) = judge.rare() {
            numbers.put::<f64>("radii", &[rare.radii.len()], &rare.radii);
        }
    }
    if let Some(past) = model.past() {
        metadata.insert("past", to_text(&past::noted(past))?);
        past::put(past, &mut numbers);
    }
    let deep = !model.layers().is_empty();
    if deep {
        metadata.insert("layers", to_text(&layers::noted(model))?);
        layers::put_shares(model, &mut numbers);
    }
    let u = model.centroids();
    numbers.put("U", &[u.rows(), u.cols()], u.as_slice());
    if deep {
        layers::put_centroids(model, &mut numbers);
    }
    let drawn = model.judge().and_then(Judge::reference).map(Reference::samples);
    let rare = model.judge().and_then(Judge::rare).map(|rare| &rare.centres);
    for (name, samples) in [("reference", drawn), ("rare", rare)] {
        if let Some(samples) = samples {
            numbers.put(name, &[samples.rows(), samples.cols()], samples.as_slice());
        }
    }
    let Numbers { tensors, bytes } = numbers;
    let mut header = serde_json::to_vec(&Header { metadata, tensors }).map_err(broken)?;
    // The numbers begin at a multiple of eight bytes.
    header.resize(header.len().next_multiple_of(8), b' ');
    let length = (header.len() as u64).to_le_bytes();
    Ok([&length[..], &header, &bytes].concat())
}

fn notes(bytes: &[u8]) -> Result<Notes, Problem> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
    let noted = header.metadata().as_ref().and_then(|entries| entries.get("features"));
    let notes: Notes =
        noted.map_or(Ok(Notes::default()), |text| serde_json::from_str(text)).map_err(broken)?;
    let features = header.info("U").and_then(|u| u.shape.first().copied());
    let names = notes.features.as_ref().map(|names| Some(names.len()));
    let pixels = notes.image.map(|image| image.features());
    if names.into_iter().chain(pixels).any(|count| count != features) {
        return Err(Problem::malformed("the metadata", "its features are not those of U"));
    }
    Ok(notes)
}

fn from_bytes(bytes: &[u8]) -> Result<AnyModel, Problem> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
    let metadata = header.metadata().as_ref();
    let entry = |name: &str| metadata.and_then(|entries| entries.get(name).map(String::as_str));
    match (entry("format"), entry("version")) {
        (Some(FORMAT), Some(VERSION)) => {}
        (Some(FORMAT), version) => {
            let what = format!("a model file of version {}", version.unwrap_or("?"));
            return Err(Problem::unsupported(what, "use the program that wrote it, or a newer one"));
        }
        _ => {
            return Err(Problem::unsupported("a safetensors file from another program", "fit a model first"));
        }
    }
    let missing = |name: &str| Problem::malformed("the metadata", format!("there is no '{name}'"));
    let parsed = |name: &str| entry(name).ok_or_else(|| missing(name));
    let mut spec: Spec =
        serde_json::from_slice(&without_threads(parsed("spec")?.as_bytes(), "")).map_err(broken)?;
    // Files of before there were directions have k-means of the coefficients as they are.
    if spec.label_rule == Some(LabelRule::Kmeans) && entry(centres_name(&spec)).is_none() {
        spec.label_rule = Some(LabelRule::KmeansRaw);
    }
    let steps: Vec<Fitted> = serde_json::from_str(parsed("preprocessing")?).map_err(broken)?;
    let scale: ResidualScale = serde_json::from_str(parsed("residual_scale")?).map_err(broken)?;
    // Files of before there was a choice have none.
    let coding: Coding =
        entry("coding").map_or(Ok(Coding::LeastSquares), serde_json::from_str).map_err(broken)?;
    let centres: Vec<Option<Vec<f64>>> =
        entry(centres_name(&spec)).map_or(Ok(Vec::new()), serde_json::from_str).map_err(broken)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(broken)?;
    let u = tensors.tensor("U").map_err(broken)?;
    let noted = entry("scores").map(serde_json::from_str).transpose().map_err(broken)?;
    let past = entry("past").map(|text| past::read(text, &tensors)).transpose()?;
    let layers = entry("layers").map(serde_json::from_str).transpose().map_err(broken)?;
    let parts = Parts { spec, steps, scale, coding, centres, noted, past, layers };
    match u.dtype() {
        TensorType::F32 => {
            let u = matrix(&u, f32::from_le_bytes)?;
            Ok(AnyModel::F32(put_together(u, parts, &tensors, f32::from_le_bytes)?))
        }
        TensorType::F64 => {
            let u = matrix(&u, f64::from_le_bytes)?;
            Ok(AnyModel::F64(put_together(u, parts, &tensors, f64::from_le_bytes)?))
        }
        other => Err(Problem::malformed("U", format!("it is {other:?}, not F32 or F64"))),
    }
}

/// All of a model but its numbers.
struct Parts {
    spec: Spec,
    steps: Vec<Fitted>,
    scale: ResidualScale,
    coding: Coding,
    centres: Vec<Option<Vec<f64>>>,
    noted: Option<judge::Noted>,
    past: Option<Past>,
    layers: Option<layers::Noted>,
}

fn put_together<const N: usize, T: Real>(
    u: Mat<T>,
    parts: Parts,
    tensors: &SafeTensors<'_>,
    number: impl Fn([u8; N]) -> T,
) -> Result<Model<T>, Problem> {
    let Parts { spec, steps, scale, coding, centres, noted, past, layers } = parts;
    let mut model = Model::from_parts(spec, u, steps, scale)
        .and_then(|model| model.with_coding(coding))
        .and_then(|model| model.with_label_centres(centres))
        .and_then(|model| match past {
            Some(past) => model.with_past(past),
            None => Ok(model),
        })
        .map_err(broken)?;
    let samples = |name: &str| match tensors.tensor(name) {
        Ok(tensor) if tensor.data().len() == tensor.shape().iter().product::<usize>() * N => {
            matrix(&tensor, &number).map(Some)
        }
        Ok(_) => Err(Problem::malformed(name, "it is not of the type of U")),
        Err(_) => Ok(None),
    };
    match (layers, samples(layers::CENTROIDS)?) {
        (Some(noted), Some(all)) => model = layers::put_together(model, (noted, &all), tensors)?,
        _ if model.spec().is_deep() => return Err(Problem::malformed("the layers", "they are missing")),
        _ => {}
    }
    // Files of before there was more than the residual have none.
    let Some(noted) = noted else { return Ok(model) };
    let doubles = |name: &str| -> Result<Option<Vec<f64>>, Problem> {
        let Ok(tensor) = tensors.tensor(name) else { return Ok(None) };
        if tensor.dtype() != TensorType::F64 {
            return Err(Problem::malformed(name, format!("it is {:?}, not F64", tensor.dtype())));
        }
        Ok(Some(tensor.data().as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect()))
    };
    let rarity = match (doubles("bins")?, doubles("surprises")?) {
        (Some(heads), Some(surprises)) => Some(judge::bins_from(&heads, &surprises, &noted)?),
        _ => None,
    };
    let reference = samples("reference")?.map(Reference::of);
    let rare = samples("rare")?.zip(doubles("radii")?).map(|(centres, radii)| Rare { centres, radii });
    let judge = Judge::from_parts(reference, rarity, rare, noted.scales)
        .and_then(|judge| judge.with_above(noted.above))
        .map_err(broken)?;
    model.with_judge(judge).map_err(broken)
}

/// A two-dimensional tensor of N-byte numbers.
fn matrix<const N: usize, T: Real>(
    tensor: &TensorView<'_>,
    number: impl Fn([u8; N]) -> T,
) -> Result<Mat<T>, Problem> {
    let &[rows, cols] = tensor.shape() else {
        return Err(Problem::malformed("U", "it is not a matrix"));
    };
    let (numbers, _) = tensor.data().as_chunks::<N>();
    Mat::from_vec(numbers.iter().map(|&bytes| number(bytes)).collect(), rows, cols).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> Problem {
    Problem::malformed("its content", error.to_string())
}
