//! `--max-memory`: files that do not fit are read in blocks of samples, with the same result.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use emmf_io::{Dataset, write};
use program::{Place, column};

/// 40 MB of clusters.
fn place() -> Place {
    let place = Place::new();
    let rays = emmf::synth::Rays { samples: 49_900, features: 200, outliers: 100, ..Default::default() };
    let x = emmf::synth::rays_with_outliers::<f32>(&rays).unwrap().x;
    write(&place.path("x.npy"), &Dataset { x: x.into(), labels: None, columns: None }).unwrap();
    place
}

fn rounded(column: &[f64]) -> Vec<i64> {
    column.iter().map(|x| (x * 1e3).round() as i64).collect()
}

#[test]
fn the_result_is_the_one_of_a_fit_in_memory() {
    let place = place();
    let fit = "fit x.npy -k 3 --max-iter 5 --quiet --out";
    place.run(&format!("{fit} whole")).ok();
    place.run(&format!("{fit} blocks --max-memory 90MB")).ok();
    let [whole, blocks] = ["whole", "blocks"].map(|folder| place.read(&format!("{folder}/samples.csv")));
    assert_eq!(column(&whole, "label"), column(&blocks, "label"));
    assert_eq!(rounded(&column(&whole, "residual")), rounded(&column(&blocks, "residual")));
    let transform = "transform whole/model.safetensors x.npy --out";
    place.run(&format!("{transform} a.csv")).ok();
    place.run(&format!("{transform} b.csv --max-memory 90MB")).ok();
    assert_eq!(place.read("a.csv"), place.read("b.csv"));
}

#[test]
fn too_little_memory_is_said_before_anything_is_read() {
    let place = place();
    place.refuses("fit x.npy -k 3 --max-memory 20MB", &["x.npy", "--max-memory is 20 MB", "--dtype f32"]);
    place.refuses("fit x.npy -k 3 --max-memory lots", &["2GB"]);
    place.refuses("fit - -k 3 --max-memory 1GB", &["--max-memory needs a file"]);
    place.write("x.csv", "1,2\n".repeat(1000));
    place.refuses("fit x.csv -k 2 --max-memory 1kB", &["x.csv", ".npy or .parquet"]);
}
