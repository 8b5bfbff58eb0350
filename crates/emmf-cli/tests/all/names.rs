//! A model and new samples: features go by their names, in every storage.

use crate::program;

use std::fs;

use emmf::{Csr, Mat};
use emmf_io::{Dataset, Numbers, write};
use program::{Place, column, numbers, table};

const TRANSFORM: &str = "transform result/model.safetensors";

fn named(x: impl Into<Numbers>, names: &[&str]) -> Dataset {
    Dataset::new(x, None, Some(names.iter().map(ToString::to_string).collect()))
}

/// The samples of `x.csv` with these of its columns, from 1; 0 is a column of its own.
fn columns(picked: &[usize]) -> Mat<f64> {
    let rows = numbers();
    Mat::from_fn(rows.len(), picked.len(), |i, j| if picked[j] == 0 { 7.0 } else { rows[i][picked[j] - 1] })
}

fn sparse(x: &Mat<f64>) -> Csr<f64> {
    let entries = (0..x.rows()).flat_map(|i| (0..x.cols()).map(move |j| (i, j, x[(i, j)])));
    Csr::from_triplets(x.shape(), entries.filter(|entry| entry.2 != 0.0).collect()).unwrap()
}

/// With a model of `x.csv` and what it makes of it, `right.csv`.
fn place() -> Place {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --out result").ok();
    place.run(&format!("{TRANSFORM} x.csv --out right.csv")).ok();
    place
}

#[test]
fn promise_04_columns_in_any_order_give_the_same() {
    let place = place();
    let turned = named(columns(&[4, 1, 5, 3, 2]), &["f4", "f1", "f5", "f3", "f2"]);
    for ending in ["csv", "tsv", "npz", "mat", "parquet"] {
        write(&place.path(&format!("new.{ending}")), &turned).unwrap();
        assert_eq!(
            place.run(&format!("{TRANSFORM} new.{ending} --out -")).ok(),
            place.read("right.csv"),
            "{ending}"
        );
        let [new, old] = [&format!("new.{ending}"), "x.csv"].map(|file| {
            let mut told = place.json(&format!("explain result/model.safetensors {file} --row 7 --json"));
            told["class"].take();
            told
        });
        assert_eq!(new, old, "{ending}");
    }
    // Standard input, too.
    let piped = place.run_with_input(&format!("{TRANSFORM} - --out -"), place.read("new.csv").as_bytes());
    assert_eq!(piped.ok(), place.read("right.csv"));
}

#[test]
fn promise_04_sparse_columns_in_any_order_give_the_same() {
    let place = place();
    write(&place.path("s.npz"), &named(sparse(&columns(&[1, 2, 3, 4, 5])), &["f1", "f2", "f3", "f4", "f5"]))
        .unwrap();
    let turned = sparse(&columns(&[4, 0, 1, 5, 3, 2]));
    write(&place.path("turned.npz"), &named(turned, &["f4", "id", "f1", "f5", "f3", "f2"])).unwrap();
    let right = place.run(&format!("{TRANSFORM} s.npz --out -")).ok();
    let found = place.run(&format!("{TRANSFORM} turned.npz --out -"));
    assert_eq!((found.code, found.stdout), (Some(0), right));
}

#[test]
fn promise_04_other_columns_are_left_out_and_named() {
    let place = place();
    let more = named(columns(&[0, 4, 1, 0, 5, 3, 2]), &["id", "f4", "f1", "weight", "f5", "f3", "f2"]);
    write(&place.path("more.csv"), &more).unwrap();
    let found = place.run(&format!("{TRANSFORM} more.csv --out -"));
    assert_eq!((found.code, found.stdout), (Some(0), place.read("right.csv")));
    assert_eq!(
        found.stderr,
        "more.csv: left out the columns 'id', 'weight', which the model was not fitted to\n"
    );
}

#[test]
fn promise_04_columns_that_are_missing_are_named() {
    let place = place();
    write(&place.path("other.csv"), &named(columns(&[1, 2, 3, 4, 5]), &["f1", "F2", "f3", "f4", "f5"]))
        .unwrap();
    write(&place.path("few.parquet"), &named(columns(&[1, 2, 3]), &["f1", "f2", "f3"])).unwrap();
    for command in [format!("{TRANSFORM} % --out c.csv"), "explain result/model.safetensors % --row 0".into()]
    {
        place.refuses(&command.replace('%', "other.csv"), &["other.csv", "no column 'f2' (is it 'F2'?)"]);
        place.refuses(&command.replace('%', "few.parquet"), &["few.parquet", "'f4'", "'f5'"]);
    }
}

#[test]
fn promise_04_without_names_the_order_counts() {
    let place = place();
    for ending in ["npy", "npz", "mtx"] {
        write(&place.path(&format!("x.{ending}")), &Numbers::from(columns(&[1, 2, 3, 4, 5])).into()).unwrap();
        write(&place.path(&format!("few.{ending}")), &Numbers::from(columns(&[1, 2, 3])).into()).unwrap();
        assert_eq!(
            place.run(&format!("{TRANSFORM} x.{ending} --out -")).ok(),
            place.read("right.csv"),
            "{ending}"
        );
        let parts = ["3 features", "fitted to 5", "in the same order"];
        place.refuses(&format!("{TRANSFORM} few.{ending} --out c.csv"), &parts);
    }
    // A model without names.
    place.run("fit x.npy -k 2 --out bare").ok();
    place.run("transform bare/model.safetensors x.csv --out -").ok();
}

/// The mask is one of the file as it is.
#[test]
fn promise_04_a_mask_goes_with_its_columns() {
    let place = place();
    let mask = |hidden: usize| Mat::from_fn(25, 6, |i, j| f64::from(!(i == 3 && j == hidden)));
    let write_all = |data: &str, names: &[&str], picked: &[usize], hidden: usize| {
        write(&place.path(&format!("{data}.csv")), &named(columns(picked), names)).unwrap();
        write(&place.path(&format!("{data}-mask.npy")), &Numbers::from(mask(hidden)).into()).unwrap();
    };
    write_all("old", &["f1", "f2", "f3", "f4", "f5", "id"], &[1, 2, 3, 4, 5, 0], 1);
    write_all("new", &["f4", "id", "f1", "f5", "f3", "f2"], &[4, 0, 1, 5, 3, 2], 5);
    let [old, new] = ["old", "new"].map(|data| {
        let line = format!("{TRANSFORM} {data}.csv --mask {data}-mask.npy --imputed {data}-full.csv --out -");
        place.run(&line).stdout
    });
    assert_eq!(old, new);
    assert_ne!(new, place.read("right.csv"));
    assert_eq!(place.read("old-full.csv"), place.read("new-full.csv"));
    assert!(place.read("new-full.csv").starts_with("f1,f2,f3,f4,f5\n"));
}

/// 30 MB, which are read in blocks.
#[test]
fn promise_04_tables_larger_than_memory_are_read_by_name() {
    let place = Place::new();
    let rays = emmf::synth::Rays { samples: 29_990, features: 250, outliers: 10, ..Default::default() };
    let x = emmf::synth::rays_with_outliers::<f32>(&rays).unwrap().x;
    let (n, d) = x.shape();
    let name = |j: usize| format!("f{j}");
    let turned = Mat::from_fn(n, d + 1, |i, j| if j == 0 { 1.0 } else { x[(i, d - j)] });
    let turned_names = std::iter::once("id".to_string()).chain((0..d).rev().map(name)).collect();
    let data = |x: Mat<f32>, columns: Vec<String>| Dataset::new(x, None, Some(columns));
    write(&place.path("x.parquet"), &data(x, (0..d).map(name).collect())).unwrap();
    write(&place.path("turned.parquet"), &data(turned, turned_names)).unwrap();
    place.run("fit x.parquet -k 2 --max-iter 2 --method nmf --init random --max-memory 60MB --quiet --out result").ok();
    let notes = emmf_io::read_model_and_notes(&place.path("result/model.safetensors")).unwrap().1;
    assert_eq!(notes.features.unwrap()[249], "f249");
    place.run(&format!("{TRANSFORM} x.parquet --out right.csv")).ok();
    let found = place.run(&format!("{TRANSFORM} turned.parquet --out found.csv --max-memory 60MB"));
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert!(found.stderr.contains("left out the columns 'id'"), "{}", found.stderr);
    assert_eq!(place.read("right.csv"), place.read("found.csv"));
}

/// Images of 2×3 pixels: row by row in their files, by columns in the model.
#[test]
fn promise_04_pixels_of_a_folder_are_laid_out_as_in_the_model() {
    let place = Place::new();
    fs::create_dir(place.path("images")).unwrap();
    let pixel = |i: usize, down: usize, right: usize| 20 * (i % 3 + 1) * (down + 1) + 7 * right * (i + 1);
    for i in 0..8 {
        let bytes = (0..6).map(|at| pixel(i, at / 3, at % 3) as u8);
        let bytes: Vec<u8> = b"P5\n3 2\n255\n".iter().copied().chain(bytes).collect();
        place.write(&format!("images/{i}.pgm"), bytes);
    }
    let x = Mat::from_fn(8, 6, |i, j| f64::from((pixel(i, j % 2, j / 2) as f32) / 255.0));
    write(&place.path("x.npy"), &Numbers::from(x).into()).unwrap();
    place.run("fit x.npy -k 2 --image 2x3,column-major --out result").ok();
    let right = place.run(&format!("{TRANSFORM} x.npy --out -")).ok();
    // The files of a folder are names.
    let named = place.run(&format!("{TRANSFORM} images --out -")).ok();
    let unnamed: String =
        named.lines().filter_map(|line| Some(format!("{}\n", line.split_once(',')?.1))).collect();
    assert_eq!(unnamed, right);
    assert_eq!(place.run(&format!("{TRANSFORM} x.npy --image 2x3,column-major --out -")).ok(), right);
    place.refuses(
        &format!("{TRANSFORM} x.npy --image 2x3 --out c.csv"),
        &["x.npy", "--image", "column-major"],
    );
    place.refuses(&format!("{TRANSFORM} images --resize 3x2 --out c.csv"), &["3x2", "2x3"]);
}

#[test]
fn promise_04_words_are_found_in_a_table_of_counts() {
    let place = Place::new();
    let texts = ["soup tasty", "tasty soup soup", "screen laptop", "laptop screen screen"];
    place.write("texts.csv", format!("words\n{}\n", texts.join("\n")));
    place.run("fit texts.csv -k 2 --text words --out result").ok();
    let right = place.run(&format!("{TRANSFORM} texts.csv --text words --out -")).ok();
    place.write("counts.csv", "tasty,soup,screen,laptop\n1,1,0,0\n1,2,0,0\n0,0,1,1\n0,0,2,1\n");
    let counted = place.run(&format!("{TRANSFORM} counts.csv --out -")).ok();
    // Texts are sparse and the table is dense: the order of sums differs.
    for name in ["v0", "v1", "label", "residual"] {
        let pairs = column(&counted, name).into_iter().zip(column(&right, name));
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-12), "{name}: {:?}", pairs.collect::<Vec<_>>());
    }
    place.write("x.csv", table(&numbers(), true));
    place.refuses(&format!("{TRANSFORM} x.csv --out c.csv"), &["'laptop'", "'soup'"]);
}
