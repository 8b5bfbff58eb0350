//! The folder of a fit is one thing: held by one program, old or new as one, with nothing in it that is not of the fit.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use crate::common;

use common::message;
use emmf::synth::{Rays, rays_with_outliers};
use emmf::{Fit, Spec};
use emmf_io::{
    Batch, DataInfo, MODEL_FILE, Notes, RECORD_FILE, Record, ResultFolder, Results, TableFormat,
    check_same_fit, is_result_file, read_model, read_record, write_atomically,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

fn fit(method: &str) -> (Fit<f64>, Record) {
    let data = rays_with_outliers::<f64>(&Rays::default()).unwrap();
    let fit = Spec::new(method, 3).max_iter(3).fit(&data.x).unwrap();
    let (n, d) = data.x.shape();
    let info = DataInfo { name: "rays".into(), n, d, dtype: "f64".into(), sparse: false };
    let record = Record::new(&fit, info, None).unwrap();
    (fit, record)
}

fn write(folder: &Path, (fit, mut record): (Fit<f64>, Record), page: Option<&str>) -> Record {
    let page_file = folder.join("report.html");
    let page = page.map(|text| (page_file.as_path(), text));
    let results = Results {
        fit: &fit,
        record: &mut record,
        notes: &Notes::default(),
        page,
        tables: &[],
        anndata: None,
    };
    ResultFolder::open(folder).unwrap().write(results).unwrap();
    record
}

#[test]
fn promise_07_a_second_program_is_refused_and_the_first_one_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("out");
    let held = ResultFolder::open(&path).unwrap();
    let text = message(ResultFolder::open(&path));
    assert!(text.contains("out: is in use by another emmf"), "{text}");
    drop(held);
    drop(ResultFolder::open(&path).unwrap());
    assert!(!path.exists());
}

#[test]
fn promise_07_folders_that_got_nothing_vanish_and_older_ones_stay() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("old")).unwrap();
    let held = ResultFolder::open(&place.path().join("old/new/deep")).unwrap();
    assert!(place.path().join("old/new/deep").is_dir());
    drop(held);
    assert!(files(&place.path().join("old")).is_empty());
}

#[test]
fn promise_07_what_an_earlier_fit_left_goes_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("out");
    let record = write(&folder, fit("pnmf"), Some("a page"));
    let names: Vec<&str> = record.files.keys().map(String::as_str).collect();
    assert_eq!(names, [MODEL_FILE, "report.html", "samples.csv", "u-variance.npy", "v-variance.npy"]);
    assert_eq!(read_record(&folder.join(RECORD_FILE)).unwrap(), record);
    fs::write(folder.join("mine.txt"), "mine").unwrap();
    fs::write(folder.join("v-variance.npy"), "mine now").unwrap();
    write(&folder, fit("nmf"), None);
    let names: Vec<String> = files(&folder).into_keys().collect();
    assert_eq!(names, ["mine.txt", MODEL_FILE, RECORD_FILE, "samples.csv", "v-variance.npy"]);
}

#[test]
fn promise_07_a_hostile_record_removes_nothing_outside() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("precious"), "").unwrap();
    let folder = place.path().join("out");
    write(&folder, fit("nmf"), None);
    // The hash of nothing.
    let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    fs::write(folder.join(RECORD_FILE), format!("{{\"files\":{{\"../precious\":\"{hash}\"}}}}")).unwrap();
    write(&folder, fit("nmf"), None);
    assert!(place.path().join("precious").exists());
}

/// The folder as a killed writer leaves it after `done` of its changes, and what it is to become.
fn killed_after(folder: &Path, done: usize, old: &Files, new: &Files) {
    for (name, bytes) in old {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let mut names = BTreeMap::new();
    for (at, (name, bytes)) in new.iter().enumerate() {
        let part = format!(".emmf-{at}.part");
        fs::write(folder.join(if at < done { name } else { &part }), bytes).unwrap();
        names.insert(part, name.clone());
    }
    let removed: Vec<&String> = old.keys().filter(|name| !new.contains_key(*name)).collect();
    for name in removed.iter().take(done.saturating_sub(new.len())) {
        fs::remove_file(folder.join(name)).unwrap();
    }
    let journal = serde_json::json!({ "names": names, "removed": removed });
    fs::write(folder.join(".emmf-x.commit"), journal.to_string()).unwrap();
}

#[test]
fn promise_07_a_change_that_was_cut_off_is_completed_by_whoever_looks() {
    let place = tempfile::tempdir().unwrap();
    let (old, new) = (place.path().join("old"), place.path().join("new"));
    write(&old, fit("pnmf"), Some("a page"));
    write(&new, fit("nmf"), None);
    let (old, new) = (files(&old), files(&new));
    assert!(old.len() > new.len());
    let looks: [fn(&Path); 4] = [
        |folder| drop(read_model(&folder.join(MODEL_FILE)).unwrap()),
        |folder| drop(read_record(&folder.join(RECORD_FILE)).unwrap()),
        |folder| drop(ResultFolder::open(folder).unwrap()),
        |folder| {
            write_atomically(&folder.join("other"), |out| out.write_all(b"x")).unwrap();
            fs::remove_file(folder.join("other")).unwrap();
        },
    ];
    for done in 0..=old.len() {
        for look in looks {
            let folder = tempfile::tempdir().unwrap();
            killed_after(folder.path(), done, &old, &new);
            look(folder.path());
            let (found, expected) = (files(folder.path()), &new);
            assert!(found == *expected, "after {done}: {:?}", found.keys());
        }
    }
}

#[test]
fn promise_07_a_mixture_that_cannot_be_put_in_order_is_not_read() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("out");
    write(&folder, fit("nmf"), None);
    fs::write(place.path().join("precious"), "").unwrap();
    for journal in [
        "no json",
        r#"{"names":{".emmf-a.part":"../b"},"removed":[]}"#,
        r#"{"names":{},"removed":["../precious"]}"#,
    ] {
        fs::write(folder.join(".emmf-x.commit"), journal).unwrap();
        for text in
            [message(read_model(&folder.join(MODEL_FILE))), message(read_record(&folder.join(RECORD_FILE)))]
        {
            assert!(text.contains("two runs") && text.contains("out"), "{text}");
        }
    }
    assert!(place.path().join("precious").exists());
}

#[test]
fn promise_07_a_record_of_another_fit_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let (one, other) = (place.path().join("one"), place.path().join("other"));
    let record = write(&one, fit("nmf"), None);
    let foreign = write(&other, fit("emmf"), None);
    let (model, path) = (one.join(MODEL_FILE), one.join(RECORD_FILE));
    check_same_fit(&model, &record, &path).unwrap();
    let text = message(check_same_fit(&model, &foreign, &path));
    assert!(text.contains("record.json: belongs to another fit than the model"), "{text}");
    let unhashed = Record { files: BTreeMap::new(), ..foreign };
    check_same_fit(&model, &unhashed, &path).unwrap();
}

#[test]
fn promise_08_what_a_killed_writer_left_is_swept_and_a_living_one_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path(".emmf-dead.part"), "half").unwrap();
    fs::write(path(".other.part"), "not ours").unwrap();
    let mut living = Batch::default();
    living.add(&path("a"), |out| out.write_all(b"a")).unwrap();
    assert_eq!(files(folder.path()).len(), 2, "{:?}", files(folder.path()).keys());
    write_atomically(&path("b"), |out| out.write_all(b"b")).unwrap();
    living.commit().unwrap();
    let names: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(names, [".other.part", "a", "b"]);
}

#[test]
fn promise_14_the_same_fit_gives_the_same_files() {
    let place = tempfile::tempdir().unwrap();
    let all: Vec<Files> = (0..4)
        .map(|at| {
            let folder = place.path().join(at.to_string());
            let mut made = fit("emmf");
            made.1.seconds = emmf::model::Seconds::default();
            write(&folder, made, Some("a page"));
            files(&folder)
        })
        .collect();
    assert!(all.iter().all(|found| *found == all[0]));
}

/// A page under one of these names would be taken for a result, or the other way round.
#[test]
fn every_file_of_a_fit_is_known_by_its_name() {
    let data = rays_with_outliers::<f64>(&Rays::default()).unwrap();
    let mut gaps = data.x.clone();
    gaps[(3, 1)] = f64::NAN;
    let specs = [
        (Spec::deep(&[5, 2]), &data.x),
        (Spec::new("pnmf", 3), &data.x),
        (Spec::emmf(3).missing(emmf::Missing::Nan), &gaps),
    ];
    let tables = [TableFormat::Csv, TableFormat::Parquet, TableFormat::Npy];
    for (spec, x) in specs {
        let place = tempfile::tempdir().unwrap();
        let fit = spec.max_iter(3).fit(x).unwrap();
        let (n, d) = x.shape();
        let info = DataInfo { name: "rays".into(), n, d, dtype: "f64".into(), sparse: false };
        let mut record = Record::new(&fit, info, None).unwrap();
        let notes = &Notes::default();
        let results =
            Results { fit: &fit, record: &mut record, notes, page: None, tables: &tables, anndata: None };
        ResultFolder::open(place.path()).unwrap().write(results).unwrap();
        let names: Vec<String> = files(place.path()).into_keys().collect();
        assert!(names.len() >= 10 && names.iter().all(|name| is_result_file(name)), "{names:?}");
    }
    assert!(!["report.html", "tree.html", "x.csv", "coefficients", "npy"].into_iter().any(is_result_file));
}
