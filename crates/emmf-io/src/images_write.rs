//! Samples as a folder of images.

use crate::atomic::Batch;
use crate::error::{Error, Problem};
use emmf::Mat;
use emmf::synth::ImageShape;
use image::{DynamicImage, GrayImage, ImageFormat, RgbImage};
use std::io::{self, Cursor};
use std::path::Path;

/// Files that appear together: each is held open until then, and a process may hold a few hundred.
const TOGETHER: usize = 64;

/// Writes a PNG file for each sample, `CLASS/NUMBER.png` in this folder: from 0 (black) to 1, what is outside is cut
/// off. Every file appears as a whole or not at all; others in the folder stay.
pub fn write_images(folder: &Path, x: &Mat<f64>, shape: ImageShape, labels: &[String]) -> Result<(), Error> {
    let labels: Vec<(usize, &String)> = labels.iter().enumerate().take(x.rows()).collect();
    for labels in labels.chunks(TOGETHER) {
        let mut batch = Batch::default();
        for &(at, label) in labels {
            let of_class = folder.join(label);
            std::fs::create_dir_all(&of_class)
                .map_err(|error| Problem::Write(error).of(of_class.display().to_string()))?;
            let image = png(x.row(at), shape);
            batch.add(&of_class.join(format!("{at:04}.png")), |out| out.write_all(&image?))?;
        }
        batch.commit()?;
    }
    Ok(())
}

fn png(sample: &[f64], shape: ImageShape) -> io::Result<Vec<u8>> {
    let side = |side: usize| u32::try_from(side).map_err(io::Error::other);
    let (width, height) = (side(shape.width)?, side(shape.height)?);
    let level =
        |feature: usize| (255.0 * sample.get(feature).copied().unwrap_or(0.0).clamp(0.0, 1.0)).round() as u8;
    let part = |right: u32, down: u32, part: usize| {
        shape.pixel(down as usize, right as usize).nth(part).map_or(0, level)
    };
    let image: DynamicImage = if shape.colour {
        RgbImage::from_fn(width, height, |x, y| image::Rgb([0, 1, 2].map(|at| part(x, y, at)))).into()
    } else {
        GrayImage::from_fn(width, height, |x, y| image::Luma([part(x, y, 0)])).into()
    };
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).map_err(io::Error::other)?;
    Ok(bytes.into_inner())
}
