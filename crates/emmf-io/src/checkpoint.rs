//! The checkpoint of a fit: safetensors with its numbers, and as JSON in the metadata how the fit was called.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use emmf::checkpoint::Snapshot;
use emmf::{Checkpoint, Choice, Real, Samples};
use safetensors::tensor::TensorView;
use safetensors::{Dtype as TensorType, SafeTensors};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::atomic::write_atomically;
use crate::budget::Budget;
use crate::error::{Error, Problem};
use crate::read::load;
use crate::results::hex;

/// The checkpoint in the folder of a fit.
pub const CHECKPOINT_FILE: &str = "checkpoint.safetensors";
const FORMAT: &str = "emmf-checkpoint-1";
/// The name of the numbers that are not a part of the method's state.
const TRACE: &str = "trace";
/// The name of the components of a restart before, with its number.
const COMPONENTS: &str = "components";

/// How a fit was called, so that the same fit can be made again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Call {
    /// The command line.
    pub arguments: Vec<String>,
    /// The folder in which it was typed.
    pub folder: String,
    /// What tells its data from others.
    pub data: String,
    /// How the number of clusters was chosen, where it was.
    pub choice: Option<Choice>,
}

/// What is not an array.
#[derive(Serialize, Deserialize)]
struct Head {
    call: Call,
    restart: usize,
    initial: f64,
    /// The best restart before, and its objective at the start.
    best: Option<(usize, f64)>,
}

/// Writes a checkpoint, as a whole or not at all.
pub fn write_checkpoint(path: &Path, checkpoint: &Checkpoint, call: &Call) -> Result<(), Error> {
    let bytes = to_bytes(checkpoint, call).map_err(|problem| problem.of(path.display().to_string()))?;
    write_atomically(path, |out| out.write_all(&bytes))
}

/// Reads a checkpoint, and how its fit was called.
pub fn read_checkpoint(path: &Path) -> Result<(Checkpoint, Call), Error> {
    let (bytes, name) = load(path, &Budget::default())?;
    checkpoint_from_bytes(&bytes, &name)
}

/// A checkpoint from the bytes of its file, which errors call `name`.
pub fn checkpoint_from_bytes(bytes: &[u8], name: &str) -> Result<(Checkpoint, Call), Error> {
    from_bytes(bytes).map_err(|problem| problem.of(name))
}

/// What tells these samples from all others: a hash of their shape, type and entries.
pub fn fingerprint<T: Real>(x: Samples<'_, T>) -> emmf::Result<String> {
    let (n, d) = x.shape();
    let mut hash = Sha256::new();
    hash.update(format!("{n}x{d} {}", T::NAME));
    for i in 0..n {
        let row = x.row(i)?;
        let bytes: Vec<u8> = row.iter().flat_map(|x| x.to_f64().to_le_bytes()).collect();
        hash.update(bytes);
    }
    Ok(hex(&hash.finalize()))
}

fn to_bytes(checkpoint: &Checkpoint, call: &Call) -> Result<Vec<u8>, Problem> {
    let Checkpoint { restart, now, best, components } = checkpoint;
    let head = Head {
        call: call.clone(),
        restart: *restart,
        initial: now.initial,
        best: best.as_ref().map(|(restart, saved)| (*restart, saved.initial)),
    };
    let snapshots = [("now", Some(now)), ("best", best.as_ref().map(|(_, saved)| saved))];
    let mut arrays: Vec<(String, Vec<u8>)> = Vec::new();
    for (group, snapshot) in snapshots.into_iter().filter_map(|(group, snapshot)| Some((group, snapshot?))) {
        let parts = snapshot.parts.iter().map(|(name, values)| (format!("{group}.state.{name}"), values));
        let all = parts.chain([(format!("{group}.{TRACE}"), &snapshot.trace)]);
        arrays.extend(all.map(|(name, values)| (name, bytes_of(values))));
    }
    let components = components.iter().enumerate();
    arrays.extend(components.map(|(at, values)| (format!("{COMPONENTS}.{at}"), bytes_of(values))));
    let views = arrays
        .iter()
        .map(|(name, bytes)| Ok((name, TensorView::new(TensorType::F64, vec![bytes.len() / 8], bytes)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(broken)?;
    let head = serde_json::to_string(&head).map_err(broken)?;
    safetensors::serialize(views, Some(HashMap::from([(FORMAT.to_string(), head)]))).map_err(broken)
}

fn bytes_of(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Result<(Checkpoint, Call), Problem> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
    let head = header.metadata().as_ref().and_then(|entries| entries.get(FORMAT));
    let head =
        head.ok_or_else(|| Problem::unsupported("a different kind of file", "name the folder of a fit"))?;
    let head: Head = serde_json::from_str(head).map_err(broken)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(broken)?;
    let mut arrays: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (name, tensor) in tensors.iter() {
        if tensor.dtype() != TensorType::F64 {
            return Err(Problem::malformed(name, format!("it is {:?}, not F64", tensor.dtype())));
        }
        let (numbers, _) = tensor.data().as_chunks::<8>();
        arrays.insert(name.into(), numbers.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect());
    }
    let mut snapshot = |group: &str, initial: f64| Snapshot {
        initial,
        trace: arrays.remove(&format!("{group}.{TRACE}")).unwrap_or_default(),
        parts: arrays
            .iter()
            .filter_map(|(name, values)| {
                Some((name.strip_prefix(group)?.strip_prefix(".state.")?.to_owned(), values.clone()))
            })
            .collect(),
    };
    let now = snapshot("now", head.initial);
    let best = head.best.map(|(restart, initial)| (restart, snapshot("best", initial)));
    let components = (0..).map_while(|at| arrays.remove(&format!("{COMPONENTS}.{at}"))).collect();
    Ok((Checkpoint { restart: head.restart, now, best, components }, head.call))
}

fn broken(error: impl std::fmt::Display) -> Problem {
    Problem::malformed("its content", error.to_string())
}
