//! How much memory a fit will take.
//!
//! The peak of a fit is in its start, in the making of its graph or in its iterations with their end. Each is a number of
//! matrices n×k and d×k and of vectors of length n; `tests/announced.rs` compares all of them with what is taken.

use crate::data::{BLOCK, PANEL, PARTS, STREAM_PARTS, STRIP, summed_parts};
use crate::error::{Error, Result};
use crate::graph::{Searched, eigen_width};
use crate::init::{OVERSAMPLE, PREDICTED, Parts, widest};
use crate::matrix::COPIED;
use crate::method::MOST_LABELLED;
use crate::method::memory::Sizes;
use crate::outliers::{has_directions, most_binned, most_compared, most_drawn, most_held, most_read};
use crate::real::Real;
use crate::registry::{self, Entry, GraphUse, WITH_GRAPH};
use crate::spec::{GraphKind, GraphSpec, Init, Solver, Spec};

/// The program, its threads and all that does not grow with the data.
const BASE: usize = 25 << 20;
/// Below this nobody asks whether there is so much memory.
const MUCH: usize = 1 << 30;

/// Vectors of length n in double precision, with those of the start and of the result.
const VECTORS: f64 = 11.0;
/// Matrices d×k: U, those that it moves with, and the centroids of the start.
const SHORT: f64 = 8.0;
/// Samples that k-means‖ draws for each cluster, in all and as often as they are copied, and in a round.
const CANDIDATES: f64 = 30.0;
const DRAWN: f64 = 2.5;
/// Blocks of rows that a thread codes samples in.
const ROOMS: f64 = 18.0;
/// Bytes for each entry of a matrix that is made orthonormal: it is there twice, one of them in double precision.
const DECOMPOSED: f64 = 16.0;
/// Blocks of vectors that eigenvectors are found in, and the entries of the matrices that are decomposed whole.
const EIGEN: f64 = 7.0;
const SMALL_EIGEN: f64 = 5.0 * 400.0 * 400.0;
/// Matrices as large as V of a wide fit, and those that are left while a graph is made of it and cut: the reconstructions, and room
/// for the eigenvectors of clusters.
const WIDE: f64 = 3.0;
const DESCRIBED: f64 = 2.0;
/// Matrices as large as V that extrapolation takes: the last one, and what moves beside it.
const EXTRAPOLATED: f64 = 1.5;
/// Matrices d×Σc of layers: centroids, what pulls at them, and those of the result.
const LAYERED: f64 = 5.0;
/// Vectors of length n for each layer.
const OF_LAYER: f64 = 8.0;
/// Bins of a feature: of its values, and of these as shares of the largest of their samples.
const BINS: f64 = 66.0;
/// Vectors of length n that a fit has besides V.
const FITTED: f64 = 5.0;
/// Vectors of length n that samples are judged by.
const SIDES: f64 = 16.5;
/// Square matrices that the leading directions of the drawn samples take: their products, those of some, and what eigenvectors are
/// found in; or a block of them in double precision.
const SPANS: f64 = 5.0;

/// Whether a fit of so many samples and features is small enough to be kept beside another one.
pub(crate) fn has_room_for_another<T: Real>(k: usize, shape: (usize, usize)) -> bool {
    judged(k, size_of::<T>() as f64, shape) <= COPIED
}

/// Bytes of a fit that was judged.
fn judged(k: usize, size: f64, (n, d): (usize, usize)) -> usize {
    let drawn = most_drawn(d).min(n) as f64;
    let (n, d, k) = (n as f64, d as f64, k as f64);
    (n * k * size + d * (k + drawn) * size + 8.0 * (FITTED * n + 0.5 * BINS * d)) as usize
}

impl Spec {
    /// How many bytes a fit of n×d dense samples of type `T` takes, at most, with this many `threads`, on top of the samples
    /// themselves. If they are `streamed`, this is all that it takes.
    ///
    /// ```
    /// use emmf::Spec;
    /// let bytes = Spec::emmf(50).memory::<f32>((20_000, 1000), false, None);
    /// assert!(bytes < 110_000_000);
    /// ```
    pub fn memory<T: Real>(&self, (n, d): (usize, usize), streamed: bool, threads: Option<usize>) -> usize {
        let (n, d, k, size) = (n as f64, d as f64, self.k as f64, size_of::<T>() as f64);
        let sizes = Sizes { n, d, k, size, params: &self.params };
        // A number too large for its type becomes the largest there is.
        let bytes = |entry| Takes { spec: self, entry, sizes, streamed, threads }.bytes() as usize;
        registry::find(&self.method).map_or(BASE, |entry| BASE.saturating_add(bytes(entry)))
    }
}

/// A fit and the sizes of its parts.
struct Takes<'a> {
    spec: &'a Spec,
    entry: &'static Entry,
    sizes: Sizes<'a>,
    streamed: bool,
    threads: Option<usize>,
}

impl Takes<'_> {
    fn bytes(&self) -> f64 {
        let Sizes { n, d, k, size, .. } = self.sizes;
        // Where some are set aside, those that are left are copied, the coefficients of all are put together, and the fit that does not
        // agree is kept beside the next.
        let another = judged(self.spec.k, self.sizes.size, (n as usize, d as usize));
        let another = if another <= COPIED { another as f64 } else { 0.0 };
        let aside = if self.spec.sets_aside() { self.copied() + self.tall() + another } else { 0.0 };
        let again = if self.spec.restarts > 1 { self.iterations() } else { 0.0 };
        let phases = self.start().max(self.making()).max(self.iterations() + aside + again);
        let phases = phases.max(self.labelling() + aside + again);
        let phases = phases.max(self.judging() + if self.streamed { 0.0 } else { aside });
        let kept = self.products() + self.rooms() + SHORT * d * k * size;
        8.0 * VECTORS * (n + d) + phases + kept + self.consensus()
    }

    /// The components of all restarts, what they are matched and averaged in, and the state of the best restart while V is coded.
    fn consensus(&self) -> f64 {
        if !self.spec.consensus {
            return 0.0;
        }
        let Sizes { n, d, k, .. } = self.sizes;
        let restarts = self.spec.restarts as f64;
        let all = self.spec.widths().iter().sum::<usize>() as f64;
        let matched = 8.0 * (restarts + self.workers()) * (d * k + 3.0 * k * k) + 8.0 * restarts * restarts;
        matched + 16.0 * (n * k + d * all) + self.tall()
    }

    /// What samples are judged by, with V: those drawn, also in double precision, a block of distances to them or of samples for
    /// each thread, and the bins of the features with the values that these are made of, or the outliers that are compared.
    fn judging(&self) -> f64 {
        let Sizes { n, d, size, .. } = self.sizes;
        let wide = if size < 8.0 { 8.0 } else { 0.0 };
        let drawn = most_drawn(d as usize).min(n as usize) as f64;
        let binned = most_binned(d as usize).min(n as usize) as f64;
        let read = (most_read(d as usize) as f64).min(n) * d * size;
        let rooms = self.workers() * (8.0 * (BLOCK as f64 * drawn + binned)).max(read);
        let compared = (most_compared(d as usize) as f64).min(n) * d.min(256.0);
        let held =
            (drawn * d * wide).max(most_held(n as usize, d as usize) as f64 * size).max(16.0 * compared);
        let spans = if has_directions(d as usize, drawn as usize) { SPANS * drawn * drawn } else { 0.0 };
        self.tall() + d * drawn * size + held + rooms + 8.0 * (SIDES * n + BINS * d + spans)
    }

    /// Threads that work at the same time.
    fn workers(&self) -> f64 {
        self.threads.map_or(PARTS, |threads| threads.min(PARTS)) as f64
    }

    /// Bytes of V.
    fn tall(&self) -> f64 {
        self.sizes.n * self.sizes.k * self.sizes.size
    }

    /// Bytes of X.
    fn whole(&self) -> f64 {
        self.sizes.n * self.sizes.d * self.sizes.size
    }

    fn copied(&self) -> f64 {
        if self.streamed { 0.0 } else { self.whole().min(COPIED as f64) }
    }

    fn start(&self) -> f64 {
        // Sums over clusters are a product where the samples come by in their order.
        let belongs = if self.streamed { self.tall() } else { 0.0 };
        match self.init() {
            Init::Random => self.tall(),
            Init::KmeansParallel => {
                let Sizes { n, d, k, size, .. } = self.sizes;
                self.tall() + 40.0 * n + CANDIDATES * k.min(n) * (d * size + 8.0)
            }
            Init::Kmeans | Init::Trimmed | Init::Graph => {
                let Sizes { n, d, k, size, .. } = self.sizes;
                // The best run so far is kept beside the next.
                let kept = if self.spec.init_restarts > 1 { 80.0 * n + 2.0 * d * k * size } else { 0.0 };
                self.tall() + belongs + kept
            }
            Init::Nndsvd | Init::Nndsvdar => DECOMPOSED * self.columns() * self.sizes.n,
        }
    }

    /// Where the factors start.
    fn init(&self) -> Init {
        if self.entry.facts.memory.starts { self.entry.init(self.spec) } else { Init::Random }
    }

    /// Columns of the widest product.
    fn columns(&self) -> f64 {
        let Sizes { n, d, k, .. } = self.sizes;
        match self.init() {
            Init::KmeansParallel => (DRAWN * k).min(n),
            Init::Nndsvd | Init::Nndsvdar => (k + OVERSAMPLE as f64).min(n).min(d.max(k)),
            _ => k.min(n).min(d.max(k)),
        }
    }

    /// Buffers of the products with X. Some methods make them in the start only.
    fn products(&self) -> f64 {
        let Sizes { n, d, size, .. } = self.sizes;
        let none = !self.entry.facts.memory.products;
        let alone = none && self.spec.init == Some(Init::Random) && !self.spec.sets_aside();
        let columns = if alone { 1.0 } else { self.columns() };
        let (all, block, strip) = (PARTS as f64, BLOCK as f64, STRIP as f64);
        let subtrees = (summed_parts(n as usize) / PARTS) as f64;
        let parts = subtrees * (n / subtrees / d).clamp(1.0, all);
        let panels = (d / PANEL as f64).ceil();
        let (parts, groups, read) = if self.streamed {
            (parts.max(STREAM_PARTS as f64), 1.0, panels * PANEL as f64)
        } else {
            (parts, (all / parts).clamp(1.0, panels), 0.0)
        };
        let walk = all * block * (2.0 * columns + read);
        size * (walk + parts * columns * d + parts.min(all) * groups * strip * (columns + read))
    }

    /// Buffers of the threads that code samples.
    fn rooms(&self) -> f64 {
        8.0 * self.workers() * BLOCK as f64 * (ROOMS * self.sizes.k + PANEL as f64)
    }

    /// A search for so many neighbours of each sample.
    fn search(&self, neighbours: usize) -> Searched {
        let Sizes { n, d, size, .. } = self.sizes;
        Searched { n, d, neighbours: neighbours.min(n as usize), size }
    }

    /// What the making of a graph takes.
    fn making(&self) -> f64 {
        let candidates = self.entry.facts.memory.candidates;
        if candidates > 0 {
            return self.search(candidates).exactly();
        }
        let starts = self.init() == Init::Graph;
        let merges = self.entry.merges(self.spec);
        let follows = self.entry.follows(self.spec).or(starts.then(GraphSpec::default));
        let Some(graph) = follows.or(merges) else {
            return 0.0;
        };
        let search = self.search(graph.neighbours);
        let found =
            if graph.approximates(self.sizes.n as usize) { search.approximately() } else { search.exactly() };
        let chosen = graph.kind == GraphKind::Auto && follows.is_some();
        let Sizes { n, d, k, .. } = self.sizes;
        let parts = Parts::needed(n as usize, k as usize).filter(|_| starts || chosen);
        let clustered = match parts {
            _ if !starts && !chosen => 0.0,
            Some(count) => 8.0 * (2.0 * n + EIGEN * (count * count) as f64) + 2.0 * search.graph(),
            None => self.eigenvectors() + 2.0 * search.graph(),
        };
        let made = found.max(search.joined()).max(clustered);
        let widest = widest(k as usize, (n as usize, d as usize));
        let parted = parts.map_or(0.0, |count| self.wide(count, WIDE));
        let made =
            if chosen { self.wide(widest, WIDE).max(self.wide(widest, DESCRIBED) + made) } else { made };
        let told = if chosen && starts { self.telling(graph.neighbours) + search.graph() } else { 0.0 };
        made.max(parted).max(told)
    }

    /// What is held, beside the graph, while clouds are told from curves: products with the means of clusters, or a copy
    /// of some samples with a search for their neighbours in half of the features.
    fn telling(&self, neighbours: usize) -> f64 {
        let Sizes { n, d, k, size, .. } = self.sizes;
        let some = n.min(PREDICTED as f64);
        let half = Searched { n: some, d: (0.5 * d).ceil(), neighbours, size };
        let settling = size * (k * n + 4.0 * d * k) + 56.0 * n;
        settling.max(size * (some * d + 2.0 * d * k) + half.exactly())
    }

    /// The eigenvectors of a graph with what they are found in.
    fn eigenvectors(&self) -> f64 {
        let Sizes { n, k, .. } = self.sizes;
        8.0 * EIGEN * n * eigen_width(k as usize) as f64 + 8.0 * SMALL_EIGEN.min(n * n)
    }

    /// A wide fit, on samples of unit length, with so many matrices as large as its V.
    fn wide(&self, width: usize, matrices: f64) -> f64 {
        let Sizes { n, d, size, .. } = self.sizes;
        let width = width as f64;
        size * width * (matrices * n + SHORT * d) + 3.0 * 8.0 * n + 8.0 * WIDE * width * width
    }

    /// What the iterations and their end hold beside vectors.
    fn iterations(&self) -> f64 {
        let facts = &self.entry.facts;
        let along = self.entry.follows(self.spec).or(self.entry.merges(self.spec));
        let graph = along.map(|graph| self.search(graph.neighbours).graph());
        let like_v = match graph {
            _ if self.spec.is_deep() => 1.0,
            Some(_) if facts.graph == GraphUse::Optional => WITH_GRAPH,
            _ => facts.memory.like_v + if self.extrapolates() { EXTRAPOLATED } else { 0.0 },
        };
        let matrices = like_v * self.tall() + facts.memory.like_x * self.whole();
        matrices + (facts.memory.more)(&self.sizes) + graph.unwrap_or(0.0) + self.layers()
    }

    /// What layers hold besides: products of all, their centroids, vectors of each, and what samples are on them in the end.
    fn layers(&self) -> f64 {
        if !self.spec.is_deep() {
            return 0.0;
        }
        let Sizes { n, d, k, size, .. } = self.sizes;
        let widths = self.spec.widths();
        let (count, all) = (widths.len() as f64, widths.iter().sum::<usize>() as f64);
        let (parts, block) = (PARTS as f64, BLOCK as f64);
        let blocks = parts * (5.0 * block * all + all * all);
        // VᵀQₗV with its parts; where shares move, what they are moved by, a sum for each part.
        let moments = size * parts * (k * k + block * k) + 8.0 * count * k * k;
        let moved = self.entry.merges(self.spec).is_none();
        let shares = if moved { 8.0 * (parts + 3.0) * k * all } else { 0.0 };
        let matrices = size * (all * n + LAYERED * d * all + blocks + n * count);
        matrices + moments + shares + 8.0 * n * count * OF_LAYER
    }

    /// What k-means labels samples by: V, what those that are clustered are made of, with what the best run so far
    /// found and the next.
    fn labelling(&self) -> f64 {
        if !self.entry.labels(self.spec).is_kmeans() {
            return 0.0;
        }
        let Sizes { n, k, size, .. } = self.sizes;
        let some = (MOST_LABELLED as f64).min(n);
        self.tall() + some * (k * size + 80.0) + 8.0 * n
    }

    /// Whether HALS extrapolates.
    fn extrapolates(&self) -> bool {
        let hals = self.entry.solver(self.spec) == Solver::Hals && self.entry.solvers.contains(&Solver::Hals);
        hals && self.spec.extrapolate && self.entry.is_monotone(&self.spec.params)
    }
}

/// Asks for all that a large fit takes at once and gives it back, so that one that no memory holds is an error from the
/// beginning, not the end of the program after an hour.
pub(crate) fn check_room<T: Real>(
    spec: &Spec,
    shape: (usize, usize),
    streamed: bool,
    threads: Option<usize>,
) -> Result<()> {
    let bytes = spec.memory::<T>(shape, streamed, threads);
    if bytes < MUCH {
        return Ok(());
    }
    let mut room = Vec::<u8>::new();
    let reserved = room.try_reserve_exact(bytes);
    // Nobody uses it, and the compiler would leave it out.
    std::hint::black_box(&room);
    reserved.map_err(|_| Error::Memory { bytes })
}
