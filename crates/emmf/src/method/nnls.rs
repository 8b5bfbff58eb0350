//! Nonnegative least squares, exactly: min ½·a·G·aᵀ − p·aᵀ over a ≥ 0 by block principal pivoting
//! (Kim and Park 2011), in double precision whatever the type of the data.
//!
//! The answer is a function of G and p alone, not of a start, so the coefficients of a sample do not
//! depend on when and with which others they are asked for. Sweeps of coordinate descent, side by side for many
//! samples, guess which coordinates are free; a sample then needs few solves, each of m³/6 multiplications for m
//! free coordinates.

use super::hals::{Coordinates, move_rows};
use crate::cancel::Deadline;
use crate::data::dot_f64;
use crate::data::vectorized;
use crate::matrix::Mat;

/// Exchanges of blocks that may fail to bring progress before the slow and sure way is taken.
const PATIENCE: usize = 3;
/// A pivot below this share of its diagonal entry means: linearly dependent on the others.
const DEPENDENT: f64 = 1e-12;
/// Sweeps of coordinate descent that guess which coordinates are free.
const SWEEPS: usize = 30;
/// A slope below this share of the largest one is rounding.
const FLAT: f64 = 1e-12;
/// A centroid below this share of the longest one counts as zero: its coefficient might overflow.
const SHORT: f64 = 1e-30;

/// What a coordinate is doing.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// Held at zero.
    Zero,
    /// Solved for.
    Free,
    /// Was to be free, but depends linearly on others that are.
    Dependent,
}

/// The problem for one G and any number of p.
pub(crate) struct Nnls {
    /// G in terms of centroids of unit length, so that their own lengths do not matter.
    g: Mat<f64>,
    /// What makes each centroid of unit length.
    units: Vec<f64>,
}

/// Room to solve in, to be used again.
pub(crate) struct Room {
    /// P in terms of centroids of unit length, and as much for the sweeps.
    p: Vec<f64>,
    sweeps: Vec<f64>,
    support: Support,
}

/// One row: ½·a·G·aᵀ − p·aᵀ.
struct Row<'a> {
    g: &'a Mat<f64>,
    p: &'a [f64],
    /// Slopes up to this one are rounding.
    flat: f64,
}

/// Which coordinates of a row are free, and room to solve for them.
struct Support {
    roles: Vec<Role>,
    free: Vec<usize>,
    /// p − a·G.
    slopes: Vec<f64>,
    /// G and p of the free coordinates, being eliminated, and the solution.
    system: Vec<f64>,
    solution: Vec<f64>,
    /// A row to come.
    next: Vec<f64>,
}

impl Nnls {
    pub(crate) fn new(g: &Mat<f64>) -> Self {
        let lengths: Vec<f64> = (0..g.cols()).map(|k| g[(k, k)].sqrt()).collect();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let unit = |length: &f64| if *length > SHORT * longest { 1.0 / length } else { 0.0 };
        let units: Vec<f64> = lengths.iter().map(unit).collect();
        Self { g: Mat::from_fn(g.rows(), g.cols(), |k, l| g[(k, l)] * units[k] * units[l]), units }
    }

    /// Room for so many rows at a time.
    pub(crate) fn room(&self, rows: usize) -> Room {
        let c = self.units.len();
        let [p, sweeps] = [rows, rows].map(|rows| vec![0.0; rows * c]);
        let [slopes, solution, next] = [c, c, c].map(|c| vec![0.0; c]);
        let (roles, free, system) = (vec![Role::Zero; c], Vec::with_capacity(c), vec![0.0; c * (c + 1)]);
        Room { p, sweeps, support: Support { roles, free, slopes, system, solution, next } }
    }

    /// Minimises ½·a·G·aᵀ − p·aᵀ over a ≥ 0.
    pub(crate) fn solve(&self, p: &[f64]) -> Vec<f64> {
        let mut a = vec![0.0; p.len()];
        self.solve_rows(p, &mut a, &mut self.room(1));
        a
    }

    /// Does so for each of the rows of `p` and `a`. A row does not depend on the others.
    pub(crate) fn solve_rows(&self, p: &[f64], a: &mut [f64], room: &mut Room) {
        let c = self.units.len();
        if c == 0 {
            return;
        }
        let Room { p: scaled, sweeps, support } = room;
        let scaled = &mut scaled[..p.len()];
        scaled.copy_from_slice(p);
        scaled.chunks_exact_mut(c).for_each(|p| self.rescale(p));
        a.fill(0.0);
        move_rows(
            a,
            scaled,
            &self.g,
            &Coordinates { free: 0..c, sweeps: SWEEPS, deadline: Deadline::default() },
            sweeps,
        );
        vectorized!({
            for (a, p) in a.chunks_exact_mut(c).zip(scaled.chunks_exact(c)) {
                let flat = FLAT * p.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                let row = Row { g: &self.g, p, flat };
                if !support.pivot_blocks(&row, a) {
                    support.grow(&row, a);
                }
                a.iter_mut().for_each(|a| *a = a.max(0.0));
                self.rescale(a);
            }
        });
    }

    /// Between given centroids and such of unit length: the same factors for p one way and a the other.
    #[inline(always)]
    fn rescale(&self, row: &mut [f64]) {
        row.iter_mut().zip(&self.units).for_each(|(x, unit)| *x *= unit);
    }
}

impl Support {
    /// From a guess of `a`, exchanges all coordinates at once that are free and negative, or zero with a slope.
    /// Nearly always ends after a few solves; `false` where it makes no progress.
    #[inline(always)]
    fn pivot_blocks(&mut self, row: &Row<'_>, a: &mut [f64]) -> bool {
        let role = |a: &f64| if *a > 0.0 { Role::Free } else { Role::Zero };
        self.roles.iter_mut().zip(&*a).for_each(|(to, a)| *to = role(a));
        let (mut fewest, mut patience) = (a.len() + 1, PATIENCE);
        loop {
            self.solve(row, a);
            self.find_slopes(row, a);
            let wrong = self.exchange(row, a);
            if wrong == 0 {
                return true;
            }
            if wrong < fewest {
                (fewest, patience) = (wrong, PATIENCE);
            } else if patience > 0 {
                patience -= 1;
            } else {
                return false;
            }
        }
    }

    /// Turns the role of every coordinate that has the wrong one; returns how many there are.
    #[inline(always)]
    fn exchange(&mut self, row: &Row<'_>, a: &[f64]) -> usize {
        let mut wrong = 0;
        for ((role, &a), &slope) in self.roles.iter_mut().zip(a).zip(&self.slopes) {
            let (right, is_wrong) = match role {
                Role::Free => (Role::Zero, a < 0.0),
                Role::Zero => (Role::Free, slope > row.flat),
                Role::Dependent => (Role::Zero, false),
            };
            if is_wrong || *role == Role::Dependent {
                *role = right;
            }
            wrong += usize::from(is_wrong);
        }
        wrong
    }

    /// Lawson and Hanson 1974: one coordinate more at a time, the steepest, never leaving a ≥ 0. Every step
    /// descends, also where centroids depend on each other.
    fn grow(&mut self, row: &Row<'_>, a: &mut [f64]) {
        self.roles.fill(Role::Zero);
        a.fill(0.0);
        let mut next = std::mem::take(&mut self.next);
        // The bound only guards against rounding that makes it cycle.
        for _ in 0..10 + 10 * a.len() {
            self.find_slopes(row, a);
            let idle = (0..a.len()).filter(|&k| self.roles[k] == Role::Zero).map(|k| (self.slopes[k], k));
            let Some((steepest, k)) = idle.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            if steepest <= row.flat {
                break;
            }
            self.roles[k] = Role::Free;
            self.solve(row, &mut next);
            if next[k] <= 0.0 {
                // Too close to the others to gain anything.
                self.roles[k] = Role::Dependent;
                continue;
            }
            let dependent = self.roles.iter_mut().filter(|role| **role == Role::Dependent);
            dependent.for_each(|role| *role = Role::Zero);
            self.stay_inside(row, a, &mut next);
            a.copy_from_slice(&next);
        }
        self.next = next;
    }

    /// Goes from `a` towards `next` as far as a ≥ 0 allows, drops the coordinate that is zero there, and so on until
    /// the solution is positive.
    fn stay_inside(&mut self, row: &Row<'_>, a: &mut [f64], next: &mut [f64]) {
        loop {
            let leaving = (0..a.len()).filter(|&k| self.roles[k] == Role::Free && next[k] <= 0.0);
            let reach = leaving.map(|k| (a[k] / (a[k] - next[k]).max(f64::MIN_POSITIVE), k));
            let Some((reach, first)) = reach.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            a.iter_mut().zip(&*next).for_each(|(a, next)| *a = (*a + reach * (next - *a)).max(0.0));
            (a[first], self.roles[first]) = (0.0, Role::Zero);
            self.solve(row, next);
        }
    }

    /// ∂/∂a, downwards: p − a·G.
    #[inline(always)]
    fn find_slopes(&mut self, row: &Row<'_>, a: &[f64]) {
        self.slopes.copy_from_slice(row.p);
        for (k, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            subtract(&mut self.slopes, a, row.g.row(k));
        }
    }

    /// Solves a·G = p over the free coordinates by elimination; the others are zero.
    #[inline(always)]
    fn solve(&mut self, row: &Row<'_>, a: &mut [f64]) {
        let Self { roles, free, system, solution, .. } = self;
        free.clear();
        free.extend((0..a.len()).filter(|&k| roles[k] == Role::Free));
        let m = free.len();
        let system = &mut system[..m * (m + 1)];
        for (i, (&k, line)) in free.iter().zip(system.chunks_exact_mut(m + 1)).enumerate() {
            let g = row.g.row(k);
            line[i..m].iter_mut().zip(&free[i..]).for_each(|(entry, &l)| *entry = g[l]);
            line[m] = row.p[k];
        }
        for j in 0..m {
            let (above, below) = system.split_at_mut((j + 1) * (m + 1));
            let top = &above[j * (m + 1)..];
            if top[j] <= DEPENDENT {
                roles[free[j]] = Role::Dependent;
                continue;
            }
            let inverse = 1.0 / top[j];
            for (i, line) in (j + 1..m).zip(below.chunks_exact_mut(m + 1)) {
                subtract(&mut line[i..], top[i] * inverse, &top[i..]);
            }
        }
        a.fill(0.0);
        for (j, line) in system.chunks_exact(m + 1).enumerate().rev() {
            let k = free[j];
            solution[j] = 0.0;
            if roles[k] == Role::Free {
                solution[j] = (line[m] - dot_f64(&line[j + 1..m], &solution[j + 1..m])) / line[j];
                a[k] = solution[j];
            }
        }
    }
}

/// `out` −= `factor`·`row`.
#[inline(always)]
fn subtract(out: &mut [f64], factor: f64, row: &[f64]) {
    out.iter_mut().zip(row).for_each(|(out, value)| *out -= factor * value);
}
