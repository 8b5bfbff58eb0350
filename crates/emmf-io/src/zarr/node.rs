//! What a store says about a group or an array.

use super::codecs::Codec;
use super::files::{Files, within};
use super::quoted;
use crate::array::Element;
use crate::budget::Budget;
use crate::error::{Problem, shortened};
use crate::npy;
use serde_json::{Map, Value};
use std::fmt;

pub(super) type Shape = (usize, usize);

/// Memory that a byte of a description may take when it is understood.
const WIDENING: u64 = 32;

/// A group, or an array.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) attributes: Map<String, Value>,
    /// Nothing for a group.
    pub(super) array: Option<Result<Described, Unclear>>,
}

/// An array that is stored in chunks.
#[derive(Debug)]
pub(super) struct Described {
    pub(super) shape: Vec<usize>,
    pub(super) chunk: Vec<usize>,
    /// The type, called as in NPY; texts of any length are `O`.
    pub(super) code: String,
    pub(super) fill: Value,
    /// Whether the entries of a chunk lie column by column.
    pub(super) by_columns: bool,
    /// The order in which chunks are unpacked.
    pub(super) codecs: Vec<Codec>,
    /// What is in front of the places of a chunk, and between them.
    pub(super) prefix: &'static str,
    pub(super) separator: char,
}

impl Described {
    /// Rows and columns; a vector is one column.
    pub(super) fn matrix(&self) -> Option<Shape> {
        match self.shape[..] {
            [rows] => Some((rows, 1)),
            [rows, columns] => Some((rows, columns)),
            _ => None,
        }
    }

    pub(super) fn element(&self) -> Option<Element> {
        npy::entry(&self.code)?.1
    }

    pub(super) fn is_text(&self) -> bool {
        self.has_long_texts() || matches!(npy::entry(&self.code), Some((_, None)))
    }

    /// Whether its entries are texts of any length.
    pub(super) fn has_long_texts(&self) -> bool {
        self.code == "O"
    }
}

impl Node {
    /// What is at a path of the store, if anything is.
    pub(super) fn read(files: &Files<'_>, path: &str, budget: &Budget) -> Result<Option<Self>, Problem> {
        let get = |name: &str| -> Result<Option<Value>, Problem> {
            let Some(bytes) = files.get(&within(path, name), budget)? else { return Ok(None) };
            budget.take((bytes.len() as u64).checked_mul(WIDENING), "the description of an array")?;
            let bad = |error: serde_json::Error| Problem::malformed(quoted(path), error.to_string());
            serde_json::from_slice(&bytes).map(Some).map_err(bad)
        };
        if let Some(said) = get("zarr.json")? {
            let array = (said["node_type"] == "array").then(|| version_3(&said));
            return Ok(Some(Self { attributes: attributes(&said["attributes"]), array }));
        }
        let array = get(".zarray")?;
        if array.is_none() && get(".zgroup")?.is_none() {
            return Ok(None);
        }
        let array = array.map(|said| version_2(&said));
        Ok(Some(Self { attributes: attributes(&get(".zattrs")?.unwrap_or_default()), array }))
    }
}

/// Why a description cannot be understood.
#[derive(Debug)]
pub(super) enum Unclear {
    /// This is not there.
    Lacks(&'static str),
    /// This is something that is not read.
    Unknown(String),
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lacks(what) => write!(f, "its description lacks '{what}'"),
            Self::Unknown(what) => write!(f, "stored by {}, which is not read", shortened(what)),
        }
    }
}

impl Unclear {
    /// As an error about the array at this path.
    pub(super) fn of(&self, path: &str) -> Problem {
        match self {
            Self::Lacks(_) => Problem::malformed(quoted(path), self.to_string()),
            Self::Unknown(_) => Problem::unsupported(
                format!("{} ({self})", quoted(path)),
                "store it without that: numbers or texts, packed by Blosc, zstd, gzip, LZ4 or not at all",
            ),
        }
    }
}

fn attributes(said: &Value) -> Map<String, Value> {
    said.as_object().cloned().unwrap_or_default()
}

fn sizes(said: &Value) -> Option<Vec<usize>> {
    said.as_array()?.iter().map(|size| usize::try_from(size.as_u64()?).ok()).collect()
}

fn version_2(said: &Value) -> Result<Described, Unclear> {
    let code = said["dtype"].as_str().ok_or_else(|| Unclear::Unknown("of records".into()))?;
    let packer = Some(&said["compressor"]).filter(|packer| !packer.is_null());
    let filters = said["filters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut codecs = Vec::new();
    for packer in packer.into_iter().chain(filters.iter().rev()) {
        let id = packer["id"].as_str().ok_or(Unclear::Lacks("id"))?;
        if id != "vlen-utf8" {
            codecs.push(Codec::of(id).ok_or_else(|| Unclear::Unknown(id.into()))?);
        }
    }
    let texts = filters.iter().any(|filter| filter["id"] == "vlen-utf8");
    let code = if texts { "O" } else { code.trim_start_matches('|') };
    Ok(Described {
        shape: sizes(&said["shape"]).ok_or(Unclear::Lacks("shape"))?,
        chunk: sizes(&said["chunks"]).ok_or(Unclear::Lacks("chunks"))?,
        code: if code == "O" && !texts { "objects".into() } else { code.into() },
        fill: said["fill_value"].clone(),
        by_columns: said["order"] == "F",
        codecs,
        prefix: "",
        separator: if said["dimension_separator"] == "/" { '/' } else { '.' },
    })
}

fn version_3(said: &Value) -> Result<Described, Unclear> {
    let shape = sizes(&said["shape"]).ok_or(Unclear::Lacks("shape"))?;
    let grid = &said["chunk_grid"]["configuration"]["chunk_shape"];
    let keys = &said["chunk_key_encoding"];
    let slash = keys["configuration"]["separator"].as_str();
    let is_plain = keys["name"] == "v2";
    let mut array = Described {
        chunk: sizes(grid).ok_or(Unclear::Lacks("chunk_shape"))?,
        code: String::new(),
        fill: said["fill_value"].clone(),
        by_columns: false,
        codecs: Vec::new(),
        prefix: if is_plain { "" } else { "c" },
        separator: if slash.map_or(is_plain, |mark| mark == ".") { '.' } else { '/' },
        shape,
    };
    let mut big_endian = false;
    for codec in said["codecs"].as_array().ok_or(Unclear::Lacks("codecs"))? {
        let (name, how) = (codec["name"].as_str().ok_or(Unclear::Lacks("name"))?, &codec["configuration"]);
        match name {
            "bytes" => big_endian = how["endian"] == "big",
            "vlen-utf8" => array.code = "O".into(),
            "transpose" => {
                let order = sizes(&how["order"]).ok_or(Unclear::Lacks("order"))?;
                array.by_columns ^= order.len() == 2 && order == [1, 0];
            }
            other => array.codecs.insert(0, Codec::of(other).ok_or_else(|| Unclear::Unknown(other.into()))?),
        }
    }
    if array.code.is_empty() {
        let code = code(&said["data_type"]).ok_or_else(|| Unclear::Unknown(said["data_type"].to_string()))?;
        array.code = if big_endian { format!(">{code}") } else { code };
    }
    Ok(array)
}

/// What NPY calls a type.
fn code(said: &Value) -> Option<String> {
    let texts = said["configuration"]["length_bytes"].as_u64();
    Some(match (said.as_str().or(said["name"].as_str())?, texts) {
        ("bool", _) => "b1".into(),
        ("int8", _) => "i1".into(),
        ("uint8", _) => "u1".into(),
        ("int16", _) => "i2".into(),
        ("uint16", _) => "u2".into(),
        ("int32", _) => "i4".into(),
        ("uint32", _) => "u4".into(),
        ("int64", _) => "i8".into(),
        ("uint64", _) => "u8".into(),
        ("float16", _) => "f2".into(),
        ("float32", _) => "f4".into(),
        ("float64", _) => "f8".into(),
        ("fixed_length_utf32", Some(bytes)) => format!("U{}", bytes / 4),
        ("null_terminated_bytes", Some(bytes)) => format!("S{bytes}"),
        _ => return None,
    })
}
