//! A time limit ends everything that may take long, and an early end keeps what there is.

use crate::oracle;

use std::ops::ControlFlow;

use emmf::registry::METHODS;
use emmf::{Init, Solver, Spec, Step, Stop};
use oracle::problems::{rng, uniform};

/// Over before it began: every method makes one iteration and nothing besides.
const AT_ONCE: f64 = 1e-9;

#[test]
fn promise_09_the_last_coding_keeps_to_the_time_limit() {
    let x = uniform(30, 6, &mut rng(2));
    for method in METHODS {
        let spec = Spec::new(method.name, 3).init(Init::Random).as_published();
        let limited = spec.clone().time_limit(AT_ONCE).fit(&x).unwrap();
        let plain = spec.max_iter(1).polish(false).fit(&x).unwrap();
        assert_eq!(limited.stop, Stop::TimeLimit, "{}", method.name);
        assert_eq!(limited.v, plain.v, "{}", method.name);
        assert_eq!(limited.objective, plain.objective, "{}", method.name);
    }
}

/// Without the limit these would take longer than anyone has.
#[test]
fn promise_09_starts_and_sweeps_without_end_keep_to_the_time_limit() {
    let x = uniform(30, 6, &mut rng(2));
    let spec = Spec::emmf(3).time_limit(0.05);
    for init in [Init::Kmeans, Init::KmeansParallel, Init::Trimmed] {
        let fit = spec.clone().init(init).init_restarts(usize::MAX).fit(&x).unwrap();
        assert_eq!(fit.stop, Stop::TimeLimit);
    }
    let fit = spec.solver(Solver::Hals).sweeps(usize::MAX).fit(&x).unwrap();
    assert_eq!(fit.stop, Stop::TimeLimit);
}

/// Whoever cancels does not wait for the coding.
#[test]
fn promise_09_a_cancelled_fit_is_not_coded_anew() {
    let x = uniform(30, 6, &mut rng(2));
    for method in METHODS {
        let spec = Spec::new(method.name, 3).init(Init::Random);
        let mut observer = |_: &Step| ControlFlow::Break(());
        let cancelled = spec.on(&x).observe(&mut observer).fit().unwrap();
        let plain = spec.max_iter(1).polish(false).fit(&x).unwrap();
        assert_eq!(cancelled.stop, Stop::Cancelled, "{}", method.name);
        assert_eq!(cancelled.v, plain.v, "{}", method.name);
    }
}
