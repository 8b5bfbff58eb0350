//! Time of each inner kernel: `make kernels`, or `cargo bench --bench kernels -- project`.

#![expect(clippy::expect_used, reason = "a benchmark may panic")]

mod kernel;

use std::time::Duration;

use criterion::Criterion;

fn main() {
    let pool = kernel::one_thread();
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .configure_from_args();
    for (name, make) in kernel::all() {
        let mut run = make();
        criterion.bench_function(name, |bencher| bencher.iter(&mut run));
    }
    criterion.final_summary();
    drop(pool);
}
