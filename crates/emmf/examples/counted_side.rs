//! A sample side of your own: it passes every order on and counts them. A GPU or a cluster would obey them itself.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::sync::atomic::{AtomicUsize, Ordering};

use emmf::init::Start;
use emmf::loss::{Loss, Stats};
use emmf::method::SampleSide;
use emmf::method::side::{
    Column, Draw, Finish, Lengths, Look, Movement, Near, Pull, Rows, Shift, Sweep, Tall, Tree, Weighed,
    in_shards,
};
use emmf::{Given, Mat, Outliers, Result, Samples, Spec, synth};

/// Passes orders on to `inner`. `Box<dyn SampleSide>` is a sample side, too.
struct Counted<'a, S> {
    inner: S,
    sweeps: &'a AtomicUsize,
    pulls: &'a AtomicUsize,
}

impl<S: SampleSide<f64>> SampleSide<f64> for Counted<'_, S> {
    fn sweep(&mut self, u: &Mat<f64>, g: &Mat<f64>, sweep: &Sweep, out: &mut Tree<Stats>) -> Result<()> {
        self.sweeps.fetch_add(1, Ordering::Relaxed);
        self.inner.sweep(u, g, sweep, out)
    }

    fn pull(&mut self, scale: Option<f64>, out: &mut Tree<Pull<f64>>) -> Result<()> {
        self.pulls.fetch_add(1, Ordering::Relaxed);
        self.inner.pull(scale, out)
    }

    fn another(&self) -> Result<Box<dyn SampleSide<f64> + '_>> {
        let (sweeps, pulls) = (self.sweeps, self.pulls);
        Ok(Box::new(Counted { inner: self.inner.another()?, sweeps, pulls }))
    }

    fn shape(&self) -> (usize, usize) {
        self.inner.shape()
    }

    fn lengths(&self, out: &mut Tree<Lengths>) -> Result<()> {
        self.inner.lengths(out)
    }

    fn start(&mut self, start: &mut Start<'_, f64>) -> Result<Mat<f64>> {
        self.inner.start(start)
    }

    fn begin(&mut self, v: Mat<f64>) -> Result<()> {
        self.inner.begin(v)
    }

    fn begin_nearest(&mut self, centroids: &Mat<f64>) -> Result<()> {
        self.inner.begin_nearest(centroids)
    }

    fn nearest(&mut self, points: &Mat<f64>, look: Look, out: &mut Tree<Near<f64>>) -> Result<()> {
        self.inner.nearest(points, look, out)
    }

    fn drawn(&self, draw: &Draw) -> Result<Mat<f64>> {
        self.inner.drawn(draw)
    }

    fn rows(&self, samples: &[usize]) -> Result<Rows<f64>> {
        self.inner.rows(samples)
    }

    fn weigh(&mut self, loss: &dyn Loss, stats: &Stats, out: &mut Tree<Weighed>) -> Result<()> {
        self.inner.weigh(loss, stats, out)
    }

    fn shift(&mut self, shift: Shift) -> Result<()> {
        self.inner.shift(shift)
    }

    fn movement(&mut self, out: &mut Tree<Movement>) -> Result<()> {
        self.inner.movement(out)
    }

    fn finish(&mut self, u: &Mat<f64>, finish: &Finish, out: &mut Tree<Stats>) -> Result<()> {
        self.inner.finish(u, finish, out)
    }

    fn column(&self, what: Column) -> Result<Vec<f64>> {
        self.inner.column(what)
    }

    fn set_column(&mut self, what: Column, values: &[f64]) -> Result<()> {
        self.inner.set_column(what, values)
    }

    fn into_tall(self: Box<Self>) -> Result<Tall<f64>> {
        Box::new(self.inner).into_tall()
    }
}

fn main() -> Result<()> {
    let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
    let (sweeps, pulls) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let spec = Spec::emmf(3).outliers(Outliers::Keep).max_iter(100);
    let weights = vec![1.0; data.x.rows()];
    let fit = in_shards(&Samples::from(&data.x), &weights, 3, |shards| {
        let side = Counted { inner: shards.another()?, sweeps: &sweeps, pulls: &pulls };
        spec.fit_side(&side, Given::default())
    })?;
    println!("{} iterations in three shards: {sweeps:?} sweeps and {pulls:?} pulls", fit.trace.len());
    assert_eq!((sweeps.into_inner(), pulls.into_inner()), (101, 100));
    Ok(())
}

#[test]
fn works() -> emmf::Result<()> {
    main()
}
