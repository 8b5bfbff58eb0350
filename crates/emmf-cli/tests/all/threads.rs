//! Threads are up to whoever runs the program.

use crate::program;

use std::fs;

use program::Place;

#[test]
fn promise_12_threads_of_a_command_are_heard_and_change_nothing() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --threads 2 --out result").ok();
    let bytes = fs::read(place.path("result/model.safetensors")).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("threads"));
    let transform = "transform result/model.safetensors x.csv --out -";
    let right = place.run(transform).ok();
    for threads in ["1", "2", "100000000"] {
        assert_eq!(place.run(&format!("{transform} --threads {threads}")).ok(), right, "{threads}");
    }
    place.run(&format!("{transform} --threads 0")).refused(&["--threads is 0", "at least 1"]);
    let fit =
        |threads: &str| place.json(&format!("fit x.csv -k 2 --threads {threads} --json"))["objective"].take();
    assert_eq!(fit("100000000"), fit("1"));
}

/// A file that says how many threads there are to be has no say in it.
#[test]
fn promise_12_a_model_file_starts_no_threads() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --out result").ok();
    let transform = "transform result/model.safetensors x.csv --out -";
    let right = place.run(transform).ok();
    let bytes = fs::read(place.path("result/model.safetensors")).unwrap();
    let (length, rest) = bytes.split_first_chunk::<8>().unwrap();
    let (header, tensors) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let spec = r#"{\"method\""#;
    let header = std::str::from_utf8(header).unwrap();
    assert!(header.contains(spec));
    let header = header.replace(spec, r#"{\"threads\":4294967296,\"method\""#);
    let length = (header.len() as u64).to_le_bytes();
    place.write("result/model.safetensors", [&length[..], header.as_bytes(), tensors].concat());
    assert_eq!(place.run(transform).ok(), right);
}
