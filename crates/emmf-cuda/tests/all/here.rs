//! An engine in this memory, slow and plain: what the side asks of a card, by the definitions.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use emmf::data::Dense;
use emmf::init::Start;
use emmf::loss::{LossSpec, Stats};
use emmf::method::Update;
use emmf::method::side::{Column, Movement, Place, Pull, Sweep, Weighed};
use emmf::{Error, Factors, Mat, Result};
use emmf_cuda::Engine;

/// Samples of a chunk: few, so that there are several.
const CHUNK: usize = 16;

pub(crate) struct Here {
    pub(crate) x: Mat<f64>,
    pub(crate) norms_sq: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) place: Place,
    pub(crate) fetches: bool,
    /// Whether nothing is to be had any more.
    pub(crate) is_lost: AtomicBool,
}

pub(crate) struct State {
    v: Mat<f64>,
    ahead: Option<Mat<f64>>,
    before: Option<Mat<f64>>,
    r: Vec<f64>,
    weights: Vec<f64>,
    q: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Here {
    pub(crate) fn new(x: Mat<f64>, weights: Vec<f64>, place: Place) -> Self {
        let norms_sq = (0..x.rows()).map(|i| dot(x.row(i), x.row(i))).collect();
        Self { x, norms_sq, weights, place, fetches: true, is_lost: AtomicBool::new(false) }
    }

    fn intact(&self) -> Result<()> {
        let lost = || Error::Device { device: "cuda:0".into(), why: "it was lost".into() };
        if self.is_lost.load(Ordering::Relaxed) { Err(lost()) } else { Ok(()) }
    }

    fn chunks<S>(&self, sum: impl Fn(Range<usize>) -> S) -> Vec<S> {
        let (n, part) = (self.place.count, self.place.rows_per_part());
        let mut found = Vec::new();
        for first in (0..n).step_by(part) {
            for begin in (first..(first + part).min(n)).step_by(CHUNK) {
                found.push(sum(begin..(begin + CHUNK).min(first + part).min(n)));
            }
        }
        found
    }

    fn residual(&self, i: usize, u: &Mat<f64>, v: &[f64]) -> f64 {
        (0..u.rows()).map(|j| (self.x[(i, j)] - dot(u.row(j), v)).powi(2)).sum()
    }

    fn projected(&self, i: usize, u: &Mat<f64>) -> Vec<f64> {
        (0..u.cols()).map(|k| (0..u.rows()).map(|j| self.x[(i, j)] * u[(j, k)]).sum()).collect()
    }

    fn state(&self, v: Mat<f64>) -> State {
        let n = self.place.count;
        State { v, ahead: None, before: None, r: vec![0.0; n], weights: vec![0.0; n], q: vec![1.0; n] }
    }
}

fn move_row(v: &mut [f64], p: &[f64], g: &Mat<f64>, update: Update) {
    match update {
        Update::Multiplicative { exponent } => {
            let fitted: Vec<f64> = (0..v.len()).map(|k| dot(g.row(k), v)).collect();
            for ((v, p), fitted) in v.iter_mut().zip(p).zip(fitted) {
                *v *= if fitted > 0.0 { (p / fitted).powf(exponent) } else { 1.0 };
            }
        }
        Update::Hals { sweeps, .. } => {
            for _ in 0..sweeps {
                for k in 0..v.len() {
                    let slope = p[k] - dot(g.row(k), v);
                    if g[(k, k)] > 0.0 {
                        v[k] = (v[k] + slope / g[(k, k)]).max(0.0);
                    }
                }
            }
        }
        _ => unreachable!("no other rule"),
    }
}

impl Engine<f64> for Here {
    type State = State;

    fn place(&self) -> &Place {
        &self.place
    }

    fn features(&self) -> usize {
        self.x.cols()
    }

    fn norms_sq(&self) -> &[f64] {
        &self.norms_sq
    }

    fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn chunk(&self) -> usize {
        CHUNK
    }

    fn factors(&self, start: &mut Start<'_, f64>) -> Result<Factors<f64>> {
        start.factors(&Dense::new(self.x.view(), None))
    }

    fn fetches(&self) -> bool {
        self.fetches
    }

    fn begin(&self, v: &Mat<f64>) -> Result<State> {
        Ok(self.state(v.clone()))
    }

    fn begin_at(&self, labels: &[i32], clusters: usize) -> Result<State> {
        let entry = |i: usize, k: usize| if labels[i] as usize == k { 1.2 } else { 0.2 };
        Ok(self.state(Mat::from_fn(labels.len(), clusters, entry)))
    }

    fn nearest(&self, points: &Mat<f64>) -> Result<(Vec<i32>, Vec<f64>)> {
        let lengths: Vec<f64> =
            (0..points.cols()).map(|k| (0..points.rows()).map(|j| points[(j, k)].powi(2)).sum()).collect();
        let nearest = |i: usize| {
            let products = self.projected(i, points);
            let apart = |k: usize| (self.norms_sq[i] + lengths[k] - 2.0 * products[k]).max(0.0);
            let best = (0..points.cols()).fold(0, |best, k| if apart(k) < apart(best) { k } else { best });
            (best as i32, apart(best))
        };
        Ok((0..self.place.count).map(nearest).unzip())
    }

    fn cluster_sums(&self, labels: &[i32], clusters: usize, nodes: &[Range<usize>]) -> Result<Vec<Mat<f64>>> {
        let sum = |rows: &Range<usize>| {
            let mut sums = Mat::zeros(self.x.cols(), clusters);
            for i in rows.clone() {
                for j in 0..self.x.cols() {
                    sums[(j, labels[i] as usize)] += self.weights[i] * self.x[(i, j)];
                }
            }
            sums
        };
        Ok(nodes.iter().map(sum).collect())
    }

    fn rows(&self, samples: &[usize]) -> Result<Mat<f64>> {
        Ok(Mat::from_fn(samples.len(), self.x.cols(), |at, j| self.x[(samples[at], j)]))
    }

    fn sweep(&self, state: &mut State, u: &Mat<f64>, g: &Mat<f64>, sweep: &Sweep) -> Result<Vec<Stats>> {
        self.intact()?;
        for i in 0..self.place.count {
            if let Some(update) = sweep.update {
                move_row(state.v.row_mut(i), &self.projected(i, u), g, update);
            }
            state.r[i] = (self.residual(i, u, state.v.row(i)) + sweep.smoothing).sqrt();
        }
        self.stats(state)
    }

    fn stats(&self, state: &mut State) -> Result<Vec<Stats>> {
        Ok(self.chunks(|rows| Stats::of(&state.r[rows.clone()], &self.weights[rows])))
    }

    fn weigh(&self, state: &mut State, loss: LossSpec, stats: &Stats) -> Result<Option<Vec<Weighed>>> {
        // One loss is not known here, as one of somebody's own is not on a card.
        if loss == LossSpec::L21 {
            return Ok(None);
        }
        let loss = loss.make();
        for i in 0..self.place.count {
            state.weights[i] = self.weights[i] * loss.at(state.r[i], stats).1;
        }
        let weighed = |rows: Range<usize>| Weighed {
            objective: rows.clone().map(|i| self.weights[i] * loss.at(state.r[i], stats).0).sum(),
            largest: rows.map(|i| state.weights[i]).fold(0.0, f64::max),
        };
        Ok(Some(self.chunks(weighed)))
    }

    fn pull(&self, state: &mut State, scale: Option<f64>, nodes: &[Range<usize>]) -> Result<Vec<Pull<f64>>> {
        if let Some(scale) = scale {
            state.q = state.weights.iter().map(|weight| scale * weight).collect();
        }
        let State { v, q, .. } = state;
        let pull = |rows: &Range<usize>| {
            let sum = |left: &dyn Fn(usize) -> f64, k: usize| {
                rows.clone().map(|i| left(i) * q[i] * v[(i, k)]).sum()
            };
            let p = Mat::from_fn(self.x.cols(), v.cols(), |j, k| sum(&|i| self.x[(i, j)], k));
            let g = Mat::from_fn(v.cols(), v.cols(), |l, k| sum(&|i| v[(i, l)], k));
            Pull { p, g }
        };
        Ok(nodes.iter().map(pull).collect())
    }

    fn keep_ahead(&self, state: &mut State) -> Result<()> {
        state.ahead.get_or_insert_with(|| state.v.clone());
        Ok(())
    }

    fn swap(&self, state: &mut State) {
        if let Some(ahead) = &mut state.ahead {
            std::mem::swap(ahead, &mut state.v);
        }
    }

    fn forget_ahead(&self, state: &mut State) -> Result<()> {
        state.ahead = Some(state.v.clone());
        Ok(())
    }

    fn go_on(&self, state: &mut State, share: f64) -> Result<()> {
        let State { v, ahead, .. } = state;
        if let Some(ahead) = ahead {
            let entries = ahead.as_mut_slice().iter_mut().zip(v.as_slice());
            entries.for_each(|(ahead, v)| *ahead = (v + share * (v - *ahead)).max(0.0));
        }
        Ok(())
    }

    fn movement(&self, state: &mut State) -> Result<Vec<Movement>> {
        let before = state.before.take().unwrap_or_else(|| state.v.clone());
        let v = &state.v;
        let moved = |rows: Range<usize>| {
            let apart =
                |i: usize| before.row(i).iter().zip(v.row(i)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            Movement {
                moved: rows.clone().map(apart).sum(),
                length: rows.map(|i| dot(v.row(i), v.row(i))).sum(),
            }
        };
        let found = self.chunks(moved);
        state.before = Some(state.v.clone());
        Ok(found)
    }

    fn largest(&self, state: &mut State, lengths: &[f64]) -> Result<Vec<usize>> {
        let value = |i: usize, k: usize| state.v[(i, k)] * lengths[k];
        let best = |i: usize| {
            (1..lengths.len()).fold(0, |best, k| if value(i, k) > value(i, best) { k } else { best })
        };
        Ok((0..self.place.count).map(best).collect())
    }

    fn project_exactly(&self, u: &Mat<f64>, rows: Range<usize>) -> Result<Vec<f64>> {
        Ok(rows.flat_map(|i| self.projected(i, u)).collect())
    }

    fn by_definition(&self, state: &mut State, u: &Mat<f64>, residuals: &mut Vec<f64>) -> Result<()> {
        for (i, r) in residuals.iter_mut().enumerate().filter(|(_, r)| **r < 0.0) {
            *r = self.residual(i, u, state.v.row(i)).sqrt();
        }
        Ok(())
    }

    fn column(&self, state: &State, what: Column) -> Result<Vec<f64>> {
        self.intact()?;
        Ok(match what {
            Column::Coefficients => state.v.as_slice().to_vec(),
            Column::Ahead => state.ahead.as_ref().map_or(Vec::new(), |ahead| ahead.as_slice().to_vec()),
            Column::Residuals => state.r.clone(),
            Column::Weights => state.weights.clone(),
            _ => unreachable!("the side answers"),
        })
    }

    fn set_column(&self, state: &mut State, what: Column, values: &[f64]) -> Result<()> {
        match what {
            Column::Coefficients => state.v.as_mut_slice().copy_from_slice(values),
            Column::Ahead => {
                state.ahead.iter_mut().for_each(|ahead| ahead.as_mut_slice().copy_from_slice(values));
            }
            Column::Residuals => state.r.copy_from_slice(values),
            Column::Weights => state.weights.copy_from_slice(values),
            _ => unreachable!("the side refuses"),
        }
        Ok(())
    }

    fn coefficients(&self, state: &State) -> Result<Mat<f64>> {
        Ok(state.v.clone())
    }

    fn set_rows(&self, state: &mut State, rows: Range<usize>, v: &[f64]) -> Result<()> {
        let c = state.v.cols();
        state.v.as_mut_slice()[rows.start * c..rows.end * c].copy_from_slice(v);
        Ok(())
    }
}
