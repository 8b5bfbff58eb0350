//! The door of the Python module, as far as it knows no Python: panics, steps and breaking off.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../src/watched.rs"]
#[expect(dead_code, reason = "only the module tells why a thread could not be started")]
mod watched;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use emmf::{Cancel, Mat, Spec, Stop};
use watched::{Failed, News, watched};

fn samples() -> Mat<f64> {
    Mat::from_fn(40, 7, |i, j| ((i * 31 + j * 17) % 13) as f64)
}

fn fit(spec: &Spec, every: Option<Duration>, stop_at: usize) -> (emmf::Fit<f64>, Vec<usize>) {
    let x = samples();
    let mut seen = Vec::new();
    let fit = watched(
        every,
        |observer, token| spec.on(&x).observe(observer).cancel(token).fit(),
        |news| {
            seen.extend(news.and_then(iteration));
            if seen.last() == Some(&stop_at) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    (fit.unwrap().unwrap(), seen)
}

fn iteration(news: &News) -> Option<usize> {
    match news {
        News::Step(step) => Some(step.iteration),
        News::Phase(_) => None,
    }
}

#[test]
fn phases_are_told_around_the_steps() {
    let (x, mut told) = (samples(), Vec::new());
    let work = |observer: &mut (dyn emmf::Observer + Send), token: &Cancel| {
        Spec::emmf(3).max_iter(2).on(&x).observe(observer).cancel(token).fit()
    };
    let watch = |news: Option<&News>| {
        told.extend(news.map(|news| match news {
            News::Step(_) => "Step".into(),
            News::Phase(phase) => format!("{phase:?}"),
        }));
        ControlFlow::Continue(())
    };
    watched(Some(Duration::ZERO), work, watch).unwrap().unwrap();
    assert_eq!(
        (told.first().map(String::as_str), told.last().map(String::as_str)),
        (Some("Prepare"), Some("Code"))
    );
    assert_eq!(told.iter().filter(|news| *news == "Step").count(), 2);
}

#[test]
fn a_panic_is_an_error() {
    let failed = watched(None, |_, _| -> () { panic!("broken at {}", 7) }, |_| ControlFlow::Continue(()));
    assert!(matches!(failed, Err(Failed::Panic(message)) if message == "broken at 7"));
    let failed = watched(None, |_, _| -> () { panic!("broken") }, |_| ControlFlow::Continue(()));
    assert!(matches!(failed, Err(Failed::Panic(message)) if message == "broken"));
}

#[test]
fn a_panic_on_the_threads_of_a_fit_is_an_error() {
    let x = samples();
    let broken = watched(
        None,
        |_, _| {
            let mut observer = |_: &emmf::Step| -> ControlFlow<()> { panic!("inside the loop") };
            Spec::emmf(3).on(&x).observe(&mut observer).fit()
        },
        |_| ControlFlow::Continue(()),
    );
    assert!(matches!(broken, Err(Failed::Panic(message)) if message == "inside the loop"));
}

#[test]
fn every_step_is_seen_and_the_last_one_is_the_last() {
    let spec = Spec::emmf(3).max_iter(25);
    let (fit_to_the_end, seen) = fit(&spec, Some(Duration::ZERO), 0);
    assert_eq!(seen, (1..=25).collect::<Vec<_>>());
    assert_eq!(
        fit_to_the_end,
        Spec { ..spec.clone() }
            .fit(&samples())
            .map(|fit| emmf::Fit { seconds: fit_to_the_end.seconds, ..fit })
            .unwrap()
    );
    let (broken_off, seen) = fit(&spec, Some(Duration::ZERO), 4);
    assert_eq!(seen, [1, 2, 3, 4]);
    assert_eq!((broken_off.stop, broken_off.trace.len()), (Stop::Cancelled, 4));
}

#[test]
fn steps_are_seen_no_more_often_than_asked_for() {
    let (fit, seen) = fit(&Spec::emmf(3).max_iter(50), Some(Duration::from_hours(1)), 0);
    assert_eq!((seen, fit.trace.len()), (vec![1], 50));
}

#[test]
fn it_looks_up_while_nothing_happens() {
    let mut looks = 0;
    // Until the second look, however long that takes where others are at work; a minute is for ever.
    let work = |_: &mut (dyn emmf::Observer + Send), token: &Cancel| {
        let began = Instant::now();
        while !token.is_cancelled() && began.elapsed() < Duration::from_mins(1) {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    let watch = |news: Option<&News>| {
        assert!(news.is_none());
        looks += 1;
        if looks < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    watched(None, work, watch).unwrap();
    assert!(looks >= 2, "{looks} looks");
}
