//! What a fit writes is read back by the same code, whatever the parameters: or it is refused by name.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use emmf::registry::{Entry, METHODS};
use emmf::synth::{Rays, rays_with_outliers, uniform};
use emmf::{Fit, Init, Mat, Real, Spec};
use emmf_io::{
    AnyModel, Budget, DataInfo, Dataset, MODEL_FILE, Notes, Problem, RECORD_FILE, ReadOptions, Record,
    ResultFolder, Results, read, read_labels, read_model, read_record,
};
use std::path::Path;

/// From nothing to the ends of the floating-point numbers.
const ODD: [f64; 9] = [0.0, 5e-324, 1e-300, 1e-12, 1.0, 7.0, 1e12, 1e300, f64::MAX];

/// Specs of a method: the plain one, and one for each odd value of each parameter and of the smoothing.
fn specs(entry: &Entry) -> Vec<Spec> {
    let plain = Spec::new(entry.name, 2).max_iter(2);
    let mut specs = vec![plain.clone(), plain.clone().init(Init::Nndsvd)];
    for value in ODD {
        specs.extend(entry.params.iter().map(|param| plain.clone().param(param.name, value)));
        let mut smoothed = plain.clone();
        smoothed.epsilon = Some(value);
        specs.push(smoothed);
    }
    specs
}

fn write<T: Real>(folder: &Path, fit: &Fit<T>, shape: (usize, usize)) -> Result<Record, emmf_io::Error> {
    let info = DataInfo { name: "odd".into(), n: shape.0, d: shape.1, dtype: T::NAME.into(), sparse: false };
    let mut record = Record::new(fit, info, None).unwrap();
    let results = Results {
        fit,
        record: &mut record,
        notes: &Notes::default(),
        page: None,
        tables: &[],
        anndata: None,
    };
    ResultFolder::open(folder)?.write(results).map(|()| record)
}

/// Whether the fit succeeded, and whether it was written.
fn tried(spec: &Spec, x: &Mat<f64>) -> (bool, bool) {
    let Ok(fit) = spec.fit(x) else { return (false, false) };
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("out");
    match write(&folder, &fit, x.shape()) {
        Ok(record) => {
            assert_eq!(read_model(&folder.join(MODEL_FILE)).unwrap(), AnyModel::F64(fit.model), "{spec:?}");
            assert_eq!(read_record(&folder.join(RECORD_FILE)).unwrap(), record, "{spec:?}");
            assert_eq!(
                read_labels(&folder.join("samples.csv"), None, &Budget::default()).unwrap().len(),
                x.rows()
            );
            (true, true)
        }
        Err(error) => {
            assert!(matches!(error.problem, Problem::NotFinite { .. }), "{spec:?}: {error}");
            assert!(!folder.exists(), "{spec:?}");
            (true, false)
        }
    }
}

#[test]
fn promise_10_what_is_written_is_read_back_for_every_method_and_odd_parameter() {
    let rays = Rays { samples: 24, features: 6, classes: 2, outliers: 2, ..Rays::default() };
    let x = rays_with_outliers::<f64>(&rays).unwrap().x;
    let (mut fits, mut written) = (0, 0);
    for entry in METHODS {
        for spec in specs(entry) {
            let (fitted, kept) = tried(&spec, &x);
            fits += usize::from(fitted);
            written += usize::from(kept);
        }
    }
    assert!(fits > 3 * METHODS.len() && 10 * written >= 9 * fits, "{written} of {fits} were written");
}

/// Older records say how many threads there were.
#[test]
fn promise_12_threads_of_older_records_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let fit = Spec::emmf(2).max_iter(2).fit(&uniform::<f64>(20, 4, 1)).unwrap();
    let record = write(folder.path(), &fit, (20, 4)).unwrap();
    let path = folder.path().join(RECORD_FILE);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("threads"));
    for threads in ["null", "2", "4294967296"] {
        std::fs::write(&path, text.replace(r#""spec":{"#, &format!(r#""spec":{{"threads":{threads},"#)))
            .unwrap();
        assert_eq!(read_record(&path).unwrap(), record, "{threads}");
    }
}

#[test]
fn promise_13_names_that_look_like_formulas_are_text_in_every_table() {
    let names: Vec<String> = ["=1+1", "+x", "-x", "@SUM(A1)", "'=x", "plain"].map(String::from).into();
    let x = Mat::from_fn(6, 6, |i, j| (i * 6 + j) as f64);
    let data = Dataset::new(x.clone(), Some(names.clone()), Some(names.clone()));
    let place = tempfile::tempdir().unwrap();
    for ending in ["csv", "tsv"] {
        let path = place.path().join(format!("x.{ending}"));
        emmf_io::write(&path, &data).unwrap();
        assert_harmless(&path);
        assert_eq!(read(&path, &ReadOptions::default()).unwrap(), data);
    }
    let path = place.path().join("y.npy");
    emmf_io::write_with_labels(&path, data).unwrap();
    assert_harmless(&place.path().join("y.labels.csv"));
    assert_eq!(read_labels(&place.path().join("y.labels.csv"), None, &Budget::default()).unwrap(), names);
    let fit = Spec::new("nmf", 2).max_iter(2).fit(&x).unwrap();
    let info = DataInfo { name: "x".into(), n: 6, d: 6, dtype: "f64".into(), sparse: false };
    let mut record = Record::new(&fit, info, None).unwrap();
    record.samples.name = Some(names.clone());
    let results = Results {
        fit: &fit,
        record: &mut record,
        notes: &Notes::default(),
        page: None,
        tables: &[],
        anndata: None,
    };
    ResultFolder::open(&place.path().join("out")).unwrap().write(results).unwrap();
    assert_harmless(&place.path().join("out/samples.csv"));
    assert_eq!(
        read_labels(&place.path().join("out/samples.csv"), Some("name"), &Budget::default()).unwrap(),
        names
    );
}

/// No field of the table is a formula, unless it is a number.
fn assert_harmless(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    for field in text.split([',', '\t', '\n']).map(|field| field.trim_matches('"')) {
        let formula = field.starts_with(['=', '+', '-', '@']) && field.parse::<f64>().is_err();
        assert!(!formula, "{field} in {text}");
    }
}
