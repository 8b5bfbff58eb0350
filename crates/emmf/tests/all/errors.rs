//! Everything that is refused, with a message that names the value, the place and what to do.

use crate::oracle;

use emmf::model::ResidualScale;
use emmf::preprocess::{Fitted, Normalize};
use emmf::{
    Csr, CsrView, Error, Factors, Fit, Indices, Init, Mat, Model, Result, Setting, Solver, Spec, View,
};
use oracle::{fit_from, says, weighted_fit_from};

fn samples() -> Mat<f64> {
    Mat::from_rows([[1.0, 0.0, 2.0], [2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [4.0, 1.0, 5.0]])
}

fn start() -> Factors<f64> {
    Factors { u: Mat::from_fn(3, 2, |j, k| 1.0 + (j + k) as f64), v: Mat::from_fn(4, 2, |_, _| 1.0) }
}

#[test]
fn bad_entries() {
    for storage in ["dense", "csr"] {
        for (value, parts) in [
            (-2.5, ["-2.5", "sample 2", "feature 1", "negative", "normalize = shift"]),
            (f64::NAN, ["NaN", "sample 2", "feature 1", "is NaN", "replace or remove"]),
            (f64::INFINITY, ["inf", "sample 2", "feature 1", "is inf", "replace or remove"]),
            (f64::NEG_INFINITY, ["-inf", "sample 2", "feature 1", "is -inf", "replace or remove"]),
        ] {
            let mut x = samples();
            x[(2, 1)] = value;
            let sparse = oracle::problems::Sparse::of(&x);
            let result =
                if storage == "dense" { Spec::emmf(2).fit(&x) } else { Spec::emmf(2).fit(sparse.wide()) };
            says(result, &parts);
            let model = Spec::emmf(2).fit(&samples()).unwrap().model;
            says(
                if storage == "dense" { model.transform(&x) } else { model.transform(sparse.wide()) },
                &parts,
            );
        }
    }
    // Where a column is shifted, NaN is still refused.
    let mut x = samples();
    x[(3, 0)] = f64::NAN;
    says(Spec::emmf(2).normalize([Normalize::Shift]).fit(&x), &["NaN", "sample 3", "feature 0"]);
}

/// The first in the order of the samples, whichever is seen first.
#[test]
fn of_several_bad_entries_the_first_is_named() {
    let mut x = oracle::problems::uniform(1000, 13, &mut oracle::problems::rng(1));
    for (i, j, bad) in
        [(999, 12, -1.0), (998, 0, f64::NAN), (700, 12, f64::NAN), (700, 3, f64::INFINITY), (301, 2, -2.5)]
    {
        x[(i, j)] = bad;
        let entries = (0..13_000).map(|at| (at / 13, at % 13, x[(at / 13, at % 13)])).collect();
        let (sparse, turned) = (Csr::from_triplets((1000, 13), entries).unwrap(), x.transposed());
        let parts = [format!("sample {i}, feature {j} "), bad.to_string()];
        let parts = parts.each_ref().map(String::as_str);
        says(Spec::emmf(2).fit(&x), &parts);
        says(Spec::emmf(2).fit(&sparse), &parts);
        says(Spec::emmf(2).fit(turned.view().transposed()), &parts);
    }
}

/// Zeros that are not stored are values, too.
#[test]
fn constant_sparse_samples() {
    let csr = |entries: usize| {
        let entries = (0..entries).map(|at| (at / 3, at % 3, 2.5)).collect();
        Spec::emmf(2).fit(&Csr::<f64>::from_triplets((3, 3), entries).unwrap())
    };
    says(csr(9), &["all entries are 2.5"]);
    says(csr(0), &["all entries are 0"]);
    assert!(csr(8).is_ok());
}

#[test]
fn bad_shapes() {
    says(Spec::emmf(1).fit(&Mat::<f64>::zeros(0, 3)), &["empty", "0 samples", "3 features"]);
    says(Spec::emmf(1).fit(&Mat::<f64>::zeros(3, 0)), &["empty", "3 samples", "0 features"]);
    says(
        Spec::emmf(2).fit(&Mat::from_fn(3, 3, |_, _| 2.5)),
        &["all entries are 2.5", "nothing to factorize"],
    );
    says(Spec::emmf(0).fit(&samples()), &["k is 0", "at least 1", "at most 4"]);
    says(Spec::emmf(5).fit(&samples()), &["k is 5", "at most 4", "number of samples"]);
    says(Mat::from_vec(vec![1.0; 5], 2, 3), &["5x1", "2x3"]);
    says(View::row_major(&[1.0; 5], 2, 3), &["5x1", "2x3"]);
    says(View::new(&[1.0; 5], (2, 2), (usize::MAX, 3)), &["2x2"]);
    let model = Spec::emmf(2).fit(&samples()).unwrap().model;
    says(model.transform(&Mat::from_fn(2, 4, |_, _| 1.0)), &["new samples", "2x4", "2x3"]);
    says(model.transform(&Mat::<f64>::zeros(0, 3)), &["empty"]);
    says(model.reconstruct(&Mat::zeros(2, 3)), &["V is 2x3", "2x2"]);
}

#[test]
fn bad_parameters() {
    let fit = |spec: Spec| -> Result<Fit<f64>> { spec.fit(&samples()) };
    let emmf = || Spec::emmf(2);
    for exponent in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        says(fit(emmf().exponent(exponent)), &["exponent", &exponent.to_string(), "above 0 and at most 1"]);
    }
    says(fit(emmf().solver(Solver::Hals).exponent(0.5)), &["exponent is 0.5", "left out", "hals"]);
    says(fit(emmf().sweeps(0)), &["sweeps is 0", "at least 1"]);
    says(fit(emmf().restarts(0)), &["restarts is 0", "at least 1"]);
    says(fit(emmf().init_restarts(0)), &["init_restarts is 0", "at least 1"]);
    says(fit(emmf().max_iter(0)), &["max_iter is 0", "at least 1"]);
    says(emmf().on(&samples()).threads(0).fit(), &["threads is 0", "at least 1"]);
    for tol in [-1e-3, 1.0, f64::NAN] {
        says(fit(emmf().tol(tol)), &["tol", &tol.to_string(), "at least 0 and below 1"]);
    }
    // Smaller than 1e-150, ε² would be zero and so no smoothing at all.
    for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-170] {
        says(fit(emmf().epsilon(epsilon)), &["epsilon", "at most 1e9"]);
    }
    for limit in [0.0, -1.0, f64::NAN, 1e300] {
        says(fit(emmf().time_limit(limit)), &["time_limit", "above 0"]);
    }
}

#[test]
fn bad_methods_and_their_parameters() {
    let fit = |spec: Spec| -> Result<Fit<f64>> { spec.fit(&samples()) };
    says(fit(Spec::new("emfm", 2)), &["no method named 'emfm'", "did you mean 'emmf'"]);
    says(fit(Spec::new("l21", 2)), &["no method named 'l21'", "'l21-nmf'"]);
    says(fit(Spec::emmf(2).param("scale", 1.0)), &["'scale'", "emmf has no parameters"]);
    says(fit(Spec::new("hx-nmf", 2).param("scal", 1.0)), &["no parameter", "'scal'", "did you mean 'scale'"]);
    for (method, name, bad) in [
        ("hx-nmf", "scale", [0.0, -1.0, f64::NAN, f64::INFINITY]),
        ("capped-nmf", "threshold", [0.0, -1.0, f64::NAN, f64::INFINITY]),
        ("capped-nmf", "quantile", [0.0, -1.0, f64::NAN, 1.5]),
        ("rcim-nmf", "width", [0.0, -1.0, f64::NAN, f64::INFINITY]),
    ] {
        for value in bad {
            says(fit(Spec::new(method, 2).param(name, value)), &[name, &value.to_string(), "above 0"]);
        }
    }
    says(fit(Spec::new("hx-nmf", 2).param("scale", f64::INFINITY)), &["finite"]);
    says(fit(Spec::new("capped-nmf", 2).param("quantile", 2.0)), &["quantile is 2", "at most 1"]);
}

#[test]
fn bad_starts() {
    let fit = |start: &Factors<f64>| fit_from(&Spec::emmf(2), &samples(), start);
    says(fit(&Factors { u: Mat::zeros(4, 2), ..start() }), &["given U is 4x2", "3x2"]);
    says(fit(&Factors { u: Mat::zeros(3, 3), ..start() }), &["given U is 3x3", "3x2"]);
    says(fit(&Factors { v: Mat::zeros(3, 2), ..start() }), &["given V is 3x2", "4x2"]);
    for value in [-1.0, f64::NAN, f64::INFINITY] {
        let mut bad = start();
        bad.u[(2, 1)] = value;
        let parts = ["given U", &value.to_string(), "row 2, column 1", "finite and nonnegative"];
        says(fit(&bad), &parts);
        let mut bad = start();
        bad.v[(3, 0)] = value;
        says(fit(&bad), &["given V", &value.to_string(), "row 3, column 0", "finite and nonnegative"]);
    }
    says(
        fit_from(&Spec::emmf(2).restarts(3), &samples(), &start()),
        &["restarts is 3", "1 with a given start"],
    );
}

#[test]
fn bad_sample_weights() {
    let fit = |s: &[f64]| weighted_fit_from(&Spec::emmf(2), &samples(), &start(), Some(s));
    says(fit(&[1.0; 3]), &["sample weights", "3x1", "4x1"]);
    says(fit(&[1.0, 1.0, -2.0, 1.0]), &["sample_weight", "-2", "sample 2", "nonnegative"]);
    says(fit(&[1.0, f64::NAN, 1.0, 1.0]), &["sample_weight", "NaN", "sample 1", "finite"]);
    says(fit(&[0.0; 4]), &["sample_weight", "0 for every sample", "positive for at least one"]);
    // Weights below 1 are in another unit.
    let (small, counts) = (fit(&[1e-3, 2e-3, 1e-3, 1e-3]).unwrap(), fit(&[1.0, 2.0, 1.0, 1.0]).unwrap());
    assert!(oracle::problems::distance(small.model.centroids(), counts.model.centroids()) < 1e-12);
}

#[test]
fn malformed_sparse_matrices() {
    let csr = |starts: &[i32], columns: &[i32], values: &[f64]| {
        CsrView::new((2, 3), Indices::I32(starts), Indices::I32(columns), values).map(|_| ())
    };
    says(csr(&[0, 1], &[0], &[1.0]), &["malformed", "one row pointer more than rows"]);
    says(csr(&[0, 1, 2], &[0], &[1.0, 2.0]), &["as many column indices as values"]);
    says(csr(&[1, 1, 2], &[0, 1], &[1.0, 2.0]), &["from 0 to the number of values"]);
    says(csr(&[0, 1, 1], &[0, 1], &[1.0, 2.0]), &["from 0 to the number of values"]);
    says(csr(&[0, 3, 2], &[0, 1], &[1.0, 2.0]), &["row 0", "must not decrease"]);
    says(csr(&[0, -1, 2], &[0, 1], &[1.0, 2.0]), &["row 0", "must not decrease"]);
    says(csr(&[0, 1, 2], &[0, 3], &[1.0, 2.0]), &["row 1", "outside the matrix"]);
    says(csr(&[0, 1, 2], &[0, -1], &[1.0, 2.0]), &["row 1", "outside the matrix"]);
    says(csr(&[0, 0, 2], &[1, 1], &[1.0, 2.0]), &["row 1", "named twice", "sum duplicates"]);
    says(Csr::new((1, 1), vec![0, 1], vec![1], vec![1.0]), &["row 0", "outside the matrix"]);
    says(Csr::from_triplets((2, 2), vec![(0, 0, 1.0), (1, 2, 1.0)]), &["row 1", "outside the matrix"]);
    let added = Csr::from_triplets((2, 2), vec![(1, 1, 1.0), (0, 0, 2.0), (1, 1, 3.0)]).unwrap();
    assert_eq!(added.to_dense(), Mat::from_rows([[2.0, 0.0], [0.0, 4.0]]));
}

#[test]
fn bad_models() {
    let scale = ResidualScale { center: 0.0, spread: 1.0 };
    let model = |u: Mat<f64>, steps: Vec<Fitted>| Model::from_parts(Spec::emmf(2), u, steps, scale);
    says(model(Mat::zeros(3, 1), vec![]), &["U is 3x1", "3x2"]);
    says(model(Mat::from_fn(3, 2, |_, _| -1.0), vec![]), &["U", "nonnegative"]);
    says(model(Mat::from_fn(3, 2, |_, _| f64::NAN), vec![]), &["U", "finite"]);
    says(model(Mat::zeros(3, 2), vec![Fitted::Tfidf(vec![1.0])]), &["preprocessing", "1x1", "3x1"]);
    assert!(model(Mat::from_fn(3, 2, |_, _| 1.0), vec![Fitted::Unit]).is_ok());
}

/// The same JSON everywhere: what is missing has its default, what is unknown is refused.
#[test]
fn spec_as_json() {
    let spec = Spec::new("capped-nmf", 7)
        .solver(Solver::Hals)
        .sweeps(3)
        .init(Init::Trimmed)
        .init_restarts(4)
        .normalize([Normalize::Tfidf, Normalize::Unit])
        .seed(u64::MAX)
        .restarts(2)
        .max_iter(9)
        .tol(1e-7)
        .time_limit(1.5)
        .label_rule(emmf::LabelRule::Unit)
        .polish(false)
        .epsilon(1e-3)
        .param("threshold", 0.1);
    let json = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), spec);
    assert!(json.contains(r#""init":"trimmed""#) && json.contains(r#""normalize":["tfidf","unit"]"#));
    let short: Spec = serde_json::from_str(r#"{"method": "emmf", "k": 3}"#).unwrap();
    assert_eq!(short, Spec::emmf(3));
    for bad in [r#"{"k": 3}"#, r#"{"method": "emmf"}"#, r#"{"method": "emmf", "k": 3, "tolerance": 1}"#] {
        assert!(serde_json::from_str::<Spec>(bad).is_err(), "{bad}");
    }
    let unknown = serde_json::from_str::<Spec>(r#"{"method": "emmf", "k": 3, "tolerance": 1}"#);
    assert!(unknown.unwrap_err().to_string().contains("tolerance"));
    assert!(matches!(Spec::new("x", 1).fit(&samples()), Err(Error::Unknown { .. })));
}

#[test]
fn samples_too_small_for_their_type() {
    let tiny = emmf::Mat::from_rows([[1e-20_f32, 2e-20], [3e-20, 1e-20], [2e-20, 2e-20]]);
    says(Spec::emmf(2).fit(&tiny), &["e-20", "too small", "normalize = unit"]);
    let unit = Spec::emmf(2).normalize([emmf::preprocess::Normalize::Unit]);
    assert!(unit.fit(&tiny).is_ok() && Spec::emmf(2).fit(&tiny.cast::<f64>()).is_ok());
}

/// A front end calls every setting by its own name, and nothing else of a message changes.
#[test]
fn settings_are_told_as_a_front_end_calls_them() {
    let call = |setting: Setting<'_>| match setting.value {
        Some(value) => format!("<{}: {value}>", setting.name),
        None => format!("<{}>", setting.name),
    };
    let mut x = samples();
    x[(2, 1)] = -1.0;
    let negative = Spec::emmf(2).fit(&x).unwrap_err();
    assert!(negative.told(call).ends_with("minimum of 0 with <normalize: shift>"), "{}", negative.told(call));
    let too_many = Spec::emmf(9).fit(&samples()).unwrap_err();
    assert!(too_many.told(call).starts_with("<k> is 9, but must be "), "{}", too_many.told(call));
    let late = Error::OutOfTime.told(call);
    assert!(
        late.starts_with("<time_limit> was over") && late.ends_with("for example <method: emmf>"),
        "{late}"
    );
    let plain = Error::Empty { rows: 0, cols: 0 };
    assert_eq!(plain.told(call), plain.to_string());
    let typed = Spec::new("em`mf = `", 2).fit(&samples()).unwrap_err();
    assert_eq!(typed.told(call), typed.to_string());
    let typed = Error::param("k", "`3`", "a number").told(call);
    assert_eq!(typed, "<k> is `3`, but must be a number");
    assert_eq!(negative.told(|setting| format!("`{setting}`")), negative.to_string());
}
