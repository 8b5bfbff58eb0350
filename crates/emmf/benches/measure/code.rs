//! What happens once around a fit: the k-means start, new samples, the assignment of classes.

use std::time::Instant;

use emmf::data::Dense;
use emmf::init::{self, Random};
use emmf::model::ResidualScale;
use emmf::{Cancel, Model, Real, Running, Spec, metrics, synth};
use serde_json::{Value, json};

use crate::Job;
use crate::arguments::Arguments;
use crate::input::Input;

/// k-means into c clusters with the request's `seed`.
pub(crate) fn kmeans<'a, T: Real>(arguments: &Arguments, input: &'a Input<T>) -> Job<'a> {
    let c = arguments.number("c", 1);
    let threads = arguments.number("threads", 2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let weights = vec![1.0; input.dense().rows()];
    Box::new(move |request: &Value| {
        let mut random = Random::new(request["seed"].as_u64().expect("a seed"));
        let began = Instant::now();
        let clusters = pool.install(|| {
            let x = Dense::new(input.dense().view(), None);
            init::kmeans(&x, c, &weights, &mut random, &Cancel::new()).expect("clusters")
        });
        json!({"seconds": began.elapsed().as_secs_f64(), "inertia": clusters.inertia})
    })
}

/// Coefficients of the samples, U as it starts.
pub(crate) fn transform<'a, T: Real>(arguments: &Arguments, input: &'a Input<T>) -> Job<'a> {
    let u = &input.start.u;
    let threads = arguments.number("threads", 2_usize);
    let spec = Spec::new("nmf", u.cols());
    let scale = ResidualScale { center: 0.0, spread: 1.0 };
    let model = Model::from_parts(spec, u.clone(), Vec::new(), scale).expect("a model");
    Box::new(move |_| {
        let began = Instant::now();
        let coded = model.transform_with(input.samples(), &Running::on(threads)).expect("coefficients");
        let seconds = began.elapsed().as_secs_f64();
        let squares: f64 = coded.residuals.iter().map(|r| r * r).sum();
        json!({"seconds": seconds, "objective": squares})
    })
}

/// Clustering accuracy of random labels: the hardest table for the assignment.
pub(crate) fn accuracy<'a>(arguments: &Arguments) -> Job<'a> {
    let (classes, samples) = (arguments.number("classes", 1000.0), arguments.number("samples", 100_000));
    let labels = |seed: u64| -> Vec<usize> {
        let places = synth::uniform::<f64>(samples, 1, seed).into_vec();
        places.iter().map(|place| (place * classes) as usize).collect()
    };
    let (truth, predicted) = (labels(1), labels(2));
    Box::new(move |_| {
        let began = Instant::now();
        let accuracy = metrics::accuracy(&truth, &predicted).expect("labels");
        json!({"seconds": began.elapsed().as_secs_f64(), "accuracy": accuracy})
    })
}
