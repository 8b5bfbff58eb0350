//! Which samples are outliers: the same for the library, `samples.csv`, the summary and `emmf explain`.
//! `tests/python/test_outliers.py` compares the program with Python.

use crate::program;

use emmf::synth::{Rays, rays_with_outliers};
use emmf::{Cut, Mat};
use emmf_io::read_record;
use program::{Place, table};

fn csv(x: &Mat<f64>) -> String {
    table(&(0..x.rows()).map(|i| x.row(i).to_vec()).collect::<Vec<_>>(), false)
}

/// Rays, an outlier, and two long samples, which are set aside.
fn samples() -> Mat<f64> {
    let rays = Rays { samples: 90, features: 12, outliers: 1, ..Rays::default() };
    let x = rays_with_outliers::<f64>(&rays).unwrap().x;
    let mean = |j: usize| (0..90).map(|i| x[(i, j)]).sum::<f64>() / 90.0;
    Mat::from_fn(93, 12, |i, j| if i < 91 { x[(i, j)] } else { 30.0 * mean(j) })
}

#[test]
fn library_and_program_mark_the_same() {
    let place = Place::new();
    let x = samples();
    place.write("x.csv", csv(&x));
    for (option, cut) in [("", Cut::default()), ("--contamination 0.1", Cut::Share(0.1))] {
        let line = format!("fit x.csv -k 3 --normalize none --max-iter 60 --out result --json {option}");
        let json = place.json(&line);
        let record = read_record(&place.path("result/record.json")).unwrap();
        let fit = record.spec.fit(&x).unwrap();
        assert!(fit.set_aside.ends_with(&[91, 92]), "{:?}", fit.set_aside);
        let ours = fit.outliers(cut).unwrap();
        assert_eq!(record.outliers().collect::<Vec<_>>(), ours);
        let count = ours.iter().filter(|outlier| **outlier).count();
        assert_eq!(json["outliers"], count);
        let text = place.read("result/samples.csv");
        let written: Vec<bool> = text.lines().skip(1).map(|line| line.contains(",yes,")).collect();
        assert_eq!(written, ours);
        for row in [0, 45, 90, 91, 92] {
            let told = place.json(&format!("explain result/model.safetensors x.csv --row {row} --json"));
            assert_eq!(told["outlier"], ours[row], "row {row} {option}");
        }
    }
}

/// A sample that is not one of the fit is judged by the threshold of the fit.
#[test]
fn new_samples_are_judged_by_the_threshold_of_the_fit() {
    let place = Place::new();
    let x = samples();
    place.write("x.csv", csv(&x));
    place.run("fit x.csv -k 3 --normalize none --max-iter 60 --contamination 0.3 --out result").ok();
    let record = read_record(&place.path("result/record.json")).unwrap();
    assert!(record.threshold < 3.5, "{}", record.threshold);
    let between = |row: &usize| (record.threshold..3.5).contains(&record.samples.score[*row]);
    let row = (1..90).find(between).unwrap();
    // In another place it is no sample of the fit any more.
    let other = Mat::from_fn(93, 12, |i, j| x[((i + row) % 93, j)]);
    place.write("other.csv", csv(&other));
    let told = place.json("explain result/model.safetensors other.csv --row 0 --json");
    assert!(told["weight"].is_null() && told["outlier"] == true, "{told}");
    std::fs::remove_file(place.path("result/record.json")).unwrap();
    let told = place.json("explain result/model.safetensors other.csv --row 0 --json");
    assert_eq!(told["outlier"], false, "{told}");
}
