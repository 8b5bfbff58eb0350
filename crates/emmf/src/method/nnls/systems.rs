//! Small symmetric systems, eliminated side by side: one in each vector lane.

use super::{Role, Way};

/// Rows that are solved at a time.
pub(super) const LANES: usize = 8;
/// A pivot below this share of its diagonal entry means: linearly dependent on the others.
const DEPENDENT: f64 = 1e-12;
/// Entries of a row that are made at a time: so many sums do not wait for each other.
const TILE: usize = 4;

/// One number of each system.
type Lanes = [f64; LANES];

/// y·K = b for as many rows as there are lanes, each over coordinates of its own.
#[derive(Default)]
pub(super) struct Systems {
    /// The coordinates of each, and how many they are.
    chosen: Vec<[usize; LANES]>,
    count: [usize; LANES],
    /// K over the coordinates, on and above its diagonal, and b as one more column, being eliminated.
    system: Vec<Lanes>,
    /// One through each pivot, or zero where a coordinate depends on those before.
    inverses: Vec<Lanes>,
    /// What the rows above are subtracted with.
    factors: Vec<Lanes>,
}

impl Systems {
    /// Solves for the coordinates of the way's role; the others of `solved` stay.
    #[inline(always)]
    pub(super) fn solve(&mut self, way: &Way<'_>, rows: &[usize], roles: &mut [Role], solved: &mut [f64]) {
        let c = way.k.cols();
        let m = self.choose(way, rows, roles);
        self.fill(way, rows, m);
        self.eliminate(m);
        self.substitute(m);
        for (lane, (&row, solved)) in rows.iter().zip(solved.chunks_exact_mut(c)).enumerate() {
            for i in 0..self.count[lane] {
                let k = self.chosen[i][lane];
                solved[k] = self.system[(i + 1) * (m + 1) - 1][lane];
                if self.inverses[i][lane] == 0.0 {
                    roles[row * c + k] = Role::Dependent;
                }
            }
        }
    }

    /// The coordinates of every row; returns how many there are at most.
    #[inline(always)]
    fn choose(&mut self, way: &Way<'_>, rows: &[usize], roles: &[Role]) -> usize {
        let (c, Self { chosen, count, .. }) = (way.k.cols(), self);
        chosen.resize(c, [0; LANES]);
        *count = [0; LANES];
        for (lane, (&row, count)) in rows.iter().zip(&mut *count).enumerate() {
            for (k, role) in roles[row * c..][..c].iter().enumerate() {
                // Whatever is there is written over by the next one.
                chosen[(*count).min(c - 1)][lane] = k;
                *count += usize::from(*role == way.over);
            }
        }
        count.iter().copied().max().unwrap_or(0)
    }

    /// Lanes with fewer coordinates, and such without a row, are filled up with ones on the diagonal.
    #[inline(always)]
    fn fill(&mut self, way: &Way<'_>, rows: &[usize], m: usize) {
        let (c, wide) = (way.k.cols(), m + 1);
        let Self { chosen, count, system, inverses, factors } = self;
        if system.len() < m * wide {
            system.resize(m * wide, [0.0; LANES]);
        }
        inverses.resize(m.max(inverses.len()), [0.0; LANES]);
        factors.resize(m.max(factors.len()), [0.0; LANES]);
        let k = way.k.as_slice();
        for (i, line) in system.chunks_exact_mut(wide).enumerate().take(m) {
            let starts = chosen[i].map(|k| k * c);
            for (to, columns) in line[i..].iter_mut().zip(&chosen[i..m]) {
                *to = std::array::from_fn(|lane| k[starts[lane] + columns[lane]]);
            }
            line[m] = std::array::from_fn(|lane| {
                if i < count[lane] { way.b[rows[lane] * c + chosen[i][lane]] } else { 0.0 }
            });
        }
        for (lane, &count) in count.iter().enumerate() {
            for (i, line) in system.chunks_exact_mut(wide).enumerate().take(m) {
                line[count.max(i)..m].iter_mut().for_each(|to| to[lane] = 0.0);
                if i >= count {
                    line[i][lane] = 1.0;
                }
            }
        }
    }

    /// Row by row, each less the rows above it.
    #[inline(always)]
    fn eliminate(&mut self, m: usize) {
        let (wide, Self { system, inverses, factors, .. }) = (m + 1, self);
        for i in 0..m {
            let (above, below) = system.split_at_mut(i * wide);
            let lines = above.chunks_exact(wide);
            for ((factor, line), inverse) in factors.iter_mut().zip(lines).zip(&*inverses) {
                *factor = times(&line[i], inverse);
            }
            let (tiles, rest) = below[i..wide].as_chunks_mut::<TILE>();
            for (at, tile) in tiles.iter_mut().enumerate() {
                subtract_rows(tile, &factors[..i], &above[(i + at * TILE).min(above.len())..], wide);
            }
            for (at, entry) in rest.iter_mut().enumerate() {
                let column = wide - (wide - i) % TILE + at;
                subtract_rows(
                    std::array::from_mut(entry),
                    &factors[..i],
                    &above[column.min(above.len())..],
                    wide,
                );
            }
            let pivots = &system[i * wide + i];
            inverses[i] = pivots.map(|pivot| if pivot <= DEPENDENT { 0.0 } else { 1.0 / pivot });
        }
    }

    /// From the last coordinate to the first; the last column becomes the solution.
    #[inline(always)]
    fn substitute(&mut self, m: usize) {
        let (wide, Self { system, inverses, .. }) = (m + 1, self);
        for i in (0..m).rev() {
            let solution = times(&system[i * wide + m], &inverses[i]);
            system[i * wide + m] = solution;
            for line in system[..i * wide].chunks_exact_mut(wide) {
                let known = times(&line[i], &solution);
                (0..LANES).for_each(|lane| line[m][lane] -= known[lane]);
            }
        }
    }
}

/// Neighbouring entries of a row, less the same entries of the rows above, times a factor for each of these.
#[inline(always)]
fn subtract_rows<const N: usize>(tile: &mut [Lanes; N], factors: &[Lanes], above: &[Lanes], wide: usize) {
    let mut sums = *tile;
    for (j, factor) in factors.iter().enumerate() {
        let above = &above[j * wide..][..N];
        for t in 0..N {
            for lane in 0..LANES {
                sums[t][lane] -= factor[lane] * above[t][lane];
            }
        }
    }
    *tile = sums;
}

#[inline(always)]
fn times(a: &Lanes, b: &Lanes) -> Lanes {
    std::array::from_fn(|lane| a[lane] * b[lane])
}
