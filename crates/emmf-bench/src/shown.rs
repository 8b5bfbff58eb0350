//! What an experiment found: blocks of a page, claims, and files.

use emmf_report::{Block, Document};

use crate::Error;
use crate::claim::{self, Claim};

/// What an experiment found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    /// Tables and figures.
    pub blocks: Vec<Block>,
    /// What holds and what does not.
    pub claims: Vec<Claim>,
    /// Names and contents of files with the numbers.
    pub files: Vec<(String, String)>,
    /// What could not be done, and why.
    pub left_out: Vec<String>,
    /// Which runs have not been made yet, if any.
    pub unfinished: Option<String>,
}

impl Shown {
    /// Everything, in the order of a page.
    pub fn page(&self, notes: &[String]) -> Vec<Block> {
        let texts = notes.iter().chain(&self.unfinished).cloned().map(Block::Text);
        let mut blocks: Vec<Block> = texts.chain(self.blocks.iter().cloned()).collect();
        if !self.left_out.is_empty() {
            let points = self.left_out.iter().map(|why| format!("Left out: {why}")).collect();
            blocks.push(Block::List(points));
        }
        blocks.extend(claim::blocks(&self.claims));
        blocks
    }

    /// A page of its own.
    pub fn document(&self, title: &str, notes: &[String]) -> Document {
        Document { title: title.into(), blocks: self.page(notes) }
    }
}

/// Rows as CSV.
pub(crate) fn csv(rows: &[Vec<String>]) -> Result<String, Error> {
    let wrong = |why: String| Error::Run { run: "csv".into(), why };
    let mut lines = csv::Writer::from_writer(Vec::new());
    for row in rows {
        lines
            .write_record(row.iter().map(|field| emmf_io::disarmed(field).into_owned()))
            .map_err(|error| wrong(error.to_string()))?;
    }
    let bytes = lines.into_inner().map_err(|error| wrong(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))
}
