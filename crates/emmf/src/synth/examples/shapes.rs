//! Images of discs, rings, crosses, frames and bars.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Amount, Example, Kind};
use crate::error::Result;
use crate::synth::ImageShape;

const CLASSES: [&str; 5] = ["disc", "ring", "cross", "frame", "bars"];
/// Height and width of the images.
const SIDE: usize = 16;
/// Largest grey of the ground.
const NOISE: f64 = 0.08;
/// Steps of a scribble.
const STEPS: usize = 90;

/// Grey images of 16×16 pixels from 0 to 1, row by row, of five shapes; place, size, brightness and noise differ from image to
/// image. Outliers are in turn random pixels, a negative, and a scribble.
pub fn shapes(amount: &Amount) -> Result<Example> {
    let mut made = Example::new(amount, &CLASSES, |kind, random| match kind {
        Kind::Class(class) => image(class, random),
        Kind::Outlier(at) if at % 3 == 0 => (0..SIDE * SIDE).map(|_| random.random()).collect(),
        Kind::Outlier(at) if at % 3 == 1 => {
            image(at / 3 % CLASSES.len(), random).iter().map(|grey| 1.0 - grey).collect()
        }
        Kind::Outlier(_) => scribble(random),
    })?;
    made.image = Some(ImageShape { height: SIDE, width: SIDE, column_major: false, colour: false });
    Ok(made)
}

fn image(class: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut around = |spread: f64| spread * (random.random::<f64>() - 0.5);
    let (down, right, size, bright) = (around(1.0), around(1.0), 1.0 + around(0.1), 0.8 + around(0.4));
    let middle = (SIDE as f64 - 1.0) / 2.0;
    let grey = |at: usize, random: &mut Xoshiro256PlusPlus| {
        let (y, x) = ((at / SIDE) as f64 - middle - down, (at % SIDE) as f64 - middle - right);
        let inside = (0.5 - distance(class, y / size, x / size)).clamp(0.0, 1.0);
        (bright * inside + NOISE * random.random::<f64>()).min(1.0)
    };
    (0..SIDE * SIDE).map(|at| grey(at, random)).collect()
}

/// The distance of a point from a shape around the origin, negative inside.
fn distance(class: usize, y: f64, x: f64) -> f64 {
    let (radius, square) = (x.hypot(y), x.abs().max(y.abs()));
    match class {
        0 => radius - 4.0,
        1 => (radius - 5.5).abs() - 0.9,
        2 => ((x.abs() - y.abs()).abs() - 1.3).max(square - 6.0),
        3 => (square - 5.5).abs() - 0.8,
        _ => ((y.rem_euclid(4.0) - 2.0).abs() - 0.9).max(x.abs() - 6.5).max(y.abs() - 6.0),
    }
}

/// A random walk.
fn scribble(random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut image: Vec<f64> = (0..SIDE * SIDE).map(|_| NOISE * random.random::<f64>()).collect();
    let mut at: (usize, usize) = (random.random_range(0..SIDE), random.random_range(0..SIDE));
    for _ in 0..STEPS {
        image[at.0 * SIDE + at.1] = 1.0;
        let step = |from: usize, by: usize| (from + by).saturating_sub(1).min(SIDE - 1);
        at = (step(at.0, random.random_range(0..3)), step(at.1, random.random_range(0..3)));
    }
    image
}
