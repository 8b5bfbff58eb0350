//! What serde writes of a fit is the fit, and its `Debug` is short.

use emmf::registry::METHODS;
use emmf::{Fit, Mat, Missing, Real, Spec};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::oracle::problems::{rng, uniform};

fn comes_back<T: Real + Serialize + DeserializeOwned>(spec: &Spec, x: &Mat<T>) {
    let fit = spec.fit(x).unwrap();
    let again: Fit<T> = serde_json::from_str(&serde_json::to_string(&fit).unwrap()).unwrap();
    // Of all that has a number for every sample, the first difference is enough.
    assert_eq!(fit.v, again.v, "{}", spec.method);
    assert_eq!(fit.extras, again.extras, "{}", spec.method);
    assert_eq!(fit.model, again.model, "{}", spec.method);
    assert!(fit == again, "{}", spec.method);
    assert!(format!("{fit:?}").len() < 300, "{fit:?}");
}

#[test]
fn a_fit_comes_back() {
    let drawn = uniform(60, 8, &mut rng(3));
    let x = Mat::from_fn(60, 8, |i, j| 0.1 + drawn[(i, j)]);
    for method in METHODS {
        let spec = Spec::new(method.name, 3).max_iter(4);
        comes_back(&spec, &x);
        comes_back(&spec, &x.cast::<f32>());
    }
    comes_back(&Spec::deep(&[6, 3]).max_iter(4), &x);
    let gaps = Mat::from_fn(60, 8, |i, j| if (i + j) % 7 == 0 { f64::NAN } else { x[(i, j)] });
    comes_back(&Spec::emmf(3).missing(Missing::Nan).max_iter(4), &gaps);
}
