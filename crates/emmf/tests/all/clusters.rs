//! Clusters along a graph: spectral clustering, the graph start, the graph that is chosen.

use emmf::graph::{communities, spectral_clusters};
use emmf::metrics::{accuracy, ari, modularity};
use emmf::registry::METHODS;
use emmf::{Cancel, Graph, GraphKind, GraphSpec, Init, Mat, Running, Spec, synth};

/// Complete graphs of these sizes, which touch where `joint` is positive.
fn cliques(sizes: &[usize], joint: f64) -> (Graph, Vec<usize>) {
    let (mut edges, mut labels, mut first) = (Vec::new(), Vec::new(), 0);
    for (label, &size) in sizes.iter().enumerate() {
        edges.extend((0..size).flat_map(|i| (0..i).map(move |j| (first + i, first + j, 1.0))));
        if label > 0 {
            edges.push((first - 1, first, joint));
        }
        labels.extend(vec![label; size]);
        first += size;
    }
    (Graph::from_edges(first, edges).unwrap(), labels)
}

/// Points around the corners of a cube of so many dimensions, without negative entries.
fn corners(samples: usize, clusters: usize, seed: u64) -> (Mat<f64>, Vec<usize>) {
    let spec =
        synth::Rays { outliers: 0, samples, classes: clusters, features: 20, seed, ..synth::Rays::default() };
    let made = synth::rays_with_outliers::<f64>(&spec).unwrap();
    let labels = made.labels;
    (made.x, labels)
}

#[test]
fn parts_of_a_graph_are_its_clusters() {
    for joint in [0.0, 0.01, 1.0] {
        for sizes in [vec![7, 5, 9], vec![6; 30], vec![3, 40, 12, 100], vec![400, 300, 90]] {
            let (graph, want) = cliques(&sizes, joint);
            let found = spectral_clusters(&graph, sizes.len(), &Cancel::new()).unwrap();
            assert_eq!(ari(&want, &found).unwrap(), 1.0, "{sizes:?}, {joint}");
        }
    }
}

#[test]
fn a_graph_start_is_the_same_whatever_the_seed_and_the_threads() {
    let (x, _) = corners(900, 5, 3);
    let knn = GraphSpec { kind: GraphKind::Knn, ..GraphSpec::default() };
    let start = |seed, threads| {
        let spec = Spec::emmf(5).init(Init::Graph).graph(knn).seed(seed);
        spec.start_of(&x, &Running::on(Some(threads))).unwrap()
    };
    assert_eq!(start(0, 1), start(7, 2));
    let fit = |threads| {
        let spec = Spec::new("g-emmf", 5).max_iter(3);
        spec.on(&x).threads(threads).fit().unwrap()
    };
    let (one, three) = (fit(1), fit(3));
    assert_eq!((one.labels, one.trace), (three.labels, three.trace));
}

#[test]
fn every_method_starts_at_the_graph() {
    let (x, want) = corners(120, 3, 1);
    for entry in METHODS {
        let spec = Spec::new(entry.name, 3).init(Init::Graph).max_iter(2);
        let fit = spec.fit(&x).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert_eq!(fit.model.spec().init, Some(Init::Graph));
        let start = spec.start_of(&x, &Running::default()).unwrap();
        let largest = |row: &[f64]| (0..3).fold(0, |best, k| if row[k] > row[best] { k } else { best });
        let labels: Vec<usize> = (0..120).map(|i| largest(start.v.row(i))).collect();
        assert_eq!(accuracy(&want, &labels).unwrap(), 1.0, "{}", entry.name);
    }
}

#[test]
fn more_components_than_clusters_are_put_together() {
    // Twelve groups of copies, of which three each lie in one direction.
    let x = Mat::from_fn(120, 4, |i, j| {
        let (group, copy) = (i / 10, i % 10);
        let base = if group / 3 == j { 1.0 } else { 0.02 * (group % 3) as f64 };
        base + 1e-6 * copy as f64
    });
    let want: Vec<usize> = (0..120).map(|i| i / 30).collect();
    let fit = Spec::emmf(4).init(Init::Graph).max_iter(1).fit(&x).unwrap();
    assert_eq!(ari(&want, &fit.labels).unwrap(), 1.0);
}

#[test]
fn samples_without_neighbours_join_the_nearest_cluster() {
    let (x, want) = corners(60, 3, 2);
    // A graph of two thirds of the samples.
    let joined = |i: usize, j: usize| want[i] == want[j] && !i.is_multiple_of(3) && !j.is_multiple_of(3);
    let edges = (0..60).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| joined(i, j));
    let graph = Graph::from_edges(60, edges.map(|(i, j)| (i, j, 1.0))).unwrap();
    let fit = Spec::emmf(3).init(Init::Graph).max_iter(1).on(&x).graph(&graph).fit().unwrap();
    assert!(accuracy(&want, &fit.labels).unwrap() > 0.95);
}

#[test]
fn no_cluster_is_empty_whatever_the_graph() {
    for (n, k) in [(6, 6), (7, 3), (30, 29), (40, 8)] {
        let x = Mat::from_fn(n, 3, |i, j| 1.0 + ((i * 7 + j * 3) % 11) as f64);
        let alone = Graph::from_edges(n, []).unwrap();
        let one = Graph::from_edges(n, (1..n).map(|i| (0, i, 1.0))).unwrap();
        for graph in [alone, one] {
            let start = Spec::emmf(k).init(Init::Graph).max_iter(1).on(&x).graph(&graph).fit();
            let fit = start.unwrap_or_else(|error| panic!("{n} {k}: {error}"));
            assert_eq!(fit.v.shape(), (n, k));
            assert!(fit.v.as_slice().iter().all(|v| v.is_finite()));
        }
    }
}

#[test]
fn the_chosen_graph_is_told() {
    let (x, want) = corners(300, 3, 5);
    let fit = Spec::new("g-emmf", 3).fit(&x).unwrap();
    let names: Vec<_> = fit.extras.iter().map(|extra| &*extra.name).collect();
    assert!(names.contains(&"graph-centroids") && names.contains(&"graph-modularity"), "{names:?}");
    assert!(accuracy(&want, &fit.labels).unwrap() > 0.95);
    let knn = Spec::new("g-emmf", 3).as_published().fit(&x).unwrap();
    assert!(knn.extras.iter().all(|extra| extra.name != "graph-centroids"));
}

#[test]
fn communities_are_the_parts_of_a_graph() {
    for joint in [0.0, 0.1, 1.0] {
        for sizes in [vec![7, 5, 9], vec![6; 30], vec![12, 40, 12, 100], vec![30, 30, 20]] {
            let (graph, want) = cliques(&sizes, joint);
            let found = communities(&graph);
            assert_eq!(ari(&want, &found).unwrap(), 1.0, "{sizes:?}, {joint}");
            let merged: Vec<usize> = want.iter().map(|label| label / 2).collect();
            assert!(modularity(&graph, &found).unwrap() > modularity(&graph, &merged).unwrap());
        }
    }
    assert_eq!(communities(&Graph::from_edges(3, []).unwrap()), [0, 1, 2]);
}
