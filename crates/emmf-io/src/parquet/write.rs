//! A matrix with labels and names as a Parquet table.

use crate::dataset::{Dataset, Matrix, Numbers};
use crate::options::{label_column_beside, name_column_beside};
use crate::text::fill_row;
use emmf::Real;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

type Writer<'a> = SerializedFileWriter<&'a mut (dyn Write + Send)>;

/// Writes one column per feature and, where there are labels, a text column behind them.
pub(crate) fn write(out: &mut (dyn Write + Send), dataset: &Dataset) -> io::Result<()> {
    write_table(out, dataset).map_err(io::Error::other)
}

fn write_table(out: &mut (dyn Write + Send), dataset: &Dataset) -> Result<()> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(out, schema(dataset)?, Arc::new(properties))?;
    match &dataset.x {
        Numbers::F32(x) => write_groups::<f32, FloatType>(&mut writer, x, dataset)?,
        Numbers::F64(x) => write_groups::<f64, DoubleType>(&mut writer, x, dataset)?,
    }
    writer.close().map(drop)
}

fn schema(dataset: &Dataset) -> Result<TypePtr> {
    let physical = match dataset.x {
        Numbers::F32(_) => Physical::FLOAT,
        Numbers::F64(_) => Physical::DOUBLE,
    };
    let names = dataset.column_names();
    let mut fields = names.iter().map(|name| field(name, physical, None)).collect::<Result<Vec<_>>>()?;
    if dataset.names.is_some() {
        let name = name_column_beside(&names);
        fields.insert(0, field(name, Physical::BYTE_ARRAY, Some(LogicalType::String))?);
    }
    if dataset.labels.is_some() {
        let name = label_column_beside(&names);
        fields.push(field(name, Physical::BYTE_ARRAY, Some(LogicalType::String))?);
    }
    Type::group_type_builder("schema").with_fields(fields).build().map(Arc::new)
}

fn field(name: &str, physical: Physical, logical: Option<LogicalType>) -> Result<TypePtr> {
    let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
    field.with_logical_type(logical).build().map(Arc::new)
}

/// Row groups of about 64 MiB.
fn write_groups<T: Real, D: DataType<T = T>>(
    writer: &mut Writer<'_>,
    x: &Matrix<T>,
    dataset: &Dataset,
) -> Result<()> {
    let (rows, cols) = x.shape();
    let height = ((1 << 23) / cols.max(1)).max(1);
    for first in (0..rows).step_by(height) {
        let height = height.min(rows - first);
        let columns = transposed(x, first, height);
        let mut group = writer.next_row_group()?;
        write_texts(&mut group, dataset.names.as_deref(), first..first + height)?;
        for column in columns.chunks_exact(height) {
            if let Some(mut out) = group.next_column()? {
                out.typed::<D>().write_batch(column, None, None)?;
                out.close()?;
            }
        }
        write_texts(&mut group, dataset.labels.as_deref(), first..first + height)?;
        group.close()?;
    }
    Ok(())
}

/// A column of texts, where there is one.
fn write_texts<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    texts: Option<&[String]>,
    rows: Range<usize>,
) -> Result<()> {
    let Some(texts) = texts else { return Ok(()) };
    if let Some(mut out) = group.next_column()? {
        let texts: Vec<ByteArray> = texts[rows].iter().map(|text| text.as_str().into()).collect();
        out.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
        out.close()?;
    }
    Ok(())
}

/// Some rows, column by column.
fn transposed<T: Real>(x: &Matrix<T>, first: usize, height: usize) -> Vec<T> {
    let mut row = vec![T::ZERO; x.shape().1];
    let mut columns = vec![T::ZERO; height * row.len()];
    for i in 0..height {
        fill_row(&mut row, x, first + i);
        for (j, &value) in row.iter().enumerate() {
            columns[j * height + i] = value;
        }
    }
    columns
}
