//! The most memory that a fit held beyond X, as the kernel counts it.

use emmf::Real;
use serde_json::{Value, json};

use crate::Job;
use crate::arguments::Arguments;
use crate::input::Input;
use crate::iteration::spec;

/// `method=` for `iterations=` iterations; every process answers once.
pub(crate) fn job<'a, T: Real>(arguments: &Arguments, input: &'a Input<T>) -> Job<'a> {
    let c = input.start.u.cols();
    let threads = arguments.number("threads", 2_usize);
    let spec = spec(&arguments.text("method", "nmf"), c)
        .init(emmf::Init::Random)
        .max_iter(arguments.number("iterations", 5));
    Box::new(move |_: &Value| {
        // Where the mark cannot be set back it still stands where X and the start were made, which is no higher.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let before = kilobytes("VmRSS:");
        let fit = spec.on(input.samples()).threads(threads).fit().expect("a fit");
        json!({"before_kb": before, "peak_kb": kilobytes("VmHWM:"), "objective": fit.objective})
    })
}

/// A line of `/proc/self/status`.
fn kilobytes(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("the line");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}
