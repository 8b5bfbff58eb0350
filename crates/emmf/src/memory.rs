//! How much memory a fit takes, told beforehand.
//!
//! The peak of a fit is in its start, in the making of its graph or in its iterations with their end. Each is a number of
//! matrices n×k and d×k and of vectors of length n; `tests/announced.rs` compares all of them with what is taken.

use crate::data::{BLOCK, PANEL, PARTS, STREAM_PARTS, STRIP};
use crate::error::{Error, Result};
use crate::graph::MANY;
use crate::matrix::COPIED;
use crate::method::{Source, Terms};
use crate::real::Real;
use crate::registry::{self, Entry, Kind, Values};
use crate::spec::{GraphSpec, Init, Solver, Spec};

/// The program, its threads and all that does not grow with the data.
const BASE: usize = 20 << 20;
/// Below this nobody asks whether there is so much memory.
const MUCH: usize = 1 << 30;

/// Vectors of length n in double precision, with those of the start and of the result.
const VECTORS: f64 = 12.0;
/// Matrices d×k: U, those that it moves with, and the centroids of the start.
const SHORT: f64 = 8.0;
/// Blocks of rows that a thread codes samples in.
const ROOMS: f64 = 18.0;
/// Columns that NNDSVD finds beyond k, bytes for each of their entries, and those of the products inside, which are no
/// more than the second number.
const OVERSAMPLE: usize = 10;
const DECOMPOSED: f64 = 18.0;
const PACKED: (f64, f64) = (36.0, 67_108_864.0);
/// Bytes of a sample and of each of its neighbours while its edges are sorted, and after that.
const EDGES: (f64, f64) = (80.0, 68.0);
const KEPT: (f64, f64) = (24.0, 28.0);
/// Samples that are compared with others at a time, and the numbers that these have at the most.
const COMPARED: (f64, f64) = (192.0, 4_194_304.0);
/// Candidates for neighbours beyond those wanted.
const CANDIDATES: f64 = 6.0;
/// Bytes of a sample in the approximate index, beside its features in single precision.
const INDEX: f64 = 400.0;
/// Neighbours of a sample that a learned graph chooses among, and bytes of a sample with them.
const CHOICE: f64 = 50.0;
const LEARNED: f64 = 4_200.0;
/// Entries of a block, for methods that weigh these.
const ENTRIES: f64 = 16_384.0;
/// Vectors beyond twice those wanted that eigenvectors are found with, and how many matrices of them there are.
const SPARE: f64 = 8.0;
const SPECTRA: f64 = 2.5;

impl Spec {
    /// Bytes that a fit of n×d dense samples of type `T` takes at the most, beside the samples themselves. Where
    /// they are `streamed`, this is all that it takes.
    ///
    /// ```
    /// use emmf::Spec;
    /// let bytes = Spec::emmf(50).memory::<f32>((20_000, 1000), false);
    /// assert!(bytes < 100_000_000);
    /// ```
    pub fn memory<T: Real>(&self, (n, d): (usize, usize), streamed: bool) -> usize {
        let entry = registry::find(&self.method).ok();
        let size = size_of::<T>() as f64;
        let fit = Sizes { spec: self, entry, n: n as f64, d: d as f64, k: self.k as f64, size, streamed };
        // A number too large for its type becomes the largest there is.
        BASE.saturating_add(fit.bytes() as usize)
    }
}

/// A fit and the sizes of its parts.
struct Sizes<'a> {
    spec: &'a Spec,
    entry: Option<&'static Entry>,
    n: f64,
    d: f64,
    k: f64,
    /// Bytes of a number.
    size: f64,
    streamed: bool,
}

impl Sizes<'_> {
    fn bytes(&self) -> f64 {
        // Where some are set aside, those that are left are copied, and the coefficients of all are put together.
        let aside = if self.spec.sets_aside() { self.copied() + self.tall() } else { 0.0 };
        let again = if self.spec.restarts > 1 { self.iterations() } else { 0.0 };
        let vectors = 8.0 * VECTORS * (self.n + self.d);
        let phases = self.start().max(self.making()).max(self.iterations() + aside + again);
        vectors + phases + self.products() + self.rooms() + SHORT * self.d * self.k * self.size
    }

    /// Bytes of V.
    fn tall(&self) -> f64 {
        self.n * self.k * self.size
    }

    fn copied(&self) -> f64 {
        if self.streamed { 0.0 } else { (self.n * self.d * self.size).min(COPIED as f64) }
    }

    fn start(&self) -> f64 {
        // Sums over clusters are a product where the samples come by in their order.
        let belongs = if self.streamed { self.tall() } else { 0.0 };
        match self.init() {
            Init::Random => self.tall(),
            Init::Kmeans | Init::Trimmed => self.tall() + belongs,
            Init::Nndsvd => {
                let entries = self.columns() * self.n;
                DECOMPOSED * entries + (PACKED.0 * entries).min(PACKED.1)
            }
        }
    }

    /// Where the factors start. Separable ones are entries of X.
    fn init(&self) -> Init {
        let separable = self.entry.is_some_and(|entry| matches!(entry.kind, Kind::Separable));
        if separable { Init::Random } else { self.spec.init }
    }

    /// Columns of the widest product.
    fn columns(&self) -> f64 {
        let more = if self.init() == Init::Nndsvd { OVERSAMPLE as f64 } else { 0.0 };
        (self.k + more).min(self.n).min(self.d.max(self.k))
    }

    /// Buffers of the products with X. Methods that weigh entries make them in the start only.
    fn products(&self) -> f64 {
        let weighs_entries = self.entry.is_some_and(|entry| matches!(entry.kind, Kind::Entries(_)));
        let alone = weighs_entries && self.spec.init == Init::Random && !self.spec.sets_aside();
        let columns = if alone { 1.0 } else { self.columns() };
        let (all, block, strip) = (PARTS as f64, BLOCK as f64, STRIP as f64);
        let parts = (self.n / self.d).clamp(1.0, all);
        let (parts, groups, read) = if self.streamed {
            (parts.max(STREAM_PARTS as f64), 1.0, (self.d / PANEL as f64).ceil() * PANEL as f64)
        } else {
            (parts, (all / parts).min((self.d / PANEL as f64).ceil()), 0.0)
        };
        let walk = all * block * (2.0 * columns + read);
        self.size * (walk + parts * columns * self.d + parts * groups * strip * (columns + read))
    }

    /// Buffers of the threads that code samples.
    fn rooms(&self) -> f64 {
        let threads = self.spec.threads.map_or(PARTS, |threads| threads.min(PARTS));
        8.0 * ROOMS * (threads * BLOCK) as f64 * self.k
    }

    /// The graph that the fit follows.
    fn follows(&self) -> Option<GraphSpec> {
        let needed = self.entry.is_some_and(Entry::needs_graph);
        self.spec.graph.or(needed.then(GraphSpec::default))
    }

    /// A graph with these bytes for a sample and each of its neighbours.
    fn graph(&self, (sample, neighbour): (f64, f64)) -> f64 {
        let neighbours = |graph: GraphSpec| (graph.neighbours as f64).min(self.n);
        self.follows().map_or(0.0, |graph| self.n * (sample + neighbour * neighbours(graph)))
    }

    /// What the making of a graph takes.
    fn making(&self) -> f64 {
        if self.learns() {
            return self.search(CHOICE);
        }
        let Some(graph) = self.follows() else { return 0.0 };
        let neighbours = (graph.neighbours as f64).min(self.n);
        // The approximate index has a copy of the samples in single precision.
        let search = if graph.approximate.unwrap_or(self.n >= MANY as f64) {
            self.n * (4.0 * self.d + INDEX + 16.0 * neighbours)
        } else {
            self.search(neighbours)
        };
        search.max(self.graph(EDGES))
    }

    /// Lists of candidates of all samples and of those that every thread compares, with their products.
    fn search(&self, neighbours: f64) -> f64 {
        let listed = 2.0 * self.size * (neighbours + CANDIDATES.max(neighbours / 4.0)).min(self.n);
        let compared = (COMPARED.1 / self.d).clamp(16.0, COMPARED.0);
        let part = self.size * (BLOCK as f64 + 1.0) + listed;
        self.n * (listed + 16.0) + compared * (PARTS as f64 * part + self.size * self.d)
    }

    /// The terms of a method that has a graph among them.
    fn terms(&self) -> Option<Terms> {
        let entry = self.entry?;
        let Kind::Regularized(make) = entry.kind else { return None };
        Some(make(&Values::of(entry, &self.spec.params)))
    }

    /// Whether the graph is learned.
    fn learns(&self) -> bool {
        self.terms().is_some_and(|terms| matches!(terms.graph, Source::Learned(_)))
    }

    /// What the iterations and their end hold beside vectors.
    fn iterations(&self) -> f64 {
        let (n, d, k, tall) = (self.n, self.d, self.k, self.tall());
        let Some(entry) = self.entry else { return tall };
        let graph = self.graph(KEPT);
        match entry.kind {
            _ if graph > 0.0 && matches!(entry.kind, Kind::Samples(_)) => 4.0 * tall + graph,
            Kind::Samples(_) if self.extrapolates(entry) => 2.0 * tall,
            Kind::Samples(_) | Kind::Orthogonal => tall,
            Kind::Graph(_) => 4.0 * tall + graph,
            Kind::Entries(_) => 2.0 * tall + self.entrywise(),
            Kind::Probabilistic => 2.2 * (tall + 8.0 * n * (k + 2.0)) + 72.0 * d * (k + 2.0),
            Kind::Separable => 3.0 * tall,
            Kind::Symmetric => 3.0 * tall + graph,
            Kind::RobustManifold => {
                2.0 * self.size * n * d + 6.0 * tall + 16.0 * n * k + 144.0 * d * k + graph
            }
            Kind::LocalCentroids => self.local_centroids(),
            Kind::Regularized(_) => {
                let learned = if self.learns() { LEARNED * n } else { 0.0 };
                let concepts = self.terms().is_some_and(|terms| terms.concepts);
                let matrices =
                    3.0 + f64::from(u8::from(concepts)) + f64::from(u8::from(concepts && graph > 0.0));
                matrices * tall + graph + learned
            }
        }
    }

    /// Whether HALS extrapolates, which takes V twice.
    fn extrapolates(&self, entry: &Entry) -> bool {
        self.spec.solver == Solver::Hals && self.spec.extrapolate && entry.is_monotone(&self.spec.params)
    }

    /// Blocks of X and of what approximates it, and the sums of the parts.
    fn entrywise(&self) -> f64 {
        let (d, k) = (self.d, self.k);
        let parts = (self.n / d).clamp(4.0, PARTS as f64);
        let rows = (ENTRIES / d).clamp(8.0, BLOCK as f64);
        self.size * parts * (rows * (4.0 * d + 2.0 * k) + 2.0 * k * d)
    }

    fn local_centroids(&self) -> f64 {
        let (n, d, k) = (self.n, self.d, self.k);
        let own = (n / 4.0).min(10.0 * k);
        let m = self.spec.params.get("centroids").copied().unwrap_or(own).max(k + 1.0).min(n.max(k));
        let blocks = 2.0 * (PARTS * BLOCK) as f64 * m;
        let spectrum = SPECTRA * (n + m) * (2.0 * k + SPARE) + 6.0 * m * m;
        self.size * (4.0 * d * m + n * m + blocks) + 8.0 * spectrum
    }
}

/// Asks for all that a large fit takes at once and gives it back, so that one that no memory holds is an error from the
/// beginning, not the end of the program after an hour.
pub(crate) fn check_room<T: Real>(spec: &Spec, shape: (usize, usize), streamed: bool) -> Result<()> {
    let bytes = spec.memory::<T>(shape, streamed);
    if bytes < MUCH {
        return Ok(());
    }
    let mut room = Vec::<u8>::new();
    let reserved = room.try_reserve_exact(bytes);
    // Nobody uses it, and the compiler would leave it out.
    std::hint::black_box(&room);
    reserved.map_err(|_| Error::Memory { bytes })
}
