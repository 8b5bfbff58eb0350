//! Rows of pictures, each row with its name.

use image::{Rgb, RgbImage};
use plotters::prelude::*;

use super::paper::{self, Anchor, Drawing, Paper, Picture};
use crate::Error;

/// A grey picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile {
    /// Pixels from top to bottom and from left to right.
    pub shape: (usize, usize),
    /// Row by row, from 0 (black) to 1 (white).
    pub grey: Vec<f64>,
}

/// Rows of pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Gallery {
    /// What stands left of each row, and its pictures.
    pub rows: Vec<(String, Vec<Tile>)>,
}

/// Width of the names, side of a picture, and the room between two.
const NAME: u32 = 96;
const SIDE: u32 = 56;
const GAP: u32 = 6;

impl Gallery {
    /// As SVG.
    pub fn svg(&self) -> Result<String, Error> {
        paper::svg(self)
    }

    /// As PNG, with twice the pixels of the SVG in both directions.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        paper::png(self)
    }
}

impl Drawing for Gallery {
    fn size(&self) -> Result<(u32, u32), Error> {
        let most = self.rows.iter().map(|(_, tiles)| tiles.len()).max().unwrap_or(0) as u32;
        Ok((NAME + most * (SIDE + GAP) + GAP, self.rows.len() as u32 * (SIDE + GAP) + GAP))
    }

    fn draw<B: DrawingBackend>(&self, paper: &Paper<'_, B>) -> Result<Vec<Picture>, Error> {
        let mut pictures = Vec::new();
        for (row, (name, tiles)) in self.rows.iter().enumerate() {
            let top = GAP + row as u32 * (SIDE + GAP);
            paper.text(name, (f64::from(NAME) - 10.0, f64::from(top + SIDE / 2)), Anchor::End, 13)?;
            for (at, tile) in tiles.iter().enumerate() {
                let left = NAME + at as u32 * (SIDE + GAP);
                let (width, height) = (paper.size(SIDE), paper.size(SIDE));
                pictures.push(Picture {
                    left: paper.size(left),
                    top: paper.size(top),
                    width,
                    height,
                    pixels: tile.pixels(),
                });
            }
        }
        Ok(pictures)
    }
}

impl Tile {
    fn pixels(&self) -> RgbImage {
        let mut pixels = RgbImage::new(self.shape.1 as u32, self.shape.0 as u32);
        for (pixel, grey) in pixels.pixels_mut().zip(&self.grey) {
            *pixel = Rgb([(255.0 * grey).clamp(0.0, 255.0) as u8; 3]);
        }
        pixels
    }
}
