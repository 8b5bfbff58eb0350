//! An HDF5 file whose numbers are asked of the budget before they are read.

use crate::array::{Array, Element, Layout};
use crate::budget::Budget;
use crate::dataset::text_bytes;
use crate::error::{Problem, shortened};
use crate::tree::Tree;
use hdf5_pure::{AttrValue, Datatype, DatatypeByteOrder, File, Group, VlenStringReadOptions};
use std::borrow::Cow;
use std::path::Path;

/// Bytes of a reference to a text that lies elsewhere.
const REFERENCE: u64 = 16;

pub(super) struct Hdf5<'a> {
    file: File,
    pub(super) budget: &'a Budget,
}

/// An error of the HDF5 reader at this place.
pub(super) fn damaged(place: &str) -> impl Fn(hdf5_pure::Error) -> Problem + '_ {
    move |error| Problem::malformed(format!("'{}'", shortened(place)), error.to_string())
}

impl<'a> Hdf5<'a> {
    pub(super) fn open(bytes: Cow<'_, [u8]>, budget: &'a Budget) -> Result<Self, Problem> {
        let file = File::from_bytes(bytes.into_owned());
        let file = file.map_err(|error| Problem::malformed("the HDF5 file", error.to_string()))?;
        Ok(Self { file, budget })
    }

    /// A file of which only what is asked for is read.
    pub(super) fn open_in_place(path: &Path, budget: &'a Budget) -> Result<Self, Problem> {
        let file = File::open_streaming(path);
        let file = file.map_err(|error| Problem::malformed("the HDF5 file", error.to_string()))?;
        Ok(Self { file, budget })
    }

    fn root(&self) -> Group {
        self.file.root()
    }

    fn attribute(&self, path: &str, name: &str) -> Option<AttrValue> {
        let mut attributes = if path.is_empty() {
            self.root().attrs().ok()?
        } else if self.has_array(path) {
            self.file.dataset(path).ok()?.attrs().ok()?
        } else {
            self.file.group(path).ok()?.attrs().ok()?
        };
        attributes.remove(name)
    }

    /// Whether there is memory for a chunk of a dataset, which may be larger than the dataset.
    fn check_chunk(&self, path: &str) -> Result<(), Problem> {
        let dataset = self.file.dataset(path).map_err(damaged(path))?;
        let Some(chunk) = dataset.chunk_shape().map_err(damaged(path))? else { return Ok(()) };
        let each = dataset.element_size().map_err(damaged(path))?;
        let bytes = chunk.iter().try_fold(each, |bytes, &size| bytes.checked_mul(size));
        self.budget.fork().take(bytes.and_then(|bytes| bytes.checked_mul(2)), "a chunk of the dataset")
    }
}

impl Tree for Hdf5<'_> {
    fn budget(&self) -> &Budget {
        self.budget
    }

    fn has_array(&self, path: &str) -> bool {
        self.file.dataset(path).is_ok_and(|dataset| dataset.shape().is_ok())
    }

    fn has_group(&self, path: &str) -> bool {
        !self.has_array(path) && self.file.group(path).is_ok_and(|group| group.datasets().is_ok())
    }

    fn said(&self, path: &str, name: &str) -> Option<String> {
        let value = self.attribute(path, name)?;
        Some(value.as_str()?.to_owned())
    }

    fn counted(&self, path: &str, name: &str) -> Option<Vec<i64>> {
        self.attribute(path, name)?.to_i64s()
    }

    fn members(&self, path: &str) -> Result<Vec<String>, Problem> {
        let group =
            if path.is_empty() { self.root() } else { self.file.group(path).map_err(damaged(path))? };
        let mut names = group.datasets().map_err(damaged(path))?;
        names.extend(group.groups().map_err(damaged(path))?);
        Ok(names)
    }

    fn shape(&self, path: &str) -> Result<Option<(usize, usize)>, Problem> {
        let shape = self.file.dataset(path).and_then(|dataset| dataset.shape()).map_err(damaged(path))?;
        let size = |size: u64| usize::try_from(size).ok();
        Ok(match shape[..] {
            [rows] => size(rows).map(|rows| (rows, 1)),
            [rows, cols] => size(rows).zip(size(cols)),
            _ => None,
        })
    }

    fn is_text(&self, path: &str) -> bool {
        let kind = self.file.dataset(path).and_then(|dataset| dataset.datatype());
        matches!(kind, Ok(Datatype::String { .. } | Datatype::VariableLength { is_string: true, .. }))
    }

    fn is_numeric(&self, path: &str) -> bool {
        let kind = self.file.dataset(path).and_then(|dataset| dataset.datatype());
        kind.is_ok_and(|kind| element(&kind).is_some())
    }

    fn array(&self, path: &str) -> Result<Array<'static>, Problem> {
        let dataset = self.file.dataset(path).map_err(damaged(path))?;
        let shape = self.shape(path)?;
        let kind = dataset.datatype().map_err(damaged(path))?;
        let (Some((rows, cols)), Some((element, big_endian))) = (shape, element(&kind)) else {
            return Err(Problem::unsupported(
                format!("'{}' (no matrix of numbers)", shortened(path)),
                "store a two-dimensional array of numbers",
            ));
        };
        let bytes = (rows as u64).checked_mul(cols as u64).and_then(|n| n.checked_mul(element.size() as u64));
        self.budget.take(bytes, "the dataset")?;
        self.check_chunk(path)?;
        let raw = dataset.read_raw().map_err(damaged(path))?;
        let single = element == Element::F32;
        let layout = Layout { element, big_endian, shape: (rows, cols), column_major: false, single };
        Array::new(raw.into(), 0, layout)
    }

    fn texts(&self, path: &str) -> Result<Vec<String>, Problem> {
        let dataset = self.file.dataset(path).map_err(damaged(path))?;
        let entries =
            dataset.shape().map_err(damaged(path))?.iter().try_fold(1_u64, |n, &m| n.checked_mul(m));
        let each = dataset.element_size().map_err(damaged(path))?.max(REFERENCE) + text_bytes("");
        self.budget.take(entries.and_then(|entries| entries.checked_mul(each)), "the texts")?;
        self.check_chunk(path)?;
        let is_short = matches!(dataset.datatype(), Ok(Datatype::String { .. }));
        if is_short {
            return dataset.read_string().map_err(damaged(path));
        }
        let payload = dataset.vlen_string_payload_size().map_err(damaged(path))?;
        self.budget.take(Some(payload), "the texts")?;
        let most = usize::try_from(payload).unwrap_or(usize::MAX);
        let options = VlenStringReadOptions::new().with_max_payload_bytes(most);
        dataset.read_vlen_strings(options).map_err(damaged(path))
    }
}

/// The type of a number, and whether its highest byte comes first.
fn element(kind: &Datatype) -> Option<(Element, bool)> {
    let big = |order: &DatatypeByteOrder| match order {
        DatatypeByteOrder::LittleEndian => Some(false),
        DatatypeByteOrder::BigEndian => Some(true),
        DatatypeByteOrder::Vax => None,
    };
    match kind {
        Datatype::FixedPoint { size, byte_order, layout } => {
            let whole = layout.bit_offset == 0 && u64::from(layout.bit_precision) == 8 * u64::from(*size);
            let element = match (size, layout.signed) {
                (1, true) => Element::I8,
                (1, false) => Element::U8,
                (2, true) => Element::I16,
                (2, false) => Element::U16,
                (4, true) => Element::I32,
                (4, false) => Element::U32,
                (8, true) => Element::I64,
                (8, false) => Element::U64,
                _ => return None,
            };
            Some((element, big(byte_order)?)).filter(|_| whole)
        }
        Datatype::FloatingPoint { size, byte_order, .. } => {
            let element = match size {
                2 => Element::F16,
                4 => Element::F32,
                8 => Element::F64,
                _ => return None,
            };
            Some((element, big(byte_order)?))
        }
        // What h5py writes for a truth value.
        Datatype::Enumeration { base_type, .. } => element(base_type),
        _ => None,
    }
}
