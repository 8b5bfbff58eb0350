//! The sample side over an [`Engine`]: orders become work there, and sums come back as trees over the parts of the samples.

use std::ops::Range;
use std::sync::Arc;

use emmf::init::Start;
use emmf::loss::{Loss, Stats};
use emmf::method::SampleSide;
use emmf::method::side::{
    self, Column, Draw, Finish, Lengths, Look, Movement, Near, Node, Place, Pull, Recode, Rows, Shift,
    Summand, Sweep, Tall, Tree, Weighed,
};
use emmf::{Error, Init, LabelRule, Mat, Real, Result};

use crate::engine::Engine;
use crate::sums::{added, inertia, summed, tree_of, weigh_here};

/// Samples that are coded at a time.
pub(crate) const CODED: usize = 1 << 16;

/// Samples and V on an engine.
pub struct Side<T: Real, E: Engine<T>> {
    engine: Arc<E>,
    state: Option<E::State>,
    /// The nearest point of every sample so far, and how far it is.
    near: Option<(Vec<i32>, Vec<f64>)>,
    labels: Vec<usize>,
    residuals: Vec<f64>,
}

impl<T: Real, E: Engine<T>> std::fmt::Debug for Side<T, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Side").finish_non_exhaustive()
    }
}

impl<T: Real, E: Engine<T>> Side<T, E> {
    /// The samples of this engine.
    pub fn new(engine: Arc<E>) -> Self {
        Self { engine, state: None, near: None, labels: Vec::new(), residuals: Vec::new() }
    }

    fn state(&mut self) -> Result<&mut E::State> {
        self.state.as_mut().ok_or_else(not_begun)
    }

    fn nodes(&self) -> (Vec<Node>, Vec<Range<usize>>) {
        self.engine.place().nodes().unzip()
    }

    /// The sums of chunks, in the order of the samples, as a tree.
    fn fill<S: Summand + Copy>(&self, chunks: &[S], out: &mut Tree<S>) {
        let (place, chunk) = (self.engine.place(), self.engine.chunk());
        let part = place.rows_per_part().max(1);
        let per_part = part.div_ceil(chunk);
        for (node, rows) in place.nodes() {
            let sum_of = |at: usize| summed(&chunks[at * per_part..chunks.len().min((at + 1) * per_part)]);
            let parts: Vec<S> = (rows.start / part..rows.end.div_ceil(part)).filter_map(sum_of).collect();
            *out.fill(node) = tree_of(parts);
        }
    }

    /// Codes V anew where that is wanted, and the residuals then.
    fn recode(&mut self, u: &Mat<T>, finish: &Finish) -> Result<Vec<f64>> {
        let (c, coder, engine) = (u.cols(), Recode::new(u), self.engine.clone());
        let n = engine.place().count;
        let v = engine.coefficients(self.state()?)?;
        let mut residuals = vec![0.0; n];
        for first in (0..n).step_by(CODED) {
            let rows = first..(first + CODED).min(n);
            let p = engine.project_exactly(u, rows.clone())?;
            let mut v = v.as_slice()[rows.start * c..rows.end * c].to_vec();
            if finish.polish && !finish.is_over() {
                coder.solve(&p, &mut v);
                engine.set_rows(self.state()?, rows.clone(), &v)?;
            }
            coder.residuals(&p, &v, &engine.norms_sq()[rows.clone()], &mut residuals[rows]);
        }
        engine.by_definition(self.state()?, u, &mut residuals)?;
        Ok(residuals)
    }
}

fn not_begun() -> Error {
    Error::param("the samples", "not begun", "given coefficients before")
}

/// ‖uₖ‖, or 1 where the rule does not ask for them.
fn lengths_of<T: Real>(u: &Mat<T>, rule: LabelRule) -> Vec<f64> {
    let mut lengths = vec![1.0; u.cols()];
    if rule == LabelRule::Unit {
        for (k, length) in lengths.iter_mut().enumerate() {
            *length = (0..u.rows()).map(|j| u[(j, k)].to_f64().powi(2)).sum::<f64>().sqrt();
        }
    }
    lengths
}

impl<T: Real, E: Engine<T>> SampleSide<T> for Side<T, E> {
    fn shape(&self) -> (usize, usize) {
        (self.engine.place().total, self.engine.features())
    }

    fn another(&self) -> Result<Box<dyn SampleSide<T> + '_>> {
        Ok(Box::new(Side::new(self.engine.clone())))
    }

    fn lengths(&self, out: &mut Tree<Lengths>) -> Result<()> {
        let place = self.engine.place();
        let (part, chunk) = (place.rows_per_part().max(1), self.engine.chunk());
        let (norms_sq, weights) = (self.engine.norms_sq(), self.engine.weights());
        let mut chunks = Vec::new();
        for (norms_sq, weights) in norms_sq.chunks(part).zip(weights.chunks(part)) {
            for (norms_sq, weights) in norms_sq.chunks(chunk).zip(weights.chunks(chunk)) {
                let of_one = |(norm_sq, &s): (&f64, &f64)| {
                    let length = norm_sq.sqrt();
                    Lengths { n: s, sum: s * length, longest: length }
                };
                chunks.extend(norms_sq.iter().zip(weights).map(of_one).reduce(added));
            }
        }
        self.fill(&chunks, out);
        Ok(())
    }

    fn start(&mut self, start: &mut Start<'_, T>) -> Result<Mat<T>> {
        let engine = self.engine.clone();
        // Up to as many samples as k-means would fetch it is that of samples in this memory, bit for bit.
        let elsewhere = match start.init() {
            Init::Kmeans | Init::Trimmed => engine.fetches() && !start.sees_all(engine.place().count),
            init => init == Init::KmeansParallel,
        };
        if elsewhere || start.given().is_some() {
            return side::start(self, start);
        }
        let factors = start.with_weights(engine.weights(), |start| engine.factors(start))?;
        self.begin(factors.v)?;
        Ok(factors.u)
    }

    fn begin(&mut self, v: Mat<T>) -> Result<()> {
        (self.state, self.near) = (None, None);
        self.state = Some(self.engine.begin(&v)?);
        Ok(())
    }

    fn begin_nearest(&mut self, centroids: &Mat<T>) -> Result<()> {
        (self.state, self.near) = (None, None);
        let (labels, _) = self.engine.nearest(centroids)?;
        self.state = Some(self.engine.begin_at(&labels, centroids.cols())?);
        Ok(())
    }

    fn nearest(&mut self, points: &Mat<T>, look: Look, out: &mut Tree<Near<T>>) -> Result<()> {
        let engine = self.engine.clone();
        let n = engine.place().count;
        if points.rows() != engine.features() {
            let want = (engine.features(), points.cols());
            return Err(Error::Shape { what: "the points", got: points.shape(), want });
        }
        if look.before == 0 {
            let far = if points.cols() == 0 { 1.0 } else { f64::INFINITY };
            self.near = Some((vec![0; n], vec![far; n]));
        } else if look.sums {
            return Err(Error::param("the sums", "wanted", "of points that are measured at once"));
        }
        let (labels, distances) = self.near.as_mut().ok_or_else(not_measured)?;
        if points.cols() > 0 && n > 0 {
            let (near, apart) = engine.nearest(points)?;
            let before = i32::try_from(look.before).map_err(|_| not_measured())?;
            let found = near.into_iter().zip(apart).zip(labels.iter_mut().zip(distances.iter_mut()));
            for ((near, apart), (label, distance)) in found {
                if apart < *distance {
                    (*label, *distance) = (before + near, apart);
                }
            }
        }
        let (nodes, ranges) = self.nodes();
        let (labels, distances) = self.near.as_ref().ok_or_else(not_measured)?;
        let count = look.before + points.cols();
        let mut sums = if look.sums {
            engine.cluster_sums(labels, count, &ranges)?.into_iter()
        } else {
            Vec::new().into_iter()
        };
        for (node, rows) in nodes.into_iter().zip(ranges) {
            let (inertia, counts) =
                inertia((labels, distances), engine.weights(), rows, (engine.place(), count));
            *out.fill(node) = Some(Near::new(inertia, counts, sums.next()));
        }
        Ok(())
    }

    fn drawn(&self, draw: &Draw) -> Result<Mat<T>> {
        let (_, distances) = self.near.as_ref().ok_or_else(not_measured)?;
        let (first, weights) = (self.engine.place().first, self.engine.weights());
        let is_drawn = |i: &usize| draw.lot(first + i) < draw.chance * weights[*i] * distances[*i];
        self.engine.rows(&(0..distances.len()).filter(is_drawn).collect::<Vec<_>>())
    }

    fn rows(&self, samples: &[usize]) -> Result<Rows<T>> {
        let Place { first, count, .. } = *self.engine.place();
        if let Some(i) = samples.iter().find(|&&i| !(first..first + count).contains(&i)) {
            return Err(Error::param("row", i, format!("one of {first} to {}", first + count)));
        }
        let here: Vec<usize> = samples.iter().map(|i| i - first).collect();
        Ok(Rows::Dense(self.engine.rows(&here)?))
    }

    fn sweep(&mut self, u: &Mat<T>, g: &Mat<T>, sweep: &Sweep, out: &mut Tree<Stats>) -> Result<()> {
        let engine = self.engine.clone();
        let chunks = engine.sweep(self.state()?, u, g, sweep)?;
        self.fill(&chunks, out);
        Ok(())
    }

    fn weigh(&mut self, loss: &dyn Loss, stats: &Stats, out: &mut Tree<Weighed>) -> Result<()> {
        let engine = self.engine.clone();
        let state = self.state()?;
        let known = loss.spec().map_or(Ok(None), |loss| engine.weigh(state, loss, stats))?;
        let chunks = if let Some(chunks) = known {
            chunks
        } else {
            // A loss of somebody's own: the residuals come down and the weights go up.
            let r = engine.column(state, Column::Residuals)?;
            let mut weights = vec![0.0; r.len()];
            let cut = (engine.place(), engine.chunk());
            let chunks = weigh_here((loss, stats), &r, engine.weights(), &mut weights, cut);
            engine.set_column(state, Column::Weights, &weights)?;
            chunks
        };
        self.fill(&chunks, out);
        Ok(())
    }

    fn pull(&mut self, scale: Option<f64>, out: &mut Tree<Pull<T>>) -> Result<()> {
        let (engine, (nodes, ranges)) = (self.engine.clone(), self.nodes());
        let pulls = engine.pull(self.state()?, scale, &ranges)?;
        nodes.into_iter().zip(pulls).for_each(|(node, pull)| *out.fill(node) = Some(pull));
        Ok(())
    }

    fn shift(&mut self, shift: Shift) -> Result<()> {
        let engine = self.engine.clone();
        let state = self.state()?;
        engine.keep_ahead(state)?;
        match shift {
            Shift::Begin => {}
            Shift::Swap => engine.swap(state),
            Shift::Back => {
                engine.swap(state);
                engine.forget_ahead(state)?;
            }
            Shift::Extrapolate(share) => engine.go_on(state, share)?,
            other => return Err(Error::param("the shift", format!("{other:?}"), "one that this side knows")),
        }
        Ok(())
    }

    fn movement(&mut self, out: &mut Tree<Movement>) -> Result<()> {
        let engine = self.engine.clone();
        let chunks = engine.movement(self.state()?)?;
        self.fill(&chunks, out);
        Ok(())
    }

    fn finish(&mut self, u: &Mat<T>, finish: &Finish, out: &mut Tree<Stats>) -> Result<()> {
        let engine = self.engine.clone();
        self.labels = engine.largest(self.state()?, &lengths_of(u, finish.labels))?;
        self.residuals = self.recode(u, finish)?;
        let smoothed: Vec<f64> = self.residuals.iter().map(|r| (r * r + finish.smoothing).sqrt()).collect();
        engine.set_column(self.state()?, Column::Residuals, &smoothed)?;
        let chunks = engine.stats(self.state()?)?;
        self.fill(&chunks, out);
        Ok(())
    }

    fn column(&self, what: Column) -> Result<Vec<f64>> {
        match (&self.state, what) {
            (_, Column::SampleWeights) => Ok(self.engine.weights().to_vec()),
            (Some(state), _) => self.engine.column(state, what),
            (None, _) => Err(not_begun()),
        }
    }

    fn set_column(&mut self, what: Column, values: &[f64]) -> Result<()> {
        if what == Column::SampleWeights {
            return Err(Error::param("the column", "sample weights", "one that iterations change"));
        }
        let engine = self.engine.clone();
        engine.set_column(self.state()?, what, values)
    }

    fn into_tall(mut self: Box<Self>) -> Result<Tall<T>> {
        let engine = self.engine.clone();
        let v = engine.coefficients(self.state()?)?;
        let weights = engine.column(self.state()?, Column::Weights)?;
        Ok(Tall { v, labels: self.labels, residuals: self.residuals, weights, above: Vec::new() })
    }
}

fn not_measured() -> Error {
    Error::param("the samples", "not measured", "measured against points before")
}
