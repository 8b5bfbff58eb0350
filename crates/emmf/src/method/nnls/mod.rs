//! Nonnegative least squares, exactly: min ½·a·G·aᵀ − p·aᵀ over a ≥ 0 by block principal pivoting
//! (Kim and Park 2011), in double precision whatever the type of the data.
//!
//! Every coordinate is free or zero. Which ones are decides the others: a·G = p over the free ones, and s = p − a·G are the
//! slopes of the zero ones. All coordinates with a < 0 or s > 0 change sides at once, until there are none. With H = G⁻¹ the same
//! a and s follow from s·H = p·H over the zero ones, and a = p·H − s·H. So a row is solved for whichever are fewer, in m³/6
//! multiplications with m ≤ c/2. Where all coordinates are free, a product with H is the answer; else a few sweeps of coordinate
//! descent from there guess which are. Where centroids nearly depend on each other H would lose digits; then G alone serves, and the
//! sweeps begin at zero.
//!
//! The answer is a function of G and p alone, not of a start, so the coefficients of a sample do not
//! depend on when and with which others they are asked for.

mod grow;
mod systems;

use super::hals::{Coordinates, move_rows};
use crate::data::{exact_gram, vectorized};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::{Left, Product};
use grow::Growth;
use systems::{LANES, Systems};

/// Exchanges of blocks that may fail to bring progress before the slow and sure way is taken.
const PATIENCE: usize = 3;
/// Sweeps of coordinate descent that guess which coordinates are free, from P·H, and from nothing.
const SWEEPS: usize = 6;
const SWEEPS_FROM_NOTHING: usize = 30;
/// A slope below this share of the largest one is rounding.
const FLAT: f64 = 1e-12;
/// A centroid below this share of the longest one counts as zero: its coefficient might overflow.
const SHORT: f64 = 1e-30;
/// Where this share of a centroid's squared length is not explained by others, and so of each, G may be inverted.
const APART: f64 = 1e-3;

/// What a coordinate is doing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    /// Held at zero.
    Zero,
    /// Solved for.
    Free,
    /// Was to be free, but depends linearly on others that are.
    Dependent,
}

/// The problem for one G and any number of p.
#[derive(Debug, Clone)]
pub(crate) struct Nnls {
    /// G in terms of centroids of unit length, so that their own lengths do not matter.
    g: Mat<f64>,
    /// Its inverse, where no centroid is nearly a combination of others.
    inverse: Option<Mat<f64>>,
    /// What makes each centroid of unit length.
    units: Vec<f64>,
}

/// The normal equations of centroids: what coding samples needs besides them.
#[derive(Debug, Clone)]
pub(crate) struct Normal {
    /// UᵀU.
    pub(crate) gram: Mat<f64>,
    pub(crate) nnls: Nnls,
}

impl Normal {
    pub(crate) fn new<T: Real>(u: &Mat<T>) -> Self {
        let gram = exact_gram(u);
        let nnls = Nnls::new(&gram);
        Self { gram, nnls }
    }
}

/// Room to solve in, to be used again.
pub(crate) struct Room {
    /// P in terms of centroids of unit length.
    p: Vec<f64>,
    /// P·H.
    whole: Vec<f64>,
    roles: Vec<Role>,
    progress: Vec<Progress>,
    /// Rows that are not solved yet.
    pending: Vec<usize>,
    /// For each of these the coordinates that were solved for, and their product with G or H.
    solved: Vec<f64>,
    products: Vec<f64>,
    sweeping: Vec<f64>,
    systems: Systems,
}

/// How far a row is.
#[derive(Clone, Copy)]
struct Progress {
    /// What is solved for, and how many of them there are.
    over: (Role, usize),
    /// Coordinates on the wrong side, when they were fewest.
    fewest: usize,
    patience: usize,
}

/// One of the two ways to solve: y·K = b over the coordinates of a role, where b − y·K are the others.
struct Way<'a> {
    over: Role,
    k: &'a Mat<f64>,
    b: &'a [f64],
}

impl Nnls {
    /// For many rows.
    pub(crate) fn new(g: &Mat<f64>) -> Self {
        let once = Self::once(g);
        Self { inverse: inverse(&once.g), ..once }
    }

    /// For one row.
    pub(crate) fn once(g: &Mat<f64>) -> Self {
        let lengths: Vec<f64> = (0..g.cols()).map(|k| g[(k, k)].sqrt()).collect();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let unit = |length: &f64| if *length > SHORT * longest { 1.0 / length } else { 0.0 };
        let units: Vec<f64> = lengths.iter().map(unit).collect();
        let entry = |k: usize, l: usize| g[(k, l)] * units[k] * units[l];
        // The coefficient of a centroid that counts as zero is zero by p = 0 alone.
        let scaled = |k, l| if k == l && units[k] == 0.0 { 1.0 } else { entry(k, l) };
        Self { g: Mat::from_fn(g.rows(), g.cols(), scaled), inverse: None, units }
    }

    /// Room for so many rows at a time.
    pub(crate) fn room(&self, rows: usize) -> Room {
        let c = self.units.len();
        let [p, whole, solved, products, sweeping] = [(); 5].map(|()| vec![0.0; rows * c]);
        let start = Progress { over: (Role::Zero, 0), fewest: c + 1, patience: PATIENCE };
        Room {
            p,
            whole,
            roles: vec![Role::Free; rows * c],
            progress: vec![start; rows],
            pending: Vec::with_capacity(rows),
            solved,
            products,
            sweeping,
            systems: Systems::default(),
        }
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
        let (rows, scaled) = (p.len() / c, &mut room.p[..p.len()]);
        scaled.copy_from_slice(p);
        scaled.chunks_exact_mut(c).for_each(|p| self.rescale(p));
        self.begin(a, room, rows);
        while !room.pending.is_empty() {
            self.order(room);
            vectorized!(self.solve_pending(room));
            vectorized!(self.exchange(a, room));
        }
        a.iter_mut().for_each(|a| *a = a.max(0.0));
        a.chunks_exact_mut(c).for_each(|a| self.rescale(a));
    }

    /// Between given centroids and such of unit length: the same factors for p one way and a the other.
    fn rescale(&self, row: &mut [f64]) {
        row.iter_mut().zip(&self.units).for_each(|(x, unit)| *x *= unit);
    }

    /// The first guess of what is free: what coordinate descent leaves positive, from a = P·H, where that is not the answer
    /// already, or from nothing.
    fn begin(&self, a: &mut [f64], room: &mut Room, rows: usize) {
        let c = self.units.len();
        room.pending.clear();
        room.pending.extend(0..rows);
        for progress in &mut room.progress[..rows] {
            (progress.fewest, progress.patience) = (c + 1, PATIENCE);
        }
        if let Some(inverse) = &self.inverse {
            let left = Left::Rows((&room.p[..rows * c], c));
            f64::gemm((&mut room.whole, c), left, (inverse.as_slice(), c), (rows, c, c), false);
            room.roles[..rows * c].fill(Role::Free);
            self.order(room);
            vectorized!(self.solve_pending(room));
            vectorized!(self.exchange(a, room));
            self.guess(a, room, SWEEPS);
        } else {
            a.fill(0.0);
            self.guess(a, room, SWEEPS_FROM_NOTHING);
        }
    }

    /// Sweeps of coordinate descent over the pending rows.
    fn guess(&self, a: &[f64], room: &mut Room, sweeps: usize) {
        let (c, Room { p, roles, pending, solved, products, sweeping, .. }) = (self.units.len(), room);
        let moved = &mut solved[..pending.len() * c];
        let targets = &mut products[..moved.len()];
        for ((&row, moved), target) in
            pending.iter().zip(moved.chunks_exact_mut(c)).zip(targets.chunks_exact_mut(c))
        {
            target.copy_from_slice(&p[row * c..][..c]);
            moved.iter_mut().zip(&a[row * c..][..c]).for_each(|(to, a)| *to = a.max(0.0));
        }
        let by = Coordinates::new(0..c, sweeps);
        move_rows(moved, targets, &self.g, &by, sweeping);
        for (&row, moved) in pending.iter().zip(moved.chunks_exact(c)) {
            let role = |a: &f64| if *a > 0.0 { Role::Free } else { Role::Zero };
            roles[row * c..][..c].iter_mut().zip(moved).for_each(|(to, a)| *to = role(a));
        }
    }

    /// Decides for every row what is solved for, and brings rows together that are solved alike.
    fn order(&self, room: &mut Room) {
        let (c, Room { roles, progress, pending, .. }) = (self.units.len(), room);
        for &row in &*pending {
            let free = roles[row * c..][..c].iter().filter(|role| **role == Role::Free).count();
            let fewer_zeros = self.inverse.is_some() && 2 * free > c;
            progress[row].over = if fewer_zeros { (Role::Zero, c - free) } else { (Role::Free, free) };
        }
        pending.sort_unstable_by_key(|&row| progress[row].over);
    }

    /// The way to solve for coordinates of this role.
    fn way<'a>(&'a self, over: Role, p: &'a [f64], whole: &'a [f64]) -> Way<'a> {
        match &self.inverse {
            Some(k) if over == Role::Zero => Way { over, k, b: whole },
            _ => Way { over: Role::Free, k: &self.g, b: p },
        }
    }

    #[inline(always)]
    fn solve_pending(&self, room: &mut Room) {
        let (c, Room { p, whole, roles, progress, pending, solved, products, systems, .. }) =
            (self.units.len(), room);
        // Nothing to solve for comes first in each half.
        let border = pending.partition_point(|&row| progress[row].over.0 == Role::Zero);
        for half in [0..border, border..pending.len()] {
            let rows = &pending[half.clone()];
            let Some(&row) = rows.first() else { continue };
            let way = self.way(progress[row].over.0, p, whole);
            let none = rows.partition_point(|&row| progress[row].over.1 == 0);
            let entries = half.start * c..half.end * c;
            let (solved, products) = (&mut solved[entries.clone()], &mut products[entries]);
            solved.fill(0.0);
            products[..none * c].fill(0.0);
            let (rows, solved, products) =
                (&rows[none..], &mut solved[none * c..], &mut products[none * c..]);
            for (rows, solved) in rows.chunks(LANES).zip(solved.chunks_mut(LANES * c)) {
                systems.solve(&way, rows, roles, solved);
            }
            let left = Left::Rows((&*solved, c));
            f64::gemm((products, c), left, (way.k.as_slice(), c), (rows.len(), c, c), false);
        }
    }

    /// Turns the role of every coordinate that has the wrong one, and keeps the rows that have such.
    #[inline(always)]
    fn exchange(&self, a: &mut [f64], room: &mut Room) {
        let (c, Room { p, whole, roles, progress, pending, solved, products, systems, .. }) =
            (self.units.len(), room);
        let mut kept = 0;
        for at in 0..pending.len() {
            let row = pending[at];
            let (entries, here) = (row * c..(row + 1) * c, at * c..(at + 1) * c);
            let p = &p[entries.clone()];
            let flat = FLAT * p.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let (a, roles) = (&mut a[entries.clone()], &mut roles[entries.clone()]);
            let way = self.way(progress[row].over.0, p, &whole[entries]);
            let wrong = turn(&way, (&solved[here.clone()], &products[here]), flat, roles, a);
            if progress[row].goes_on(wrong) {
                pending[kept] = row;
                kept += 1;
            } else if wrong > 0 {
                Growth { g: &self.g, p, flat, roles, systems }.grow(a);
            }
        }
        pending.truncate(kept);
    }
}

impl Progress {
    /// Whether to exchange once more, with so many coordinates on the wrong side.
    fn goes_on(&mut self, wrong: usize) -> bool {
        if wrong < self.fewest {
            (self.fewest, self.patience) = (wrong, PATIENCE);
            return wrong > 0;
        }
        let goes_on = self.patience > 0;
        self.patience -= usize::from(goes_on);
        goes_on
    }
}

/// The row of `a`, given what was solved for and its product with K; turns the role of every coordinate that has the
/// wrong one and returns how many had.
#[inline(always)]
fn turn(
    way: &Way<'_>,
    (solved, products): (&[f64], &[f64]),
    flat: f64,
    roles: &mut [Role],
    a: &mut [f64],
) -> usize {
    let mut wrong = 0;
    for (k, (role, a)) in roles.iter_mut().zip(a).enumerate() {
        let value = if *role == way.over { solved[k] } else { way.b[k] - products[k] };
        let (is_wrong, other) = match role {
            Role::Free => (value < 0.0, Role::Zero),
            Role::Zero => (value > flat, Role::Free),
            Role::Dependent => (false, Role::Zero),
        };
        *a = if *role == Role::Free { value } else { 0.0 };
        if is_wrong || *role == Role::Dependent {
            *role = other;
        }
        wrong += usize::from(is_wrong);
    }
    wrong
}

/// G⁻¹ by elimination, where every centroid has enough of its own.
fn inverse(g: &Mat<f64>) -> Option<Mat<f64>> {
    let c = g.cols();
    let (mut left, mut right) = (g.clone(), Mat::from_fn(c, c, |k, l| f64::from(u8::from(k == l))));
    let (mut pivot_left, mut pivot_right) = (vec![0.0; c], vec![0.0; c]);
    for k in 0..c {
        let pivot = left[(k, k)];
        if pivot < APART {
            return None;
        }
        for (row, kept) in [(left.row_mut(k), &mut pivot_left), (right.row_mut(k), &mut pivot_right)] {
            row.iter_mut().for_each(|x| *x /= pivot);
            kept.copy_from_slice(row);
        }
        vectorized!(for i in (0..c).filter(|i| *i != k) {
            let factor = left[(i, k)];
            subtract(left.row_mut(i), factor, &pivot_left);
            subtract(right.row_mut(i), factor, &pivot_right);
        });
    }
    Some(right)
}

/// `out` −= `factor`·`row`.
#[inline(always)]
fn subtract(out: &mut [f64], factor: f64, row: &[f64]) {
    out.iter_mut().zip(row).for_each(|(out, value)| *out -= factor * value);
}
