//! Valid images.

use std::io::Cursor;
use std::sync::LazyLock;

use image::{DynamicImage, GrayImage, ImageFormat, Luma, Rgb, RgbImage};

use super::packed;

pub(crate) static JPEG: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let grey = GrayImage::from_fn(7, 5, |x, y| Luma([(30 * x + 11 * y) as u8]));
    let colour = RgbImage::from_fn(9, 4, |x, y| Rgb([(20 * x) as u8, (40 * y) as u8, 99]));
    let encode = |image: DynamicImage| {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, ImageFormat::Jpeg).expect("room in memory");
        bytes.into_inner()
    };
    vec![encode(grey.into()), encode(colour.into())]
});

pub(crate) const PNM: [&[u8]; 5] = [
    b"P2\n3 2\n15\n0 1 2 3 4 15\n",
    b"P5 3 2 255\nabcdef",
    b"P5\n# note\n2 2\n65535\nabcdefgh",
    b"P6 1 2 255\nabcdef",
    b"P1 4 1\n1 0 1 1\n",
];

/// A PNG file whose checksums are right: header, then rows.
pub(crate) fn png(header: [u8; 13], rows: &[u8], extra: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.extend(chunk(*b"IHDR", &header));
    bytes.extend(extra);
    bytes.extend(chunk(*b"IDAT", &packed(rows)));
    bytes.extend(chunk(*b"IEND", &[]));
    bytes
}

fn chunk(kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(&kind);
    sum.update(content);
    [&(content.len() as u32).to_be_bytes(), &kind, content, &sum.sum().to_be_bytes()].concat()
}
