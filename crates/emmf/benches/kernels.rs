//! Time of each inner kernel: `make kernels`, or `cargo bench --bench kernels -- project` for those with such a name.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, and may panic")]

mod kernel;

use std::time::{Duration, Instant};

/// Batches of calls whose median is shown.
const BATCHES: usize = 21;
/// How long a batch takes: many times the resolution of the clock.
const BATCH: Duration = Duration::from_millis(50);

fn main() {
    let pool = kernel::one_thread();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(&**part));
    for (name, make) in kernel::all().into_iter().filter(|(name, _)| is_wanted(name)) {
        let mut run = make();
        let mut batch = |calls: u32| {
            let began = Instant::now();
            (0..calls).for_each(|_| run());
            began.elapsed()
        };
        let warm = batch(1).max(batch(1)).max(Duration::from_nanos(1));
        let calls = (BATCH.as_nanos() / warm.as_nanos()).clamp(1, 1 << 20) as u32;
        let mut times: Vec<Duration> = (0..BATCHES).map(|_| batch(calls) / calls).collect();
        times.sort_unstable();
        let (median, spread) =
            (times[BATCHES / 2], times[BATCHES * 3 / 4].saturating_sub(times[BATCHES / 4]));
        println!("{name:32} {median:>12.2?}  ± {spread:.2?}");
    }
    drop(pool);
}
