//! One pair of axes: where a value is on the paper, with grid lines, marks and names. Every chart is drawn on these.

use plotters::prelude::*;

use super::paper::{Anchor, Paper};
use super::{GRID, INK};
use crate::Error;

/// An axis of a chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What it shows, with the unit.
    pub name: String,
    /// Powers of ten at equal distances. Values that are not positive are not drawn.
    pub log: bool,
    /// Values that are to be on it, besides those that are drawn.
    pub reach: Vec<f64>,
    /// Marks with their texts, instead of round numbers.
    pub marks: Option<Vec<(f64, String)>>,
}

impl Axis {
    /// A plain axis of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A logarithmic axis of this name.
    pub fn log(name: impl Into<String>) -> Self {
        Self { log: true, ..Self::new(name) }
    }

    /// The same with these values on it.
    #[must_use]
    pub fn reaching(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        self.reach.extend(values);
        self
    }

    /// The same with these marks, and nothing else.
    #[must_use]
    pub fn marked(mut self, marks: impl IntoIterator<Item = (f64, String)>) -> Self {
        self.marks = Some(marks.into_iter().collect());
        self
    }
}

/// An axis with its ends.
pub(super) struct Scale<'a> {
    axis: &'a Axis,
    from: f64,
    to: f64,
}

impl<'a> Scale<'a> {
    /// Ends with a little room around all values.
    pub(super) fn new(axis: &'a Axis, values: impl Iterator<Item = f64>) -> Self {
        let drawn = values.chain(axis.reach.iter().copied()).map(|value| unit(axis, value));
        let (from, to) = drawn
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), value| (from.min(value), to.max(value)));
        let (from, to) = if from <= to { (from, to) } else { (0.0, 1.0) };
        let room = if to > from { 0.04 * (to - from) } else { 0.5 };
        Self { axis, from: from - room, to: to + room }
    }

    /// Where a value is, from 0 to 1; nothing where it cannot be drawn.
    fn share(&self, value: f64) -> Option<f64> {
        let value = unit(self.axis, value);
        value.is_finite().then(|| (value - self.from) / (self.to - self.from))
    }

    /// About so many marks with their texts.
    fn marks(&self, about: usize) -> Vec<(f64, String)> {
        if let Some(marks) = &self.axis.marks {
            return marks.clone();
        }
        if self.axis.log {
            return decades(self.from, self.to, about);
        }
        // 1, 2 or 5 times a power of ten, whichever gives nearly so many.
        let power = 10_f64.powf(((self.to - self.from) / about as f64).log10().floor());
        let inside = |step: f64| (self.from / step).ceil() as i64..=(self.to / step).floor() as i64;
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let nearest = steps.into_iter().min_by_key(|&step| inside(step).count().abs_diff(about));
        let step = nearest.unwrap_or(power);
        inside(step).map(|at| (at as f64 * step, number(at as f64 * step, step))).collect()
    }
}

fn unit(axis: &Axis, value: f64) -> f64 {
    if axis.log { value.log10() } else { value }
}

/// A multiple of `step` without more digits than it needs.
fn number(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if value.abs() >= 1e5 || step < 1e-4 {
        let digits = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 6.0) as usize;
        return format!("{value:.digits$e}");
    }
    let digits = (-step.log10().floor()).max(0.0) as usize;
    format!("{value:.digits$}")
}

/// Powers of ten between two logarithms, and 2 and 5 times these where there are few.
fn decades(from: f64, to: f64, about: usize) -> Vec<(f64, String)> {
    let factors: &[f64] = if to - from < 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let every = ((to - from) / about as f64).ceil().max(1.0) as i32;
    let powers = (from.floor() as i32..=to.ceil() as i32).filter(|power| power % every == 0);
    let values = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
    let inside = values.filter(|value| (from..=to).contains(&value.log10()));
    inside.map(|value| (value, power_of_ten(value))).collect()
}

fn power_of_ten(value: f64) -> String {
    if (0.0009..20_000.0).contains(&value) { format!("{value}") } else { format!("{value:e}") }
}

/// Room for the texts around a chart.
const MARGIN: (f64, f64, f64, f64) = (62.0, 30.0, 14.0, 44.0);

/// A frame with a scale along each side.
pub(super) struct Axes<'a> {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    x: Scale<'a>,
    y: Scale<'a>,
}

impl<'a> Axes<'a> {
    /// Axes that fill the rectangle with this corner and size, with their texts.
    pub(super) fn new(
        (left, top): (f64, f64),
        (width, height): (f64, f64),
        x: Scale<'a>,
        y: Scale<'a>,
    ) -> Self {
        let (before, above, after, below) = MARGIN;
        Self {
            left: left + before,
            top: top + above,
            right: left + width - after,
            bottom: top + height - below,
            x,
            y,
        }
    }

    /// Where a point is on the paper.
    pub(super) fn at(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let (x, y) = (self.x.share(x)?, self.y.share(y)?);
        Some((self.left + x * (self.right - self.left), self.bottom - y * (self.bottom - self.top)))
    }

    /// The bottom, from which bars rise.
    pub(super) fn bottom(&self) -> f64 {
        self.bottom
    }

    /// Grid, frame, marks, names and the title.
    pub(super) fn draw<B: DrawingBackend>(&self, paper: &Paper<'_, B>, title: &str) -> Result<(), Error> {
        let middle = (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom));
        paper.text(title, (middle.0, self.top - 18.0), Anchor::Middle, 15)?;
        let room = ((self.right - self.left) / 55.0).max(2.0) as usize;
        for (value, text) in self.x.marks(room) {
            let Some(share) = self.x.share(value).filter(|share| (0.0..=1.0).contains(share)) else {
                continue;
            };
            let x = self.left + share * (self.right - self.left);
            paper.line(&[(x, self.top), (x, self.bottom)], GRID.to_rgba(), 1.0)?;
            paper.text(&text, (x, self.bottom + 11.0), Anchor::Middle, 12)?;
        }
        let room = ((self.bottom - self.top) / 36.0).max(2.0) as usize;
        for (value, text) in self.y.marks(room) {
            let Some(share) = self.y.share(value).filter(|share| (0.0..=1.0).contains(share)) else {
                continue;
            };
            let y = self.bottom - share * (self.bottom - self.top);
            paper.line(&[(self.left, y), (self.right, y)], GRID.to_rgba(), 1.0)?;
            paper.text(&text, (self.left - 6.0, y), Anchor::End, 12)?;
        }
        let corner = [(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)];
        paper.line(&corner, INK.to_rgba(), 1.0)?;
        paper.text(&self.x.axis.name, (middle.0, self.bottom + 30.0), Anchor::Middle, 13)?;
        paper.text(&self.y.axis.name, (self.left - MARGIN.0 + 11.0, middle.1), Anchor::Turned, 13)
    }
}

#[cfg(test)]
mod tests {
    use super::{Axis, Scale};

    fn marks(axis: &Axis, values: [f64; 2]) -> Vec<String> {
        Scale::new(axis, values.into_iter()).marks(5).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn marks_are_round_and_few() {
        let plain = Axis::new("");
        assert_eq!(marks(&plain, [0.0, 1.0]), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(marks(&plain, [0.0, 500.0]), ["0", "100", "200", "300", "400", "500"]);
        assert_eq!(marks(&plain, [0.41, 0.43]), ["0.410", "0.415", "0.420", "0.425", "0.430"]);
        assert_eq!(marks(&plain, [0.0, 3e6]), ["0", "1e6", "2e6", "3e6"]);
        assert_eq!(marks(&plain, [2.0, 2.0]), ["1.6", "1.8", "2.0", "2.2", "2.4"]);
        let log = Axis::log("");
        assert_eq!(marks(&log, [1.0, 1000.0]), ["1", "10", "100", "1000"]);
        assert_eq!(marks(&log, [1e-5, 1e5]), ["0.001", "1", "1000"]);
        assert_eq!(marks(&log, [1.0, 9.0]), ["1", "2", "5"]);
    }
}
