//! Numbers as CSV or TSV, the labels in the last column.

use super::formula::disarmed;
use crate::dataset::{Dataset, Matrix, Numbers};
use crate::options::{label_column_beside, name_column_beside};
use emmf::Real;
use std::io::{self, Write};

/// Writes a line of names where there are names or labels, then one line per sample.
pub(crate) fn write(out: &mut dyn Write, dataset: &Dataset, delimiter: u8) -> io::Result<()> {
    write_named(out, dataset, (delimiter, name_column_beside(dataset.columns.as_deref().unwrap_or_default())))
}

/// Writes a table in which the names of the samples, where there are any, come first, under this heading.
pub(crate) fn write_named(
    out: &mut dyn Write,
    dataset: &Dataset,
    (delimiter, first): (u8, &str),
) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    if let Some(header) = header(dataset, first) {
        writer.write_record(header.iter().map(|name| disarmed(name).into_owned()))?;
    }
    match &dataset.x {
        Numbers::F32(x) => write_rows(&mut writer, x, dataset)?,
        Numbers::F64(x) => write_rows(&mut writer, x, dataset)?,
    }
    writer.flush()
}

fn header(dataset: &Dataset, first: &str) -> Option<Vec<String>> {
    if dataset.columns.is_none() && dataset.labels.is_none() && dataset.names.is_none() {
        return None;
    }
    let mut names = dataset.column_names();
    if dataset.labels.is_some() {
        names.push(label_column_beside(&names).to_owned());
    }
    if dataset.names.is_some() {
        names.insert(0, first.to_owned());
    }
    Some(names)
}

fn write_rows<T: Real, W: Write>(
    writer: &mut csv::Writer<W>,
    x: &Matrix<T>,
    dataset: &Dataset,
) -> csv::Result<()> {
    let of =
        |texts: &'_ Option<Vec<String>>, i: usize| texts.as_ref().and_then(|texts| texts.get(i).cloned());
    let (rows, cols) = x.shape();
    let mut row = vec![T::ZERO; cols];
    for i in 0..rows {
        fill_row(&mut row, x, i);
        if let Some(name) = of(&dataset.names, i) {
            writer.write_field(disarmed(&name).as_bytes())?;
        }
        for &value in &row {
            writer.write_field(number(value))?;
        }
        if let Some(label) = of(&dataset.labels, i) {
            writer.write_field(disarmed(&label).as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    Ok(())
}

/// Row `i`, dense; entries at the same place add up.
pub(crate) fn fill_row<T: Real>(row: &mut [T], x: &Matrix<T>, i: usize) {
    match x {
        Matrix::Dense(dense) => row.copy_from_slice(dense.row(i)),
        Matrix::Sparse(csr) => {
            row.fill(T::ZERO);
            csr.view().row(i).for_each(|(j, value)| row[j] += value);
        }
    }
}

/// A name as a field of a line, quoted only where it must be.
pub(crate) fn field(text: &str) -> String {
    let text = disarmed(text);
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

/// The shortest text that reads back as the same number.
pub(crate) fn number<T: Real>(value: T) -> String {
    let size = value.to_f64().abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) || !size.is_finite() {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Writes texts and their labels as a table of two columns.
pub(crate) fn write_texts(
    out: &mut dyn Write,
    texts: &[String],
    labels: &[String],
    delimiter: u8,
) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    writer.write_record(["text", label_column_beside(&[])])?;
    for (text, label) in texts.iter().zip(labels) {
        writer.write_record([disarmed(text).as_bytes(), disarmed(label).as_bytes()])?;
    }
    writer.flush()
}

/// Writes one label a line, under a name by which they are found again.
pub(crate) fn write_labels(out: &mut dyn Write, labels: &[String]) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record([label_column_beside(&[])])?;
    for label in labels {
        writer.write_record([disarmed(label).as_bytes()])?;
    }
    writer.flush()
}
