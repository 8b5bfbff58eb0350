//! The objective never gets worse where the registry says so.

use emmf::method::Value;
use emmf::registry::{Entry, Goal};
use emmf::{Fit, Mat, Real};

use super::Problem;

/// How the objective grows with the samples: the powers of their length that are in it.
fn degree(method: &str) -> i32 {
    match method {
        "emmf" | "deep-emmf" | "g-emmf" | "l21-nmf" | "hx-nmf" | "capped-nmf" | "nmf-div" | "l1-nmf"
        | "l12-nmf" => 1,
        "rcim-nmf" | "cim-nmf" | "symnmf" => 0,
        _ => 2,
    }
}

/// No iteration makes the objective worse by more than rounding can.
pub(super) fn never_rises<T: Real>(problem: &Problem, entry: &Entry, fit: &Fit<T>) -> Result<(), String> {
    let spec = &problem.spec;
    if !entry.is_monotone(&spec.params) || (spec.graph.is_some() && spec.params.get("monotone") != Some(&1.0))
    {
        return Ok(());
    }
    let sign = if entry.goal == Goal::Least { 1.0 } else { -1.0 };
    let noise = noise(problem, fit);
    let mut was = fit.initial;
    for (at, &is) in fit.trace.iter().enumerate() {
        let slack = share::<T>() * (was.abs() + is.abs()) + noise;
        if sign * (is - was) > slack {
            return Err(format!(
                "iteration {}: the objective goes from {was:e} to {is:e}, slack {slack:e}",
                at + 1
            ));
        }
        was = is;
    }
    Ok(())
}

/// What rounding may change a sum by, as a share of its terms: generous, far below what a mistake does.
fn share<T: Real>() -> f64 {
    if T::NAME == "f32" { 1e-3 } else { 1e-9 }
}

/// What rounding may add beside a share of the objective: terms that are larger than their sum.
fn noise<T: Real>(problem: &Problem, fit: &Fit<T>) -> f64 {
    let x: Mat<T> = problem.x.cast();
    let longest = longest(fit, &x);
    let spec = &problem.spec;
    let (n, d) = problem.x.shape();
    let param = |name: &str| spec.params.get(name).copied().unwrap_or(1.0);
    let square = |a: &[T]| a.iter().map(|a| a.to_f64().powi(2)).sum::<f64>();
    let (u, v) = (square(fit.model.centroids().as_slice()), square(fit.v.as_slice()));
    let counted = problem.weights.as_deref().map_or(n as f64, counted);
    let of_fit = weight(fit) * counted * d as f64 * longest.powi(degree(&spec.method));
    let of_terms = match &*spec.method {
        // λ‖S − VVᵀ‖² is λ‖S‖² and the rest; a sample has at most n neighbours.
        _ if spec.graph.is_some() || spec.method == "g-emmf" => {
            found(fit, "lambda").unwrap_or(0.0) * (n as f64 * (1.0 + v) + v * v)
        }
        "nmf" | "emmf" | "deep-emmf" | "l21-nmf" | "hx-nmf" | "capped-nmf" => 0.0,
        "pnmf" => {
            let priors = ["shape", "rate", "lambda", "ard-shape", "ard-rate"].map(param).iter().sum::<f64>();
            // The squared error is known to the rounding of the samples, and its logarithm is taken so many times.
            let error = square_sum(&fit.residuals).sqrt().max(1e-30 * longest);
            700.0 * priors + (param("shape") + counted * d as f64) * counted.sqrt() * longest / error
        }
        "rcim-nmf" | "cim-nmf" => longest / param("width").max(1e-300),
        _ => param("lambda") * (v + v.sqrt() + v * v) + param("mu") * (longest * longest + u) * v.sqrt(),
    };
    0.1 * share::<T>() * (of_fit + of_terms)
}

/// What the loss of a sample is multiplied by: with layers, the sum of their weights.
fn weight<T: Real>(fit: &Fit<T>) -> f64 {
    let of_layers = fit.extras.iter().find(|extra| extra.name == "layer-weights");
    of_layers.map_or(1.0, |extra| match &extra.value {
        Value::Vector(weights) => weights.iter().sum(),
        _ => 1.0,
    })
}

fn square_sum(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

/// A number that the fit has found besides.
fn found<T: Real>(fit: &Fit<T>, name: &str) -> Option<f64> {
    fit.extras.iter().find(|extra| extra.name == name).and_then(|extra| match extra.value {
        Value::Number(number) => Some(number),
        _ => None,
    })
}

/// The length of the longest sample after the preprocessing; what is missing has none.
fn longest<T: Real>(fit: &Fit<T>, x: &Mat<T>) -> f64 {
    let Ok(prepared) = fit.model.prepare(x) else { return f64::INFINITY };
    let length = |i: usize| {
        let there = prepared.row(i).iter().map(|x| x.to_f64()).filter(|x| !x.is_nan());
        there.map(|x| x * x).sum::<f64>().sqrt()
    };
    (0..prepared.rows()).map(length).fold(0.0, f64::max)
}

/// The weights as counts: the smallest is at least 1.
fn counted(weights: &[f64]) -> f64 {
    let smallest = weights.iter().copied().filter(|&weight| weight > 0.0).fold(1.0, f64::min);
    weights.iter().map(|weight| weight / smallest).sum()
}
