//! Nothing is allocated because a file says so beyond what reading may take: it is asked for before.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod common;
#[path = "../../emmf/tests/counting/mod.rs"]
mod counting;
#[path = "common/made.rs"]
mod made;

use std::io::Write;
use std::path::{Path, PathBuf};

use common::fixture;
use counting::{peak, turn};
use emmf::synth;
use emmf_io::{
    Budget, Dataset, Dtype, Error, FolderKind, FolderOptions, Limit, Problem, ReadOptions, read, read_bytes,
    read_folder, read_labels, read_texts, write,
};

/// What readers take for themselves whatever the file: windows of decompressors, tables, the first bytes of the file.
const OWN: usize = 2 << 20;

/// Reads within ever larger budgets until it works. What is refused and what is read stays within its budget.
fn stays_within<R>(what: &str, read: impl Fn(Budget) -> Result<R, Error>) -> u64 {
    for limit in (10..40).map(|power| 1_u64 << power) {
        let (done, taken) = peak(|| read(Budget::new(Limit::Asked(limit))));
        assert!(taken as u64 <= limit + OWN as u64, "{what}: {taken} bytes of {limit}");
        match done {
            Ok(_) => return limit,
            Err(Error { problem: Problem::Memory { .. }, .. }) => {}
            Err(other) => panic!("{what} within {limit}: {other}"),
        }
    }
    panic!("{what} cannot be read")
}

/// A matrix of many small whole numbers, in every format.
fn files(folder: &Path) -> Vec<PathBuf> {
    let x = emmf::Mat::from_fn(30_000, 40, |i, j| ((i * 7 + j * 3) % 5) as f64);
    let labels: Vec<String> = (0..x.rows()).map(|i| format!("class {}", i % 7)).collect();
    let names = ["x.csv", "x.npy", "x.npz", "x.mat", "x.mtx", "x.parquet"];
    names
        .map(|name| {
            let path = folder.join(name);
            let labels = (!matches!(name, "x.npy" | "x.mtx")).then(|| labels.clone());
            write(&path, &Dataset::new(x.clone(), labels, None)).unwrap();
            path
        })
        .to_vec()
}

#[test]
fn promise_11_every_format_stays_within_its_budget() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let others = made::files(folder.path(), (3000, 40)).into_iter().chain([fixture("many.feather")]);
    for path in files(folder.path()).into_iter().chain(others) {
        for dtype in [Dtype::F32, Dtype::F64] {
            let what = format!("{} as {dtype}", path.display());
            let options = |budget| ReadOptions { dtype: Some(dtype), budget, ..ReadOptions::default() };
            stays_within(&what, |budget| read(&path, &options(budget)));
        }
        let named = (!path.ends_with("x.npz")
            && !path.ends_with("x.mat")
            && !path.ends_with("x.h5")
            && !path.ends_with("x.zip"))
        .then_some("label");
        if !path.ends_with("x.npy") && !path.ends_with("x.mtx") {
            let what = format!("labels of {}", path.display());
            stays_within(&what, |budget| read_labels(&path, named, &budget));
        }
    }
}

/// A number of almost 2³¹ in the place of any byte: sizes of pages are among them.
#[test]
fn promise_11_no_number_in_a_parquet_file_is_believed() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let x = emmf::Mat::from_fn(40, 3, |i, j| ((i * 7 + j * 3) % 5) as f64);
    write(&path, &Dataset::new(x, None, None)).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let limit = 16 << 20;
    let options = ReadOptions { budget: Budget::new(Limit::Asked(limit)), ..ReadOptions::default() };
    let huge = [0xfe, 0xff, 0xff, 0xff, 0x0f];
    for at in 4..whole.len() - huge.len() {
        for instead in [1, 2, huge.len()] {
            let mut bytes = whole.clone();
            bytes.splice(at..at + instead, huge);
            let (_, taken) = peak(|| read_bytes(&bytes, "x.parquet", &options).is_ok());
            assert!(taken as u64 <= limit + OWN as u64, "{taken} bytes with {instead} replaced at {at}");
        }
    }
}

/// Half a million bytes that become gigabytes, a tenth of it here.
fn widening(folder: &Path) -> PathBuf {
    let path = folder.join("widen.npz");
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (50000, 1000), }\n";
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    archive.start_file("X.npy", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
    archive.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
    archive.write_all(header.as_bytes()).unwrap();
    (0..50_000).for_each(|i| archive.write_all(&[u8::from(i % 7 == 0); 1000]).unwrap());
    archive.finish().unwrap();
    path
}

#[test]
fn promise_11_packed_files_are_counted_as_what_they_become() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let path = widening(folder.path());
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    let options = |budget| ReadOptions { budget, ..ReadOptions::default() };
    let limit = stays_within("u1 as f64", |budget| read(&path, &options(budget)));
    assert!(limit >= 50_000 * 1000 * 8, "{limit}");
}

/// Every fixture, and a sparse matrix of a few bytes that says it has millions of rows.
#[test]
fn promise_11_small_files_with_large_words() {
    let _turn = turn();
    let budget = || Budget::new(Limit::Asked(10 << 20));
    let absurd = b"%%MatrixMarket matrix coordinate real general\n4000000 3 2\n1 1 1\n4000000 2 1\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("absurd.mtx"), absurd).unwrap();
    for path in std::fs::read_dir(fixture("")).unwrap().chain(std::fs::read_dir(folder.path()).unwrap()) {
        let path = path.unwrap().path();
        let options = ReadOptions { budget: budget(), ..ReadOptions::default() };
        let (done, taken) = peak(|| read(&path, &options));
        assert!(taken <= (10 << 20) + OWN, "{}: {taken}", path.display());
        if path.ends_with("absurd.mtx") {
            assert!(matches!(done.unwrap_err().problem, Problem::Memory { .. }));
        }
    }
}

#[test]
fn promise_11_texts_stay_within_their_budget() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.csv");
    let line = |i: usize| format!("{i},soup of word{} and word{} and word{}\n", i % 900, i % 77, i % 5);
    std::fs::write(&path, String::from("id,words\n") + &(0..20_000).map(line).collect::<String>()).unwrap();
    let options = |budget| ReadOptions { budget, ..ReadOptions::default() };
    stays_within("texts", |budget| read_texts(&path, "words", &options(budget), None));
}

/// What has been read is no longer there for others.
#[test]
fn promise_11_one_budget_serves_all_files() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let x = synth::rays_with_outliers::<f64>(&synth::Rays { samples: 1000, ..Default::default() }).unwrap().x;
    let bytes = size_of_val(x.as_slice()) as u64;
    write(&path, &Dataset::new(x, None, None)).unwrap();
    let options = ReadOptions { budget: Budget::new(Limit::Asked(3 * bytes)), ..ReadOptions::default() };
    let kept: Vec<_> = (0..4).map(|_| read(&path, &options)).collect();
    assert_eq!(kept.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, true, false]);
    assert_eq!(options.budget.left(), 0);
}

fn grey(folder: &Path, side: u32) {
    let image = image::GrayImage::from_fn(side, side, |i, j| image::Luma([(i ^ j) as u8 & 1]));
    image.save(folder.join("grey.png")).unwrap();
}

#[test]
fn promise_11_images_are_counted_with_their_copies() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    grey(folder.path(), 2000);
    for (resize, dtype) in [(None, Dtype::F64), (None, Dtype::F32), (Some((1500, 1900)), Dtype::F64)] {
        let options =
            |budget| FolderOptions { dtype: Some(dtype), resize, budget, ..FolderOptions::default() };
        let read = |budget| read_folder(folder.path(), FolderKind::Images, &options(budget));
        stays_within(&format!("{resize:?} as {dtype}"), read);
        let colours = |budget| {
            let options = FolderOptions { colour: true, ..options(budget) };
            read_folder(folder.path(), FolderKind::Images, &options)
        };
        stays_within(&format!("{resize:?} as {dtype} in colour"), colours);
    }
}

#[test]
fn promise_11_sizes_that_no_image_has() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    grey(folder.path(), 20);
    for resize in [(99_999_999, 99_999_999), (4_294_967_297, 1), (1, 4_294_967_297), (0, 5), (20_001, 1)] {
        let options = FolderOptions { resize: Some(resize), ..FolderOptions::default() };
        let said = read_folder(folder.path(), FolderKind::Images, &options).unwrap_err().to_string();
        assert!(said.contains(&format!("{}x{}", resize.0, resize.1)), "{said}");
    }
}

/// Cut anywhere, or with a header that says more than is there.
#[test]
fn promise_11_an_image_that_is_cut_off_is_an_error() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let image =
        image::RgbImage::from_fn(64, 48, |i, j| image::Rgb([(3 * i) as u8, (5 * j) as u8, (i * j) as u8]));
    for ending in ["jpg", "png", "ppm"] {
        let path = folder.path().join(format!("x.{ending}"));
        image.save(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let reads = || read_folder(folder.path(), FolderKind::Images, &FolderOptions::default()).is_ok();
        assert!(reads(), "{ending}");
        for length in (0..whole.len()).step_by(7) {
            std::fs::write(&path, &whole[..length]).unwrap();
            // The last bytes of a PNG say no more than that it ends.
            assert!(!reads() || ending == "png" && whole.len() - length <= 16, "{ending} of {length} bytes");
        }
        if ending == "jpg" {
            let (taken, peak) = peak(|| {
                std::fs::write(&path, said_to_be(&whole, 8224)).unwrap();
                reads()
            });
            assert!(!taken && peak < 4 << 20, "{peak}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}

/// The JPEG with another height and width in its header.
fn said_to_be(jpeg: &[u8], side: u16) -> Vec<u8> {
    let mut bytes = jpeg.to_vec();
    let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    bytes[frame + 5..frame + 7].copy_from_slice(&side.to_be_bytes());
    bytes[frame + 7..frame + 9].copy_from_slice(&side.to_be_bytes());
    bytes
}

/// Its images count once.
#[cfg(unix)]
#[test]
fn promise_13_a_folder_with_a_link_to_itself() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let class = folder.path().join("class");
    std::fs::create_dir(&class).unwrap();
    grey(&class, 4);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("itself")).unwrap();
    std::os::unix::fs::symlink(&class, folder.path().join("again")).unwrap();
    grey(folder.path(), 4);
    let found = read_folder(folder.path(), FolderKind::Images, &FolderOptions::default()).unwrap();
    assert_eq!(found.names.len(), 2, "{:?}", found.names);
}
