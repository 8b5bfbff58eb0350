//! Numbers as CSV or TSV, the labels in the last column.

use super::formula::disarmed;
use crate::dataset::{Dataset, Matrix, Numbers};
use crate::options::label_column_beside;
use emmf::Real;
use std::io::{self, Write};

/// Writes a line of names where there are names or labels, then one line per sample.
pub(crate) fn write(out: &mut dyn Write, dataset: &Dataset, delimiter: u8) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    if let Some(header) = header(dataset) {
        writer.write_record(header.iter().map(|name| disarmed(name).into_owned()))?;
    }
    let labels = dataset.labels.as_deref();
    match &dataset.x {
        Numbers::F32(x) => write_rows(&mut writer, x, labels)?,
        Numbers::F64(x) => write_rows(&mut writer, x, labels)?,
    }
    writer.flush()
}

fn header(dataset: &Dataset) -> Option<Vec<String>> {
    if dataset.columns.is_none() && dataset.labels.is_none() {
        return None;
    }
    let mut names = dataset.column_names();
    if dataset.labels.is_some() {
        names.push(label_column_beside(&names).to_owned());
    }
    Some(names)
}

fn write_rows<T: Real, W: Write>(
    writer: &mut csv::Writer<W>,
    x: &Matrix<T>,
    labels: Option<&[String]>,
) -> csv::Result<()> {
    let (rows, cols) = x.shape();
    let mut row = vec![T::ZERO; cols];
    for i in 0..rows {
        fill_row(&mut row, x, i);
        for &value in &row {
            writer.write_field(number(value))?;
        }
        if let Some(label) = labels.and_then(|labels| labels.get(i)) {
            writer.write_field(disarmed(label).as_bytes())?;
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

/// The shortest text that reads back as the same number.
pub(crate) fn number<T: Real>(value: T) -> String {
    let size = value.to_f64().abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) || !size.is_finite() {
        value.to_string()
    } else {
        format!("{value:e}")
    }
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
