//! Figures for a paper: one way of drawing, for SVG and PNG.

mod centroids;
mod charts;
mod residuals;

use std::io::Cursor;
use std::sync::OnceLock;

use emmf_io::{Record, base64};
use image::{ExtendedColorType, ImageEncoder, RgbImage};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;

use crate::{Error, OUTLIER};

/// The letters of PNG figures, and the widths of letters in both.
const FONT: &[u8] = include_bytes!("../../fonts/DejaVuSans-Latin.ttf");
/// PNG figures are drawn this much larger and then reduced by half, which smooths them.
const FINE: u32 = 4;

/// Apart in hue and brightness, and drawn as dots and crosses.
const GOOD: RGBColor = RGBColor(31, 90, 150);
const BAD: RGBColor = RGBColor(217, 95, 2);
const GRID: RGBColor = RGBColor(225, 225, 225);

/// What a figure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The objective after each iteration.
    Convergence,
    /// The residual of every sample, outliers marked.
    Residuals,
    /// The centroids, as images or curves or by their main features.
    Centroids,
    /// The samples as points of a plane, coloured by cluster, outliers marked.
    Embedding,
}

/// A figure of a run.
pub struct Figure<'a> {
    record: &'a Record,
    kind: Kind,
}

/// An area to draw on, and how much larger than life that is.
struct Paper<'p, B: DrawingBackend> {
    area: &'p DrawingArea<B, Shift>,
    scale: u32,
}

/// A picture inside of a figure.
struct Picture {
    left: u32,
    top: u32,
    width: u32,
    height: u32,
    pixels: RgbImage,
}

impl<B: DrawingBackend> Paper<'_, B> {
    fn size(&self, size: u32) -> u32 {
        size * self.scale
    }

    fn font(&self, size: u32) -> (&'static str, u32) {
        ("sans-serif", self.size(size))
    }
}

impl<'a> Figure<'a> {
    /// A figure of this record.
    pub fn new(record: &'a Record, kind: Kind) -> Self {
        Self { record, kind }
    }

    /// As SVG.
    pub fn svg(&self) -> Result<String, Error> {
        register()?;
        let mut svg = String::new();
        let pictures = {
            let area = SVGBackend::with_string(&mut svg, self.size()?).into_drawing_area();
            self.draw(&Paper { area: &area, scale: 1 })?
        };
        let images = pictures.iter().map(as_svg).collect::<Result<String, Error>>()?;
        Ok(svg.replace("</svg>", &format!("{images}</svg>")))
    }

    /// As PNG, with twice the pixels of the SVG in both directions.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        register()?;
        let (width, height) = self.size()?;
        let (width, height) = (width * FINE, height * FINE);
        let mut buffer = vec![0; (width * height * 3) as usize];
        let pictures = {
            let area = BitMapBackend::with_buffer(&mut buffer, (width, height)).into_drawing_area();
            self.draw(&Paper { area: &area, scale: FINE })?
        };
        let mut image =
            RgbImage::from_raw(width, height, buffer).ok_or_else(|| Error::Plot("no pixels".into()))?;
        pictures.iter().for_each(|picture| paste(&mut image, picture));
        let smooth = image::imageops::thumbnail(&image, width / 2, height / 2);
        encode(&smooth)
    }

    fn size(&self) -> Result<(u32, u32), Error> {
        match self.kind {
            Kind::Convergence | Kind::Residuals => Ok((600, 380)),
            Kind::Embedding => Ok((600, 520)),
            Kind::Centroids => centroids::size(self.record),
        }
    }

    fn draw<B: DrawingBackend>(&self, paper: &Paper<'_, B>) -> Result<Vec<Picture>, Error> {
        paper.area.fill(&WHITE).map_err(plot_error)?;
        let pictures = match self.kind {
            Kind::Convergence => charts::convergence(paper, self.record).map(|()| Vec::new()),
            Kind::Residuals => residuals::residuals(paper, self.record).map(|()| Vec::new()),
            Kind::Embedding => charts::embedding(paper, self.record).map(|()| Vec::new()),
            Kind::Centroids => centroids::centroids(paper, self.record),
        }?;
        paper.area.present().map_err(plot_error)?;
        Ok(pictures)
    }
}

/// Which samples are outliers: the true ones where they are known, else those with high scores.
fn outliers(record: &Record) -> Vec<bool> {
    let samples = &record.samples;
    let known = samples.truth.as_ref().filter(|truth| truth.iter().any(|class| class == OUTLIER));
    known.map_or_else(
        || samples.score.iter().map(|&score| score > record.threshold).collect(),
        |truth| truth.iter().map(|class| class == OUTLIER).collect(),
    )
}

fn sketch(record: &Record) -> Result<&emmf_io::Sketch, Error> {
    record.sketch.as_ref().ok_or_else(|| Error::NoSketch { method: record.spec.method.clone() })
}

fn register() -> Result<(), Error> {
    static DONE: OnceLock<bool> = OnceLock::new();
    let done = *DONE.get_or_init(|| register_font("sans-serif", FontStyle::Normal, FONT).is_ok());
    if done { Ok(()) } else { Err(Error::Plot("the font is damaged".into())) }
}

fn encode(image: &RgbImage) -> Result<Vec<u8>, Error> {
    let mut bytes = Cursor::new(Vec::new());
    let encoder = image::codecs::png::PngEncoder::new(&mut bytes);
    encoder.write_image(image, image.width(), image.height(), ExtendedColorType::Rgb8).map_err(plot_error)?;
    Ok(bytes.into_inner())
}

/// An image element, with its pixels inside.
fn as_svg(picture: &Picture) -> Result<String, Error> {
    let Picture { left, top, width, height, pixels } = picture;
    let data = base64(&encode(pixels)?);
    let padding = "=".repeat((4 - data.len() % 4) % 4);
    Ok(format!(
        "<image x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
         style=\"image-rendering: pixelated\" href=\"data:image/png;base64,{data}{padding}\"/>\n"
    ))
}

fn paste(image: &mut RgbImage, picture: &Picture) {
    for y in 0..picture.height {
        for x in 0..picture.width {
            let from =
                (x * picture.pixels.width() / picture.width, y * picture.pixels.height() / picture.height);
            if let Some(pixel) = image.get_pixel_mut_checked(picture.left + x, picture.top + y) {
                *pixel = *picture.pixels.get_pixel(from.0, from.1);
            }
        }
    }
}

fn plot_error(error: impl std::fmt::Display) -> Error {
    Error::Plot(error.to_string())
}
