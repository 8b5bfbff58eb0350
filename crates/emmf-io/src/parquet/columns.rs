//! What the columns of a table are, and reading one of them.

use crate::error::{Problem, shortened};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    F32,
    Number,
    Unsigned,
    F16,
    Text,
    Other,
}

impl Kind {
    pub(super) fn of(column: &ColumnDescriptor) -> Self {
        if column.max_rep_level() > 0 || column.path().parts().len() != 1 {
            return Self::Other;
        }
        let logical = column.logical_type_ref();
        let unsigned = matches!(logical, Some(LogicalType::Integer(int)) if !int.is_signed)
            || matches!(
                column.converted_type(),
                ConvertedType::UINT_8
                    | ConvertedType::UINT_16
                    | ConvertedType::UINT_32
                    | ConvertedType::UINT_64
            );
        let plain = matches!(logical, None | Some(LogicalType::Integer(_) | LogicalType::Unknown))
            && !matches!(column.converted_type(), ConvertedType::DECIMAL);
        match column.physical_type() {
            Type::FLOAT => Self::F32,
            Type::BOOLEAN | Type::DOUBLE => Self::Number,
            Type::INT32 | Type::INT64 if plain && unsigned => Self::Unsigned,
            Type::INT32 | Type::INT64 if plain => Self::Number,
            Type::FIXED_LEN_BYTE_ARRAY if logical == Some(&LogicalType::Float16) => Self::F16,
            Type::BYTE_ARRAY if matches!(logical, None | Some(LogicalType::String | LogicalType::Enum)) => {
                Self::Text
            }
            _ => Self::Other,
        }
    }
}

/// The values of a column, or of a part of one.
pub(super) enum Values {
    Numbers(Vec<f64>),
    /// 64-bit integers lose digits as floating-point numbers, which would mix up labels.
    Integers(Vec<i128>),
    Texts(Vec<String>),
}

impl Values {
    /// As floating-point numbers; `None` where it is text.
    pub(super) fn into_reals(self) -> Option<Vec<f64>> {
        match self {
            Self::Numbers(values) => Some(values),
            Self::Integers(values) => Some(values.into_iter().map(|n| n as f64).collect()),
            Self::Texts(_) => None,
        }
    }

    pub(super) fn into_labels(self) -> Vec<String> {
        match self {
            Self::Numbers(values) => values.iter().map(f64::to_string).collect(),
            Self::Integers(values) => values.iter().map(i128::to_string).collect(),
            Self::Texts(values) => values,
        }
    }
}

/// Reads `rows` values that begin in row `first`. Where `missing` ones are allowed, they are NaN.
pub(super) fn read_column(
    reader: ColumnReader,
    column: &ColumnDescriptor,
    (first, rows): (usize, usize),
    missing: bool,
) -> Result<Values, Problem> {
    let unsigned = Kind::of(column) == Kind::Unsigned;
    let name = column.name();
    let all = Wanted { name, first, rows, max_level: column.max_def_level() };
    let int = |n: i32| if unsigned { i128::from(n.cast_unsigned()) } else { i128::from(n) };
    let long = |n: i64| if unsigned { i128::from(n.cast_unsigned()) } else { i128::from(n) };
    let gap = missing.then_some(&f64::NAN);
    match reader {
        ColumnReader::BoolColumnReader(r) => {
            all.read(r, gap, |b: &bool| f64::from(u8::from(*b))).map(Values::Numbers)
        }
        ColumnReader::FloatColumnReader(r) => all.read(r, gap, |x: &f32| f64::from(*x)).map(Values::Numbers),
        ColumnReader::DoubleColumnReader(r) => all.read(r, gap, |x: &f64| *x).map(Values::Numbers),
        ColumnReader::Int32ColumnReader(r) if missing => {
            all.read(r, gap, |n: &i32| int(*n) as f64).map(Values::Numbers)
        }
        ColumnReader::Int64ColumnReader(r) if missing => {
            all.read(r, gap, |n: &i64| long(*n) as f64).map(Values::Numbers)
        }
        ColumnReader::Int32ColumnReader(r) => all.read(r, None, |n: &i32| int(*n)).map(Values::Integers),
        ColumnReader::Int64ColumnReader(r) => all.read(r, None, |n: &i64| long(*n)).map(Values::Integers),
        ColumnReader::ByteArrayColumnReader(r) => {
            all.read(r, None, |b| String::from_utf8_lossy(b.data()).into_owned()).map(Values::Texts)
        }
        ColumnReader::FixedLenByteArrayColumnReader(r) if Kind::of(column) == Kind::F16 => all
            .read(r, gap, |b| {
                b.data().first_chunk().map_or(f64::NAN, |b| half::f16::from_le_bytes(*b).to_f64())
            })
            .map(Values::Numbers),
        _ => Err(unusable(name)),
    }
}

/// A column that is neither feature nor label.
pub(super) fn unusable(name: &str) -> Problem {
    Problem::unsupported(
        format!("column '{}' (neither numbers nor text)", shortened(name)),
        "remove it or turn it into numbers",
    )
}

/// An error of the Parquet reader.
pub(super) fn damaged(place: &str) -> impl Fn(ParquetError) -> Problem + '_ {
    move |e| Problem::malformed(place, e.to_string())
}

struct Wanted<'a> {
    name: &'a str,
    first: usize,
    rows: usize,
    max_level: i16,
}

impl Wanted<'_> {
    /// In batches, so that memory grows with what is really there. `gap` stands for a missing value.
    fn read<D: DataType, T: Clone>(
        &self,
        mut reader: ColumnReaderImpl<D>,
        gap: Option<&T>,
        convert: impl Fn(&D::T) -> T,
    ) -> Result<Vec<T>, Problem> {
        const BATCH: usize = 1 << 16;
        let place = format!("column '{}'", shortened(self.name));
        let mut values = Vec::new();
        while values.len() < self.rows {
            let (mut batch, mut levels) = (Vec::new(), Vec::new());
            let wanted = BATCH.min(self.rows - values.len());
            let (records, ..) =
                reader.read_records(wanted, Some(&mut levels), None, &mut batch).map_err(damaged(&place))?;
            let is_gap = |level: &i16| *level < self.max_level;
            let gaps = levels.iter().filter(|level| is_gap(level)).count();
            if let (Some(at), None) = (levels.iter().position(is_gap), gap) {
                return Err(Problem::Missing {
                    column: shortened(self.name),
                    row: self.first + values.len() + at + 1,
                });
            }
            if records == 0 || batch.len() + gaps != records {
                return Err(Problem::malformed(
                    place,
                    format!("only {} of {} rows", values.len(), self.rows),
                ));
            }
            let mut there = batch.iter().map(&convert);
            match gap {
                Some(gap) if gaps > 0 => values.extend(levels.iter().map(|level| {
                    if is_gap(level) { gap.clone() } else { there.next().unwrap_or_else(|| gap.clone()) }
                })),
                _ => values.extend(there),
            }
        }
        Ok(values)
    }
}
