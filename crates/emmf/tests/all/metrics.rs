//! The metrics against scikit-learn, against brute force and against their own laws.

use emmf::Error;
use emmf::metrics::{Clustering, NmiNorm, accuracy, ari, entropy_bound, nmi, outlier_effect, purity};
use emmf::metrics::{precision_at, roc_auc};
use proptest::prelude::*;

const NORMS: [NmiNorm; 4] = [NmiNorm::Max, NmiNorm::Sqrt, NmiNorm::Arithmetic, NmiNorm::Min];

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// Labels, then NMI by the four norms (in the order of `NORMS`), ARI, ACC and purity.
type Case = (&'static [usize], &'static [usize], [f64; 4], [f64; 3]);

/// NMI and ARI as scikit-learn 1.9.1 gives them, ACC by `scipy.optimize.linear_sum_assignment`.
const CASES: [Case; 9] = [
    (
        &[0, 0, 0, 1, 1, 1],
        &[0, 0, 1, 1, 1, 1],
        [0.459_147_917_027_244_83, 0.479_138_767_491_863_9, 0.478_703_971_385_680_05, 0.5],
        [0.324_324_324_324_324_34, 5.0 / 6.0, 5.0 / 6.0],
    ),
    (
        &[0, 0, 1, 1, 2, 2],
        &[0, 0, 0, 0, 1, 1],
        [0.579_380_164_285_695_3, 0.761_170_259_722_288_1, 0.733_680_436_651_211_3, 1.0],
        [0.444_444_444_444_444_4, 4.0 / 6.0, 4.0 / 6.0],
    ),
    // Limiting cases: one label in both, in one, independent, nothing but singletons, one sample.
    (&[1, 1, 1], &[2, 2, 2], [1.0; 4], [1.0, 1.0, 1.0]),
    (&[0, 0, 1, 1], &[0, 0, 0, 0], [0.0; 4], [0.0, 0.5, 0.5]),
    (&[0, 0, 0, 0], &[0, 1, 0, 1], [0.0; 4], [0.0, 0.5, 1.0]),
    (
        &[0, 0, 0, 1, 1, 1, 2, 2, 2],
        &[0, 1, 2, 0, 1, 2, 0, 1, 2],
        [0.0; 4],
        [-1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
    ),
    (&[0, 1, 2, 3], &[3, 1, 0, 2], [1.0; 4], [1.0, 1.0, 1.0]),
    (&[0, 0, 1, 1], &[0, 1, 2, 3], [0.5, std::f64::consts::FRAC_1_SQRT_2, 2.0 / 3.0, 1.0], [0.0, 0.5, 1.0]),
    (&[5], &[7], [1.0; 4], [1.0, 1.0, 1.0]),
];

#[test]
fn agree_with_scikit_learn() {
    for (truth, predicted, by_norm, [want_ari, want_accuracy, want_purity]) in CASES {
        for (norm, want) in NORMS.into_iter().zip(by_norm) {
            let got = nmi(truth, predicted, norm).unwrap();
            assert!(near(got, want), "{truth:?} {predicted:?} {norm:?}: {got}, not {want}");
        }
        assert!(near(ari(truth, predicted).unwrap(), want_ari));
        assert!(near(accuracy(truth, predicted).unwrap(), want_accuracy));
        assert!(near(purity(truth, predicted).unwrap(), want_purity));
    }
}

#[test]
fn agree_with_scikit_learn_on_more_labels() {
    let truth: Vec<usize> = (0..50).map(|i| i * i % 7).collect();
    let predicted: Vec<usize> = (0..50).map(|i| (i * 3 + i / 7) % 5).collect();
    let want = [
        0.022_184_304_420_136_473,
        0.024_095_921_656_668_9,
        0.024_013_840_372_823_25,
        0.026_172_262_582_067_174,
    ];
    for (norm, want) in NORMS.into_iter().zip(want) {
        assert!(near(nmi(&truth, &predicted, norm).unwrap(), want));
    }
    let all = Clustering::compare(&truth, &predicted).unwrap();
    assert!(near(all.nmi, want[1]));
    assert!(near(all.ari, -0.050_639_519_707_648_135));
    assert!(near(all.accuracy, 0.26));
    assert!(near(all.purity, 0.36));
}

#[test]
fn the_norm_is_sqrt_unless_told() {
    assert_eq!(NmiNorm::default(), NmiNorm::Sqrt);
    assert_eq!(serde_json::to_string(&NmiNorm::Arithmetic).unwrap(), r#""arithmetic""#);
}

#[test]
fn clustering_is_written_by_name() {
    let all = Clustering::compare(&["a", "a", "b", "b"], &[1, 1, 0, 0]).unwrap();
    let json = serde_json::to_string(&all).unwrap();
    assert_eq!(json, r#"{"accuracy":1.0,"nmi":1.0,"ari":1.0,"purity":1.0}"#);
    assert_eq!(serde_json::from_str::<Clustering>(&json).unwrap(), all);
}

#[test]
fn a_thousand_classes_are_no_burden() {
    // Not clustered at all, which is hard for the assignment, and nearly right, which is usual.
    let truth: Vec<usize> = (0..20_000).map(|i| i % 1000).collect();
    let mixed: Vec<usize> =
        (0..20_000_usize).map(|i| i.wrapping_mul(2_654_435_761) >> 7).map(|i| i % 1000).collect();
    let nearly: Vec<usize> = (0..20_000).map(|i| if i % 10 == 0 { i / 20 } else { (i + 1) % 1000 }).collect();
    for predicted in [mixed, nearly] {
        let share = accuracy(&truth, &predicted).unwrap();
        assert!(share > 0.049, "{share}");
    }
}

/// The best over all one-to-one maps, tried one by one (Heap's algorithm).
fn brute_force(truth: &[usize], predicted: &[usize], k: usize) -> f64 {
    fn permute(map: &mut Vec<usize>, length: usize, score: &mut impl FnMut(&[usize])) {
        if length <= 1 {
            return score(map);
        }
        for i in 0..length {
            permute(map, length - 1, score);
            map.swap(if length.is_multiple_of(2) { i } else { 0 }, length - 1);
        }
    }
    let mut best = 0;
    permute(&mut (0..k).collect(), k, &mut |map| {
        best = best.max(truth.iter().zip(predicted).filter(|(t, p)| **t == map[**p]).count());
    });
    best as f64 / truth.len() as f64
}

fn two_labelings() -> impl Strategy<Value = (usize, Vec<usize>, Vec<usize>)> {
    (1_usize..=6, 1_usize..40).prop_flat_map(|(k, n)| {
        let labels = || prop::collection::vec(0..k, n);
        (Just(k), labels(), labels())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn accuracy_is_the_best_of_all_maps((k, truth, predicted) in two_labelings()) {
        prop_assert!(near(accuracy(&truth, &predicted).unwrap(), brute_force(&truth, &predicted, k)));
    }

    #[test]
    fn names_of_labels_do_not_matter((_, truth, predicted) in two_labelings()) {
        let names = ["f", "a", "e", "b", "d", "c"].map(String::from);
        let renamed: Vec<String> = predicted.iter().map(|p| names[*p].clone()).collect();
        let a = Clustering::compare(&truth, &predicted).unwrap();
        let b = Clustering::compare(&truth, &renamed).unwrap();
        prop_assert!(near(a.accuracy, b.accuracy) && near(a.nmi, b.nmi));
        prop_assert!(near(a.ari, b.ari) && near(a.purity, b.purity));
    }

    #[test]
    fn bounds_and_symmetry((_, truth, predicted) in two_labelings()) {
        let there = Clustering::compare(&truth, &predicted).unwrap();
        let back = Clustering::compare(&predicted, &truth).unwrap();
        prop_assert!(near(there.accuracy, back.accuracy));
        prop_assert!(near(there.nmi, back.nmi) && near(there.ari, back.ari));
        prop_assert!(there.accuracy > 0.0 && there.accuracy <= there.purity && there.purity <= 1.0);
        prop_assert!((-0.5..=1.0).contains(&there.ari));
        let rising = [NmiNorm::Max, NmiNorm::Arithmetic, NmiNorm::Sqrt, NmiNorm::Min];
        let by_norm = rising.map(|norm| nmi(&truth, &predicted, norm).unwrap());
        prop_assert!(by_norm.iter().all(|nmi| (0.0..=1.0).contains(nmi)));
        prop_assert!(by_norm.is_sorted_by(|a, b| a <= &(b + 1e-12)), "{by_norm:?}");
    }

    #[test]
    fn every_labeling_agrees_with_itself((_, truth, _) in two_labelings()) {
        let same = Clustering::compare(&truth, &truth).unwrap();
        prop_assert!([same.accuracy, same.nmi, same.ari, same.purity].iter().all(|one| near(*one, 1.0)));
    }

    #[test]
    fn effects_are_shares(residuals in prop::collection::vec(0.0..100.0_f64, 2..30), scale in 1e-3..1e3_f64) {
        let scaled: Vec<f64> = residuals.iter().map(|r| r * scale).collect();
        for effect in [outlier_effect::nmf, outlier_effect::l21, outlier_effect::emmf] {
            let phi = effect(&residuals).unwrap();
            prop_assert!(phi.iter().all(|phi| (0.0..=1.0).contains(phi)));
            prop_assert!(near(phi.iter().sum(), 1.0));
            prop_assert!(phi.iter().zip(effect(&scaled).unwrap()).all(|(a, b)| near(*a, b)));
        }
    }

    #[test]
    fn auc_counts_pairs(samples in prop::collection::vec((0..6_u8, any::<bool>()), 2..30)) {
        let scores: Vec<f64> = samples.iter().map(|s| f64::from(s.0)).collect();
        let outlier: Vec<bool> = samples.iter().map(|s| s.1).collect();
        let mut pairs = Vec::new();
        for (a, _) in samples.iter().filter(|s| s.1) {
            let won = |b: u8| f64::midpoint(f64::from(u8::from(*a > b)), f64::from(u8::from(*a >= b)));
            pairs.extend(samples.iter().filter(|s| !s.1).map(|s| won(s.0)));
        }
        match roc_auc(&scores, &outlier) {
            Ok(auc) => prop_assert!(near(auc, pairs.iter().sum::<f64>() / pairs.len() as f64)),
            Err(error) => prop_assert!(pairs.is_empty(), "{error}"),
        }
    }
}

#[test]
fn labelings_that_cannot_be_compared_are_errors() {
    let none: [usize; 0] = [];
    assert!(matches!(Clustering::compare(&[1, 2], &[1]), Err(Error::Shape { .. })));
    assert!(matches!(Clustering::compare(&none, &none), Err(Error::Empty { .. })));
    assert!(matches!(accuracy(&none, &[1]), Err(Error::Shape { .. })));
}

#[test]
fn effects_of_known_residuals() {
    let r = [1.0, 1.0, 2.0];
    assert!(near(outlier_effect::nmf(&r).unwrap()[2], 4.0 / 6.0));
    assert!(near(outlier_effect::l21(&r).unwrap()[2], 0.5));
    // ½ log 2 of 2·¼ log 4 + ½ log 2.
    assert!(near(outlier_effect::emmf(&r).unwrap()[2], 1.0 / 3.0));
    assert!(near(outlier_effect::emmf(&r.map(|r| r as f32)).unwrap()[2], 1.0 / 3.0));
}

#[test]
fn a_growing_outlier_takes_over_all_objectives_but_that_of_emmf() {
    let effect = |size: f64| {
        let mut r = [1.0; 50];
        r[0] = size;
        [outlier_effect::nmf(&r), outlier_effect::l21(&r), outlier_effect::emmf(&r)]
            .map(|phi| phi.unwrap()[0])
    };
    let [nmf, l21, emmf] = effect(1e200);
    assert!(near(nmf, 1.0) && near(l21, 1.0) && near(emmf, 0.0));
    assert!(effect(1e6)[2] < effect(1e3)[2] && effect(1e3)[2] < effect(200.0)[2]);
}

#[test]
fn an_objective_of_zero_has_no_shares() {
    for effect in [outlier_effect::nmf, outlier_effect::l21, outlier_effect::emmf] {
        assert_eq!(effect(&[0.0, 0.0]).unwrap(), [0.0, 0.0]);
    }
    assert_eq!(outlier_effect::emmf(&[0.0, 3.0, 0.0]).unwrap(), [0.0; 3]);
    assert_eq!(outlier_effect::l21(&[0.0, 3.0, 0.0]).unwrap(), [0.0, 1.0, 0.0]);
}

#[test]
fn bad_residuals_are_errors() {
    assert!(matches!(outlier_effect::emmf::<f64>(&[]), Err(Error::Empty { .. })));
    assert!(matches!(outlier_effect::l21(&[1.0, -1.0]), Err(Error::Negative { row: 1, .. })));
    assert!(matches!(outlier_effect::nmf(&[f64::NAN]), Err(Error::NonFinite { row: 0, .. })));
}

#[test]
fn the_bound_curve_of_the_paper() {
    for (n, want) in [(3, 0.336_664), (10, 0.197_756), (50, 0.140_595), (100, 0.126_109), (1000, 0.094_908)] {
        let got = entropy_bound(n);
        assert!((got - want).abs() < 5e-7, "n = {n}: {got}, not {want}");
    }
    assert!((2..200).map(entropy_bound).is_sorted_by(|a, b| a > b));
    assert!(near(entropy_bound(1), 0.0) && near(entropy_bound(0), 0.0));
}

#[test]
fn the_bound_curve_is_no_upper_bound() {
    // The rest on one sample instead of spread over two.
    let phi = outlier_effect::emmf(&[0.01, 0.99, 0.0]).unwrap();
    assert!(phi[0] > 0.8 && phi[0] > entropy_bound(3));
}

#[test]
fn rankings_of_known_scores() {
    let scores = [0.1, 0.4, 0.35, 0.8, 0.4, 0.4, 0.9, 0.0];
    let outlier = [false, false, true, true, true, false, false, false];
    // As scikit-learn's roc_auc_score gives it.
    assert!(near(roc_auc(&scores, &outlier).unwrap(), 0.6));
    let precision = |m| precision_at(&scores, &outlier, m).unwrap();
    assert!(near(precision(1), 0.0));
    assert!(near(precision(2), 0.5));
    // Three samples tie for the third place, one of them is an outlier.
    assert!(near(precision(3), (1.0 + 1.0 / 3.0) / 3.0));
    assert!(near(precision(5), 2.0 / 5.0));
    assert!(near(precision(8), 3.0 / 8.0));
    assert!(near(roc_auc(&[0.0, -0.0], &[true, false]).unwrap(), 0.5));
    assert!(near(roc_auc(&[f64::INFINITY, 1.0], &[true, false]).unwrap(), 1.0));
}

#[test]
fn rankings_without_sense_are_errors() {
    assert!(matches!(roc_auc(&[1.0, 2.0], &[true]), Err(Error::Shape { .. })));
    assert!(matches!(roc_auc::<f32>(&[], &[]), Err(Error::Empty { .. })));
    assert!(matches!(roc_auc(&[1.0, 2.0], &[true, true]), Err(Error::Param { name: "outlier", .. })));
    assert!(matches!(roc_auc(&[1.0, f64::NAN], &[true, false]), Err(Error::NonFinite { row: 1, .. })));
    for m in [0, 3] {
        assert!(matches!(precision_at(&[1.0, 2.0], &[true, false], m), Err(Error::Param { name: "m", .. })));
    }
}
