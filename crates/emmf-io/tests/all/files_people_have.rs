//! Files of pandas, openpyxl, anndata, h5py and packers, and what is told about them.

use crate::common;

use common::{dense, expected, fixture, message, read_fixture, read_text, texts};
use emmf_io::{Budget, Dataset, ReadOptions, Remark, read, read_bytes, read_labels, read_texts};

fn with(options: &ReadOptions, name: &str) -> Dataset {
    read(&fixture(name), options).unwrap()
}

/// All hold the same matrix, with names of samples and features.
#[test]
fn names_come_with_the_numbers() {
    let files = [
        "csr.h5ad",
        "dense.h5ad",
        "tenx.h5",
        "sheet.xlsx",
        "lines.jsonl",
        "german.csv.gz",
        "table.csv.bz2",
        "table.csv.zst",
        "lz4.feather",
        "stream.arrows",
        "cells.v2.zip",
        "cells.v3.zip",
    ];
    for name in files {
        let data = read_fixture(name).unwrap();
        assert_eq!(data.names, Some(texts(&["s1", "s2", "s3", "s4"])), "{name}");
        assert_eq!(data.columns, Some(texts(&["a", "b", "c"])), "{name}");
        assert_eq!(dense(data.x), expected(), "{name}");
    }
    for name in ["plain.h5", "v73.mat"] {
        let data = read_fixture(name).unwrap();
        assert_eq!(data.labels.unwrap().len(), 4, "{name}");
        assert_eq!(dense(data.x), expected(), "{name}");
    }
}

#[test]
fn labels_are_columns_of_all_of_them() {
    for name in ["csr.h5ad", "dense.h5ad", "sheet.xlsx", "lines.jsonl", "zstd.feather", "cells.v3.zip"] {
        let data = with(&ReadOptions { labels: Some("kind".into()), ..ReadOptions::default() }, name);
        assert_eq!(data.labels, Some(texts(&["u", "v", "u", "v"])), "{name}");
        assert_eq!(dense(data.x), expected(), "{name}");
        assert_eq!(
            read_labels(&fixture(name), Some("kind"), &Budget::default()).unwrap(),
            texts(&["u", "v", "u", "v"])
        );
        let other = ReadOptions { labels: Some("kin".into()), ..ReadOptions::default() };
        assert!(message(read(&fixture(name), &other)).contains("did you mean 'kind'?"), "{name}");
    }
}

#[test]
fn a_layer_is_chosen_by_its_name() {
    let data = with(&ReadOptions { variable: Some("twice".into()), ..ReadOptions::default() }, "csr.h5ad");
    assert_eq!(dense(data.x)[(2, 2)], 18.0);
    let other = ReadOptions { variable: Some("twcie".into()), ..ReadOptions::default() };
    assert!(message(read(&fixture("csr.h5ad"), &other)).contains("did you mean 'twice'?"));
}

#[test]
fn what_is_taken_for_granted_is_told() {
    let said = |name: &str| read_fixture(name).unwrap().remarks;
    assert_eq!(said("german.csv.gz"), [Remark::Names { column: "id".into() }, Remark::DecimalComma]);
    let texts = Remark::Texts { columns: vec!["kind".into()] };
    assert_eq!(said("lines.jsonl"), [Remark::Names { column: "id".into() }, texts.clone()]);
    assert_eq!(said("sheet.xlsx"), [Remark::Names { column: "id".into() }, texts]);
    let counted = read_text("n,a,b\n1,5,6\n2,7,8\n3,9,1\n4,2,3\n").unwrap();
    assert_eq!(counted.remarks, [Remark::Counts { column: "n".into() }]);
    assert_eq!((counted.names, counted.x.shape()), (Some(texts_of(1..=4)), (4, 2)));
    // Four numbers in a row may be chance elsewhere, and are features when they are asked for.
    let kept = ReadOptions { columns: vec!["*".into()], ..ReadOptions::default() };
    let data = read_bytes(b"n,a,b\n1,5,6\n2,7,8\n3,9,1\n4,2,3\n", "x.csv", &kept).unwrap();
    assert_eq!((data.x.shape(), data.remarks.len()), ((4, 3), 0));
}

fn texts_of(numbers: std::ops::RangeInclusive<usize>) -> Vec<String> {
    numbers.map(|number| number.to_string()).collect()
}

#[test]
fn classes_of_one_sample_each_are_names() {
    let line = |i: usize| format!("{i},{},c{i}\n", i * i);
    let text = String::from("a,b,what\n") + &(5..25).map(line).collect::<String>();
    let asked = ReadOptions { labels: Some("what".into()), ..ReadOptions::default() };
    let said = message(read_bytes(text.as_bytes(), "x.csv", &asked));
    assert!(said.contains("each of the 20 samples") && said.contains("`id` to \"what\""), "{said}");
    let data =
        read_bytes(text.replace("what", "label").as_bytes(), "x.csv", &ReadOptions::default()).unwrap();
    assert_eq!((data.labels, data.names.map(|names| names.len())), (None, Some(20)));
    assert_eq!(data.remarks, [Remark::Rising { column: "a".into() }, Remark::NoClasses]);
}

#[test]
fn rows_may_be_features() {
    let turned = with(&ReadOptions { transpose: true, ..ReadOptions::default() }, "table.csv.bz2");
    assert_eq!(turned.names, Some(texts(&["a", "b", "c"])));
    assert_eq!(dense(turned.x), expected().transposed());
    let sparse = with(&ReadOptions { transpose: true, ..ReadOptions::default() }, "coordinate.mtx");
    assert_eq!(dense(sparse.x), expected().transposed());
}

#[test]
fn decimals_as_they_are_written_elsewhere() {
    let read = |text: &str, options: ReadOptions| read_bytes(text.as_bytes(), "x.csv", &options);
    let german = ReadOptions { decimal: Some(','), ..ReadOptions::default() };
    let data = read("a;b\n1.234,5;2\n0,25;3\n", german).unwrap();
    assert_eq!(dense(data.x), emmf::Mat::from_rows([[1234.5, 2.0], [0.25, 3.0]]));
    // With commas between the fields, or points before decimals, nothing is guessed.
    assert_eq!(read("1,5\n2,5\n", ReadOptions::default()).unwrap().x.shape(), (2, 2));
    let said = message(read("1.5;2,5\n2.5;3,5\n", ReadOptions::default()));
    assert!(said.contains("`decimal` to ','"), "{said}");
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("1;2\n3;4\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(read_bytes(&wide, "x.txt", &ReadOptions::default()).unwrap().x.shape(), (2, 2));
}

#[test]
fn texts_have_the_names_that_a_first_column_gives_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.csv");
    let named = |table: &str| {
        std::fs::write(&path, table).unwrap();
        let data = read_texts(&path, "said", &ReadOptions::default(), None).unwrap();
        (data.names, data.remarks.into_iter().find(|remark| !matches!(remark, Remark::Words { .. })))
    };
    let told = Some(Remark::NamesOfTexts { column: "id".into() });
    assert_eq!(named("id,said\nr1,hot soup\nr2,cold soup\n"), (Some(texts(&["r1", "r2"])), told.clone()));
    let counted = "id,said\n1,hot soup\n2,cold soup\n3,hot tea\n4,cold tea\n";
    assert_eq!(named(counted), (Some(texts_of(1..=4)), told));
    assert_eq!(named(",said\nr1,hot soup\nr2,cold soup\n"), (Some(texts(&["r1", "r2"])), None));
    for other in [
        ",said\n0,hot soup\n1,cold soup\n2,hot tea\n3,cold tea\n",
        "stars,said\n5,hot soup\n4,cold soup\n5,hot tea\n1,cold tea\n",
        "place,said\nbar,hot soup\nbar,cold soup\n",
        "said,id\nhot soup,r1\ncold soup,r2\n",
        "label,said\nhot,hot soup\ncold,cold soup\n",
    ] {
        assert_eq!(named(other), (None, None), "{other}");
    }
}

#[test]
fn anndata_without_usual_labels_tells_its_columns() {
    let said = message(read_labels(&fixture("csr.h5ad"), None, &Budget::default()));
    assert!(said.contains("'kind'") && !said.contains("indptr") && !said.contains("_index"), "{said}");
}

#[test]
fn json_by_columns_is_named_for_what_it_is() {
    for table in [r#"{"a": {"0": 1, "1": 2}, "b": {"0": 3, "1": 4}}"#, r#"{"a": [1, 2], "b": [3, 4]}"#] {
        let said = message(read_bytes(table.as_bytes(), "x.json", &ReadOptions::default()));
        assert!(said.contains("a JSON object of columns") && said.contains("records"), "{said}");
    }
}

#[test]
fn words_that_tell_nothing_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.jsonl");
    let line = |i: usize| {
        let what = if i.is_multiple_of(2) { "hot soup and the waiter" } else { "laptop with the screen" };
        format!("{{\"id\": {i}, \"said\": \"This is a {what} that was nice{}\"}}\n", i % 3)
    };
    std::fs::write(&path, (0..30).map(line).collect::<String>()).unwrap();
    let count = |texts: emmf_io::TextOptions| {
        let options = ReadOptions { texts, id: Some("id".into()), ..ReadOptions::default() };
        read_texts(&path, "said", &options, None).unwrap()
    };
    let data = count(emmf_io::TextOptions::default());
    let words = texts(&["hot", "laptop", "nice0", "nice1", "nice2", "screen", "soup", "waiter"]);
    assert_eq!(data.columns, Some(words));
    assert_eq!(data.remarks, [Remark::Words { kept: 8, of: 8, language: Some("en".into()) }]);
    assert_eq!(data.names.unwrap()[3], "3");
    assert!(data.texts.unwrap()[0].starts_with("This is a hot soup"));
    let all = count(emmf_io::TextOptions { stop_words: emmf_io::StopWords::None, ..Default::default() });
    assert!(all.columns.unwrap().contains(&"and".to_owned()));
    let pairs = count(emmf_io::TextOptions { ngrams: 2, ..Default::default() }).columns.unwrap();
    assert!(pairs.contains(&"hot soup".to_owned()) && pairs.contains(&"soup".to_owned()), "{pairs:?}");
    let rare = emmf_io::TextOptions { max_df: Some(emmf_io::Frequency::Share(0.4)), ..Default::default() };
    assert_eq!(count(rare).columns.unwrap(), texts(&["nice0", "nice1", "nice2"]));
    // Those of a model are counted as the model has them.
    let options = ReadOptions::default();
    let known = texts(&["hot soup", "the"]);
    let again = read_texts(&path, "said", &options, Some(&known)).unwrap();
    let again = dense(again.x);
    assert_eq!((again.row(0), again.row(1)), (&[1.0, 1.0][..], &[0.0, 1.0][..]));
}
