//! CSV and its relatives: separators, headers, labels, and errors that say where.

use crate::common;

use common::{dense, message, read_text, texts};
use emmf::Mat;
use emmf_io::{Budget, Dataset, Dtype, Error, ReadOptions, read_bytes, read_labels_bytes};

fn with_labels(text: &str, labels: &str) -> Result<Dataset, Error> {
    let options = ReadOptions { labels: Some(labels.into()), ..ReadOptions::default() };
    read_bytes(text.as_bytes(), "table.csv", &options)
}

#[test]
fn every_separator_is_found() {
    let want = Mat::from_rows([[1.0, 2.5], [3.0, 4e3]]);
    for text in [
        "1,2.5\n3,4e3\n",
        "1;2.5\n3;4e3",
        "1\t2.5\r\n3\t4e3\r\n",
        " 1   2.5\n3 4e3\n",
        "\u{feff}a,b\n1,2.5\n\n3,4e3\n",
        "# a b\n1 2.5\n3 4e3\n",
        "\"1\",\"2.5\"\n3, 4e3 \n",
    ] {
        assert_eq!(dense(read_text(text).unwrap().x), want, "{text:?}");
    }
    let options = ReadOptions { delimiter: Some('|'), ..ReadOptions::default() };
    assert_eq!(dense(read_bytes(b"1|2.5\n3|4e3", "t", &options).unwrap().x), want);
}

#[test]
fn a_header_is_found_or_said() {
    let data = read_text("a,b\n1,2\n").unwrap();
    assert_eq!((data.x.shape(), data.columns), ((1, 2), Some(texts(&["a", "b"]))));
    assert_eq!(read_text("1,2\n3,4\n").unwrap().columns, None);
    let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
    let data = read_bytes(b"2001,2002\n3,4\n", "t.csv", &options).unwrap();
    assert_eq!((data.x.shape(), data.columns), ((1, 2), Some(texts(&["2001", "2002"]))));
}

#[test]
fn numbered_rows_are_no_feature() {
    let data = read_text(",a,b\n0,1,2\n1,3,4\n").unwrap();
    assert_eq!(data.columns, Some(texts(&["a", "b"])));
    assert_eq!(dense(data.x), Mat::from_rows([[1.0, 2.0], [3.0, 4.0]]));
    let data = read_text("\"\",\"a\",\"class\"\n\"row 1\",1,u\n\"row 2\",3,v\n").unwrap();
    assert_eq!((data.x.shape(), data.labels), ((2, 1), Some(texts(&["u", "v"]))));
}

#[test]
fn missing_values_in_the_first_line_do_not_make_a_header() {
    let text = message(read_text("1,,,4\n5,6,7,8\n"));
    assert!(text.contains("line 1, column 2") && text.contains("missing"), "{text}");
}

#[test]
fn labels_by_name_number_and_from_the_end() {
    for (text, labels) in [
        ("a,kind,b\n1,u,2\n3,v,4\n", "kind"),
        ("a,kind,b\n1,u,2\n3,v,4\n", "2"),
        ("1,u,2\n3,v,4\n", "2"),
        ("1,u,2\n3,v,4\n", "-2"),
    ] {
        let data = with_labels(text, labels).unwrap();
        assert_eq!(data.labels, Some(texts(&["u", "v"])), "{text:?} {labels}");
        assert_eq!(dense(data.x), Mat::from_rows([[1.0, 2.0], [3.0, 4.0]]));
    }
    let usual = read_text("a,Class\n1,2.0\n3,x\n").unwrap();
    assert_eq!((usual.labels, usual.columns), (Some(texts(&["2", "x"])), Some(texts(&["a"]))));
    assert_eq!(read_text("a,y\n1,2\n").unwrap().labels, None);
}

#[test]
fn a_column_that_is_not_there() {
    let text = message(with_labels("a,b\n1,2\n", "c"));
    assert!(text.contains("table.csv") && text.contains("'c'") && text.contains("'a', 'b'"), "{text}");
    for number in ["0", "3", "-3", "99999999999999999999"] {
        assert!(message(with_labels("1,2\n3,4\n", number)).contains("no column"), "{number}");
    }
}

#[test]
fn errors_name_line_column_text_and_fix() {
    let text = message(read_text("a,b\n1,2\n\n# note\n3,oops\n"));
    assert!(text.contains("table.csv: line 5, column 2 ('b'): 'oops' is not a number"), "{text}");
    let text = message(read_text("a,b\n1,2\n3,oops\n"));
    assert!(text.contains("`drop` b"), "{text}");
    let text = message(read_text("1;2.5\n3;4,5\n"));
    assert!(text.contains("`decimal` to ','"), "{text}");
    let text = message(read_text("a,b\n1,2\n3,\n"));
    assert!(text.contains("line 3") && text.contains("missing"), "{text}");
    let text = message(read_text("1,2\n3,4,5\n"));
    assert!(text.contains("line 2 has 3 fields, but the first line has 2"), "{text}");
    let text = message(read_text("1 2\n3\n"));
    assert!(text.contains("line 2 has 1 fields"), "{text}");
}

#[test]
fn texts_without_numbers_are_refused() {
    for text in ["", "\n\n", "# only a comment\n", "a,b\n"] {
        assert!(message(read_text(text)).contains("holds no numbers"), "{text:?}");
    }
    let latin = read_bytes(b"a,b\n1,\xe9\n", "t.csv", &ReadOptions::default());
    assert!(message(latin).contains("UTF-8"));
    let packed = read_bytes(b"\x1f\x8b\x08\x00", "t.csv.gz", &ReadOptions::default());
    assert!(message(packed).contains("cannot be unpacked"));
}

#[test]
fn spelled_specials_are_numbers() {
    let x = dense(read_text("NaN,inf\n-Infinity,1\n").unwrap().x);
    assert!(x[(0, 0)].is_nan() && x[(0, 1)] == f64::INFINITY && x[(1, 0)] == f64::NEG_INFINITY);
    let options = ReadOptions { dtype: Some(Dtype::F32), ..ReadOptions::default() };
    assert_eq!(read_bytes(b"1,2", "t.csv", &options).unwrap().x.dtype(), Dtype::F32);
}

#[test]
fn labels_alone() {
    let labels =
        |text: &str, wanted| read_labels_bytes(text.as_bytes(), "labels.txt", wanted, &Budget::default());
    assert_eq!(labels("1\n2.0\n1\n", None).unwrap(), texts(&["1", "2", "1"]));
    assert_eq!(labels("cluster\n1\n2\n", None).unwrap(), texts(&["1", "2"]));
    assert_eq!(labels("label\ncat\nNew York\n", None).unwrap(), texts(&["cat", "New York"]));
    assert_eq!(labels("cat\nNew York\n", None).unwrap(), texts(&["cat", "New York"]));
    assert_eq!(labels("sample,gnd\n0,u\n1,v\n", None).unwrap(), texts(&["u", "v"]));
    assert_eq!(labels("sample,kind\n0,u\n1,v\n", Some("kind")).unwrap(), texts(&["u", "v"]));
    assert!(message(labels("sample,kind\n0,u\n1,v\n", None)).contains("say which with `labels`"));
    assert!(message(labels("", None)).contains("holds no numbers"));
}
