//! One self-contained HTML page.

use crate::{Comparison, Error, residual_plot};

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1160px; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .3rem .9rem; border-bottom: 1px solid #ccc; text-align: right; }
th:first-child, td:first-child { text-align: left; }
figure { margin: 1.5rem 0; overflow-x: auto; }
figcaption { color: #555; font-size: .9rem; }
";

/// Methods side by side on data whose outliers are known.
pub fn comparison_page(title: &str, comparisons: &[Comparison<'_>]) -> Result<String, Error> {
    let plot = residual_plot(comparisons)?;
    let title = escape(title);
    let data = comparisons.first().map(|first| describe(first)).unwrap_or_default();
    let rows: String = comparisons.iter().map(row).collect();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{data}</p>\n<table>\n\
         <tr><th>method</th><th>accuracy, good samples</th><th>NMI, good samples</th><th>outliers found</th>\
         <th>ROC AUC</th><th>iterations</th><th>seconds</th></tr>\n{rows}</table>\n\
         <figure>{plot}<figcaption>How far each sample is from its approximation. Dots are good samples, \
         crosses are outliers. A robust method leaves the outliers badly fitted and fits the rest.\
         </figcaption></figure>\n</body>\n</html>\n"
    ))
}

fn describe(comparison: &Comparison<'_>) -> String {
    let data = &comparison.record.data;
    format!(
        "{}: {} samples with {} features, {} of them gross outliers; {} centroids, the same start for all.",
        escape(&data.name),
        data.n,
        data.d,
        comparison.outliers(),
        comparison.record.spec.k
    )
}

fn row(comparison: &Comparison<'_>) -> String {
    let (record, good) = (comparison.record, comparison.good);
    format!(
        "<tr><td>{}</td><td>{:.3}</td><td>{:.3}</td><td>{} of {}</td><td>{:.3}</td><td>{}</td><td>{:.3}</td></tr>\n",
        escape(&record.spec.method),
        good.accuracy,
        good.nmi,
        comparison.found,
        comparison.outliers(),
        comparison.auc,
        record.iterations,
        record.seconds.total
    )
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
