//! Milliseconds of a whole iteration, beside the two bare products.

use std::ops::ControlFlow;

use emmf::{Real, Solver, Spec, Step};
use serde_json::{Map, Value};

use crate::Job;
use crate::arguments::Arguments;
use crate::input::Input;
use crate::products::Products;

/// Every method in `methods=` (`nmf`, `emmf`, …; `nmf-hals` is HALS), and `products`, `iterations=` times from
/// the same start: the median iteration of each.
pub(crate) fn job<'a, T: Real + faer::traits::ComplexField>(
    arguments: &Arguments,
    input: &'a Input<T>,
) -> Job<'a> {
    let (threads, iterations) = (arguments.number("threads", 2), arguments.number("iterations", 10));
    let methods = arguments.text("methods", "products,nmf,emmf");
    let specs: Vec<(String, Option<Spec>)> = methods
        .split(',')
        .map(|name| {
            let spec = (name != "products").then(|| spec(name, input.start.u.cols()));
            (name.to_owned(), spec)
        })
        .collect();
    let mut products = specs.iter().any(|(_, spec)| spec.is_none()).then(|| {
        let mut products = Products::new(&input.start, threads);
        products.time(input.dense(), &input.start, 2);
        products
    });
    Box::new(move |_| {
        let mut answer = Map::new();
        for (name, spec) in &specs {
            let times = match (spec, &mut products) {
                (Some(spec), _) => iterations_of(spec, input, (iterations, threads)),
                (None, Some(products)) => products.time(input.dense(), &input.start, iterations),
                (None, None) => Vec::new(),
            };
            answer.insert(name.clone(), median(times).into());
        }
        Value::Object(answer)
    })
}

/// What `name` stands for.
pub(crate) fn spec(name: &str, c: usize) -> Spec {
    let (method, solver) = match name.strip_suffix("-hals") {
        Some(method) => (method, Solver::Hals),
        None => (name, Solver::Mu),
    };
    Spec::new(method, c).solver(solver).polish(false)
}

/// Milliseconds of every iteration but the first, which finds the caches cold.
fn iterations_of<T: Real>(spec: &Spec, input: &Input<T>, (iterations, threads): (usize, usize)) -> Vec<f64> {
    let spec = spec.clone().max_iter(iterations + 1);
    let mut ends = Vec::with_capacity(iterations + 1);
    let mut observer = |step: &Step| {
        ends.push(1e3 * step.elapsed.as_secs_f64());
        ControlFlow::Continue(())
    };
    let request = spec.on(input.samples()).start(&input.start).observe(&mut observer);
    request.threads(threads).fit().expect("a fit");
    ends.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
