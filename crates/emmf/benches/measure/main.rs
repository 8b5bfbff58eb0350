//! What `benches/run.py` measures of this library: one process a job, which makes its data, says
//! `{"ready": true}`, and then answers every line on its input with one line of figures. So several
//! processes, ours and the peers', take turns in one measurement.
//!
//! By hand: `echo '{}' | cargo bench --features peers --bench measure -- iteration n=20000 d=1000 c=50`

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and may panic"
)]

mod arguments;
mod code;
mod input;
mod iteration;
mod memory;
mod npy;
mod products;
mod solution;

use std::io::BufRead;

use arguments::Arguments;
use emmf::Real;
use serde_json::{Value, json};

/// Answers one request.
type Job<'a> = Box<dyn FnMut(&Value) -> Value + 'a>;

fn main() {
    let arguments = Arguments::new(std::env::args().skip(1));
    match arguments.text("dtype", "f32").as_str() {
        "f32" => serve::<f32>(&arguments),
        "f64" => serve::<f64>(&arguments),
        other => panic!("dtype={other} must be f32 or f64"),
    }
}

fn serve<T: Real + faer::traits::ComplexField>(arguments: &Arguments) {
    let input = input::Input::<T>::new(arguments);
    let mut job: Job = match arguments.job() {
        "iteration" => iteration::job(arguments, &input),
        "solution" => solution::job(arguments, &input),
        "kmeans" => code::kmeans(arguments, &input),
        "transform" => code::transform(arguments, &input),
        "accuracy" => code::accuracy(arguments),
        "memory" => memory::job(arguments, &input),
        other => panic!("there is no job {other:?}"),
    };
    println!("{}", json!({"ready": true}));
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        println!("{}", job(&serde_json::from_str(&line).expect("a request in JSON")));
    }
}
