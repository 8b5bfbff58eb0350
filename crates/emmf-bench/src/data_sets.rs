//! The data sets themselves: what the paper says of them, and which are there.

use std::path::Path;

use emmf_report::{Block, Table};
use serde::Deserialize;

use crate::claim::{Claim, Verdict};
use crate::sets::{KNOWN, Set, title};
use crate::shown::Shown;

/// The data sets themselves.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSets {
    /// Names of the paper's data sets, or files with labels.
    pub data: Vec<String>,
}

impl DataSets {
    pub(crate) fn show(&self, folder: &Path) -> Shown {
        let mut table =
            Table::new(["data set", "samples", "dimension", "classes", "the file", "usually found as"]);
        let (mut left_out, mut there) = (Vec::new(), 0);
        for name in &self.data {
            let known = KNOWN.iter().find(|known| known.file == name.as_str());
            let (shape, file) = match Set::read(name, folder) {
                Ok(set) => {
                    there += 1;
                    let same = if known.is_some() { "has the paper's shape" } else { "read" };
                    ((set.x.rows(), set.x.cols(), set.k), same)
                }
                Err(error) => {
                    left_out.push(error.to_string());
                    (known.map_or((0, 0, 0), |known| known.shape), "missing")
                }
            };
            let (n, d, k) = shape;
            let numbers = [n, d, k].map(|count| count.to_string().into());
            let found = known.map_or("–", |known| known.found);
            let cells = std::iter::once(title(name).into()).chain(numbers).chain([file.into(), found.into()]);
            table.rows.push(cells.collect());
        }
        let count = self.data.len();
        let claim = Claim::new(
            Verdict::of(there, count),
            "Samples, dimensions and classes of the data sets.",
            format!("{there} of {count} are there with these shapes."),
        );
        let claims = if there > 0 { vec![claim] } else { Vec::new() };
        Shown { blocks: vec![Block::Table(table)], claims, left_out, ..Shown::default() }
    }
}
