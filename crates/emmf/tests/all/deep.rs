//! Layers: one is the flat fit, every iteration is that of the oracle and lowers the objective, and the tree goes together.

use crate::oracle;

use emmf::model::{NodeTree, OnLayer};
use emmf::{Error, Fit, Mat, Outliers, Real, Running, Samples, Solver, Spec, registry, synth};
use oracle::deep::Deep;
use oracle::problems::{KINDS, Kind, cast, distance, in_every_storage, problem, rng, uniform};
use oracle::{fit_from, rounding};

/// Layers with and without a merge, of several depths.
fn specs() -> Vec<Spec> {
    let widths: [&[usize]; 3] = [&[4, 2], &[5, 3, 2], &[3, 1]];
    let both = |widths: &&[usize]| {
        [0.0, 1.0].map(|merge| Spec::deep(widths).outliers(Outliers::Keep).param("merge", merge))
    };
    widths.iter().flat_map(both).collect()
}

/// Samples of this kind and a start of the first layer.
fn start(kind: Kind, seed: u64, k: usize) -> (Mat<f64>, emmf::Factors<f64>) {
    let p = problem(kind, seed);
    let mut rng = rng(seed ^ 7);
    let factors = emmf::Factors { u: uniform(p.x.cols(), k, &mut rng), v: uniform(p.x.rows(), k, &mut rng) };
    (p.x, factors)
}

fn several() -> impl Iterator<Item = (Kind, u64)> {
    let kinds = KINDS.into_iter().filter(|kind| *kind != Kind::OneSample);
    kinds.flat_map(|kind| (0..4).map(move |seed| (kind, seed)))
}

#[test]
fn one_layer_is_emmf_bit_for_bit() {
    for (kind, seed) in several() {
        let p = problem(kind, seed);
        for solver in [Solver::Mu, Solver::Hals] {
            let flat = Spec::emmf(p.k).solver(solver).max_iter(20).fit(&p.x).unwrap();
            let deep = Spec::deep(&[p.k]).solver(solver).max_iter(20).fit(&p.x).unwrap();
            assert_eq!((&flat.v, &flat.trace, &flat.labels), (&deep.v, &deep.trace, &deep.labels));
            assert_eq!(flat.model.centroids(), deep.model.centroids());
            assert!(deep.layers.is_empty() && deep.model.layers().is_empty());
        }
    }
}

#[test]
fn each_iteration_equals_the_oracle() {
    for (kind, seed) in several() {
        for spec in specs() {
            let merged = spec.params["merge"] == 1.0;
            let (x, start) = start(kind, seed, spec.k);
            for exponent in [0.5, 1.0, 0.3] {
                let at = |t: usize| {
                    fit_from(&spec.clone().exponent(exponent).max_iter(t).polish(false), &x, &start).unwrap()
                };
                for t in [1, 2, 5] {
                    let (before, after) = (at(t), at(t + 1));
                    let mut oracle = Deep::of(&before, &x, exponent);
                    let what = format!("{kind:?} {seed} {spec:?} {exponent} {t}");
                    assert!(
                        (oracle.objective() - before.objective).abs() <= 1e-7 * before.objective.abs(),
                        "{what}"
                    );
                    oracle.iterate(merged);
                    let ours = Deep::of(&after, &x, exponent);
                    for layer in 0..oracle.layers() {
                        let by = distance(&oracle.fitted(layer), &ours.fitted(layer));
                        assert!(by <= 1e-7, "{what} layer {layer}: {by}");
                    }
                }
            }
        }
    }
}

/// What rounding can add to the objective.
fn slack<T: Real>(fit: &Fit<T>, x: &Mat<f64>) -> f64 {
    let deep = Deep::of(fit, x, 1.0);
    let of = |layer: usize| rounding::<T>(x, fit.v.cols(), &deep.residuals(layer), &deep.weights(layer));
    (0..deep.layers()).map(of).sum::<f64>() + 1e-14 * fit.objective.abs()
}

fn descends<T: Real>() {
    for (kind, seed) in several() {
        for spec in specs() {
            let (x, start) = start(kind, seed, spec.k);
            let (given, start) = (x.cast::<T>(), cast::<T>(&start));
            for exponent in [0.5, 1.0, 0.3] {
                let at = |t: usize| {
                    let spec = spec.clone().exponent(exponent).max_iter(t).polish(false);
                    fit_from(&spec, &given, &start).unwrap()
                };
                let mut before = at(1);
                assert!(before.trace[0] <= before.initial + 2.0 * slack(&before, &x), "{kind:?} {spec:?}");
                for t in 2..=8 {
                    let after = at(t);
                    assert_eq!(before.trace[..], after.trace[..t - 1]);
                    let (was, is) = (after.trace[t - 2], after.trace[t - 1]);
                    let slack = slack(&before, &x) + slack(&after, &x);
                    assert!(
                        is <= was + slack,
                        "{kind:?} {seed} {spec:?} {t}: {was} to {is}, slack {slack:e}"
                    );
                    before = after;
                }
            }
        }
    }
}

#[test]
fn the_objective_never_rises_f64() {
    descends::<f64>();
}

#[test]
fn the_objective_never_rises_f32() {
    descends::<f32>();
}

/// Every loss of weighted samples can take the entropy's place.
#[test]
fn the_objective_never_rises_with_other_losses() {
    let x = uniform(60, 9, &mut rng(3));
    for entry in registry::METHODS.iter().filter(|entry| entry.facts.layers) {
        for merge in [0.0, 1.0] {
            let spec = Spec::new(entry.name, 6).above([3, 2]).param("merge", merge).max_iter(30);
            let fit = spec.fit(&x).unwrap();
            assert_eq!((fit.layers.len(), fit.v.shape(), fit.trace.len()), (3, (60, 6), 30));
            if entry.is_monotone(&spec.params) {
                let falls = |pair: &[f64]| pair[1] <= pair[0] + 1e-10 * pair[0].abs();
                assert!(fit.trace.windows(2).all(falls), "{}: {:?}", entry.name, fit.trace);
            }
        }
    }
}

#[test]
fn objectives_start_at_the_number_of_layers() {
    let x = uniform(40, 8, &mut rng(5));
    for spec in specs() {
        let fit = spec.clone().max_iter(3).fit(&x).unwrap();
        assert!((fit.initial - fit.layers.len() as f64).abs() < 1e-9, "{}", fit.initial);
    }
}

/// Objectives of restarts are compared: they must be values of one function.
#[test]
fn restarts_have_one_objective() {
    let x = uniform(40, 8, &mut rng(5));
    let mut later = 0;
    for spec in specs() {
        for seed in 0..4 {
            let spec = spec.clone().init(emmf::Init::Random).seed(seed).max_iter(4);
            let (one, best) = (spec.fit(&x).unwrap(), spec.clone().restarts(4).fit(&x).unwrap());
            assert_eq!(one.extras[0], best.extras[0], "{spec:?}");
            assert!(best.trace.last() <= one.trace.last(), "{spec:?}");
            later += usize::from(best.restart > 0);
        }
    }
    assert!(later > 4, "{later} fits keep another restart than the first");
}

/// Where nothing has to change by much, the first layer alone gets one iteration, and so do all together.
#[test]
fn the_first_layer_alone_keeps_to_the_tolerance() {
    let x = uniform(40, 8, &mut rng(5));
    for by in [emmf::StopBy::Objective, emmf::StopBy::Coefficients] {
        for spec in specs() {
            let spec = spec.stop_by(by).polish(false);
            let short = spec.clone().max_iter(1).fit(&x).unwrap();
            let settled = spec.max_iter(50).tol(0.999).fit(&x).unwrap();
            assert_eq!((&settled.v, &settled.trace), (&short.v, &short.trace));
            assert_eq!(settled.stop, emmf::Stop::Converged);
        }
    }
}

/// Four groups in two pairs: what is to be merged is known.
fn pairs() -> (Mat<f64>, Vec<usize>) {
    let mut rng = rng(11);
    let noise = uniform(80, 12, &mut rng);
    let group = |i: usize| i / 20;
    let x = Mat::from_fn(80, 12, |i, j| {
        let own = if j / 3 == group(i) { 6.0 } else { 0.0 };
        let pair = if j / 6 == group(i) / 2 { 2.0 } else { 0.0 };
        own + pair + 0.3 * noise[(i, j)]
    });
    (x, (0..80).map(group).collect())
}

/// The tree is one: members of a node are those of its children, and every child has its parent.
fn goes_together(tree: &NodeTree, layers: &[OnLayer]) {
    let n = layers[0].labels.len();
    for node in &tree.nodes {
        let of_labels: Vec<usize> =
            (0..n).filter(|&i| layers[node.layer - 1].labels[i] == node.node).collect();
        assert_eq!(node.members, of_labels);
        assert!(
            !node.members.is_empty() && (node.share - node.members.len() as f64 / n as f64).abs() < 1e-15
        );
        assert!(node.certainty.is_none_or(|sure| (0.0..=1.0).contains(&sure)));
        if node.layer > 1 {
            let mut below: Vec<usize> = tree.children(node).flat_map(|child| child.members.clone()).collect();
            below.sort_unstable();
            assert_eq!(node.members, below);
            assert!(tree.children(node).all(|child| child.parent == Some(node.node)));
        }
    }
    assert_eq!(tree.roots().map(|root| root.members.len()).sum::<usize>(), n);
    let leaves = tree.leaves().len();
    let linkage = tree.linkage();
    assert_eq!(linkage.len(), leaves - 1);
    let mut used = vec![false; leaves + linkage.len()];
    for (at, row) in linkage.iter().enumerate() {
        for cluster in [row[0] as usize, row[1] as usize] {
            assert!(cluster < leaves + at && !std::mem::replace(&mut used[cluster], true));
        }
        assert!(at == 0 || row[2] >= linkage[at - 1][2]);
    }
    assert_eq!(linkage.last().map_or(leaves, |row| row[3] as usize), leaves);
    let newick = tree.to_newick();
    assert!(newick.ends_with(");") && newick.matches(":1").count() == tree.nodes.len());
    assert_eq!(newick.matches('(').count(), newick.matches(')').count());
    assert_eq!(tree.to_csv().lines().count(), tree.nodes.len() + 1);
}

#[test]
fn the_tree_is_found_and_goes_together() {
    let (x, group) = pairs();
    let fit = Spec::deep(&[4, 2]).fit(&x).unwrap();
    let tree = fit.model.tree(&fit.layers).unwrap();
    goes_together(&tree, &fit.layers);
    for (i, one) in group.iter().enumerate() {
        for (j, other) in group.iter().enumerate() {
            assert_eq!(fit.layers[0].labels[i] == fit.layers[0].labels[j], one == other);
            assert_eq!(fit.labels[i] == fit.labels[j], one / 2 == other / 2);
        }
    }
    for spec in specs() {
        let fit = spec.fit(&x).unwrap();
        goes_together(&fit.model.tree(&fit.layers).unwrap(), &fit.layers);
        for layer in fit.model.layers() {
            (0..layer.b.rows())
                .for_each(|a| assert!((layer.b.row(a).iter().sum::<f64>() - 1.0).abs() < 1e-12));
        }
    }
}

/// Also with outliers that were set aside, and new samples are coded as those of the fit.
#[test]
fn transform_repeats_the_fit_on_every_layer() {
    let data = synth::rays_with_outliers::<f64>(&synth::Rays::default()).unwrap();
    for merge in [0.0, 1.0] {
        let fit =
            Spec::deep(&[6, 3]).param("merge", merge).label_rule(emmf::LabelRule::Unit).fit(&data.x).unwrap();
        assert!(!fit.set_aside.is_empty());
        goes_together(&fit.model.tree(&fit.layers).unwrap(), &fit.layers);
        let coded = fit.model.transform(&data.x).unwrap();
        assert_eq!(coded.v, fit.v);
        assert_eq!(coded.layers.len(), 2);
        assert_eq!(coded.layers[1].labels, coded.labels);
        for (coded, fitted) in coded.layers.iter().zip(&fit.layers) {
            assert_eq!((&coded.residuals, &coded.scores), (&fitted.residuals, &fitted.scores));
            assert_eq!(coded.reasons, fitted.reasons);
        }
        assert_eq!((&fit.layers[0].scores, &fit.layers[0].reasons), (&fit.scores, &fit.reasons));
        assert_eq!(fit.layers[0].residuals, fit.residuals);
        assert_eq!(fit.layers[1].labels, fit.labels);
        let upper = fit.model.coefficients_on(&fit.v, 2).unwrap();
        let by = distance(&upper, &oracle::deep::times(&fit.v, &fit.model.layers()[0].b));
        assert!(by <= 1e-14, "{by}");
        assert!(matches!(fit.model.coefficients_on(&fit.v, 3), Err(Error::Param { name: "layer", .. })));
        assert!(matches!(fit.model.labels_on(&[0], 0), Err(Error::Param { name: "layer", .. })));
    }
}

/// Two groups of a pair, and one without its other: nothing about it is doubtful.
#[test]
fn the_only_child_is_certain() {
    let (pairs, _) = pairs();
    let x = Mat::from_fn(60, 12, |i, j| pairs[(i, j)]);
    let fit = Spec::deep(&[3, 2]).fit(&x).unwrap();
    let tree = fit.model.tree(&fit.layers).unwrap();
    let alone: Vec<_> = tree.roots().filter(|root| root.children.len() == 1).collect();
    assert_eq!((alone.len(), alone[0].members.len()), (1, 20));
    assert_eq!(tree.children(alone[0]).next().unwrap().certainty, Some(1.0));
}

/// Twelve samples make a node of the first layer, and none of the nodes above looks like them.
#[test]
fn a_sample_may_fit_a_fine_node_and_no_coarse_one() {
    let (pairs, _) = pairs();
    let noise = uniform(92, 12, &mut rng(12));
    let strange = |j: usize| if j % 4 == 1 { 5.0 } else { 0.0 };
    let x =
        Mat::from_fn(92, 12, |i, j| if i < 80 { pairs[(i, j)] } else { strange(j) + 0.3 * noise[(i, j)] });
    let fit = Spec::deep(&[5, 2]).outliers(Outliers::Keep).seed(1).fit(&x).unwrap();
    let odd = |layer: usize| -> Vec<usize> {
        (0..92).filter(|&i| fit.layers[layer].scores[i] > emmf::outliers::THRESHOLD).collect()
    };
    let (strange, others): (Vec<usize>, Vec<usize>) = odd(1).into_iter().partition(|i| *i >= 80);
    assert_eq!((odd(0), strange), (vec![], (80..92).collect()));
    assert!(others.len() < 2, "{others:?}");
}

/// A sample with gaps is measured by what is there, on every layer.
#[test]
fn gaps_of_new_samples_are_left_out_on_every_layer() {
    let (x, _) = pairs();
    let fit = Spec::deep(&[4, 2]).max_iter(30).fit(&x).unwrap();
    let model = fit.model.clone().with_missing(emmf::Missing::Nan);
    let mut gaps = x.clone();
    (0..x.rows()).step_by(3).for_each(|i| gaps[(i, (i * 5) % 12)] = f64::NAN);
    let coded = model.transform(&gaps).unwrap();
    for (layer, on) in coded.layers.iter().enumerate() {
        let u = if layer == 0 { model.centroids() } else { &model.layers()[layer - 1].u };
        let fitted =
            oracle::deep::times(&model.coefficients_on(&coded.v, layer + 1).unwrap(), &u.transposed());
        for (i, (r, score)) in on.residuals.iter().zip(&on.scores).enumerate() {
            let there = gaps.row(i).iter().zip(fitted.row(i)).filter(|(x, _)| !x.is_nan());
            let squares: Vec<f64> = there.map(|(x, y)| (x - y).powi(2)).collect();
            let wanted = (squares.iter().sum::<f64>() * 12.0 / squares.len() as f64).sqrt();
            assert!((r - wanted).abs() <= 1e-9 * (1.0 + wanted), "{layer} {i}: {r}, {wanted}");
            assert!(score.is_finite());
        }
    }
}

/// A sample that counts nothing is still coded by the centroids of the others.
#[test]
fn samples_without_a_weight_do_not_stand_still() {
    let (x, _) = pairs();
    let mut weights = vec![1.0; x.rows()];
    (weights[3], weights[55]) = (0.0, 0.0);
    for spec in specs() {
        let mut rng = rng(21);
        let start = emmf::Factors { u: uniform(12, spec.k, &mut rng), v: uniform(80, spec.k, &mut rng) };
        let at = |iterations: usize| {
            let spec = spec.clone().polish(false).max_iter(iterations);
            let given =
                emmf::Given { sample_weights: Some(&weights), start: Some(&start), ..emmf::Given::default() };
            spec.on(&x).given(given).fit().unwrap()
        };
        let (early, late) = (at(1), at(40));
        // Where nodes share everything, the columns of V change their scales: by the same factors in rows that stand still.
        let factors =
            |i: usize| -> Vec<f64> { (0..spec.k).map(|k| late.v[(i, k)] / early.v[(i, k)]).collect() };
        let differ = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-3 * a.abs().max(b.abs());
        assert!(factors(3).iter().zip(&factors(55)).any(differ), "{spec:?}");
    }
}

/// The same bits with any threads and any storage that has the same neighbours.
#[test]
fn storage_and_threads_do_not_matter() {
    let x = uniform(300, 15, &mut rng(2));
    for spec in specs() {
        let spec = spec.max_iter(10);
        let one = spec.on(&x).threads(1).fit().unwrap();
        let two = spec.on(&x).threads(2).fit().unwrap();
        assert_eq!(
            (&one.model, &one.v, &one.layers, &one.trace),
            (&two.model, &two.v, &two.layers, &two.trace)
        );
        in_every_storage(&x, |storage, samples: Samples<'_, f64>| {
            let fit = spec.fit(samples).unwrap();
            assert!((fit.objective - one.objective).abs() <= 1e-6 * one.objective, "{storage} {spec:?}");
        });
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let x = uniform(20, 5, &mut rng(1));
    let refused = |spec: Spec, name: &str, words: &str| {
        let error = spec.fit(&x).unwrap_err();
        let said = error.to_string();
        assert!(matches!(error, Error::Param { name: found, .. } if found == name), "{said}");
        assert!(said.contains(words), "{said}");
    };
    refused(Spec::deep(&[4, 4]), "layers", "4 is not below 4");
    refused(Spec::deep(&[4, 6, 2]), "layers", "6 is not below 4");
    refused(Spec::deep(&[4, 0]), "layers", "at least 1");
    refused(Spec::deep(&[30, 3]), "layers", "at most 20");
    refused(Spec::deep(&[]), "k", "at least 1");
    refused(Spec::deep(&(1..=65).rev().collect::<Vec<_>>()), "layers", "at most 64");
    refused(Spec::new("g-emmf", 4).above([2]), "layers", "left out with g-emmf");
    refused(Spec::new("pnmf", 4).above([2]), "layers", "left out with pnmf");
    refused(Spec::deep(&[4, 2]).solver(Solver::Hals), "solver", "mu with layers");
    refused(Spec::deep(&[4, 2]).clusters(3), "clusters", "left out with layers");
    refused(
        Spec::deep(&[4, 2]).label_rule(emmf::LabelRule::KmeansRaw),
        "label_rule",
        "kmeans-raw, but must be largest or unit",
    );
    let graph = emmf::GraphSpec::default();
    refused(Spec::deep(&[4, 2]).graph(graph).param("merge", 0.0), "graph", "left out with merge = 0");
    let online = Spec::deep(&[4, 2]).fit_online(&x, emmf::Given::default(), None).unwrap_err();
    assert!(online.to_string().contains("batches"), "{online}");
    let mut gaps = x.clone();
    gaps[(3, 2)] = f64::NAN;
    let missing = Spec::deep(&[4, 2]).missing(emmf::Missing::Nan).fit(&gaps).unwrap_err();
    assert!(missing.to_string().contains("layers"), "{missing}");
}

/// Nodes to which no sample belongs are left out of the tree, and named.
#[test]
fn empty_nodes_are_left_out_and_named() {
    // Three different samples, many times: of nine centroids at most three can have samples.
    let x = Mat::from_fn(60, 4, |i, j| if i % 3 == j % 3 { 1.0 + j as f64 } else { 0.1 });
    let fit = Spec::deep(&[9, 3]).fit(&x).unwrap();
    let tree = fit.model.tree(&fit.layers).unwrap();
    goes_together(&tree, &fit.layers);
    let nodes = tree.nodes.iter().filter(|node| node.layer == 1).count();
    let empty = tree.empty.iter().filter(|(layer, _)| *layer == 1).count();
    assert!(nodes <= 3 && nodes + empty == 9, "{nodes} {empty}");
}

#[test]
fn widths_are_chosen_by_communities() {
    let (x, _) = pairs();
    let widths = Spec::deep(&[1]).choose_layers(&x, &Running::default()).unwrap();
    assert!(widths.windows(2).all(|pair| pair[0] >= 2 * pair[1]) && widths.len() >= 2, "{widths:?}");
    let fit = Spec::deep(&widths).max_iter(20).fit(&x).unwrap();
    assert_eq!(fit.layers.len(), widths.len());
}

/// They are those of the samples that the fit will see, and of parameters that it will take.
#[test]
fn widths_are_chosen_without_outliers() {
    let running = &Running::default();
    let rays = synth::Rays { classes: 4, samples: 200, outliers: 20, features: 30, ..Default::default() };
    let x = synth::rays_with_outliers::<f64>(&rays).unwrap().x;
    let data = emmf::data::Dense::new(x.view(), None);
    let found = emmf::outliers::screen(&data, 20, &vec![1.0; x.rows()], &emmf::Cancel::new()).unwrap();
    let kept: Vec<usize> = (0..x.rows()).filter(|&i| !found[i]).collect();
    assert!(kept.len() < x.rows());
    let good = Mat::from_fn(kept.len(), x.cols(), |i, j| x[(kept[i], j)]);
    let spec = Spec::deep(&[1]);
    let wanted = spec.clone().outliers(Outliers::Keep).choose_layers(&good, running).unwrap();
    assert_eq!(spec.choose_layers(&x, running).unwrap(), wanted);
    let error = spec.clone().max_iter(0).choose_layers(&x, running).unwrap_err();
    assert!(matches!(error, Error::Param { name: "max_iter", .. }), "{error}");
    let error = spec.missing(emmf::Missing::Nan).choose_layers(&x, running).unwrap_err();
    assert!(error.to_string().contains("layers"), "{error}");
}
