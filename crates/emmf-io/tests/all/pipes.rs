//! A pipe gives its bytes once: whatever is read from it is what a file gives.
#![cfg(unix)]
#![expect(clippy::panic, reason = "a test may panic")]

use crate::common;

use std::fmt::Debug;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use common::{fixture, message};
use emmf::{Factors, Mat, Spec, synth};
use emmf_io::{
    Budget, Dataset, Error, Notes, ReadOptions, file_size, read, read_labels, read_model_and_notes,
    read_start, read_texts, stream, write, write_model,
};

/// What `look` finds in a pipe with these bytes.
fn through_a_pipe<R>(bytes: Vec<u8>, look: impl FnOnce(&Path) -> R) -> R {
    let (reader, mut writer) = std::io::pipe().unwrap();
    // Who reads may have seen enough.
    let feed = std::thread::spawn(move || writer.write_all(&bytes).ok());
    let found = look(&PathBuf::from(format!("/dev/fd/{}", reader.as_raw_fd())));
    drop(reader);
    feed.join().unwrap();
    found
}

fn same<R: PartialEq + Debug>(file: &Path, look: impl Fn(&Path) -> Result<R, Error>) {
    let piped = through_a_pipe(std::fs::read(file).unwrap(), |pipe| look(pipe));
    match (look(file), piped) {
        (Ok(file), Ok(piped)) => assert_eq!(file, piped),
        // But for the name, which tells no format in a pipe.
        (Err(_), Err(_)) => {}
        (file_says, pipe_says) => panic!("{}: {file_says:?}, but from a pipe {pipe_says:?}", file.display()),
    }
}

#[test]
fn promise_02_every_format_is_read_from_a_pipe() {
    for file in std::fs::read_dir(fixture("")).unwrap() {
        let file = file.unwrap().path();
        same(&file, |path| read(path, &ReadOptions::default()));
        same(&file, |path| read_labels(path, None, &Budget::default()));
    }
}

/// Longer than what is looked at to tell the format, and than what a pipe holds.
#[test]
fn promise_02_a_pipe_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let rays = synth::Rays { samples: 4000, features: 40, ..Default::default() };
    let made = synth::rays_with_outliers::<f64>(&rays).unwrap();
    let labels: Vec<String> = made.labels.iter().map(ToString::to_string).collect();
    for name in ["x.csv", "x.npy", "x.npz", "x.mat", "x.mtx", "x.parquet"] {
        let file = folder.path().join(name);
        let keeps_labels = !matches!(name, "x.npy" | "x.mtx");
        let labels = keeps_labels.then(|| labels.clone());
        write(&file, &Dataset::new(made.x.clone(), labels, None)).unwrap();
        assert!(std::fs::metadata(&file).unwrap().len() > 200_000);
        same(&file, |path| {
            let data = read(path, &ReadOptions::default())?;
            assert_eq!(data.x.shape().0, made.x.rows());
            Ok(data)
        });
        if keeps_labels {
            same(&file, |path| {
                read_labels(path, Some("label").filter(|_| name == "x.csv"), &Budget::default())
            });
        }
    }
}

#[test]
fn promise_02_a_pipe_of_what_others_write_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    for file in crate::made::files(folder.path(), (2000, 40)) {
        same(&file, |path| {
            let data = read(path, &ReadOptions::default())?;
            assert_eq!(data.x.shape(), (2000, 40), "{}", file.display());
            assert_eq!(data.labels.as_ref().map(Vec::len), Some(2000), "{}", file.display());
            Ok(data)
        });
    }
}

#[test]
fn promise_02_texts_starts_and_models_are_read_from_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let texts = folder.path().join("texts.csv");
    let line = |i: usize| format!("{i},soup and word{},class{}\n", i % 90, i % 2);
    let lines: String = (0..9000).map(line).collect();
    std::fs::write(&texts, String::from("id,words,class\n") + &lines).unwrap();
    same(&texts, |path| read_texts(path, "words", &ReadOptions::default(), None));

    let x = synth::rays_with_outliers::<f64>(&synth::Rays::default()).unwrap().x;
    let model = folder.path().join("model.safetensors");
    write_model(&model, &Spec::emmf(3).max_iter(2).fit(&x).unwrap().model, &Notes::default()).unwrap();
    same(&model, read_model_and_notes);

    let start = folder.path().join("start.npz");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&start).unwrap());
    for (name, rows) in [("U.npy", 90), ("V.npy", 9000)] {
        let factor = folder.path().join(name);
        let x = Mat::from_fn(rows, 5, |i, j| (i + j) as f64);
        write(&factor, &Dataset::new(x, None, None)).unwrap();
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&std::fs::read(factor).unwrap()).unwrap();
    }
    archive.finish().unwrap();
    read_start::<f64>(&start, &Budget::default()).unwrap();
    same(&start, |path| read_start::<f64>(path, &Budget::default()).map(|Factors { u, v }| (u, v)));
}

/// What must look at the data more than once says so, and takes nothing from the pipe for the file.
#[test]
fn promise_02_blocks_of_samples_need_a_file() {
    let bytes = std::fs::read(fixture("f8.npy")).unwrap();
    let options = ReadOptions::default();
    let looked = through_a_pipe(bytes.clone(), |pipe| message(file_size(pipe, &options)));
    let streamed = through_a_pipe(bytes, |pipe| message(stream(pipe, &options, 1 << 20)));
    for said in [looked, streamed] {
        assert!(said.contains("a pipe") && said.contains("save it to a file"), "{said}");
    }
}
