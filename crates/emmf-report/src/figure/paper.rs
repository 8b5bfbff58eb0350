//! What is drawn on: lines and letters in the coordinates of the finished figure.

use std::io::Cursor;
use std::sync::OnceLock;

use emmf_io::base64;
use image::{ExtendedColorType, ImageEncoder, RgbImage};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::INK;
use crate::Error;

/// The letters of PNG figures, and the widths of letters in both.
const FONT: &[u8] = include_bytes!("../../fonts/DejaVuSans-Latin.ttf");
/// Figures are drawn this much larger: coordinates are whole numbers, and a PNG is then reduced by half, which
/// smooths it.
const FINE: u32 = 4;

/// Something that can be drawn.
pub(super) trait Drawing {
    /// Width and height.
    fn size(&self) -> Result<(u32, u32), Error>;

    /// Draws it, and says which pictures are to be put on top.
    fn draw<B: DrawingBackend>(&self, paper: &Paper<'_, B>) -> Result<Vec<Picture>, Error>;
}

/// An area to draw on, and how much larger than life that is.
pub(super) struct Paper<'p, B: DrawingBackend> {
    pub(super) area: &'p DrawingArea<B, Shift>,
    pub(super) scale: u32,
}

/// A picture inside of a figure.
pub(super) struct Picture {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) pixels: RgbImage,
}

/// Which part of a text is at its place; all of them at the middle of its height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
    /// The middle, and the text runs upwards.
    Turned,
}

impl<B: DrawingBackend> Paper<'_, B> {
    pub(super) fn size(&self, size: u32) -> u32 {
        size * self.scale
    }

    /// A place on the area.
    pub(super) fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let scale = f64::from(self.scale);
        ((scale * x).round() as i32, (scale * y).round() as i32)
    }

    pub(super) fn line(&self, points: &[(f64, f64)], colour: RGBAColor, width: f64) -> Result<(), Error> {
        let points: Vec<_> = points.iter().map(|&point| self.at(point)).collect();
        let width = (width * f64::from(self.scale)).round().max(1.0) as u32;
        self.area.draw(&PathElement::new(points, colour.stroke_width(width))).map_err(plot_error)
    }

    /// A filled area.
    pub(super) fn fill(&self, points: &[(f64, f64)], colour: RGBAColor) -> Result<(), Error> {
        let points: Vec<_> = points.iter().map(|&point| self.at(point)).collect();
        self.area.draw(&Polygon::new(points, colour.filled())).map_err(plot_error)
    }

    pub(super) fn circle(&self, at: (f64, f64), radius: f64, colour: RGBAColor) -> Result<(), Error> {
        let radius = (radius * f64::from(self.scale)).round() as u32;
        self.area.draw(&Circle::new(self.at(at), radius, colour.filled())).map_err(plot_error)
    }

    pub(super) fn text(&self, text: &str, at: (f64, f64), anchor: Anchor, size: u32) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        let along = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle | Anchor::Turned => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let turn = if anchor == Anchor::Turned { FontTransform::Rotate270 } else { FontTransform::None };
        let font = ("sans-serif", self.size(size)).into_font().transform(turn);
        let style = font.color(&INK).pos(Pos::new(along, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), self.at(at), style)).map_err(plot_error)
    }
}

/// As SVG.
pub(super) fn svg(drawing: &impl Drawing) -> Result<String, Error> {
    register()?;
    let (width, height) = drawing.size()?;
    let large = (width * FINE, height * FINE);
    let mut svg = String::new();
    let pictures = {
        let area = SVGBackend::with_string(&mut svg, large).into_drawing_area();
        on(drawing, &Paper { area: &area, scale: FINE })?
    };
    let images = pictures.iter().map(as_svg).collect::<Result<String, Error>>()?;
    let drawn = format!("width=\"{}\" height=\"{}\"", large.0, large.1);
    let shown = format!("width=\"{width}\" height=\"{height}\"");
    Ok(svg.replacen(&drawn, &shown, 1).replace("</svg>", &format!("{images}</svg>")))
}

/// As PNG, with twice the pixels of the SVG in both directions.
pub(super) fn png(drawing: &impl Drawing) -> Result<Vec<u8>, Error> {
    register()?;
    let (width, height) = drawing.size()?;
    let (width, height) = (width * FINE, height * FINE);
    let mut buffer = vec![0; (width * height * 3) as usize];
    let pictures = {
        let area = BitMapBackend::with_buffer(&mut buffer, (width, height)).into_drawing_area();
        on(drawing, &Paper { area: &area, scale: FINE })?
    };
    let mut image =
        RgbImage::from_raw(width, height, buffer).ok_or_else(|| Error::Plot("no pixels".into()))?;
    pictures.iter().for_each(|picture| paste(&mut image, picture));
    let smooth = image::imageops::thumbnail(&image, width / 2, height / 2);
    encode(&smooth)
}

fn on<B: DrawingBackend>(drawing: &impl Drawing, paper: &Paper<'_, B>) -> Result<Vec<Picture>, Error> {
    paper.area.fill(&WHITE).map_err(plot_error)?;
    let pictures = drawing.draw(paper)?;
    paper.area.present().map_err(plot_error)?;
    Ok(pictures)
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
         image-rendering=\"pixelated\" href=\"data:image/png;base64,{data}{padding}\"/>\n"
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

pub(super) fn plot_error(error: impl std::fmt::Display) -> Error {
    Error::Plot(error.to_string())
}
