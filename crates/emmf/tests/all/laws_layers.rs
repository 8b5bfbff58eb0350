//! Laws of layers over samples elsewhere: the fit of one memory, bit for bit, in any shards.

use crate::laws_side::{Apart, WHOLE, alone, assert_same, fit_in_shards, problem};
use crate::oracle::problems::in_every_storage;
use crate::streams::Pretended;

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use emmf::method::side::{Answer, Order, Remote, Server, in_shards};
use emmf::preprocess::Normalize;
use emmf::{Given, GraphSpec, Init, Outliers, Samples, Spec, StopBy, registry};

/// Layers that are merged along a graph and layers that share everything, two and three.
fn specs(name: &str) -> impl Iterator<Item = Spec> {
    let widths: [(usize, &[usize]); 2] = [(6, &[3]), (8, &[4, 2])];
    [0.0, 1.0].into_iter().zip(widths).map(move |(merge, (first, above))| {
        let spec = Spec::new(name, first).above(above).param("merge", merge);
        spec.outliers(Outliers::Keep).max_iter(8).tol(0.0)
    })
}

#[test]
fn layers_in_shards_fit_as_one() {
    for entry in registry::METHODS.iter().filter(|entry| entry.facts.layers) {
        for spec in specs(entry.name) {
            let (x, start) = problem(331, 9, spec.k, 21);
            let in_file = Pretended::<f64>::new(&x, usize::MAX);
            let check = |storage: &str, samples: Samples<'_, f64>| {
                let one = fit_in_shards(&spec, &samples, &start, 1);
                for shards in [2, 3, 7, 40] {
                    let what = format!("{}, {storage}, {shards} shards", entry.name);
                    assert_same(&one, &fit_in_shards(&spec, &samples, &start, shards), &what);
                }
            };
            check("dense", (&x).into());
            if entry.name == "emmf" {
                in_every_storage(&x, check);
                check("streamed", Samples::Stream(&in_file));
            }
        }
    }
}

#[test]
fn layers_in_shards_fit_as_one_in_single_precision() {
    for spec in specs("emmf") {
        let (x, start) = problem(331, 9, spec.k, 22);
        let (x, start) = (x.cast::<f32>(), emmf::Factors { u: start.u.cast(), v: start.v.cast() });
        let one = fit_in_shards(&spec, &Samples::from(&x), &start, 1);
        for shards in [2, 7] {
            assert_same(&one, &fit_in_shards(&spec, &Samples::from(&x), &start, shards), "f32");
        }
    }
}

/// From their own start, with restarts and either stop rule: the merge is that of one memory as long as all samples are fetched for
/// their graph.
#[test]
fn layers_in_shards_fit_as_in_one_memory() {
    let (x, _) = problem(331, 9, 3, 23);
    let ones = vec![1.0; 331];
    for (init, stop_by) in [(Init::Kmeans, StopBy::Objective), (Init::Random, StopBy::Coefficients)] {
        for spec in specs("emmf").chain(specs("capped-nmf")) {
            let spec = spec.init(init).stop_by(stop_by).tol(1e-4).max_iter(30).restarts(2);
            let one = spec.fit(&x).unwrap();
            for shards in [1, 2, 3, 7] {
                let given = Given::default();
                let cut =
                    in_shards(&Samples::from(&x), &ones, shards, |side| spec.fit_side(side, given)).unwrap();
                assert_same(&one, &cut, &format!("{spec:?}, {shards} shards"));
                assert_eq!((one.stop, one.restart), (cut.stop, cut.restart));
            }
        }
    }
}

/// The graph of samples of which only some are fetched, or another graph than the usual one.
#[test]
fn layers_in_shards_are_merged_along_a_graph_of_some() {
    let (x, start) = problem(20_100, 3, 8, 24);
    let spec = Spec::deep(&[8, 3]).max_iter(2).polish(false).outliers(Outliers::Keep);
    let other = spec.clone().graph(GraphSpec { neighbours: 3, ..GraphSpec::default() });
    let one = fit_in_shards(&spec, &Samples::from(&x), &start, 1);
    assert_same(&one, &fit_in_shards(&spec, &Samples::from(&x), &start, 5), "some are fetched");
    assert_ne!(one.model, fit_in_shards(&other, &Samples::from(&x), &start, 5).model);
}

/// Three sides of which only bytes are known.
#[test]
fn layers_over_bytes_fit_as_one() {
    let (x, _) = problem(331, 9, 3, 25);
    let (samples, ones) = (Samples::from(&x), vec![1.0; 331]);
    for spec in specs("emmf").chain(specs("capped-nmf")) {
        let one = in_shards(&samples, &ones, 1, |side| spec.fit_side(side, Given::default())).unwrap();
        let elsewhere = in_shards(&samples, &ones, 3, |side| {
            let server = Mutex::new(Server::new(side));
            let carrier = |number: u64, order: Order<f64>| {
                let order = serde_json::from_slice(&serde_json::to_vec(&order).unwrap()).unwrap();
                let answer = server.lock().unwrap().obey(number, order)?;
                Ok(serde_json::from_slice::<Answer<f64>>(&serde_json::to_vec(&answer).unwrap()).unwrap())
            };
            spec.fit_side(&Remote::new(x.shape(), &carrier, &AtomicU64::new(1)), Given::default())
        });
        assert_same(&one, &elsewhere.unwrap(), &format!("{spec:?}"));
    }
}

/// A shard that is lost in any of its orders is where it was.
#[test]
fn a_lost_shard_has_its_layers_again() {
    let (x, _) = problem(331, 9, 3, 26);
    for spec in specs("emmf").chain(specs("capped-nmf")) {
        let spec = spec.init(Init::KmeansParallel).restarts(2).max_iter(3).stop_by(StopBy::Coefficients);
        let spec = spec.tol(1e-12);
        let one = alone(&spec, &x, &WHOLE);
        for lost_every in [1, 4] {
            let again = alone(&spec, &x, &Apart { lost_every, ..WHOLE });
            assert_same(&one, &again, &format!("{spec:?}, lost every {lost_every}"));
        }
    }
}

/// Samples that are brought to unit length where they are.
#[test]
fn layers_of_unit_length_fit_as_one() {
    let (x, _) = problem(331, 9, 3, 27);
    for spec in specs("emmf") {
        let spec = spec.init(Init::KmeansParallel);
        let one = spec.clone().normalize([Normalize::Unit]).fit(&x).unwrap();
        assert_same(&one, &alone(&spec, &x, &Apart { unit: true, ..WHOLE }), &format!("{spec:?}"));
    }
}

/// A fit that is saved in shards goes on there.
#[test]
fn layers_in_shards_go_on_where_they_were() {
    let (x, start) = problem(331, 9, 8, 28);
    let (samples, ones) = (Samples::from(&x), vec![1.0; 331]);
    for merge in [0.0, 1.0] {
        let spec = Spec::deep(&[8, 4, 2]).param("merge", merge).max_iter(9).tol(0.0).outliers(Outliers::Keep);
        let mut saved = None;
        let whole = {
            let mut keeper = Keeper { at: 4, saved: &mut saved };
            let given = Given { start: Some(&start), observer: Some(&mut keeper), ..Given::default() };
            in_shards(&samples, &ones, 3, |side| spec.fit_side(side, given)).unwrap()
        };
        let given = Given { start: Some(&start), resume: saved.as_ref(), ..Given::default() };
        let resumed = in_shards(&samples, &ones, 2, |side| spec.fit_side(side, given)).unwrap();
        assert_same(&whole, &resumed, &format!("merge {merge}"));
    }
}

/// Keeps the checkpoint of one iteration.
struct Keeper<'a> {
    at: usize,
    saved: &'a mut Option<emmf::Checkpoint>,
}

impl emmf::Observer for Keeper<'_> {
    fn iteration(&mut self, _: &emmf::Step) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }

    fn keep(&mut self, save: &mut dyn FnMut() -> emmf::Result<emmf::Checkpoint>) {
        self.at = self.at.wrapping_sub(1);
        if self.at == 0 {
            *self.saved = Some(save().unwrap());
        }
    }
}
