//! One self-contained HTML page about one run or several: the data as JSON, one script, one style sheet, no network.
//!
//! Nothing from a record ever becomes HTML: it goes through JSON in which `<` cannot occur, and the script makes text
//! nodes of it. A content security policy allows the one script and the one style sheet by their hashes, nothing else.

mod data;
mod matching;
mod tree;

use emmf_io::Record;
use sha2::{Digest, Sha256};

use crate::{Comparison, Error, Summary};

const STYLE: &str = concat!(include_str!("../style.css"), include_str!("page.css"), include_str!("tree.css"));
/// One file a section, and `main.js`, which says in which order.
const SCRIPT: &str = concat!(
    include_str!("js/chart.js"),
    include_str!("js/runs.js"),
    include_str!("js/section.js"),
    include_str!("js/selection.js"),
    include_str!("js/verdict.js"),
    include_str!("js/colouring.js"),
    include_str!("js/pen.js"),
    include_str!("js/plane.js"),
    include_str!("js/steer.js"),
    include_str!("js/centroids.js"),
    include_str!("js/tree.js"),
    include_str!("js/clusters.js"),
    include_str!("js/choice.js"),
    include_str!("js/consensus.js"),
    include_str!("js/outliers.js"),
    include_str!("js/samples.js"),
    include_str!("js/convergence.js"),
    include_str!("js/parameters.js"),
    include_str!("js/main.js")
);

/// A page about runs, side by side.
pub fn report_page(title: &str, records: &[&Record]) -> Result<String, Error> {
    records.iter().try_for_each(|record| record.check())?;
    page(title, &describe(records), &data::PageData::new(records))
}

/// Methods side by side on data whose outliers are known: all data sets in the table, the first in the pictures.
/// Every data set holds the same methods in the same order.
pub fn comparison_page(title: &str, data_sets: &[Vec<Comparison<'_>>]) -> Result<String, Error> {
    let first = data_sets.first().map_or(&[][..], Vec::as_slice);
    let records: Vec<&Record> = first.iter().map(|comparison| comparison.record).collect();
    records.iter().try_for_each(|record| record.check())?;
    let mut data = data::PageData::new(&records);
    data.summary = Some(data::SummaryData::new(&Summary::all(data_sets), data_sets.len()));
    page(title, &describe(&records), &data)
}

fn page(title: &str, text: &str, data: &data::PageData<'_>) -> Result<String, Error> {
    let (title, text) = (escape(title), escape(text));
    let (script, style) = (hash(SCRIPT), hash(STYLE));
    let data = json(data)?;
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{script}'; \
         style-src '{style}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p class=\"faint\">{text}</p>\n\
         <nav aria-label=\"sections\"></nav>\n<main></main>\n\
         <noscript>This page draws its pictures with its own script, which this browser does not run.</noscript>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    ))
}

fn describe(records: &[&Record]) -> String {
    let of = |record: &Record| {
        let (n, d) = (grouped(record.data.n), grouped(record.data.d));
        format!("{}: {n} samples with {d} features", record.data.name)
    };
    let mut data: Vec<String> = records.iter().map(|record| of(record)).collect();
    data.dedup();
    data.join("; ")
}

/// A number with a comma before every three digits, as the script writes it.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|part| std::str::from_utf8(part).ok()).collect();
    parts.join(",")
}

/// What the policy calls a text by.
pub(crate) fn hash(text: &str) -> String {
    let padding = "=";
    format!("sha256-{}{padding}", emmf_io::base64(&Sha256::digest(text.as_bytes())))
}

/// JSON in which nothing can end the element around it.
fn json(data: &data::PageData<'_>) -> Result<String, Error> {
    let text = serde_json::to_string(data).map_err(|error| Error::Plot(error.to_string()))?;
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            _ => safe.push(c),
        }
    }
    Ok(safe)
}

/// Text that may stand in HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}
