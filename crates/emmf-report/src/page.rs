//! One self-contained HTML page.

use plotters::style::RGBColor;

use crate::residuals::{BAD, GOOD};
use crate::{Comparison, Error, Summary, residual_plots};

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1160px; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff; }
h1 { font-size: 1.7rem; line-height: 1.2; }
h2 { font-size: 1.2rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid #ccc; text-align: right; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
figure { margin: 1rem 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr)); gap: .5rem; }
.plots svg { width: 100%; height: auto; }
figcaption { color: #555; font-size: .9rem; }
.mark { font-weight: bold; }
td { white-space: nowrap; }
@media (max-width: 600px) {
  th, td { padding: .3rem .25rem; font-size: .8rem; }
  th:last-child, td:last-child { display: none; }
}
";

/// Methods side by side on data whose outliers are known: all data sets in the table, the first in the
/// pictures. Every data set holds the same methods in the same order.
pub fn comparison_page(title: &str, data_sets: &[Vec<Comparison<'_>>]) -> Result<String, Error> {
    let first = data_sets.first().map_or(&[][..], Vec::as_slice);
    let plots = residual_plots(first)?.concat();
    let title = escape(title);
    let text = first.first().map(|first| describe(first, data_sets.len())).unwrap_or_default();
    let rows: String = Summary::all(data_sets).iter().map(row).collect();
    let legend = legend();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{text}</p>\n<div class=\"wide\"><table>\n\
         <tr><th>method</th><th>accuracy</th><th>worst–best</th><th>NMI</th><th>outliers found</th>\
         <th>seconds</th></tr>\n{rows}</table></div>\n\
         <p>Accuracy and NMI compare clusters and true classes of the good samples; they and the seconds are \
         means over the data sets. An outlier is found if it is among as many samples with the highest \
         outlier scores as there are outliers.</p>\n\
         <h2>What the first data set looks like to each method</h2>\n\
         <figure><div class=\"plots\">{plots}</div><figcaption>{legend} How far each sample is from its \
         approximation, on a logarithmic scale. A robust method fits the good samples closely and leaves \
         the outliers alone; a method that is not lets the outliers pull its centroids away.\
         </figcaption></figure>\n</body>\n</html>\n"
    ))
}

fn describe(comparison: &Comparison<'_>, data_sets: usize) -> String {
    let data = &comparison.record.data;
    format!(
        "{}: {data_sets} data sets, each of {} samples with {} features, {} of them gross outliers. \
         {} centroids, the same start for all methods. \
         The data were made so that the methods differ; on other data they may be equal.",
        escape(&data.name),
        data.n,
        data.d,
        comparison.outliers(),
        comparison.record.spec.k
    )
}

fn row(summary: &Summary) -> String {
    format!(
        "<tr><td>{}</td><td>{:.3}</td><td>{:.2}–{:.2}</td><td>{:.3}</td><td>{} of {}</td><td>{:.3}</td></tr>\n",
        escape(&summary.method),
        summary.accuracy,
        summary.worst,
        summary.best,
        summary.nmi,
        summary.found,
        summary.outliers,
        summary.seconds
    )
}

fn legend() -> String {
    let mark = |RGBColor(r, g, b): RGBColor, sign: &str, name: &str| {
        format!("<span class=\"mark\" style=\"color: rgb({r}, {g}, {b})\">{sign}</span> {name}")
    };
    format!("{}, {}.", mark(GOOD, "●", "good sample"), mark(BAD, "×", "outlier"))
}

/// Text that may stand in HTML.
fn escape(text: &str) -> String {
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
