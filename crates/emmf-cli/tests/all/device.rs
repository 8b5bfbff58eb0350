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
    for options in ["", "--method pnmf", "--method emmf --graph knn", "--method emmf --missing nan"] {
        place
            .refuses(&format!("fit x.csv -k 2 {options} --device cuda"), &["--device is cuda:0", "cpu with"]);
    }
}

#[test]
fn small_data_stay_on_the_processor() {
    let place = Place::with_data();
    let fit =
        |device: &str| place.json(&format!("fit x.csv -k 2 --device {device} --json"))["objective"].take();
    assert_eq!(fit("auto"), fit("cpu"));
}
