//! Where a fit runs is up to whoever runs the program.

use crate::program;

use program::Place;

#[test]
fn a_device_that_cannot_be_is_refused() {
    let place = Place::with_data();
    place.refuses("fit x.csv -k 2 --device gpu", &["--device", "gpu", "cuda:N"]);
    place.refuses("fit x.csv -k 2 --max-device-memory 1GB", &["--device"]);
    place.refuses("fit x.csv -k 2 --method emmf --device cuda:4096", &["cuda:4096 cannot be used"]);
    // What a card cannot do is said before it is looked for, and never done elsewhere.
    for options in [
        "",
        "--method pnmf",
        "--method emmf --graph knn",
        "--method emmf --missing nan",
        "--method nmf --param alpha-w=0.1",
        "--method nmf --param alpha-h=0.1",
    ] {
        place
            .refuses(&format!("fit x.csv -k 2 {options} --device cuda"), &["--device is cuda:0", "cpu with"]);
    }
}

/// Batches are learned on the processor: a card that was named is not left out silently.
#[test]
fn batches_name_the_processor() {
    let place = Place::with_data();
    let refused = &["--device is cuda:0", "cpu or auto with batches"];
    place.refuses("fit x.csv -k 2 --batch 4 --out out --device cuda", refused);
    place.run("fit x.csv -k 2 --batch 100 --out out --device auto --quiet").ok();
    place.refuses("fit x.csv --update out/model.safetensors --device cuda", refused);
}

#[test]
fn small_data_stay_on_the_processor() {
    let place = Place::with_data();
    let fit =
        |device: &str| place.json(&format!("fit x.csv -k 2 --device {device} --json"))["objective"].take();
    assert_eq!(fit("auto"), fit("cpu"));
}
