//! Missing values from file to file.

use crate::program;

use program::Place;

/// 40 samples of rank 2; every seventh value is missing.
fn place() -> Place {
    let place = Place::new();
    let value = |i: usize, j: usize| ((i % 5 + 1) * (j % 3 + 1) + (i % 7) * (j % 2)) as f64;
    let gap = |i: usize, j: usize| (i * 6 + j) % 7 == 3;
    let table = |show: &dyn Fn(usize, usize) -> String| -> String {
        let row = |i: usize| (0..6).map(|j| show(i, j)).collect::<Vec<_>>().join(",");
        (0..40).map(|i| row(i) + "\n").collect()
    };
    place.write("full.csv", table(&|i, j| value(i, j).to_string()));
    place.write("gaps.csv", table(&|i, j| if gap(i, j) { String::new() } else { value(i, j).to_string() }));
    place.write("nan.csv", table(&|i, j| if gap(i, j) { "NaN".into() } else { value(i, j).to_string() }));
    place.write("mask.csv", table(&|i, j| u8::from(!gap(i, j)).to_string()));
    place
}

const FIT: &str = "-k 2 --method nmf --init random --normalize none --max-iter 3000 --json";

#[test]
fn three_ways_to_say_it_are_one() {
    let place = place();
    let ways = [
        format!("fit gaps.csv {FIT} --missing nan --out a"),
        format!("fit nan.csv {FIT} --missing nan --out b"),
        format!("fit full.csv {FIT} --mask mask.csv --out c"),
    ];
    let fits: Vec<_> = ways.iter().map(|line| place.json(line)["objective"].as_f64().unwrap()).collect();
    assert!(fits.iter().all(|fit| *fit == fits[0]), "{fits:?}");
    let imputed = |folder: &str| std::fs::read(place.path(folder).join("imputed.npy")).unwrap();
    assert_eq!(imputed("a"), imputed("b"));
    assert_eq!(imputed("a"), imputed("c"));
}

#[test]
fn transform_fills_in() {
    let place = place();
    place.json(&format!("fit gaps.csv {FIT} --missing nan --out with"));
    place.json(&format!("fit full.csv {FIT} --out without"));
    // A model of data with gaps takes more of them; one of complete data when it is told so.
    let line = |model: &str, more: &str| {
        format!("transform {model}/model.safetensors gaps.csv --out coded.csv --imputed filled.csv {more}")
    };
    for line in [line("with", ""), line("without", "--missing nan")] {
        place.run(&line).ok();
        let numbers = |name: &str| -> Vec<f64> {
            let text = place.read(name);
            text.lines().flat_map(|line| line.split(',').map(|x| x.parse().unwrap())).collect()
        };
        let (filled, full) = (numbers("filled.csv"), numbers("full.csv"));
        assert_eq!(filled.len(), 240);
        let off = filled.iter().zip(&full).map(|(a, b)| (a - b).abs() / b.max(1.0)).fold(0.0, f64::max);
        assert!(off < 0.5, "{line}: {off}");
        let near = filled.iter().zip(&full).filter(|(a, b)| (*a - *b).abs() < 0.1 * b.max(1.0)).count();
        assert!(near > 225, "{line}: {near} of 240");
        std::fs::remove_file(place.path("filled.csv")).unwrap();
        std::fs::remove_file(place.path("coded.csv")).unwrap();
    }
    place.refuses(&line("without", ""), &["--imputed", "--missing nan", "--mask"]);
}

#[test]
fn what_is_refused() {
    let place = place();
    place.refuses("fit nan.csv -k 2", &["nan.csv", "is NaN", "sample 0, feature 3", "--missing nan"]);
    place.refuses("fit gaps.csv -k 2", &["gaps.csv", "line 1, column 4", "--missing nan"]);
    place.refuses("fit full.csv -k 2 --missing zero", &["--missing", "zero", "nan"]);
    place.refuses(
        "fit nan.csv -k 2 --missing nan --solver hals",
        &["missing values", "--solver hals", "--solver mu"],
    );
    place.refuses(
        "fit nan.csv -k 2 --missing nan --normalize tfidf",
        &["missing values", "--normalize tfidf"],
    );
    place.write("short.csv", "1,0\n1,1\n");
    place.refuses("fit full.csv -k 2 --mask short.csv", &["short.csv", "2x2", "40x6"]);
    place.write("odd.csv", place.read("mask.csv").replacen('0', "0.5", 1));
    place.refuses(
        "fit full.csv -k 2 --mask odd.csv",
        &["odd.csv", "row 0, column 3", "0.5", "1 where there is a value"],
    );
    place.write("empty.csv", format!("{}NA,NA,NA,NA,NA,NA\n", place.read("full.csv")));
    place.refuses("fit empty.csv -k 2 --missing nan", &["empty.csv", "sample 40", "no value at all"]);
}
