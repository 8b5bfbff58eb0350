//! NPY, `NumPy`'s format for one array: a header in Python's notation, then the bare entries.

use crate::array::{Array, Element, Layout};
use crate::budget::Budget;
use crate::dataset::text_bytes;
use crate::error::{Problem, shortened};
use crate::variables::Variable;
use std::borrow::Cow;

/// The first bytes of every file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads one array.
pub(crate) fn read<'a>(bytes: Cow<'a, [u8]>, budget: &Budget) -> Result<Variable<'a>, Problem> {
    let (header, start) = split_header(&bytes)?;
    variable(Header::parse(header)?, bytes, start, budget)
}

/// An array of zarr, whose types are called as those of NPY: row by row, and all of it there.
pub(crate) fn coded(
    code: &str,
    shape: Vec<usize>,
    bytes: Vec<u8>,
    budget: &Budget,
) -> Result<Variable<'static>, Problem> {
    let (kind, big_endian) = parse_kind(code);
    variable(Header { kind, big_endian, fortran: false, shape }, bytes.into(), 0, budget)
}

/// Bytes of an entry of this type, where it is one of numbers or short texts, and what kind of number it is.
pub(crate) fn entry(code: &str) -> Option<(usize, Option<Element>)> {
    match parse_kind(code).0 {
        Kind::Number(element) => Some((element.size(), Some(element))),
        Kind::Bytes(width) => Some((width, None)),
        Kind::Unicode(width) => Some((width.checked_mul(4)?, None)),
        Kind::Other(_) => None,
    }
}

fn variable<'a>(
    header: Header,
    bytes: Cow<'a, [u8]>,
    start: usize,
    budget: &Budget,
) -> Result<Variable<'a>, Problem> {
    let Some(dims) = header.dims() else {
        return Ok(Variable::Other(format!("{} dimensions", header.shape.len())));
    };
    match header.kind {
        Kind::Number(element) => Array::new(bytes, start, header.layout(element, dims)).map(Variable::Dense),
        Kind::Bytes(width) if header.shape.len() < 2 => {
            texts(&bytes[start..], (dims.0, width), budget, latin).map(Variable::Text)
        }
        Kind::Unicode(width) if header.shape.len() < 2 => {
            let big = header.big_endian;
            let width = width.saturating_mul(4);
            texts(&bytes[start..], (dims.0, width), budget, |b| utf32(b, big)).map(Variable::Text)
        }
        Kind::Bytes(_) | Kind::Unicode(_) => Ok(Variable::Other("a table of text".into())),
        Kind::Other(descr) => Ok(Variable::Other(format!("type {}", shortened(&descr)))),
    }
}

/// Where the entries of a matrix start and how they lie, from the first bytes of a file.
pub(crate) fn layout(bytes: &[u8]) -> Result<(Layout, usize), Problem> {
    let (header, start) = split_header(bytes)?;
    let header = Header::parse(header)?;
    match (&header.kind, header.dims()) {
        (&Kind::Number(element), Some(dims)) => Ok((header.layout(element, dims), start)),
        _ => Err(Problem::unsupported("an array that is not a matrix of numbers", "save it as one")),
    }
}

/// The header's text and where the entries start.
fn split_header(bytes: &[u8]) -> Result<(&str, usize), Problem> {
    let cut = || Problem::malformed("byte 0", "the NPY header is not complete");
    if !bytes.starts_with(MAGIC) {
        return Err(Problem::malformed("byte 0", "an NPY file starts with the bytes 93 'NUMPY'"));
    }
    let (from, length) = match bytes.get(6).ok_or_else(cut)? {
        1 => (10, bytes.get(8..10).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))),
        2 | 3 => (12, bytes.get(8..12).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)),
        version => {
            return Err(Problem::unsupported(format!("NPY version {version}"), "save it with version 1"));
        }
    };
    let start = from + length.ok_or_else(cut)?;
    let header = bytes.get(from..start).ok_or_else(cut)?;
    let header =
        str::from_utf8(header).map_err(|_| Problem::malformed("byte 10", "the NPY header is not text"))?;
    Ok((header, start))
}

/// What the entries are.
enum Kind {
    Number(Element),
    Bytes(usize),
    Unicode(usize),
    Other(String),
}

struct Header {
    kind: Kind,
    big_endian: bool,
    fortran: bool,
    shape: Vec<usize>,
}

impl Header {
    /// Rows and columns; a vector is one column.
    fn dims(&self) -> Option<(usize, usize)> {
        match self.shape[..] {
            [] => Some((1, 1)),
            [n] => Some((n, 1)),
            [rows, cols] => Some((rows, cols)),
            _ => None,
        }
    }

    fn layout(&self, element: Element, shape: (usize, usize)) -> Layout {
        let single = element == Element::F32;
        Layout { element, big_endian: self.big_endian, shape, column_major: self.fortran, single }
    }

    /// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`
    fn parse(text: &str) -> Result<Self, Problem> {
        let bad = |what: &str| Problem::malformed("the NPY header", format!("cannot make out '{what}'"));
        let descr = value(text, "descr").ok_or_else(|| bad("descr"))?;
        let (kind, big_endian) =
            match descr.strip_prefix(['\'', '"']).and_then(|d| d.split(['\'', '"']).next()) {
                Some(code) => parse_kind(code),
                None => (Kind::Other("with fields".into()), false),
            };
        let order = value(text, "fortran_order").ok_or_else(|| bad("fortran_order"))?;
        let fortran = match order {
            o if o.starts_with("True") => true,
            o if o.starts_with("False") => false,
            _ => return Err(bad("fortran_order")),
        };
        let shape = value(text, "shape").and_then(parse_shape).ok_or_else(|| bad("shape"))?;
        Ok(Self { kind, big_endian, fortran, shape })
    }
}

/// What follows `'key':`.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|key| text.split_once(key.as_str()))?.1;
    after.trim_start().strip_prefix(':').map(str::trim_start)
}

fn parse_shape(text: &str) -> Option<Vec<usize>> {
    let inside = text.strip_prefix('(')?.split_once(')')?.0;
    let sizes =
        inside.split(',').map(|size| size.trim().trim_end_matches('L')).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().ok()).collect()
}

/// `<f8`: byte order, kind, bytes.
fn parse_kind(code: &str) -> (Kind, bool) {
    let big_endian = code.starts_with('>');
    let element = match code.trim_start_matches(['<', '>', '|', '=']) {
        "b1" | "?" => Element::Bool,
        "i1" => Element::I8,
        "u1" => Element::U8,
        "i2" => Element::I16,
        "u2" => Element::U16,
        "i4" => Element::I32,
        "u4" => Element::U32,
        "i8" => Element::I64,
        "u8" => Element::U64,
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        other => return (parse_text_kind(other), big_endian),
    };
    (Kind::Number(element), big_endian)
}

fn parse_text_kind(code: &str) -> Kind {
    let width = |digits: &str| digits.parse().ok().filter(|&width: &usize| width > 0);
    match (code.strip_prefix('U').and_then(width), code.strip_prefix('S').and_then(width)) {
        (Some(width), _) => Kind::Unicode(width),
        (_, Some(width)) => Kind::Bytes(width),
        _ if code == "O" => Kind::Other("Python objects".into()),
        _ => Kind::Other(code.into()),
    }
}

/// `count` texts of `width` bytes each.
fn texts(
    bytes: &[u8],
    (count, width): (usize, usize),
    budget: &Budget,
    decode: impl Fn(&[u8]) -> String,
) -> Result<Vec<String>, Problem> {
    match count.checked_mul(width).and_then(|needed| bytes.get(..needed)) {
        Some(bytes) => {
            let each = text_bytes("").checked_add(width as u64);
            budget.take(each.and_then(|each| each.checked_mul(count as u64)), "the texts")?;
            Ok(bytes.chunks_exact(width).map(decode).collect())
        }
        None => Err(Problem::malformed(
            "the NPY entries",
            format!("{count} texts of {width} bytes are announced, but only {} bytes follow", bytes.len()),
        )),
    }
}

fn latin(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

fn utf32(bytes: &[u8], big_endian: bool) -> String {
    let (units, _) = bytes.as_chunks::<4>();
    let code = |b: &[u8; 4]| if big_endian { u32::from_be_bytes(*b) } else { u32::from_le_bytes(*b) };
    let text: String =
        units.iter().map(|b| char::from_u32(code(b)).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.trim_end_matches('\0').to_owned()
}
