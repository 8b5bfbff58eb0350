//! Graphs: neighbours against brute force, weights, normalisation, products, and what is refused.

use crate::oracle;

use emmf::data::{Data, Dense, Sparse};
use emmf::graph::{self, Neighbours, Weighting, adaptive, knn_graph, project_onto_simplex};
use emmf::{Cancel, Csr, Graph, Mat, Real, Result};
use oracle::problems::{Sparse as Csrs, rng, two_triangles, uniform};
use proptest::prelude::*;

fn nearest<T: Real, X: Data<T>>(x: &X, k: usize) -> Result<Neighbours> {
    graph::nearest(x, k, &Cancel::new())
}

fn nearest_approximately<T: Real, X: Data<T>>(x: &X, k: usize) -> Result<Neighbours> {
    graph::nearest_approximately(x, k, &Cancel::new())
}

/// All pairs, sorted by distance and index.
fn brute_force(x: &Mat<f64>, k: usize) -> Neighbours {
    let n = x.rows();
    let k = k.min(n - 1);
    let (mut index, mut distance_sq) = (Vec::new(), Vec::new());
    for i in 0..n {
        let distance = |j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let mut others: Vec<(f64, u32)> =
            (0..n).filter(|&j| j != i).map(|j| (distance(j), j as u32)).collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        index.extend(others[..k].iter().map(|other| other.1));
        distance_sq.extend(others[..k].iter().map(|other| other.0));
    }
    let norms_sq = (0..n).map(|i| x.row(i).iter().map(|x| x * x).sum()).collect();
    Neighbours { k, index, distance_sq, norms_sq }
}

/// In both types and storages; all numbers are small integers, so that distances are exact and often tied.
fn same_as_brute_force(x: &Mat<f64>, k: usize) {
    let want = brute_force(x, k);
    let narrow = x.cast::<f32>();
    assert_eq!(nearest(&Dense::new(x.view(), None), k).unwrap(), want);
    assert_eq!(nearest(&Dense::new(narrow.view(), None), k).unwrap(), want);
    let sparse = Csrs::of(x);
    assert_eq!(nearest(&Sparse::new(sparse.narrow(), None), k).unwrap(), want);
    let transposed = x.transposed();
    assert_eq!(nearest(&Dense::new(transposed.view().transposed(), None), k).unwrap(), want);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Few values in few features: mostly ties and duplicates.
    #[test]
    fn neighbours_of_tied_points(
        (n, d, k, seed) in (1_usize..60, 1_usize..5, 1_usize..9, any::<u64>()),
        levels in 1_u32..6,
    ) {
        let mut rng = rng(seed);
        let mut x = uniform(n, d, &mut rng);
        x.as_mut_slice().iter_mut().for_each(|x| *x = (*x * f64::from(levels)).floor());
        same_as_brute_force(&x, k);
    }

    #[test]
    fn neighbours_of_random_points((n, d, k, seed) in (2_usize..80, 1_usize..40, 1_usize..9, any::<u64>())) {
        let mut x = uniform(n, d, &mut rng(seed));
        // So many digits that squares of differences are exact.
        x.as_mut_slice().iter_mut().for_each(|x| *x = (*x * 1024.0).floor());
        same_as_brute_force(&x, k);
    }

    #[test]
    fn simplex(mut point in prop::collection::vec(-2.0..2.0_f64, 1..9)) {
        let before = point.clone();
        project_onto_simplex(&mut point, &mut [0.0; 9][..before.len()]);
        prop_assert!((point.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // The variational inequality (p − s)·(e_k − s) ≤ 0 at every corner is the definition of the projection.
        for k in 0..point.len() {
            let corner = |l: usize| if l == k { 1.0 } else { 0.0 };
            let slope: f64 = (0..point.len()).map(|l| (before[l] - point[l]) * (corner(l) - point[l])).sum();
            prop_assert!(point[k] >= 0.0 && slope < 1e-9, "{slope}");
        }
    }
}

/// More samples than a block, many duplicates, zero samples and a huge outlier.
#[test]
fn neighbours_of_many_points() {
    let mut rng = rng(5);
    let mut x = uniform(700, 20, &mut rng);
    x.as_mut_slice().iter_mut().for_each(|x| *x = (*x * 64.0).floor());
    let first = x.row(3).to_vec();
    (0..700).step_by(4).for_each(|i| x.row_mut(i).copy_from_slice(&first));
    (1..700).step_by(50).for_each(|i| x.row_mut(i).fill(0.0));
    x.row_mut(699).fill(1e6);
    same_as_brute_force(&x, 5);
    same_as_brute_force(&x, 40);
}

/// Numbers whose squares overflow or vanish in single precision still have the right neighbours.
#[test]
fn neighbours_at_the_ends_of_single_precision() {
    let x = uniform(50, 4, &mut rng(8));
    let want = brute_force(&x, 5).index;
    for scale in [2.0_f32.powi(90), 2.0_f32.powi(-90)] {
        let mut scaled = x.cast::<f32>();
        scaled.as_mut_slice().iter_mut().for_each(|x| *x *= scale);
        assert_eq!(nearest(&Dense::new(scaled.view(), None), 5).unwrap().index, want);
    }
}

#[test]
fn neighbours_do_not_depend_on_threads() {
    let x = uniform(500, 30, &mut rng(6));
    let data = Dense::new(x.view(), None);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| nearest(&data, 5).unwrap())
    };
    assert_eq!(with(1), with(3));
}

/// graph.md 0.5: with k = 2 the two triangles.
#[test]
fn two_nearest_of_the_small_problem() {
    let (x, ..) = two_triangles();
    let lengths = |i: usize| 1.0 / x.row(i).iter().map(|x| x * x).sum::<f64>().sqrt();
    for scale in [None, Some((0..6).map(lengths).collect())] {
        let graph = knn_graph(&nearest(&Dense::new(x.view(), scale), 2).unwrap(), Weighting::Binary).unwrap();
        assert_eq!(graph.components(), [0, 0, 0, 1, 1, 1]);
        assert_eq!(graph.edges(), 6);
        assert!(graph.degrees().iter().all(|degree| *degree == 2.0));
    }
}

/// graph.md 0.5: ‖S‖² = 23/9, largest eigenvalue 1.
#[test]
fn normalized() {
    let (.., graph) = two_triangles();
    assert_eq!(graph.degrees(), [2.0, 2.0, 3.0, 3.0, 2.0, 2.0]);
    let s = graph.normalized();
    assert!((s.norm_sq() - 23.0 / 9.0).abs() < 1e-14);
    // √degree is the eigenvector of the eigenvalue 1.
    let v = Mat::from_fn(6, 1, |i, _| graph.degrees()[i].sqrt());
    let mut out = Mat::zeros(6, 1);
    s.dot(&v, &mut out);
    assert!(v.as_slice().iter().zip(out.as_slice()).all(|(a, b)| (a - b).abs() < 1e-14));
    assert_eq!(graph.components(), [0; 6]);
}

/// A sample without edges: degree 0 gives 0, and a component of its own.
#[test]
fn isolated() {
    let graph = Graph::from_edges(4, [(0, 2, 0.5), (2, 0, 0.5), (1, 1, 3.0), (1, 3, 0.0)]).unwrap();
    assert_eq!(graph.edges(), 1);
    assert_eq!(graph.components(), [0, 1, 0, 2]);
    let s = graph.normalized();
    assert!(s.row(0).0 == [2] && (s.row(0).1[0] - 1.0).abs() < 1e-15);
    assert_eq!(graph.normalized().row(1), (&[][..], &[][..]));
}

#[test]
fn products() {
    let x = uniform(300, 7, &mut rng(4));
    let near = nearest(&Dense::new(x.view(), None), 5).unwrap();
    for weighting in [Weighting::Binary, Weighting::Heat { width: None }, Weighting::Cosine] {
        let graph = knn_graph(&near, weighting).unwrap();
        let v = uniform(300, 11, &mut rng(9));
        let (mut out, mut narrow) = (Mat::zeros(300, 11), Mat::zeros(300, 11));
        graph.dot(&v, &mut out);
        graph.dot(&v.cast::<f32>(), &mut narrow);
        for i in 0..300 {
            let (index, weight) = graph.row(i);
            for k in 0..11 {
                let want: f64 = index.iter().zip(weight).map(|(&j, w)| w * v[(j as usize, k)]).sum();
                assert!((out[(i, k)] - want).abs() < 1e-13);
                assert!((f64::from(narrow[(i, k)]) - want).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn weights() {
    let (x, ..) = two_triangles();
    let near = nearest(&Dense::new(x.view(), None), 2).unwrap();
    // 0 and 1 are √2 apart, 0 and 2 √5.
    let heat = knn_graph(&near, Weighting::Heat { width: Some(2.0) }).unwrap();
    assert_eq!(heat.row(0).1, [(-0.25_f64).exp(), (-0.625_f64).exp()]);
    let cosine = knn_graph(&near, Weighting::Cosine).unwrap();
    assert!((cosine.row(0).1[0] - 21.0 / (26.0_f64 * 18.0).sqrt()).abs() < 1e-15);
    let duplicates = Mat::from_fn(4, 2, |_, _| 1.0);
    let near = nearest(&Dense::new(duplicates.view(), None), 2).unwrap();
    assert!(knn_graph(&near, Weighting::Heat { width: None }).unwrap().row(0).1.iter().all(|w| *w == 1.0));
    assert!(knn_graph(&near, Weighting::Heat { width: Some(f64::NAN) }).is_err());
}

/// graph.md 6 and 7.
#[test]
fn adaptive_neighbours() {
    let (x, ..) = two_triangles();
    let found = adaptive(&nearest(&Dense::new(x.view(), None), 3).unwrap());
    assert_eq!(found.gamma, [37.5, 21.5, 28.0, 19.0, 21.5, 22.5]);
    assert_eq!(found.index[..2], [1, 2]);
    assert!((found.weight[0] - 0.52).abs() < 1e-15 && (found.weight[1] - 0.48).abs() < 1e-15);
    let graph = found.graph().unwrap();
    let all: f64 = graph.degrees().iter().sum();
    assert!((all - 6.0).abs() < 1e-12, "every sample has weights that sum to 1");

    let sorted =
        Neighbours { k: 3, index: vec![1, 2, 3], distance_sq: vec![1.0, 2.0, 4.0], norms_sq: vec![0.0] };
    let found = adaptive(&sorted);
    assert_eq!((&found.weight[..], found.gamma[0]), (&[0.6, 0.4][..], 2.5));
    let tied = Neighbours { distance_sq: vec![1.0; 3], ..sorted };
    assert_eq!(adaptive(&tied).weight, [0.5, 0.5]);
}

#[test]
fn simplex_projection() {
    let project = |mut point: Vec<f64>| {
        let mut room = point.clone();
        project_onto_simplex(&mut point, &mut room);
        point
    };
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
    assert!(near(&project(vec![0.5, 0.3, -0.1, 1.2]), &[0.15, 0.0, 0.0, 0.85]));
    assert!(near(&project(vec![0.5, 0.4, -1.0, 0.2]), &[7.0 / 15.0, 11.0 / 30.0, 0.0, 1.0 / 6.0]));
}

#[test]
fn refused() {
    let message = |graph: emmf::Result<Graph>| graph.unwrap_err().to_string();
    assert!(message(Graph::from_edges(2, [(0, 2, 1.0)])).contains("an edge of 0 and 2"));
    assert!(message(Graph::from_edges(2, [(0, 1, -1.0)])).contains("a weight of -1 between 0 and 1"));
    assert!(message(Graph::from_edges(2, [(0, 1, f64::NAN)])).contains("finite"));
    assert!(message(Graph::from_edges(2, [(0, 1, 1.0), (1, 0, 2.0)])).contains("one weight for an edge"));
    let csr = |entries, shape| Csr::<f64>::from_triplets(shape, entries).unwrap();
    let read = |csr: Csr<f64>| Graph::from_csr(csr.view());
    assert!(message(read(csr(vec![(0, 1, 1.0)], (2, 2)))).contains("1 from 0 to 1"));
    assert!(message(read(csr(vec![], (2, 3)))).contains("the graph is 2x3"));
    let graph = read(csr(vec![(0, 1, 1.0), (1, 0, 1.0 + 1e-9), (1, 1, 5.0)], (2, 2))).unwrap();
    assert_eq!(graph.row(0).1, graph.row(1).1);
}

#[test]
fn memory_is_linear() {
    let x = uniform(40, 3, &mut rng(1));
    let data = Dense::new(x.view(), None);
    let near = nearest(&data, 7).unwrap();
    assert_eq!((near.index.len(), near.distance_sq.len()), (280, 280));
    assert_eq!(near.truncated(3), nearest(&data, 3).unwrap());
    assert_eq!(nearest(&data, 100).unwrap().k, 39);
    assert_eq!(near.norms_sq, data.norms_sq());
}

/// Clusters in 20 dimensions, dense and sparse.
fn clusters(n: usize) -> Mat<f32> {
    let mut rng = rng(12);
    let (centers, noise) = (uniform(40, 20, &mut rng), uniform(n, 20, &mut rng));
    Mat::from_fn(n, 20, |i, j| {
        let value = centers[(i * 7 % 40, j)] + 0.5 * noise[(i, j)];
        if value < 0.5 { 0.0 } else { value as f32 }
    })
}

/// Share of the true neighbours that the approximate index finds.
fn recall(exact: &Neighbours, found: &Neighbours) -> f64 {
    let hits = |i: usize| exact.row(i).0.iter().filter(|j| found.row(i).0.contains(j)).count();
    (0..exact.nodes()).map(hits).sum::<usize>() as f64 / exact.index.len() as f64
}

#[test]
fn approximate_neighbours_are_nearly_exact() {
    let x = clusters(2000);
    let dense = Dense::new(x.view(), None);
    let exact = nearest(&dense, 5).unwrap();
    let found = nearest_approximately(&dense, 5).unwrap();
    let share = recall(&exact, &found);
    assert!(share > 0.98, "recall {share}");
    let narrow = Csrs::of(&x);
    let sparse = Sparse::new(narrow.narrow(), None);
    assert!(recall(&exact, &nearest_approximately(&sparse, 5).unwrap()) > 0.98);
    // What was found is right: distances, order, never itself, any number of threads.
    for i in 0..2000 {
        let (index, distances) = found.row(i);
        assert!(distances.is_sorted() && !index.contains(&(i as u32)));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| nearest_approximately(&dense, 5).unwrap()), found);
}

/// Duplicates and few samples: the lists are full all the same.
#[test]
fn approximate_neighbours_of_odd_data() {
    for n in [1, 2, 5, 300] {
        let x = Mat::from_fn(n, 3, |i, j| (i / 100 + j) as f32);
        let found = nearest_approximately(&Dense::new(x.view(), None), 5).unwrap();
        assert_eq!(found.k, 5.min(n - 1));
        assert!(
            found.index.iter().all(|&j| (j as usize) < n) && found.distance_sq.iter().all(|d| d.is_finite())
        );
    }
}
