//! Colours that differ in brightness too, dashes and signs: series are told apart without colour.

use plotters::prelude::*;

use super::paper::Paper;
use crate::Error;

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line, dashed by its look; deviations as a band.
    Line,
    /// A line with a sign at every point; deviations as bars.
    Curve,
    /// Signs alone; deviations as bars.
    Dots,
    /// Bars from zero.
    Bars,
}

/// A sign at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Triangle,
    /// ×
    Cross,
    /// ◆
    Diamond,
    /// ○
    Ring,
}

/// Colour, dashes and signs of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Red, green, blue.
    pub colour: (u8, u8, u8),
    /// Lengths of strokes and gaps in turn; none is a whole line.
    pub dashes: &'static [f64],
    /// The sign at a point.
    pub sign: Sign,
    /// Radius of the sign.
    pub size: f64,
    /// Width of the line.
    pub width: f64,
}

const COLOURS: [(u8, u8, u8); 11] = [
    (0, 90, 160),
    (213, 94, 0),
    (0, 140, 100),
    (190, 80, 150),
    (150, 110, 0),
    (80, 165, 220),
    (110, 110, 110),
    (90, 60, 160),
    (200, 30, 60),
    (120, 170, 40),
    (100, 60, 30),
];
const DASHES: [&[f64]; 5] = [&[], &[8.0, 4.0], &[2.5, 3.0], &[12.0, 3.0, 2.5, 3.0], &[16.0, 5.0]];
const SIGNS: [Sign; 6] = [Sign::Circle, Sign::Square, Sign::Triangle, Sign::Cross, Sign::Diamond, Sign::Ring];

impl Look {
    /// The look of the series at this place.
    pub fn nth(at: usize) -> Self {
        Self {
            colour: COLOURS[at % COLOURS.len()],
            dashes: DASHES[at % DASHES.len()],
            sign: SIGNS[at % SIGNS.len()],
            size: 3.5,
            width: 1.6,
        }
    }

    /// The look of what it is all about: black and thick.
    pub fn main() -> Self {
        Self { colour: (15, 15, 15), dashes: &[], sign: Sign::Circle, size: 4.0, width: 2.4 }
    }

    /// The same without dashes: signs tell the series apart.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { dashes: &[], ..self }
    }

    pub(super) fn colour(&self) -> RGBColor {
        RGBColor(self.colour.0, self.colour.1, self.colour.2)
    }

    /// A line through these places.
    pub(super) fn line<B: DrawingBackend>(
        &self,
        paper: &Paper<'_, B>,
        places: &[(f64, f64)],
    ) -> Result<(), Error> {
        let colour = self.colour().to_rgba();
        if self.dashes.is_empty() {
            return if places.len() > 1 { paper.line(places, colour, self.width) } else { Ok(()) };
        }
        strokes(places, self.dashes).iter().try_for_each(|stroke| paper.line(stroke, colour, self.width))
    }

    pub(super) fn sign<B: DrawingBackend>(
        &self,
        paper: &Paper<'_, B>,
        (x, y): (f64, f64),
    ) -> Result<(), Error> {
        let (r, colour) = (self.size, self.colour().to_rgba());
        let corners = |corners: &[(f64, f64)]| {
            corners.iter().map(|(dx, dy)| (x + r * dx, y + r * dy)).collect::<Vec<_>>()
        };
        match self.sign {
            Sign::Circle => paper.circle((x, y), r, colour),
            Sign::Ring => {
                paper.circle((x, y), r, colour)?;
                paper.circle((x, y), r - 1.3, WHITE.to_rgba())
            }
            Sign::Square => {
                paper.fill(&corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]), colour)
            }
            Sign::Triangle => paper.fill(&corners(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]), colour),
            Sign::Diamond => {
                paper.fill(&corners(&[(0.0, -1.3), (1.1, 0.0), (0.0, 1.3), (-1.1, 0.0)]), colour)
            }
            Sign::Cross => {
                paper.line(&corners(&[(-1.0, -1.0), (1.0, 1.0)]), colour, 1.6)?;
                paper.line(&corners(&[(-1.0, 1.0), (1.0, -1.0)]), colour, 1.6)
            }
        }
    }

    /// A bar from `bottom` up to a place.
    pub(super) fn bar<B: DrawingBackend>(
        &self,
        paper: &Paper<'_, B>,
        (x, y): (f64, f64),
        bottom: f64,
    ) -> Result<(), Error> {
        let half = 1.6 * self.size;
        let corners = [(x - half, y), (x + half, y), (x + half, bottom), (x - half, bottom)];
        paper.fill(&corners, self.colour().to_rgba())
    }
}

/// A line cut into strokes: the pieces between the gaps, each with the corners it goes around.
fn strokes(places: &[(f64, f64)], dashes: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let (mut found, mut at, mut left) = (Vec::new(), 0, dashes[0]);
    let mut stroke: Vec<(f64, f64)> = places.first().copied().into_iter().collect();
    for pair in places.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut length = (to.0 - from.0).hypot(to.1 - from.1);
        while length > left {
            let share = left / length;
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            length -= left;
            if at % 2 == 0 {
                stroke.push(from);
                found.push(std::mem::take(&mut stroke));
            } else {
                stroke = vec![from];
            }
            at = (at + 1) % dashes.len();
            left = dashes[at];
        }
        left -= length;
        if at % 2 == 0 {
            stroke.push(to);
        }
    }
    if stroke.len() > 1 {
        found.push(stroke);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::strokes;

    #[test]
    fn dashes_go_around_corners() {
        let found = strokes(&[(0.0, 0.0), (3.0, 0.0), (3.0, 3.0)], &[2.0, 0.5]);
        assert_eq!(
            found,
            [
                vec![(0.0, 0.0), (2.0, 0.0)],
                vec![(2.5, 0.0), (3.0, 0.0), (3.0, 1.5)],
                vec![(3.0, 2.0), (3.0, 3.0)]
            ]
        );
    }
}
