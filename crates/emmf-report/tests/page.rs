//! Pages and figures from records.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use emmf::Spec;
use emmf::model::{NodeTree, OnLayer, TreeNode};
use emmf::synth::{ImageShape, Rays, rays_with_outliers};
use emmf_io::{DataInfo, Features, Record, Sketch};
use emmf_report::{
    Axis, Block, Cell, Chart, Comparison, Document, Error, Figure, Kind, Look, Mark, OUTLIER, Plate, Plot,
    Point, Rank, Series, Sheet, Summary, Table, comparison_page, report_page,
};

const KINDS: [Kind; 4] = [Kind::Convergence, Kind::Residuals, Kind::Centroids, Kind::Embedding];

fn record(method: &str, name: &str, image: bool) -> Record {
    let data = rays_with_outliers::<f64>(&Rays { samples: 30, outliers: 4, features: 20, ..Rays::default() })
        .unwrap();
    let fit = Spec::new(method, 3).max_iter(10).fit(&data.x).unwrap();
    let class =
        |(&class, &outlier): (&usize, &bool)| if outlier { OUTLIER.into() } else { class.to_string() };
    let truth = data.labels.iter().zip(&data.outlier).map(class).collect();
    let info = DataInfo { name: name.into(), n: 34, d: 20, dtype: "f64".into(), sparse: false };
    let mut record = Record::new(&fit, info, Some(truth)).unwrap();
    let image = image.then_some(ImageShape { height: 4, width: 5, column_major: true, colour: false });
    record.sketch = Some(Sketch::new(&fit, (&data.x).into(), Features { names: None, image }).unwrap());
    record
}

#[test]
fn a_page_is_whole_and_escapes_names() {
    let records = [record("nmf", "<b>&\"x\"</b>", false), record("emmf", "other", false)];
    let set: Vec<_> = records.iter().map(|record| Comparison::new(record).unwrap()).collect();
    let page = comparison_page("a < b", &[set]).unwrap();
    assert!(page.contains("a &lt; b") && page.contains("&lt;b&gt;&amp;&quot;x&quot;&lt;/b&gt;"));
    assert!(!page.contains("<b>"));
    assert_eq!(page.matches("<script").count(), 2);
    assert!(page.contains("default-src 'none'; script-src 'sha256-") && page.ends_with("</html>\n"));
}

#[test]
fn a_page_knows_which_fits_were_ended_early() {
    let mut record = record("nmf", "x", false);
    for stop in [emmf::Stop::Converged, emmf::Stop::MaxIter, emmf::Stop::TimeLimit, emmf::Stop::Cancelled] {
        record.stop = stop;
        let page = report_page("x", &[&record]).unwrap();
        assert!(page.contains(&format!("\"early\":{}", stop.is_early())), "{stop}");
    }
}

#[test]
fn an_old_record_without_a_sketch_makes_a_page() {
    let mut old = record("nmf", "old", false);
    (old.sketch, old.samples.truth, old.clustering) = (None, None, None);
    let text = serde_json::to_string(&old).unwrap();
    assert!(!text.contains("sketch"));
    let back: Record = serde_json::from_str(&text).unwrap();
    assert!(report_page("old", &[&back]).unwrap().contains("old"));
    assert!(Figure::new(&back, Kind::Residuals).svg().is_ok());
    assert!(matches!(Figure::new(&back, Kind::Centroids).svg(), Err(Error::NoSketch { .. })));
}

#[test]
fn main_features_of_sparse_data_have_bars() {
    let mut sparse = record("emmf", "x", false);
    sparse.data.sparse = true;
    let svg = Figure::new(&sparse, Kind::Centroids).svg().unwrap();
    let named: usize = sparse
        .sketch
        .iter()
        .flat_map(|sketch| &sketch.centroids)
        .map(|centroid| centroid.top.len().min(8))
        .sum();
    assert!(named > 8);
    assert_eq!(svg.matches("<polygon").count(), named);
}

#[test]
fn a_sketch_comes_back_from_json() {
    let record = record("emmf", "x", true);
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    let sketch = record.sketch.unwrap();
    assert_eq!((sketch.image, sketch.centroids.len(), sketch.outliers.len()), (Some([4, 5]), 3, 34));
    assert_eq!(sketch.thumbnails.len(), 34);
    let worst = record.samples.score.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(record.samples.score[sketch.outliers[0].row], worst);
}

/// What the script of a page reads.
fn data_of(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn clusters_of_the_same_samples_have_the_same_colour() {
    let first = record("emmf", "same", false);
    let (mut second, mut other) = (first.clone(), first.clone());
    second.samples.label.iter_mut().for_each(|label| *label = [2, 0, 1][*label]);
    other.data.name = "other".into();
    // Two samples of a cluster are in one of their own.
    second.spec.k = 4;
    second.sketch = None;
    let moved: Vec<usize> = (0..34).filter(|&i| second.samples.label[i] == 0).take(2).collect();
    moved.iter().for_each(|&i| second.samples.label[i] = 3);
    let data = data_of(&report_page("x", &[&first, &second, &other]).unwrap());
    let runs = &data["runs"];
    assert_eq!(runs[1]["colours"], serde_json::json!([1, 2, 0, 3]));
    assert_eq!((&runs[0]["palette"], &runs[1]["palette"]), (&4.into(), &4.into()));
    assert_eq!((&runs[1]["link"], &runs[2]["link"]), (&0.into(), &2.into()));
    assert!((runs[1]["agreement"].as_f64().unwrap() - 32.0 / 34.0).abs() < 1e-12);
    assert!(runs[2]["colours"].is_null() && runs[2]["palette"] == 3);
}

#[test]
fn a_page_knows_names_texts_and_reasons() {
    let mut named = record("emmf", "named", false);
    let name = |row: usize| format!("sample {row} {}", "x".repeat(row * 20));
    named.samples.name = Some((0..34).map(name).collect());
    named.samples.text = Some((0..34).map(|row| format!("text {row}")).collect());
    let data = data_of(&report_page("x", &[&named]).unwrap());
    let run = &data["runs"][0];
    assert_eq!(run["names"].as_array().unwrap().len(), 34);
    assert_eq!(run["names"][33].as_str().unwrap().chars().count(), 120, "long names are cut");
    assert_eq!(run["texts"]["7"], "text 7");
    assert_eq!(data["reasons"].as_array().unwrap().len(), emmf::outliers::Reason::PARTS.len());
    assert_eq!(run["reason"].as_str().unwrap().len(), 46, "34 bytes in base 64");
}

#[test]
fn a_sketch_holds_layout_silhouettes_and_features() {
    let plain = record("emmf", "x", false).sketch.unwrap();
    let layout = plain.layout.unwrap();
    assert_eq!((layout.x.len(), layout.y.len(), plain.plane.centroids.len()), (34, 34, 3));
    let silhouettes = plain.silhouettes.unwrap();
    assert_eq!((silhouettes.points.len(), silhouettes.clusters.len()), (34, 3));
    assert!(silhouettes.mean > 0.3 && silhouettes.mean < 1.0, "{}", silhouettes.mean);
    assert_eq!((plain.features.len(), plain.features[4].name.as_str()), (20, "x5"));
    // Thumbnails hold the pixels.
    assert!(record("emmf", "x", true).sketch.unwrap().features.is_empty());
}

#[test]
fn every_figure_is_drawn_in_both_formats() {
    for image in [false, true] {
        for sparse in [false, true] {
            let mut record = record("emmf", "x", image);
            record.data.sparse = sparse;
            for kind in KINDS {
                let figure = Figure::new(&record, kind);
                let svg = figure.svg().unwrap();
                assert!(
                    svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && !svg.contains("NaN"),
                    "{kind:?}"
                );
                assert_eq!(svg.contains("<image"), image && kind == Kind::Centroids, "{kind:?}");
                let png = figure.png().unwrap();
                let pixels = image::load_from_memory(&png).unwrap().to_rgb8();
                let ink = pixels.pixels().filter(|pixel| pixel.0 != [255; 3]).count();
                assert!(ink > 200, "{kind:?}: {ink} of {:?}", pixels.dimensions());
            }
        }
    }
}

#[test]
fn summaries_are_means_over_data_sets() {
    let records = [record("nmf", "one", false), record("nmf", "two", false)];
    let mut sets: Vec<_> = records.iter().map(|record| vec![Comparison::new(record).unwrap()]).collect();
    (sets[0][0].good.accuracy, sets[1][0].good.accuracy) = (0.5, 1.0);
    let summaries = Summary::all(&sets);
    let [summary] = &summaries[..] else { panic!("one method, {} summaries", summaries.len()) };
    assert_eq!((summary.accuracy, summary.worst, summary.best), (0.75, 0.5, 1.0));
    assert_eq!((summary.method.as_str(), summary.outliers), ("nmf", 8));
    assert!(Summary::all(&[]).is_empty());
}

#[test]
fn residuals_of_zero_can_be_drawn() {
    let mut zeros = record("nmf", "zeros", false);
    zeros.samples.residual.fill(0.0);
    assert!(!Figure::new(&zeros, Kind::Residuals).svg().unwrap().contains("NaN"));
    assert!(comparison_page("nothing", &[]).unwrap().contains("nothing"));
}

#[test]
fn a_record_without_classes_is_refused() {
    let mut bare = record("nmf", "bare", false);
    bare.samples.truth = None;
    assert!(matches!(Comparison::new(&bare), Err(Error::NoTruth { .. })));
}

fn chart(points: &[Point], log: bool) -> Chart {
    let axis = |name: &str| if log { Axis::log(name) } else { Axis::new(name) };
    let series =
        [Mark::Line, Mark::Curve, Mark::Dots, Mark::Bars].into_iter().enumerate().map(|(at, mark)| Series {
            name: format!("series {at}"),
            points: points.to_vec(),
            mark,
            look: Look::nth(at),
        });
    Chart { title: "title".into(), x: axis("along"), y: axis("up"), series: series.collect() }
}

#[test]
fn charts_are_drawn_whatever_the_numbers() {
    let point = |x: f64, y: f64| Point { x, y, deviation: 0.5 };
    let all = [
        vec![],
        vec![point(1.0, 1.0)],
        vec![point(0.0, 0.0), point(1.0, -1.0)],
        vec![point(f64::NAN, 1.0), point(1.0, f64::INFINITY), point(2.0, 3.0)],
        vec![point(1e-300, 1e300), point(1e300, 1e-300)],
    ];
    for points in all {
        for log in [false, true] {
            let sheet = Sheet::small(vec![chart(&points, log); 5]);
            let svg = sheet.svg().unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{points:?}");
            assert_eq!(svg.matches("series 1").count(), 1, "the legend names a series once");
            sheet.png().unwrap();
        }
    }
}

#[test]
fn a_document_is_the_same_in_both_languages() {
    let mut table = Table::new(["a", "b & c"]);
    let best = Cell { text: "0.5 ± 0.1".into(), rank: Rank::Best, notes: vec!["paper 0.4".into()] };
    table.rows.push(vec!["<x>".into(), best]);
    let plate = Plate {
        name: "fig".into(),
        caption: "What it shows.".into(),
        plot: Plot::Sheet(Sheet::single(chart(&[], false))),
    };
    let mut blocks = Block::parse("## Why\n\nA **bold** text\nin two lines.\n\n- one\n- two");
    blocks.extend([Block::Table(table.clone()), Block::Figure(plate)]);
    assert_eq!(blocks.len(), 5);
    let page = Document { title: "T < U".into(), blocks };
    let html = page.html().unwrap();
    for part in [
        "T &lt; U",
        "<h2 id=\"s0\">Why</h2>",
        "<b>bold</b> text in two lines.",
        "<li>two</li>",
        "&lt;x&gt;",
        "<b>0.5 ± 0.1</b>",
        "<svg",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("<script") && html.contains("default-src 'none'; style-src 'sha256-"));
    let markdown = page.markdown("figures");
    for part in
        ["# T < U", "## Why", "- two", "| **0.5 ± 0.1**<br><sub>paper 0.4</sub> |", "(figures/fig.svg)"]
    {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    assert!(
        table.latex().contains("b \\& c") && table.latex().contains("\\textbf{0.5 $\\pm$ 0.1} (paper 0.4)")
    );
}

/// A record of `n` samples with two nodes above so many, all of one sample but for the last.
fn wide(n: usize, leaves: usize) -> Record {
    let rays = Rays { samples: n, outliers: 0, features: 3, classes: 2, ..Rays::default() };
    let data = rays_with_outliers::<f64>(&rays).unwrap();
    let fit = Spec::new("nmf", 2).max_iter(1).fit(&data.x).unwrap();
    let info = DataInfo { name: "wide".into(), n, d: 3, dtype: "f64".into(), sparse: false };
    let mut record = Record::new(&fit, info, None).unwrap();
    (record.spec.k, record.spec.above) = (leaves, vec![2]);
    let node = |layer: usize, node: usize, members: Vec<usize>| TreeNode {
        layer,
        node,
        parent: (layer == 1).then_some(node % 2),
        certainty: (layer == 1).then_some(0.5),
        children: if layer == 2 { (node..leaves).step_by(2).collect() } else { Vec::new() },
        share: members.len() as f64 / n as f64,
        members,
    };
    let leaf = |at: usize| (at..if at + 1 == leaves { n } else { at + 1 }).collect();
    let above = (0..2).map(|at| node(2, at, Vec::new()));
    let nodes = above.chain((0..leaves).map(|at| node(1, at, leaf(at)))).collect();
    record.tree = Some(NodeTree { nodes, empty: Vec::new(), layers: 2 });
    let mut on = OnLayer::default();
    (on.labels, on.residuals, on.scores) = (vec![0; n], vec![0.0; n], vec![0.0; n]);
    record.samples.layers = vec![on.clone(), on];
    record
}

#[test]
fn a_wide_tree_is_drawn_as_far_as_there_is_room() {
    let side = |svg: &str, name: &str| -> usize {
        svg.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    for leaves in [450, 451, 900] {
        let svg = Figure::new(&wide(1000, leaves), Kind::Tree).svg().unwrap();
        let (width, height) = (side(&svg, "width"), side(&svg, "height"));
        assert!(width * height <= 4_100_000, "{width}×{height}");
        let said = format!("{} smaller nodes of the first layer are not drawn", leaves.saturating_sub(450));
        assert_eq!(svg.contains("smaller nodes"), leaves > 450);
        assert!(leaves == 450 || svg.contains(&said), "{leaves}");
        // The largest is always there.
        assert!(svg.contains(&format!("{}: {}", leaves - 1, 1001 - leaves)));
    }
}
