//! What the columns of an Arrow table are.

use super::flat::{Table, damaged};
use crate::array::Element;
use crate::error::Problem;

/// Fields within fields that are followed.
const DEEPEST: usize = 32;
/// Fields in all, of columns and within them. Two of them may point to the same one.
const MOST: usize = 1 << 20;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Numbers(Element),
    /// Texts whose ends are numbers of so many bytes.
    Texts(usize),
    /// Texts that are short, or lie elsewhere.
    Views,
    /// Something else, in words.
    Other(&'static str),
}

/// A column, or a part of one.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Buffers that belong to it and not to its parts.
    pub(super) buffers: Buffers,
    /// Which dictionary it looks its values up in, and the kind of the places there.
    pub(super) dictionary: Option<(i64, Element)>,
    pub(super) parts: Vec<Field>,
}

/// How many buffers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Buffers {
    Fixed(usize),
    /// Two, and as many more as the message says.
    Views,
}

/// The columns of a schema.
pub(super) fn fields(schema: &Table<'_>) -> Result<Vec<Field>, Problem> {
    if schema.number::<2>(0)? != [0, 0] {
        return Err(Problem::unsupported("an Arrow file in big-endian order", "save it as Parquet"));
    }
    let mut seen = 0;
    schema.tables(1)?.map(|field| Field::of(&field?, 0, &mut seen)).collect()
}

impl Field {
    fn of(field: &Table<'_>, depth: usize, seen: &mut usize) -> Result<Self, Problem> {
        *seen += 1;
        if depth > DEEPEST || *seen > MOST {
            return Err(damaged("its fields lie too deep within each other"));
        }
        let said = field.table(3)?;
        let kind = kind(field.byte(2)?, said.as_ref())?;
        let dictionary = field.table(4)?.map(|dictionary| dictionary_of(&dictionary)).transpose()?;
        let (kind, buffers) = match (kind, dictionary) {
            ((kind, _), Some(_)) => (kind, Buffers::Fixed(2)),
            (other, None) => other,
        };
        // What is looked up has its parts in the dictionary.
        let parts =
            field.tables(5)?.map(|part| Self::of(&part?, depth + 1, seen)).collect::<Result<_, _>>()?;
        Ok(Self { name: field.text(0)?.to_owned(), kind, buffers, dictionary, parts })
    }

    /// How the values of its dictionary are stored.
    pub(super) fn values(&self) -> (Kind, Buffers) {
        let buffers = match self.kind {
            Kind::Texts(_) => Buffers::Fixed(3),
            Kind::Views => Buffers::Views,
            Kind::Numbers(_) | Kind::Other(_) => Buffers::Fixed(2),
        };
        (self.kind, buffers)
    }
}

fn dictionary_of(dictionary: &Table<'_>) -> Result<(i64, Element), Problem> {
    let id = dictionary.long(0)?;
    let element = dictionary.table(1)?.map_or(Ok(Element::I32), |index| integer(&index))?;
    Ok((id, element))
}

fn integer(kind: &Table<'_>) -> Result<Element, Problem> {
    let signed = kind.byte(1)? != 0;
    Ok(match (i32::from_le_bytes(kind.number(0)?), signed) {
        (8, true) => Element::I8,
        (8, false) => Element::U8,
        (16, true) => Element::I16,
        (16, false) => Element::U16,
        (32, true) => Element::I32,
        (32, false) => Element::U32,
        (64, true) => Element::I64,
        (64, false) => Element::U64,
        _ => return Err(damaged("integers of an unknown size")),
    })
}

fn real(kind: &Table<'_>) -> Result<Element, Problem> {
    match i16::from_le_bytes(kind.number(0)?) {
        0 => Ok(Element::F16),
        1 => Ok(Element::F32),
        2 => Ok(Element::F64),
        _ => Err(damaged("numbers of an unknown precision")),
    }
}

/// By the number of the type and what is said about it.
fn kind(number: u8, said: Option<&Table<'_>>) -> Result<(Kind, Buffers), Problem> {
    let said = || said.ok_or_else(|| damaged("a column of no type"));
    let other = |what, buffers| (Kind::Other(what), Buffers::Fixed(buffers));
    Ok(match number {
        1 => other("nothing", 0),
        2 => (Kind::Numbers(integer(said()?)?), Buffers::Fixed(2)),
        3 => (Kind::Numbers(real(said()?)?), Buffers::Fixed(2)),
        5 => (Kind::Texts(4), Buffers::Fixed(3)),
        6 => (Kind::Numbers(Element::Bool), Buffers::Fixed(2)),
        20 => (Kind::Texts(8), Buffers::Fixed(3)),
        24 => (Kind::Views, Buffers::Views),
        4 | 19 => other("bytes", 3),
        7 => other("a decimal", 2),
        8..=11 | 18 => other("a time", 2),
        12 | 17 | 21 => other("a list", 2),
        13 => other("a record", 1),
        // Which of the kinds it is, and where, if they are packed densely.
        14 => other("one of several kinds", if said()?.number::<2>(0)? == [0, 0] { 1 } else { 2 }),
        15 => other("bytes", 2),
        16 => other("a list", 1),
        22 => other("runs", 0),
        23 => (Kind::Other("bytes"), Buffers::Views),
        25 | 26 => other("a list", 3),
        _ => return Err(damaged("a column of an unknown type")),
    })
}
