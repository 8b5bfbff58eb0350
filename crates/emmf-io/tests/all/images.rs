//! Folders of images, grey and in colour.

use crate::common;

use std::path::Path;

use common::dense;
use emmf::Mat;
use emmf::synth::ImageShape;
use emmf_io::{FolderKind, FolderOptions, Order, Remark, read_folder, write_images};

/// The sample of one image of 2x3 pixels, each with colours of its own.
fn colours() -> Vec<f64> {
    (0..18).map(|at| f64::from(at * 10) / 255.0).collect()
}

fn saved(folder: &Path) {
    let pixel = |x: u32, y: u32| image::Rgb([0, 1, 2].map(|part| (10 * (3 * (3 * y + x) + part)) as u8));
    image::RgbImage::from_fn(3, 2, pixel).save(folder.join("a.png")).unwrap();
}

#[test]
fn colours_are_kept_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path());
    let read = |colour, resize| {
        let options = FolderOptions { colour, resize, ..FolderOptions::default() };
        read_folder(folder.path(), FolderKind::Images, &options).unwrap()
    };
    let (kept, grey) = (read(true, None), read(false, None));
    let close = |found: &[f64], wanted: &[f64]| found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(close(dense(kept.data.x.clone()).as_slice(), &colours()), "{:?}", kept.data.x);
    assert_eq!((kept.data.remarks, grey.data.remarks), (vec![], vec![Remark::Colours]));
    assert_eq!((kept.data.x.shape(), grey.data.x.shape()), ((1, 18), (1, 6)));
    assert!(kept.image.unwrap().colour && !grey.image.unwrap().colour);
    let resized = read(true, Some((4, 6)));
    assert_eq!(resized.data.x.shape(), (1, 72));
    let mean = |x: &[f64], part: usize| {
        let own: Vec<f64> = x.iter().skip(part).step_by(3).copied().collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    // No colour runs into another.
    let (large, small) = (dense(resized.data.x), colours());
    (0..3).for_each(|part| assert!((mean(large.as_slice(), part) - mean(&small, part)).abs() < 1e-6));
}

#[test]
fn what_is_written_in_colour_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let shape = ImageShape { height: 2, width: 3, column_major: true, colour: true };
    let by_rows = ImageShape { column_major: false, ..shape };
    let row = Mat::from_vec(colours(), 1, 18).unwrap();
    let turned = emmf_io::Numbers::from(row.clone()).in_order(&Order::of_pixels(by_rows, shape).unwrap());
    write_images(folder.path(), &dense(turned.unwrap()), shape, &["one".to_owned()]).unwrap();
    let options = FolderOptions { colour: true, ..FolderOptions::default() };
    let found = dense(read_folder(folder.path(), FolderKind::Images, &options).unwrap().data.x);
    assert!(found.as_slice().iter().zip(row.as_slice()).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
}

#[test]
fn every_feature_is_a_part_of_one_pixel() {
    for (column_major, colour) in [(false, false), (false, true), (true, false), (true, true)] {
        let shape = ImageShape { height: 3, width: 5, column_major, colour };
        let places = (0..3).flat_map(|down| (0..5).map(move |right| (down, right)));
        let mut found: Vec<usize> = places.flat_map(|(down, right)| shape.pixel(down, right)).collect();
        found.sort_unstable();
        assert_eq!(found, (0..shape.features().unwrap()).collect::<Vec<_>>());
    }
    let (grey, colour) =
        ([false, true]).map(|colour| ImageShape { height: 3, width: 5, column_major: false, colour }).into();
    let error = Order::of_pixels(grey, colour).unwrap_err().to_string();
    assert!(error.contains("grey") && error.contains("colour"), "{error}");
}
