//! Pages and pictures from records.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use emmf::Spec;
use emmf::synth::{Rays, rays_with_outliers};
use emmf_io::{DataInfo, Record};
use emmf_report::{Comparison, Error, OUTLIER, Summary, comparison_page, residual_plots};

fn record(method: &str, name: &str) -> Record {
    let data = rays_with_outliers::<f64>(&Rays { samples: 30, outliers: 4, ..Rays::default() }).unwrap();
    let fit = Spec::new(method, 3).max_iter(10).fit(&data.x).unwrap();
    let class =
        |(&class, &outlier): (&usize, &bool)| if outlier { OUTLIER.into() } else { class.to_string() };
    let truth = data.labels.iter().zip(&data.outlier).map(class).collect();
    let info = DataInfo { name: name.into(), n: 34, d: 20, dtype: "f64".into(), sparse: false };
    Record::new(&fit, info, Some(truth)).unwrap()
}

#[test]
fn a_page_is_whole_and_escapes_names() {
    let records = [record("nmf", "<b>&\"x\"</b>"), record("emmf", "other")];
    let set: Vec<_> = records.iter().map(|record| Comparison::new(record).unwrap()).collect();
    let page = comparison_page("a < b", &[set]).unwrap();
    assert!(page.contains("a &lt; b") && page.contains("&lt;b&gt;&amp;&quot;x&quot;&lt;/b&gt;"));
    assert!(!page.contains("<b>"));
    assert_eq!((page.matches("<svg").count(), page.matches("</svg>").count()), (2, 2));
    assert_eq!(page.matches("<tr>").count(), 3);
    assert!(page.ends_with("</html>\n"));
}

#[test]
fn summaries_are_means_over_data_sets() {
    let records = [record("nmf", "one"), record("nmf", "two")];
    let mut sets: Vec<_> = records.iter().map(|record| vec![Comparison::new(record).unwrap()]).collect();
    (sets[0][0].good.accuracy, sets[1][0].good.accuracy) = (0.5, 1.0);
    let summaries = Summary::all(&sets);
    let [summary] = &summaries[..] else { panic!("one method, {} summaries", summaries.len()) };
    assert_eq!((summary.accuracy, summary.worst, summary.best), (0.75, 0.5, 1.0));
    assert_eq!((summary.method.as_str(), summary.outliers), ("nmf", 8));
    assert!(Summary::all(&[]).is_empty());
}

#[test]
fn residuals_of_zero_and_none_at_all_can_be_drawn() {
    let mut zeros = record("nmf", "zeros");
    zeros.samples.residual.fill(0.0);
    let plots = residual_plots(&[Comparison::new(&zeros).unwrap()]).unwrap();
    assert!(plots[0].contains("<svg") && !plots[0].contains("NaN"));
    assert!(comparison_page("nothing", &[]).unwrap().contains("nothing"));
}

#[test]
fn a_record_without_classes_is_refused() {
    let mut bare = record("nmf", "bare");
    bare.samples.truth = None;
    assert!(matches!(Comparison::new(&bare), Err(Error::NoTruth { .. })));
}
