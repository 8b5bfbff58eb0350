//! Valid models and records: those of small fits of every kind of method.

use std::sync::LazyLock;

use emmf::preprocess::Normalize;
use emmf::synth::ImageShape;
use emmf::{Fit, LabelRule, Mat, Spec};
use emmf_io::{AnyModel, DataInfo, Features, GridInfo, GridPoint, Notes, Record, Sketch, model_to_bytes};
use serde_json::Value;

fn samples() -> Mat<f64> {
    Mat::from_fn(
        9,
        6,
        |i, j| if (i * 7 + j * 3) % 5 == 0 { 0.0 } else { 1.0 + ((i * 6 + j) % 11) as f64 / 4.0 },
    )
}

fn fit(spec: &Spec) -> Fit<f64> {
    spec.clone().max_iter(4).on(&samples()).threads(1).fit().expect("a fit of good samples")
}

fn specs() -> Vec<Spec> {
    vec![
        Spec::emmf(3),
        Spec::new("nmf", 2).normalize([Normalize::Unit]),
        Spec::new("l21-nmf", 2).normalize([Normalize::Tfidf, Normalize::Unit]),
        Spec::new("nmf", 2).normalize([Normalize::Shift, Normalize::Max, Normalize::Clip]),
        Spec::new("pnmf", 2),
        Spec::new("gsnmf", 2),
        Spec::new("nmf-div", 2),
        Spec::new("l1-nmf", 2),
        Spec::new("huber-nmf", 2),
        Spec::new("l12-nmf", 2),
        Spec::new("gnmf", 3),
        Spec::emmf(2).label_rule(LabelRule::Kmeans),
        Spec::deep(&[4, 2]),
    ]
}

/// Bytes of model files.
pub(crate) static MODELS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let bytes = |spec: Spec| {
        model_to_bytes(&AnyModel::F64(fit(&spec).model), &Notes::default()).expect("a model can be written")
    };
    let single = Spec::emmf(2)
        .max_iter(4)
        .on(&samples().cast::<f32>())
        .threads(1)
        .fit()
        .expect("a fit of good samples");
    let single =
        model_to_bytes(&AnyModel::F32(single.model), &Notes::default()).expect("a model can be written");
    specs().into_iter().map(bytes).chain([single]).collect()
});

/// Records, with and without all that is optional.
pub(crate) static RECORDS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let image = Some(ImageShape { height: 2, width: 3, column_major: false, colour: false });
    let record = |(at, spec): (usize, Spec)| {
        let fit = fit(&spec);
        let info = DataInfo { name: "x.csv".into(), n: 9, d: 6, dtype: "f64".into(), sparse: at % 3 == 1 };
        let class = |i: usize| if i == 8 { "outlier".into() } else { format!("c{}", i % 2) };
        let truth = (at % 2 == 0).then(|| (0..9).map(class).collect());
        let mut record = Record::new(&fit, info, truth).expect("labels go together");
        let features = Features { names: None, image: image.filter(|_| at % 2 == 0) };
        if at != 1 {
            record.sketch =
                Some(Sketch::new(&fit, (&samples()).into(), features).expect("a sketch of good samples"));
        }
        record.samples.name = (at % 3 == 2).then(|| (0..9).map(|i| format!("a/{i}.png")).collect());
        record.grid = (at % 4 == 0).then(grid);
        record.command = Some("emmf fit x.csv -k 3".into());
        serde_json::to_value(&record).expect("a record is JSON")
    };
    specs().into_iter().enumerate().map(record).collect()
});

fn grid() -> GridInfo {
    let point = |value: f64| GridPoint { value, score: 0.5 * value, objective: 1.0 };
    GridInfo {
        name: "lambda".into(),
        by: "modularity".into(),
        chosen: 1.0,
        points: [0.1, 1.0].map(point).into(),
    }
}
