//! Data that cannot be used: exit code 2, a message that names the value, the place and the fix, and no
//! output.

use crate::program;

use std::fs;

use program::{Place, numbers, table};

/// A place with this table as `x.csv`.
fn with_table(change: impl FnOnce(&mut Vec<Vec<f64>>)) -> Place {
    let (place, mut rows) = (Place::new(), numbers());
    change(&mut rows);
    place.write("x.csv", table(&rows, false));
    place
}

const FIT: &str = "fit x.csv -k 2 --out result --json";

#[test]
fn a_few_negative_entries() {
    let place = with_table(|rows| {
        for at in (7..125).step_by(33) {
            rows[at / 5][at % 5] = -0.25;
        }
    });
    place.refuses(FIT, &["x.csv", "-0.25", "sample 1, feature 2", "--normalize shift"]);
    place.run("fit x.csv -k 2 --normalize shift,unit --json").ok();
}

#[test]
fn values_that_are_no_numbers() {
    for (value, said) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "inf")] {
        let place = with_table(|rows| rows[7][3] = value);
        place.refuses(FIT, &["x.csv", said, "sample 7, feature 3", "replace or remove it"]);
    }
    let place = Place::new();
    place.write("x.csv", "1,2\n3,many\n");
    place.refuses("fit x.csv -k 1", &["x.csv", "line 2, column 2", "'many'"]);
    place.write("x.csv", "1,2\n3,\n");
    place.refuses("fit x.csv -k 1", &["x.csv", "line 2, column 2", "missing value"]);
}

#[test]
fn nothing_in_the_file() {
    let place = Place::new();
    for content in ["", "\n\n", "a,b,c\n"] {
        place.write("x.csv", content);
        place.refuses(FIT, &["x.csv", "one row per sample"]);
    }
    place.run_with_input("fit - -k 2", b"").refused(&["standard input", "one row per sample"]);
}

#[test]
fn rows_of_different_lengths() {
    let place = Place::new();
    place.write("x.csv", "1,2,3\n4,5,6\n7,8\n");
    place.refuses(FIT, &["x.csv", "line 3 has 2 fields", "first line has 3"]);
}

#[test]
fn the_same_value_everywhere() {
    for value in [2.5, 0.0] {
        let place = with_table(|rows| rows.iter_mut().for_each(|row| row.fill(value)));
        place.refuses(FIT, &["x.csv", &format!("all entries are {value}"), "nothing to factorize"]);
    }
}

#[test]
fn files_that_are_not_there_or_not_files() {
    let place = Place::with_data();
    place.refuses("fit missing.csv -k 2 --out result", &["missing.csv", "No such file", "check its name"]);
    fs::create_dir(place.path("folder")).unwrap();
    place.refuses("fit folder -k 2 --out result", &["folder", "name a file"]);
    place.refuses("score missing.txt x.csv", &["missing.txt", "No such file"]);
    place.refuses("score x.csv missing.txt", &["missing.txt", "No such file"]);
    place
        .refuses("transform missing.safetensors x.csv --out t.csv", &["missing.safetensors", "No such file"]);
    place.refuses("fit x.csv -k 2 --sample-weights missing.txt", &["missing.txt", "No such file"]);
    place.refuses("synth outliers missing.npz --count 2 --out t.csv", &["missing.npz", "No such file"]);
}

#[test]
fn damaged_binary_files() {
    let place = Place::new();
    place.write("x.mat", b"MATLAB 5.0");
    place.refuses("fit x.mat -k 2 --out result", &["x.mat", "cut off", "byte 10"]);
    place.write("x.mat", [0; 10]);
    place.refuses("fit x.mat -k 2 --out result", &["x.mat", "cut off"]);
    place.write("x.npz", lying_npz());
    place.refuses("fit x.npz -k 2 --out result", &["x.npz", "damaged or cut off"]);
    place.write("x.npy", lying_npy());
    place.refuses("fit x.npy -k 2 --out result", &["x.npy", "damaged or cut off"]);
    place.run_with_input("fit - -k 2", &lying_npy()).refused(&["standard input", "damaged or cut off"]);
    place.write("x.parquet", b"PAR1 and no more");
    place.refuses("fit x.parquet -k 2 --out result", &["x.parquet"]);
    place.write("x.bin", [7, 0, 1, 0, 3, 0]);
    place.refuses("fit x.bin -k 2 --out result", &["x.bin", ".csv", ".npy"]);
}

#[test]
fn labels_that_do_not_go_together() {
    let place = Place::with_data();
    place.write("short.txt", "1\n2\n");
    place.refuses("score x.csv short.txt", &["x.csv has 25", "short.txt has 2", "one label per sample"]);
    place.refuses("fit x.csv -k 2 --labels klass --out result", &["'klass'", "'class'", "'f1'"]);
    place.write("bare.csv", table(&numbers(), false));
    place.refuses("fit bare.csv -k 2 --labels 6 --out result", &["'6'", "1 to 5"]);
    place.refuses(
        "fit bare.csv -k 2 --variable X --out result",
        &["--variable is only for .npz", "leave it out"],
    );
    place.run("synth toy --out toy.npz").ok();
    place.refuses("fit toy.npz -k 2 --labels klass", &["'klass'", "'y'"]);
    place.refuses("fit toy.npz -k 2 --variable Z", &["'Z'", "'X'"]);
}

#[test]
fn weights_that_do_not_fit() {
    let place = Place::with_data();
    let weights =
        |value: &str| (0..25).map(|i| if i == 5 { value } else { "1" }).collect::<Vec<_>>().join("\n");
    for value in ["NaN", "inf", "-1"] {
        place.write("w.txt", weights(value));
        let line = "fit x.csv -k 2 --sample-weights w.txt --out result";
        place.refuses(line, &["w.txt", "sample 5", value, "finite and nonnegative"]);
    }
    place.write("w.txt", "1\n2\n");
    place.refuses("fit x.csv -k 2 --sample-weights w.txt", &["w.txt", "2 sample weights for 25 samples"]);
    place.write("w.txt", weights("0").replace('1', "0"));
    place.refuses("fit x.csv -k 2 --sample-weights w.txt", &["0 for every sample"]);
    place.write("w.csv", "1,2\n3,4\n");
    place.refuses("fit x.csv -k 2 --sample-weights w.csv", &["w.csv", "2 columns", "one number per line"]);
}

#[test]
fn models_that_do_not_fit() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --out result").ok();
    place.write("narrow.csv", "1,2\n3,4\n");
    let line = "transform result/model.safetensors narrow.csv --out t.csv";
    place.refuses(line, &["narrow.csv", "2 features", "fitted to 5"]);
    let whole = fs::read(place.path("result/model.safetensors")).unwrap();
    for length in [0, 4, 9, 100, whole.len() - 1] {
        place.write("cut.safetensors", &whole[..length]);
        place.refuses("transform cut.safetensors x.csv --out t.csv", &["cut.safetensors"]);
    }
    let header = br#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    let foreign = [&(header.len() as u64).to_le_bytes()[..], header, &[0; 4]].concat();
    place.write("foreign.safetensors", foreign);
    place.refuses(
        "transform foreign.safetensors x.csv --out t.csv",
        &["foreign.safetensors", "another program"],
    );
    place.refuses("transform x.csv x.csv --out t.csv", &["x.csv"]);
    for bad in ["nan", "-1"] {
        place.write("new.csv", format!("1,2,3,4,5\n1,2,{bad},4,5\n"));
        let line = "transform result/model.safetensors new.csv --out t.csv";
        place.refuses(line, &["new.csv", "sample 1, feature 2"]);
    }
}

/// The header of an array of 10^12 numbers, and three of them.
fn lying_npy() -> Vec<u8> {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([0; 24]);
    bytes
}

/// The same inside a sound zip archive.
fn lying_npz() -> Vec<u8> {
    let (name, content) = (b"X.npy", lying_npy());
    let crc = !content.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    });
    let size = content.len() as u32;
    let mut entry = [20_u16, 0, 0, 0, 0].map(u16::to_le_bytes).concat();
    entry.extend([crc, size, size].map(u32::to_le_bytes).concat());
    entry.extend([name.len() as u16, 0].map(u16::to_le_bytes).concat());
    let local = [b"PK\x03\x04", &entry[..], name, &content[..]].concat();
    let central = [b"PK\x01\x02\x14\0", &entry[..], &[0; 14], name].concat();
    let mut end = [b"PK\x05\x06", &[0; 4][..], &[1, 0, 1, 0]].concat();
    end.extend([central.len() as u32, local.len() as u32].map(u32::to_le_bytes).concat());
    end.extend([0; 2]);
    [local, central, end].concat()
}
