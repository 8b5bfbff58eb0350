//! Data that are odd and still fine: exit code 0 and finite numbers.

use crate::program;

use emmf::registry::METHODS;
use program::{Place, column, numbers, solvers, table};

/// Fits with every method, solver and start; all results must be finite, also those of a transform.
fn fits_everywhere(rows: &[Vec<f64>], k: usize) {
    let place = Place::new();
    place.write("x.csv", table(rows, false));
    for method in METHODS {
        for solver in solvers(method) {
            for init in ["kmeans", "kmeans-parallel", "trimmed", "random", "nndsvd"] {
                let options = format!("--method {} --solver {solver} --init {init}", method.name);
                let line =
                    format!("fit x.csv -k {k} {options} --max-iter 20 --threads 1 --out result --json");
                let json = place.json(&line);
                assert!(json["objective"].as_f64().is_some_and(f64::is_finite), "{line}: {json}");
                let samples = place.read("result/samples.csv");
                for name in ["residual", "weight", "score"] {
                    let values = column(&samples, name);
                    assert_eq!(values.len(), rows.len());
                    assert!(values.iter().all(|value| value.is_finite()), "{line}: {name} {values:?}");
                }
                emmf_io::read_record(&place.path("result/record.json")).unwrap();
            }
        }
    }
    let coded = place.run("transform result/model.safetensors x.csv --out -").ok();
    for name in ["v0", "residual", "score"] {
        assert!(column(&coded, name).iter().all(|value| value.is_finite()), "{name}: {coded}");
    }
}

#[test]
fn samples_of_zeros() {
    let mut rows = numbers();
    rows[3].fill(0.0);
    rows[20].fill(0.0);
    fits_everywhere(&rows, 3);
}

#[test]
fn features_of_zeros() {
    let mut rows = numbers();
    rows.iter_mut().for_each(|row| row[2] = 0.0);
    fits_everywhere(&rows, 2);
}

#[test]
fn duplicate_samples() {
    let rows = [numbers(), numbers()].concat();
    fits_everywhere(&rows, 3);
}

#[test]
fn fewer_different_samples_than_centroids() {
    let (one, two) = (vec![1.0, 2.0, 0.0, 0.5, 0.0], vec![0.0, 1.0, 3.0, 0.0, 0.0]);
    let rows: Vec<_> = (0..10).map(|i| if i % 2 == 0 { one.clone() } else { two.clone() }).collect();
    fits_everywhere(&rows, 4);
}

#[test]
fn as_many_centroids_as_samples_and_one() {
    fits_everywhere(&numbers()[..6], 6);
    fits_everywhere(&numbers()[..6], 1);
}

#[test]
fn one_sample_or_one_feature() {
    let place = Place::new();
    place.write("row.csv", "1,2,3\n");
    place.json("fit row.csv -k 1 --json");
    place.write("column.csv", "1\n2\n3\n4\n");
    place.json("fit column.csv -k 2 --normalize none --json");
}

#[test]
fn very_large_and_very_small_values() {
    for scale in [1e-30, 1e-12, 1e12, 1e30] {
        let place = Place::new();
        let rows: Vec<Vec<f64>> =
            numbers().iter().map(|row| row.iter().map(|value| value * scale).collect()).collect();
        place.write("x.csv", table(&rows, false));
        for normalize in ["unit", "max", "none"] {
            let json = place.json(&format!("fit x.csv -k 2 --normalize {normalize} --max-iter 20 --json"));
            assert!(json["objective"].as_f64().is_some_and(f64::is_finite), "{scale} {normalize}: {json}");
        }
    }
}

#[test]
fn promise_13_labels_of_an_experiment_are_no_formulas_and_are_found_again() {
    let place = Place::new();
    place.run("synth rays --samples 30 --features 4 -k 2 --outliers 0 --out rays.npz").ok();
    place.write(
        "mine.toml",
        "name = \"mine\"\ntitle = \"Odd\"\ndata = [\"rays.npz\"]\nseeds = 1\n[[method]]\nlabel = \"=1+1\"\nspec = { method = \"nmf\" }\n",
    );
    place.run("bench mine.toml --out out --quiet").ok();
    let results = place.read("out/mine/results.csv");
    assert!(results.contains(",'=1+1,") && !results.contains(",=1+1"), "{results}");
    place.run("bench mine.toml --out out --quiet --resume").ok();
    assert_eq!(place.read("out/mine/results.csv"), results);
}
