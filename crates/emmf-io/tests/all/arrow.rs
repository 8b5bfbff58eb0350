//! Arrow files and streams of pyarrow, pandas and polars.

use crate::common;

use common::{dense, expected, fixture, message, read_fixture, texts};
use emmf_io::{Budget, Dtype, Error, ReadOptions, Remark, read, read_bytes, read_labels, read_texts};

/// Packed by LZ4 and zstd, in several batches, as a stream, with categories and with views.
const SAME: [&str; 5] = ["lz4.feather", "zstd.feather", "batches.arrow", "stream.arrows", "polars.arrow"];

#[test]
fn all_writers_say_the_same() {
    for name in SAME {
        let data = read_fixture(name).unwrap();
        assert_eq!(data.names, Some(texts(&["s1", "s2", "s3", "s4"])), "{name}");
        assert_eq!(data.columns, Some(texts(&["a", "b", "c"])), "{name}");
        assert_eq!(dense(data.x), expected(), "{name}");
        let options = ReadOptions { labels: Some("kind".into()), ..ReadOptions::default() };
        let kinds = texts(&["u", "v", "u", "v"]);
        assert_eq!(read(&fixture(name), &options).unwrap().labels, Some(kinds.clone()), "{name}");
        assert_eq!(read_labels(&fixture(name), Some("kind"), &Budget::default()).unwrap(), kinds, "{name}");
    }
}

#[test]
fn texts_are_columns_of_all_of_them() {
    for name in SAME {
        let texts = read_texts(&fixture(name), "kind", &ReadOptions::default(), None);
        let lines = read_texts(&fixture("lines.jsonl"), "kind", &ReadOptions::default(), None);
        assert_eq!(message(texts).split_once(": "), Some((fixture(name).to_str().unwrap(), &*why(lines))));
    }
}

/// What is wrong, without the name of the file.
fn why<T: std::fmt::Debug>(found: Result<T, Error>) -> String {
    message(found).split_once(": ").unwrap().1.to_owned()
}

#[test]
fn what_holds_no_numbers_is_left_out_by_name() {
    let data =
        read(&fixture("mixed.arrow"), &ReadOptions { missing: true, ..ReadOptions::default() }).unwrap();
    assert_eq!(data.columns, Some(texts(&["x", "yes", "five", "big", "last"])));
    let no_numbers = Remark::NoNumbers {
        columns: texts(&["list", "record", "when", "three", "price", "nothing", "bytes", "union", "runs"]),
    };
    assert!(data.remarks.contains(&no_numbers), "{:?}", data.remarks);
    let x = dense(data.x);
    assert!(x[(1, 0)].is_nan() && x[(2, 1)].is_nan());
    assert_eq!([x[(0, 0)], x[(0, 1)], x[(1, 2)], x[(3, 4)]], [1.5, 1.0, 6.0, 1.0]);
    assert!(message(read_fixture("mixed.arrow")).contains("column 'x' has no value in row 2"));
}

#[test]
fn whole_numbers_keep_their_digits_and_texts_their_gaps() {
    let of = |column: &str| read_labels(&fixture("mixed.arrow"), Some(column), &Budget::default()).unwrap();
    let (odd, even) = ("1152921504606846977", "1152921504606846978");
    assert_eq!(of("big"), texts(&[odd, even, odd, even]));
    assert_eq!(of("id"), texts(&["a long name of a sample", "s2", "s3", ""]));
    assert_eq!(of("five"), texts(&["5", "6", "5", "5"]));
}

#[test]
fn single_precision_stays_where_all_have_it() {
    let of = |columns: &[&str]| {
        let options = ReadOptions { columns: texts(columns), ..ReadOptions::default() };
        read(&fixture("batches.arrow"), &options).unwrap().x.dtype()
    };
    assert_eq!((of(&["a"]), of(&["a", "b"])), (Dtype::F32, Dtype::F64));
}

#[test]
fn a_file_without_its_end_is_cut_off() {
    let whole = std::fs::read(fixture("batches.arrow")).unwrap();
    for length in [whole.len() - 1, whole.len() / 2, 20] {
        let said = message(read_bytes(&whole[..length], "x.arrow", &ReadOptions::default()));
        assert!(said.contains("cut off"), "{said}");
    }
    let old = message(read_bytes(b"FEA1\0\0\0\0", "x.feather", &ReadOptions::default()));
    assert!(old.contains("a Feather file of version 1") && old.contains("Parquet"), "{old}");
}
