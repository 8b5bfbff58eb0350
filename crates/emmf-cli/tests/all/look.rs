//! Images and texts as samples.

use crate::program;

use std::fs;

use emmf_io::read_record;
use program::{Place, names_in};

/// Two kinds of images of 6×8 pixels, twelve of each, in folders of their names.
fn images(place: &Place) {
    for (class, bright) in [("left", 0..4), ("right", 4..8)] {
        fs::create_dir_all(place.path("faces").join(class)).unwrap();
        for i in 0..12_usize {
            let pixel = |at: usize| {
                if bright.contains(&(at % 8)) { 180 + (7 * i + at) % 60 } else { (5 * i + at) % 20 }
            };
            let bytes: Vec<u8> =
                b"P5\n8 6\n255\n".iter().copied().chain((0..48).map(|at| pixel(at) as u8)).collect();
            place.write(&format!("faces/{class}/{i:02}.pgm"), bytes);
        }
    }
}

#[test]
fn a_folder_of_images() {
    let place = Place::new();
    images(&place);
    place.write("faces/left/notes.md", "not an image");
    let json = place.json("fit faces/ -k 2 --image auto --max-iter 30 --out result --json");
    assert_eq!((&json["n"], &json["d"], &json["acc"]), (&24.into(), &48.into(), &1.0.into()));
    let record = read_record(&place.path("result/record.json")).unwrap();
    assert_eq!(record.samples.name.unwrap()[13], "right/01.pgm");
    assert_eq!(record.sketch.unwrap().image, Some([6, 8]));
    assert!(place.read("result/samples.csv").lines().nth(1).unwrap().ends_with(",left/00.pgm"));
    // The folder tells by itself what it holds, and a model what it was fitted to.
    assert_eq!(place.json("fit faces -k 2 --max-iter 30 --json")["objective"], json["objective"]);
    let told = place.run("explain result/model.safetensors faces --row 3").ok();
    assert!(told.contains("left/03.pgm") && told.contains("pixel "), "{told}");
    place.run("transform result/model.safetensors faces --out coded.csv").ok();
    let small = place.json("fit faces -k 2 --resize 3x4 --max-iter 30 --json");
    assert_eq!((&small["d"], &small["acc"]), (&12.into(), &1.0.into()));
}

#[test]
fn images_that_cannot_be_read() {
    let place = Place::new();
    images(&place);
    let line = "fit faces/ -k 2 --image auto --out result";
    place.write("faces/right/odd.pgm", [b"P5\n2 3\n255\n".as_slice(), &[7; 6]].concat());
    place.refuses(line, &["odd.pgm", "3x2", "6x8", "--resize 6x8"]);
    place.write("faces/right/odd.pgm", "P5\n8 6\n255\n");
    place.refuses(line, &["odd.pgm", "damaged"]);
    place.write("faces/right/odd.pgm", "no image");
    place.refuses(line, &["odd.pgm", "damaged"]);
    fs::remove_file(place.path("faces/right/odd.pgm")).unwrap();
    place.refuses("fit faces/ -k 2 --image auto --labels class", &["sub-folders are the classes"]);
    place.refuses("fit faces/ -k 2 --max-memory 16777kB", &["00.pgm", "--max-memory"]);
    place.run("fit faces/ -k 2 --max-iter 3 --max-memory 1GB").ok();
    fs::create_dir(place.path("empty")).unwrap();
    place.refuses("fit empty -k 2", &["empty", "neither images nor texts"]);
}

#[test]
fn a_shape_for_the_features_of_a_file() {
    let place = Place::with_data();
    place.run("synth rays --samples 40 --features 12 --out rays.csv").ok();
    place.run("fit rays.csv -k 3 --image 3x4,column-major --out result").ok();
    assert_eq!(read_record(&place.path("result/record.json")).unwrap().sketch.unwrap().image, Some([3, 4]));
    place.refuses("fit rays.csv -k 3 --image 5x5", &["12 features", "5x5", "--image"]);
    place.refuses("fit rays.csv -k 3 --image auto", &["12 features", "3x3"]);
    place.refuses("fit rays.csv -k 3 --image big", &["'big'", "16x16"]);
    place.refuses("fit rays.csv -k 3 --resize 2x2", &["--resize", "folder"]);
}

const FOOD: &str = "soup tasty fresh waiter spicy";
const TECH: &str = "screen battery keyboard laptop pixels";

fn text(i: usize) -> String {
    let words: Vec<&str> = if i.is_multiple_of(2) { FOOD } else { TECH }.split(' ').collect();
    (0..9).map(|at| words[(i * 3 + at * (i % 3 + 1)) % 5]).chain(["the"]).collect::<Vec<_>>().join(" ")
}

#[test]
fn texts_of_a_column_and_of_a_folder_are_the_same() {
    let place = Place::new();
    let class = |i: usize| if i.is_multiple_of(2) { "food" } else { "tech" };
    let line = |i: usize| format!("{i},\"{}, Indeed!\",{}\n", text(i).to_uppercase(), class(i));
    place.write("texts.csv", String::from("id,words,class\n") + &(0..30).map(line).collect::<String>());
    for i in 0..30 {
        fs::create_dir_all(place.path("texts").join(class(i))).unwrap();
        place.write(&format!("texts/{}/{i:02}.txt", class(i)), text(i) + " indeed");
    }
    let column = place.json("fit texts.csv -k 2 --text words --id id --out result --json");
    assert_eq!((&column["n"], &column["d"], &column["acc"]), (&30.into(), &10.into(), &1.0.into()));
    assert_eq!(column["normalize"], serde_json::json!(["tfidf", "unit"]));
    let record = read_record(&place.path("result/record.json")).unwrap();
    assert!(record.data.sparse);
    let sketch = record.sketch.unwrap();
    let top: Vec<&str> = sketch.centroids[0].top.iter().map(|feature| feature.name.as_str()).collect();
    let known: Vec<&str> = if FOOD.contains(top[0]) { FOOD } else { TECH }.split(' ').collect();
    assert!(top.iter().take(5).all(|word| known.contains(word)), "{top:?}");
    let folder = place.json("fit texts -k 2 --json");
    assert_eq!((&folder["n"], &folder["d"], &folder["acc"]), (&30.into(), &10.into(), &1.0.into()));
    // New texts are counted by the words of the model, whatever else they hold.
    place.write("new.csv", "words\nsoup and some unknown things\n");
    let told = place.run("explain result/model.safetensors new.csv --text words --row 0").ok();
    assert!(told.contains("soup"), "{told}");
    place.run("transform result/model.safetensors new.csv --text words --out coded.csv").ok();
    assert!(names_in(&place.path("result")).contains(&"model.safetensors".to_string()));
    place.refuses("fit texts.csv -k 2 --text word", &["'word'", "did you mean 'words'?"]);
    place.write("same.csv", String::from("words\n") + &"soup dinner\n".repeat(12));
    let none = ["none of its 2 words counts", "--min-df 1", "--max-df 1.0", "--stop-words none"];
    place.refuses("fit same.csv -k 2 --text words", &none);
    place.refuses("fit texts.csv -k 2 --text words --color", &["--color is for the images of a folder"]);
    place.refuses("fit texts.csv -k 2 --text words --labels clas", &["'clas'", "did you mean 'class'?"]);
}
