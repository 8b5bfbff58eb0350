//! Memory of a fit beyond X: U, V, at most four more n×k or d×k buffers, and vectors of length n and d.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(unsafe_code, reason = "a global allocator that counts cannot be written without")]

mod oracle;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use emmf::preprocess::Normalize;
use emmf::{Factors, GraphKind, GraphSpec, Init, Mat, Pool, Real, Samples, Solver, Spec, Step};
use oracle::problems::{Sparse, cast, rng, uniform};

/// The system's allocator, with a count of the bytes in use and of their maximum.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Requests of this thread.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn add(size: usize) {
    CALLS.with(|calls| calls.set(calls.get() + 1));
    PEAK.fetch_max(IN_USE.fetch_add(size, Ordering::Relaxed) + size, Ordering::Relaxed);
}

fn remove(size: usize) {
    IN_USE.fetch_sub(size, Ordering::Relaxed);
}

// SAFETY: every call is passed on to the system's allocator as it is; counting has no part in it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        remove(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both blocks may exist while the entries are moved.
        add(size);
        remove(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One measurement at a time.
static TURN: Mutex<()> = Mutex::new(());

const N: usize = 4000;
const D: usize = 300;
const K: usize = 20;

/// A thread for all fits: those of a fit's own would give back what they hold whenever they come to it.
static THREAD: LazyLock<Pool> = LazyLock::new(|| Pool::new(Some(1)).unwrap());

/// The most bytes beyond those in use before.
fn peak(spec: &Spec, x: Samples<'_, f64>) -> usize {
    let thread = &*THREAD;
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let fit = spec.on(x).threads(thread).fit().unwrap();
    assert_eq!(fit.v.rows(), x.shape().0);
    PEAK.load(Ordering::Relaxed) - before
}

/// What a thread and its packing of matrix products take, whatever the number of samples: two blocks of
/// them.
fn overhead(spec: &Spec) -> usize {
    peak(spec, (&uniform(256, D, &mut rng(3))).into())
}

/// U, V, four more of the larger of them, and twelve vectors of length n and d.
const ALLOWED: usize = 8 * ((N + D) * K + 4 * N * K + 12 * (N + D) + 64 * K * K);

fn specs() -> impl Iterator<Item = Spec> {
    [Init::Random, Init::Kmeans, Init::KmeansParallel, Init::Trimmed].into_iter().flat_map(|init| {
        let spec = Spec::emmf(K).init(init).init_restarts(2).max_iter(3);
        [spec.clone(), spec.normalize([Normalize::Unit])]
    })
}

#[test]
fn dense() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let x = uniform(N, D, &mut rng(1));
    for spec in specs() {
        let (peak, overhead) = (peak(&spec, (&x).into()), overhead(&spec));
        let beyond = peak.saturating_sub(overhead);
        assert!(beyond <= ALLOWED, "{:?}: {peak} bytes, {overhead} + {ALLOWED} allowed", spec.init);
    }
}

#[test]
fn sparse() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut rng = rng(2);
    let (values, keep) = (uniform(N, D, &mut rng), uniform(N, D, &mut rng));
    let x: Mat<f64> = Mat::from_fn(N, D, |i, j| if keep[(i, j)] < 0.1 { values[(i, j)] } else { 0.0 });
    let sparse = Sparse::of(&x);
    // Values and 32-bit indices once more.
    let copy = sparse.narrow().nnz() * (8 + 4);
    for spec in specs() {
        let (peak, overhead) = (peak(&spec, sparse.narrow().into()), overhead(&spec));
        let beyond = peak.saturating_sub(overhead);
        assert!(
            beyond <= ALLOWED + copy,
            "{:?}: {peak} bytes, {overhead} + {ALLOWED} + {copy} allowed",
            spec.init
        );
    }
}

/// A graph and the fit with it: O(nk), not O(n²).
#[test]
fn graph() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let x = uniform(N, 30, &mut rng(7));
    let spec = Spec::new("g-emmf", 5)
        .graph(GraphSpec { kind: GraphKind::Knn, ..GraphSpec::default() })
        .init(Init::Random)
        .max_iter(3);
    let (peak, announced) = (peak(&spec, (&x).into()), spec.memory::<f64>((N, 30), false, Some(1)));
    // A tenth of an n×n matrix in single precision.
    assert!(peak < N * N * 4 / 10, "{peak} bytes");
    assert!(peak <= announced, "{peak} bytes, announced {announced}");
}

/// After the first iteration, which fills the buffers, no iteration asks for memory. With one thread, which does all the
/// work: the queues between several grow as they take turns, and that is not the loop's doing.
#[test]
fn promise_16_no_allocation_inside_the_loop() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut rng = rng(4);
    let x = uniform(1200, 150, &mut rng);
    let sparse = Sparse::of(&Mat::from_fn(1200, 150, |i, j| if x[(i, j)] < 0.2 { x[(i, j)] } else { 0.0 }));
    let entrywise = [
        "nmf-div",
        "beta-nmf",
        "l1-nmf",
        "cim-nmf",
        "huber-nmf",
        "hypersurface-nmf",
        "l12-nmf",
        "l12-squared-nmf",
    ];
    let entrywise = entrywise.map(|method| (method, Samples::from(&x), Solver::Mu));
    // Not lsnmf, whose eigenvectors come with room of their own.
    let rivals = ["onmf", "cf", "nlcf", "lcf", "gnmf", "lccf", "symnmf", "rmnmf", "nmfan", "srmcf"];
    let rivals = rivals.map(|method| (method, Samples::from(&x), Solver::Mu));
    for (method, samples, solver) in [
        ("emmf", Samples::from(&x), Solver::Mu),
        ("emmf", Samples::from(&x), Solver::Hals),
        ("emmf", sparse.narrow().into(), Solver::Mu),
        ("emmf", Samples::Dense(x.view().transposed()), Solver::Mu),
        ("nmf-div", sparse.narrow().into(), Solver::Mu),
        ("g-emmf", Samples::from(&x), Solver::Mu),
        ("g-emmf", sparse.narrow().into(), Solver::Mu),
        ("pnmf", Samples::from(&x), Solver::Mu),
        ("pnmf", sparse.narrow().into(), Solver::Mu),
        ("gsnmf", Samples::from(&x), Solver::Mu),
        ("gsnmf", sparse.narrow().into(), Solver::Mu),
    ]
    .into_iter()
    .chain(entrywise)
    .chain(rivals)
    .chain([("lccf", sparse.narrow().into(), Solver::Mu)])
    {
        assert_eq!(requests(method, solver, samples, None), 0, "{method} {solver:?}");
    }
}

/// The same where every residual is made by its definition, because X·U has no digits left for it.
#[test]
fn promise_16_no_allocation_inside_the_loop_of_a_perfect_fit() {
    fn check<T: Real>(truth: &Factors<f64>) {
        let x: Mat<f64> =
            Mat::from_fn(1200, 150, |i, j| (0..10).map(|k| truth.v[(i, k)] * truth.u[(j, k)]).sum());
        let (x, by_feature) = (x.cast::<T>(), x.transposed().cast::<T>());
        let start = cast(truth);
        for storage in [Samples::from(&x), Samples::Dense(by_feature.view().transposed())] {
            for (method, solver) in [
                ("emmf", Solver::Mu),
                ("emmf", Solver::Hals),
                ("nmf", Solver::Mu),
                ("g-emmf", Solver::Mu),
                ("gsnmf", Solver::Mu),
            ] {
                let asked = requests(method, solver, storage, Some(&start));
                assert_eq!(asked, 0, "{method} {solver:?} {}", T::NAME);
            }
        }
    }
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut rng = rng(5);
    let truth = Factors { u: uniform(150, 10, &mut rng), v: uniform(1200, 10, &mut rng) };
    check::<f64>(&truth);
    check::<f32>(&truth);
}

/// Requests for memory between the second iteration and the tenth.
fn requests<T: Real>(method: &str, solver: Solver, x: Samples<'_, T>, start: Option<&Factors<T>>) -> usize {
    let mut calls = Vec::with_capacity(10);
    let mut observer = |_: &Step| {
        calls.push(CALLS.with(Cell::get));
        ControlFlow::Continue(())
    };
    let spec = Spec::new(method, 10).solver(solver).init(Init::Random).as_published().max_iter(10).tol(0.0);
    let request = spec.on(x).observe(&mut observer).threads(1);
    if let Some(start) = start { request.start(start) } else { request }.fit().unwrap();
    calls[9] - calls[1]
}
