//! Block noise: images with a square of random pixels, the paper's outliers for the graph methods
//! (three images of each class, blocks of 4×4 to 10×10 pixels).

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::largest_entry;
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::real::Real;

/// How the features of a sample make up an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageShape {
    /// Pixels from top to bottom.
    pub height: usize,
    /// Pixels from left to right.
    pub width: usize,
    /// The features run down the columns (MATLAB files) instead of along the rows.
    pub column_major: bool,
    /// Each pixel is three features, red, green and blue: side by side, or, where features run down the columns, in three
    /// images one after the other.
    #[serde(default)]
    pub colour: bool,
}

/// Red, green and blue.
const COLOURS: usize = 3;

impl ImageShape {
    /// How many features there are; nothing where that is too large to compute.
    pub fn features(&self) -> Option<usize> {
        self.height.checked_mul(self.width)?.checked_mul(self.parts())
    }

    /// The features that make up the pixel at this place: one, or red, green and blue.
    pub fn pixel(&self, down: usize, right: usize) -> impl Iterator<Item = usize> + use<> {
        let place = if self.column_major { right * self.height + down } else { down * self.width + right };
        let (first, step) = match (self.colour, self.column_major) {
            (false, _) => (place, 1),
            (true, false) => (COLOURS * place, 1),
            (true, true) => (place, self.height * self.width),
        };
        (0..self.parts()).map(move |part| first + part * step)
    }

    /// Features of a pixel.
    fn parts(&self) -> usize {
        if self.colour { COLOURS } else { 1 }
    }
}

/// Puts a square of `block`×`block` random pixels, uniform in [0, largest entry of `x`], at a random
/// place inside each of the images `rows`. A block of 0 changes nothing.
///
/// On an error nothing is changed.
pub fn add_block_noise<T: Real>(
    x: &mut Mat<T>,
    shape: ImageShape,
    rows: &[usize],
    block: usize,
    seed: u64,
) -> Result<()> {
    check(x.shape(), shape, rows, block)?;
    // Before the noise, so that the order of the rows does not matter for its range.
    let top = largest_entry(x);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for &row in rows {
        let first_down = random.random_range(0..=shape.height - block);
        let first_right = random.random_range(0..=shape.width - block);
        let image = x.row_mut(row);
        for down in first_down..first_down + block {
            for right in first_right..first_right + block {
                for feature in shape.pixel(down, right) {
                    image[feature] = T::from_f64(top * random.random::<f64>());
                }
            }
        }
    }
    Ok(())
}

fn check(size: (usize, usize), shape: ImageShape, rows: &[usize], block: usize) -> Result<()> {
    let (samples, features) = size;
    if shape.features() != Some(features) {
        let want = (shape.height, shape.width);
        return Err(Error::Shape { what: "an image of this data", got: (1, features), want });
    }
    let side = shape.height.min(shape.width);
    if block > side {
        return Err(Error::param("block", block, format!("at most the shorter side of the image, {side}")));
    }
    match rows.iter().find(|&&row| row >= samples) {
        Some(row) => Err(Error::param("rows", row, format!("less than the number of samples, {samples}"))),
        None => Ok(()),
    }
}

/// `count` random samples of each class, or all of a class that has fewer; in ascending order.
pub fn choose_per_class(labels: &[usize], count: usize, seed: u64) -> Vec<usize> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    // Stable, so that the samples of a class are in their own order before the draw.
    let mut by_class: Vec<usize> = (0..labels.len()).collect();
    by_class.sort_by_key(|&i| labels[i]);
    let mut chosen = Vec::new();
    for class in by_class.chunk_by_mut(|&i, &j| labels[i] == labels[j]) {
        let (drawn, _) = class.partial_shuffle(&mut random, count);
        chosen.extend_from_slice(drawn);
    }
    chosen.sort_unstable();
    chosen
}
