//! Made-up data: the claims of the paper's toy figures, ranges, places, and the same numbers again
//! from the same seed.

use emmf::metrics::accuracy;
use emmf::preprocess::Normalize;
use emmf::registry::DEFAULT;
use emmf::synth::{Amount, Example, cells, shapes, spectra, texts};
use emmf::synth::{ImageShape, Labelled, Rays, add_block_noise, add_foreign, add_outliers, choose_per_class};
use emmf::synth::{rays_with_outliers, toy_clean, toy_with_outliers, uniform};
use emmf::{Cut, Error, Mat, Spec};

/// Residuals of points in the plane from the line at this angle.
fn residuals(x: &Mat<f64>, degrees: f64) -> Vec<f64> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    (0..x.rows()).map(|i| (x[(i, 0)] * sin - x[(i, 1)] * cos).abs()).collect()
}

/// The angle of the best line through the origin, by trying all of them.
fn best_angle(x: &Mat<f64>, objective: impl Fn(&[f64]) -> f64) -> f64 {
    let angles = (0..=90_000).map(|step| f64::from(step) / 1000.0);
    let tried = angles.map(|angle| (objective(&residuals(x, angle)), angle));
    tried.fold((f64::INFINITY, 0.0), |best, new| if new.0 < best.0 { new } else { best }).1
}

fn nmf(r: &[f64]) -> f64 {
    r.iter().map(|r| r * r).sum()
}

fn l21(r: &[f64]) -> f64 {
    r.iter().sum()
}

fn emmf(r: &[f64]) -> f64 {
    let sum: f64 = r.iter().sum();
    r.iter().filter(|r| **r > 0.0).map(|r| -r * (r / sum).ln()).sum()
}

/// Samples of another set with more features, of which the first are 0 (as the upper rows of pictures are), and one that is 0.
#[test]
fn foreign_samples_are_as_long_as_the_others_or_zero() {
    let x = Mat::<f64>::from_fn(20, 10, |i, j| (1 + i * j) as f64);
    let other = Mat::from_fn(30, 40, |i, j| if j < 10 || i == 7 { 0.0 } else { (i + j) as f64 });
    let all = add_foreign(&x, &other, 200, 1).unwrap();
    let length = |i: usize| all.row(i).iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut lengths: Vec<f64> = (0..20).map(length).collect();
    lengths.sort_by(f64::total_cmp);
    let usual = 0.5 * (lengths[9] + lengths[10]);
    let (zero, full): (Vec<f64>, Vec<f64>) = (20..220).map(length).partition(|length| *length == 0.0);
    assert!(!zero.is_empty() && zero.len() < 20);
    assert!(full.iter().all(|length| (length / usual - 1.0).abs() < 0.2), "{usual}: {full:?}");
}

#[test]
fn outliers_tilt_nmf_most_and_emmf_hardly() {
    let toy: Labelled<f64> = toy_with_outliers();
    let ray = 0.5_f64.atan().to_degrees();
    let tilt =
        [best_angle(&toy.x, nmf), best_angle(&toy.x, l21), best_angle(&toy.x, emmf)].map(|angle| angle - ray);
    let near = |got: f64, want: f64| (got - want).abs() < 0.05;
    assert!(near(tilt[0], 28.0) && near(tilt[1], 4.0) && near(tilt[2], 0.0), "{tilt:?}");
    // Nor is it the ray's own doing: without the outliers NMF's line is the ray.
    let normal = Mat::from_vec(toy.x.as_slice()[..20].to_vec(), 10, 2).unwrap();
    assert!((best_angle(&normal, nmf) - ray).abs() < 0.5);
}

#[test]
fn errors_under_nmf_and_emmf_are_as_the_paper_tells() {
    let x = toy_with_outliers::<f64>().x;
    let smallest_of_outliers = |r: &[f64]| r[10..].iter().copied().fold(f64::INFINITY, f64::min);
    let largest_of_normal = |r: &[f64]| r[..10].iter().copied().fold(0.0, f64::max);
    let under_nmf = residuals(&x, best_angle(&x, nmf));
    assert!(largest_of_normal(&under_nmf) > smallest_of_outliers(&under_nmf));
    let under_emmf = residuals(&x, best_angle(&x, emmf));
    assert!(smallest_of_outliers(&under_emmf) > 10.0 * largest_of_normal(&under_emmf));
}

#[test]
fn toys_have_the_sizes_of_the_paper() {
    let toy = toy_with_outliers::<f32>();
    assert_eq!(toy.x.shape(), (13, 2));
    assert!(toy.x.as_slice().iter().all(|x| *x > 0.0));
    assert_eq!(toy.outlier, [[false; 10].as_slice(), &[true; 3]].concat());
    assert_eq!(toy.labels, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);

    let clean = toy_clean::<f64>();
    assert_eq!(clean.x.shape(), (10, 2));
    assert!((0..10).all(|i| clean.x[(i, 0)].to_bits() == (2.0 * clean.x[(i, 1)]).to_bits()));
    assert!(clean.outlier.iter().all(|outlier| !outlier));
    assert!(clean.labels.iter().all(|label| *label == 0));
}

#[test]
fn rays_are_what_was_asked_for() {
    let rays =
        Rays { classes: 4, features: 30, samples: 42, outliers: 5, noise: 0.01, seed: 3, ..Rays::default() };
    let made: Labelled<f64> = rays_with_outliers(&rays).unwrap();
    assert_eq!(made.x.shape(), (47, 30));
    let count = |label| made.labels.iter().filter(|l| **l == label).count();
    assert_eq!([0, 1, 2, 3, 4].map(count), [11, 10, 11, 10, 5]);
    assert!(made.labels.iter().zip(&made.outlier).all(|(label, outlier)| *outlier == (*label == 4)));
    let (normal, outliers) = made.x.as_slice().split_at(42 * 30);
    let top = normal.iter().copied().fold(0.0, f64::max);
    assert!(normal.iter().all(|x| (0.0..=1.51).contains(x)));
    assert!(outliers.iter().all(|x| (0.0..=10.0 * top).contains(x)));
    assert!(outliers.iter().copied().fold(0.0, f64::max) > 5.0 * top);
}

#[test]
fn samples_lie_near_the_ray_of_their_class() {
    let made: Labelled<f64> = rays_with_outliers(&Rays { outliers: 0, ..Rays::default() }).unwrap();
    let cosine = |a: &[f64], b: &[f64]| {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    // The first sample of each class is the centre.
    let firsts = [0, 50, 100];
    let nearest = |i: usize| {
        let cosines = firsts.map(|first| cosine(made.x.row(i), made.x.row(first)));
        (0..3).max_by(|a, b| cosines[*a].total_cmp(&cosines[*b]))
    };
    let found: Vec<Option<usize>> = (0..150).map(nearest).collect();
    assert!((accuracy(&made.labels, &found).unwrap() - 1.0).abs() < 1e-15);
    assert!((0..50).all(|i| cosine(made.x.row(i), made.x.row(0)) > 0.99));
}

#[test]
fn bad_rays_are_errors() {
    let good = Rays::default();
    let bad = [
        ("classes", Rays { classes: 0, ..good }),
        ("features", Rays { features: 0, ..good }),
        ("samples", Rays { samples: 2, ..good }),
        ("noise", Rays { noise: -1.0, ..good }),
        ("outlier_scale", Rays { outlier_scale: f64::NAN, ..good }),
    ];
    for (want, rays) in bad {
        match rays_with_outliers::<f64>(&rays) {
            Err(Error::Param { name, .. }) => assert_eq!(name, want),
            other => panic!("{want}: {other:?}"),
        }
    }
}

#[test]
fn outliers_are_appended_within_ten_times_the_largest_entry() {
    let x = Mat::from_rows([[1.0, 0.0, 2.0], [0.5, 3.0, 0.0]]);
    let more = add_outliers(&x, 100, 1);
    assert_eq!(more.shape(), (102, 3));
    assert_eq!(more.as_slice()[..6], *x.as_slice());
    let added = &more.as_slice()[6..];
    assert!(added.iter().all(|x| (0.0..=30.0).contains(x)));
    assert!(added.iter().copied().fold(0.0, f64::max) > 25.0);
    assert_eq!(add_outliers(&x, 0, 1), x);
    // A longer series starts with the shorter one.
    assert_eq!(add_outliers(&x, 10, 1).as_slice(), &more.as_slice()[..36]);
    assert_eq!(add_outliers(&Mat::<f64>::zeros(0, 2), 1, 1), Mat::zeros(1, 2));
}

#[test]
fn block_noise_changes_one_square_of_each_named_image() {
    let (height, width, block) = (7, 5, 3);
    for column_major in [false, true] {
        let shape = ImageShape { height, width, column_major, colour: false };
        // −1 is outside the range of the noise, so a changed pixel shows; the single 1 sets the range.
        let clean = Mat::from_fn(30, 35, |i, j| if (i, j) == (29, 0) { 1.0 } else { -1.0 });
        let mut noisy = clean.clone();
        let rows: Vec<usize> = (0..20).collect();
        add_block_noise(&mut noisy, shape, &rows, block, 11).unwrap();
        let mut corners = Vec::new();
        for i in 0..20 {
            let changed = |(down, right): &(usize, usize)| {
                let pixel = if column_major { right * height + down } else { down * width + right };
                noisy.row(i)[pixel] >= 0.0
            };
            let places = (0..height).flat_map(|down| (0..width).map(move |right| (down, right)));
            let hit: Vec<(usize, usize)> = places.filter(changed).collect();
            let (top, left) = hit[0];
            let square =
                (top..top + block).flat_map(|down| (left..left + block).map(move |right| (down, right)));
            assert_eq!(hit, square.collect::<Vec<_>>());
            corners.push((top, left));
        }
        corners.sort_unstable();
        corners.dedup();
        assert!(corners.len() > 3, "the place is random: {corners:?}");
        assert!(noisy.as_slice().iter().all(|x| *x <= 1.0));
        assert_eq!(noisy.as_slice()[20 * 35..], clean.as_slice()[20 * 35..]);
    }
}

#[test]
fn a_block_may_be_nothing_or_the_whole_image() {
    let shape = ImageShape { height: 2, width: 2, column_major: false, colour: false };
    let clean = Mat::from_rows([[2.0, 2.0, 2.0, 2.0]]);
    let mut x = clean.clone();
    add_block_noise(&mut x, shape, &[0], 0, 1).unwrap();
    assert_eq!(x, clean);
    add_block_noise(&mut x, shape, &[0], 2, 1).unwrap();
    assert!(x.as_slice().iter().all(|x| *x < 2.0));
}

#[test]
fn bad_blocks_are_errors_and_change_nothing() {
    let clean: Mat<f64> = uniform(2, 12, 0);
    let mut x = clean.clone();
    let shape = ImageShape { height: 3, width: 4, column_major: false, colour: false };
    let too_large = add_block_noise(&mut x, shape, &[0], 4, 0);
    assert!(matches!(too_large, Err(Error::Param { name: "block", .. })));
    let no_such_row = add_block_noise(&mut x, shape, &[0, 2], 2, 0);
    assert!(matches!(no_such_row, Err(Error::Param { name: "rows", .. })));
    let other_shape = add_block_noise(&mut x, ImageShape { height: 4, ..shape }, &[0], 2, 0);
    assert!(matches!(other_shape, Err(Error::Shape { .. })));
    assert_eq!(x, clean);
}

#[test]
fn the_same_number_of_each_class_is_chosen() {
    let labels: Vec<usize> = (0..60).map(|i| [7, 0, 3][i % 3]).chain([5, 5]).collect();
    let chosen = choose_per_class(&labels, 3, 4);
    let count = |label| chosen.iter().filter(|i| labels[**i] == label).count();
    assert_eq!([0, 3, 7, 5].map(count), [3, 3, 3, 2]);
    assert!(chosen.is_sorted_by(|a, b| a < b));
    assert_ne!(chosen, choose_per_class(&labels, 3, 5));
    assert_eq!(choose_per_class(&labels, 0, 4), Vec::<usize>::new());
    assert_eq!(choose_per_class(&[], 3, 4), Vec::<usize>::new());
}

#[test]
fn every_sample_of_a_class_has_the_same_chance() {
    let mut hits = [0; 5];
    for seed in 0..1000 {
        for i in choose_per_class(&[0; 5], 2, seed) {
            hits[i] += 1;
        }
    }
    // 400 expected, standard deviation 15.5.
    assert!(hits.iter().all(|hits| (330..470).contains(hits)), "{hits:?}");
}

#[test]
fn uniform_fills_the_unit_interval() {
    let x: Mat<f64> = uniform(50, 50, 9);
    assert_eq!(x.shape(), (50, 50));
    assert!(x.as_slice().iter().all(|x| (0.0..=1.0).contains(x)));
    let mean = x.as_slice().iter().sum::<f64>() / 2500.0;
    assert!((mean - 0.5).abs() < 0.03);
}

#[test]
fn the_same_seed_gives_the_same_data() {
    assert_eq!(uniform::<f64>(4, 5, 1), uniform(4, 5, 1));
    assert_ne!(uniform::<f64>(4, 5, 1), uniform(4, 5, 2));
    assert_eq!(uniform::<f64>(4, 5, 1).cast::<f32>(), uniform(4, 5, 1));
    // Other numbers here would change every published experiment with synthetic data.
    let first = uniform::<f64>(1, 1, 0)[(0, 0)];
    assert!((first - FIRST_OF_SEED_0).abs() < 1e-15, "{first:?}");

    let rays = Rays::default();
    let made = rays_with_outliers::<f64>(&rays).unwrap();
    assert_eq!(made, rays_with_outliers(&rays).unwrap());
    assert_ne!(made, rays_with_outliers(&Rays { seed: 1, ..rays }).unwrap());
    assert_eq!(add_outliers(&made.x, 3, 8), add_outliers(&made.x, 3, 8));
    assert_ne!(add_outliers(&made.x, 3, 8), add_outliers(&made.x, 3, 9));
    let noise = |seed| {
        let mut x = made.x.clone();
        add_block_noise(
            &mut x,
            ImageShape { height: 4, width: 5, column_major: true, colour: false },
            &[1, 2],
            2,
            seed,
        )
        .map(|()| x)
    };
    assert_eq!(noise(1).unwrap(), noise(1).unwrap());
    assert_ne!(noise(1).unwrap(), noise(2).unwrap());
    assert_eq!(choose_per_class(&made.labels, 3, 2), choose_per_class(&made.labels, 3, 2));
}

const FIRST_OF_SEED_0: f64 = 0.324_575_268_031_406_7;

#[test]
fn examples_have_a_truth_that_a_fit_finds() {
    let depth = vec![Normalize::Counts, Normalize::Log1p];
    let makes = [(shapes as fn(&Amount) -> _, Vec::new()), (cells, depth), (spectra, Vec::new())];
    for (make, steps) in makes {
        for seed in 0..3 {
            let Example { data, classes, .. } = make(&Amount { seed, ..Amount::default() }).unwrap();
            assert!(data.x.as_slice().iter().all(|x| x.is_finite() && *x >= 0.0));
            let fit = Spec::new(DEFAULT, classes.len()).normalize(steps.clone()).fit(&data.x).unwrap();
            let flags = fit.outliers(Cut::default()).unwrap();
            let found: Vec<Option<usize>> = fit.labels[..300].iter().copied().map(Some).collect();
            let right = accuracy(&data.labels[..300], &found).unwrap();
            let marked = |outlier: bool| (0..315).filter(|&i| data.outlier[i] == outlier && flags[i]).count();
            let told =
                format!("{classes:?}, seed {seed}: {right}, {} true, {} false", marked(true), marked(false));
            assert!(right > 0.99 && marked(true) >= 13 && marked(false) <= 3, "{told}");
        }
    }
}

#[test]
fn examples_are_what_was_asked_for() {
    let amount = Amount { samples: 20, outliers: 7, seed: 5 };
    let made = shapes(&amount).unwrap();
    assert_eq!((made.data.x.shape(), made.classes.len()), ((27, 256), 5));
    assert_eq!(made, shapes(&amount).unwrap());
    assert_eq!(cells(&amount).unwrap().features.unwrap().len(), 200);
    assert_eq!(spectra(&amount).unwrap().features.unwrap()[0], "100/cm");
    let written = texts(&amount).unwrap();
    assert_eq!(
        written.labels,
        [[0; 5], [1; 5], [2; 5], [3; 5]].concat().into_iter().chain([4; 7]).collect::<Vec<_>>()
    );
    assert!(written.texts.iter().all(|text| text.split_whitespace().count() > 10), "{:?}", written.texts);
    assert_ne!(written, texts(&Amount { seed: 6, ..amount }).unwrap());
    let few = Amount { samples: 3, ..amount };
    assert!(matches!(texts(&few), Err(Error::Param { name: "samples", .. })));
    assert!(matches!(cells(&few), Err(Error::Param { name: "samples", .. })));
}
