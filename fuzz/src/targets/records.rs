//! Records of fits, and every page and figure of them.

use std::fs;

use emmf_io::{Record, read_record, write_record};
use emmf_report::{Comparison, Figure, Kind, comparison_page, report_page};
use serde_json::Value;

use crate::case::{Answer, Case, Verdict, refused};
use crate::seeds::{RECORDS, folder};
use crate::{Random, json, mutate};

const KINDS: [Kind; 5] = [Kind::Convergence, Kind::Residuals, Kind::Centroids, Kind::Embedding, Kind::Tree];
/// One record in so many is shown on a page and in figures, and one figure of one in so many is drawn in pixels: both take
/// far longer than to read it.
const SHOWN: usize = 48;
const DRAWN: usize = 512;

struct RecordFile {
    bytes: Vec<u8>,
    shown: bool,
    in_pixels: Option<Kind>,
}

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    let mut record: Value = random.choose(&RECORDS).clone();
    if random.one_in(8) {
        json::mutate(&mut record, random);
    } else if let Some(part) = record.get_mut(random.pick(&PARTS)) {
        json::mutate(part, random);
    }
    let mut bytes = record.to_string().into_bytes();
    if random.one_in(8) {
        mutate::mutate(&mut bytes, b"{\"version\":1}", random);
    }
    let in_pixels = random.one_in(DRAWN).then(|| random.pick(&KINDS));
    Box::new(RecordFile { bytes, shown: in_pixels.is_some() || random.one_in(SHOWN), in_pixels })
}

/// Parts of a record that others are looked up in.
const PARTS: [&str; 11] = [
    "samples",
    "samples",
    "samples",
    "sketch",
    "sketch",
    "spec",
    "set_aside",
    "data",
    "extras",
    "tree",
    "tree",
];

impl Case for RecordFile {
    fn check(&self) -> Verdict {
        let path = folder().join("record.json");
        fs::write(&path, &self.bytes).map_err(|error| format!("no temporary file: {error}"))?;
        match read_record(&path) {
            Err(error) => refused(&error, "record.json"),
            Ok(record) => {
                if self.shown {
                    self.draw(&record)?;
                }
                comes_back(&record)
            }
        }
    }

    fn show(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }
}

impl RecordFile {
    fn draw(&self, record: &Record) -> Verdict {
        let page = report_page("fuzz", &[record, record]).map_err(|error| format!("no page: {error}"))?;
        if page.matches("<script").count() != 2 {
            return Err("a record became a part of the page's HTML".into());
        }
        for kind in KINDS {
            let figure = Figure::new(record, kind);
            match figure.svg() {
                Err(error) => refused(&error, "")?,
                Ok(svg) if svg.contains("NaN") => return Err(format!("NaN in the figure {kind:?}")),
                Ok(_) => Answer::Taken,
            };
            if self.in_pixels == Some(kind)
                && let Err(error) = figure.png()
            {
                refused(&error, "")?;
            }
        }
        match Comparison::new(record).map(|comparison| comparison_page("fuzz", &[vec![comparison]])) {
            Err(error) | Ok(Err(error)) => refused(&error, ""),
            Ok(Ok(_)) => Ok(Answer::Taken),
        }
    }
}

/// Written and read again it is the same.
fn comes_back(record: &Record) -> Verdict {
    let path = folder().join("again.json");
    write_record(&path, record).map_err(|error| format!("it cannot be written: {error}"))?;
    match read_record(&path) {
        Ok(again) if again == *record => Ok(Answer::Taken),
        Ok(_) => Err("written and read again it is another".into()),
        Err(error) => Err(format!("written, it cannot be read again: {error}")),
    }
}
