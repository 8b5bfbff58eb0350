//! Samples with too many features for a page: means over neighbouring pixels or features.

use emmf::synth::ImageShape;

/// The most pixels of the longer side of a thumbnail.
pub(super) const MOST_PIXELS: usize = 64;
/// Red, green and blue.
const COLOURS: usize = 3;
/// The most points of a curve.
pub(super) const MOST_POINTS: usize = 512;

/// How the features of a sample are shown.
pub(crate) enum Reduction {
    /// As an image of these pixels, each a mean over the given ones.
    Image { from: ImageShape, height: usize, width: usize },
    /// As a curve of this many points.
    Curve { points: usize, features: usize },
}

impl Reduction {
    pub(crate) fn new(image: Option<ImageShape>, features: usize) -> Self {
        match image {
            Some(from) => {
                let longer = from.height.max(from.width).max(1);
                let side = |pixels: usize| {
                    if longer > MOST_PIXELS { (pixels * MOST_PIXELS).div_ceil(longer) } else { pixels }
                };
                Self::Image { from, height: side(from.height), width: side(from.width) }
            }
            None => Self::Curve { points: features.min(MOST_POINTS), features },
        }
    }

    /// Height and width, row by row, of what is an image.
    pub(crate) fn image(&self) -> Option<[usize; 2]> {
        match self {
            Self::Image { height, width, .. } => Some([*height, *width]),
            Self::Curve { .. } => None,
        }
    }

    /// Whether each pixel is red, green and blue.
    pub(crate) fn is_colour(&self) -> bool {
        matches!(self, Self::Image { from, .. } if from.colour)
    }

    /// How many numbers an image is; nothing for what is none.
    pub(crate) fn numbers(&self) -> Option<usize> {
        let [height, width] = self.image()?;
        Some(numbers([height, width], self.is_colour()))
    }

    /// The sample as it is shown.
    pub(crate) fn apply(&self, sample: &[f64]) -> Vec<f64> {
        match *self {
            Self::Image { from, height, width } => {
                let down = |at: usize| at * from.height / height..(at + 1) * from.height / height;
                let right = |at: usize| at * from.width / width..(at + 1) * from.width / width;
                let parts = if from.colour { COLOURS } else { 1 };
                let part = |y: usize, x: usize, part: usize| {
                    let feature = move |y, x| from.pixel(y, x).nth(part).unwrap_or_default();
                    mean(down(y).flat_map(|y| right(x).map(move |x| sample[feature(y, x)])))
                };
                let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (y, x)));
                pixels.flat_map(|(y, x)| (0..parts).map(move |at| part(y, x, at))).collect()
            }
            Self::Curve { points, features } => {
                let part = |at: usize| at * features / points..(at + 1) * features / points;
                (0..points).map(|at| mean(sample[part(at)].iter().copied())).collect()
            }
        }
    }
}

/// How many numbers an image of these sides is.
pub(super) fn numbers([height, width]: [usize; 2], colour: bool) -> usize {
    height * width * if colour { COLOURS } else { 1 }
}

/// The mean of the values that are there.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values
        .filter(|value| !value.is_nan())
        .fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}
