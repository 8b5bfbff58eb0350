//! Options that cannot be meant: exit code 2, a message that names the option, its value and the fix.

use crate::program;

use program::Place;

#[test]
fn numbers_out_of_their_range() {
    let place = Place::with_data();
    let cases: [(&str, &[&str]); 18] = [
        ("-k 0", &["-k is 0", "at least 1 and at most 25"]),
        ("-k 26", &["-k is 26", "at most 25, the number of samples"]),
        ("-k -2", &["'-2'", "whole number"]),
        ("-k two", &["'two'", "whole number"]),
        ("-k 1.5", &["'1.5'", "whole number"]),
        ("-k 99999999999999999999", &["'99999999999999999999'", "whole number"]),
        ("-k 2 --exponent 2", &["--exponent is 2", "at most 1"]),
        ("-k 2 --exponent 0", &["--exponent is 0", "above 0"]),
        ("-k 2 --exponent 0.5 --solver hals", &["--exponent is 0.5", "--solver hals"]),
        ("-k 2 --tol -1", &["--tol is -1", "at least 0"]),
        ("-k 2 --tol nan", &["--tol is NaN", "at least 0"]),
        ("-k 2 --threads 0", &["--threads is 0", "at least 1"]),
        ("-k 2 --restarts 0", &["--restarts is 0", "at least 1"]),
        ("-k 2 --init-restarts 0", &["--init-restarts is 0", "at least 1"]),
        ("-k 2 --max-iter 0", &["--max-iter is 0", "at least 1"]),
        ("-k 2 --sweeps 0 --solver hals", &["--sweeps is 0", "at least 1"]),
        ("-k 2 --time-limit -3", &["--time-limit is -3", "above 0"]),
        ("-k 2 --seed -3", &["'-3'", "whole number"]),
    ];
    for (options, parts) in cases {
        place.refuses(&format!("fit x.csv {options} --out result"), parts);
    }
}

#[test]
fn names_that_do_not_exist() {
    let place = Place::with_data();
    let cases: [(&str, &[&str]); 6] = [
        ("--method emf", &["'emf'", "did you mean 'emmf'?", "emmf methods"]),
        ("--init kmean", &["'kmean'", "kmeans"]),
        ("--solver als", &["'als'", "hals"]),
        ("--normalize l2", &["'l2'", "unit"]),
        ("--normalize unit,none", &["--normalize none", "alone"]),
        ("--dtype f16", &["'f16'", "f32 or f64"]),
    ];
    for (options, parts) in cases {
        place.refuses(&format!("fit x.csv -k 2 {options} --out result"), parts);
    }
}

#[test]
fn parameters_of_the_method() {
    let place = Place::with_data();
    let cases: [(&str, &[&str]); 7] = [
        ("nmf --param exponent=1", &["exponent is no parameter", "--exponent VALUE"]),
        ("emmf --param width=1", &["--param", "'width'", "emmf has no parameters"]),
        ("hx-nmf --param scal=1", &["'scal'", "did you mean 'scale'?"]),
        ("hx-nmf --param scale=-1", &["--param scale is -1", "above 0"]),
        ("hx-nmf --param scale=nan", &["--param scale is NaN", "above 0"]),
        ("hx-nmf --param scale=big", &["'scale=big'", "'big' is not a number"]),
        ("hx-nmf --param scale", &["'scale'", "NAME=VALUE"]),
    ];
    for (options, parts) in cases {
        place.refuses(&format!("fit x.csv -k 2 --method {options} --out result"), parts);
    }
}

#[test]
fn folders_and_files_that_cannot_be_written() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --out result").ok();
    let before = place.read("x.csv");
    place.refuses("fit x.csv -k 2 --out x.csv", &["x.csv", "Not a directory", "choose another"]);
    place.refuses("fit x.csv -k 2 --out x.csv/result", &["x.csv/result", "choose another"]);
    place.refuses("demo --out x.csv", &["x.csv", "choose another"]);
    let transform = "transform result/model.safetensors x.csv --out";
    place.refuses(&format!("{transform} nowhere/t.csv"), &["nowhere/t.csv", "create its folder first"]);
    place.refuses(&format!("{transform} t.xyz"), &["t.xyz", ".csv", ".parquet"]);
    place.refuses(&format!("{transform} result"), &["result"]);
    place.refuses("synth toy --out nowhere/t.csv", &["nowhere/t.csv", "create its folder first"]);
    place.refuses("synth toy --out t", &["t: ", ".csv", ".parquet"]);
    place.refuses("synth toy", &["--out <FILE>"]);
    if cfg!(target_os = "linux") {
        place.refuses("fit x.csv -k 2 --out /proc/emmf", &["/proc/emmf", "cannot be written"]);
    }
    assert_eq!(place.read("x.csv"), before);
}

#[test]
fn synthetic_data_that_cannot_be_made() {
    let place = Place::with_data();
    let cases: [(&str, &[&str]); 11] = [
        ("shapes --samples 4", &["--samples is 4", "number of classes, 5"]),
        ("texts --samples 999999999999", &["999999999999", "ask for fewer"]),
        ("rays -k 0", &["-k is 0", "at least 1"]),
        ("rays --features 0", &["--features is 0", "at least 1"]),
        ("rays --samples 2 -k 3", &["--samples is 2", "number of classes, 3"]),
        ("rays --noise -1", &["--noise is -1", "at least 0"]),
        ("rays --samples 999999999999", &["999999999999", "ask for fewer"]),
        ("outliers x.csv --count 99999999999", &["99999999999", "ask for fewer"]),
        ("block-noise x.csv --image 2x3 --block 1", &["x.csv", "5 features", "2x3", "--image"]),
        ("block-noise x.csv --image 1x5 --block 2", &["--block is 2", "shorter side"]),
        ("block-noise x.csv --image 1by5 --block 1", &["'1by5'", "16x16"]),
    ];
    for (kind, parts) in cases {
        place.refuses(&format!("synth {kind} --out made.csv"), parts);
    }
    place.write("bare.csv", "1,2,3,4\n5,6,7,8\n");
    place.refuses("synth texts --out texts.npz", &["texts.npz", "write .csv or .tsv"]);
    place.refuses("synth block-noise bare.csv --image 2x2 --block 1 --out made.csv", &["--labels"]);
}

#[test]
fn commands_that_do_not_exist() {
    let place = Place::new();
    place.refuses("transfrom x.csv", &["'transfrom'", "'transform'"]);
    place.refuses("fit x.csv -k 3..2", &["'3..2'", "as in 2..20"]);
    place.refuses("fit x.csv -k 2..x", &["'2..x'", "whole number"]);
    place.refuses("fit -k 2", &["<DATA>"]);
    place.refuses("fit x.csv -k 2 --sed 3", &["'--sed'", "'--seed'"]);
}
