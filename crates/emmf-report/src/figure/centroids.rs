//! The centroids: images, curves over the features, or, of sparse data, bars of the main features with their names.

use emmf_io::{CentroidSketch, Record};
use image::{Rgb, RgbImage};
use plotters::prelude::*;

use super::paper::{Anchor, Paper, Picture};
use super::{GOOD, GRID, sketch};
use crate::Error;

/// Names are read on it.
const BAR: RGBColor = RGBColor(219, 227, 238);
/// Features that are named.
const NAMED: usize = 8;

/// How centroids are laid out.
struct Layout {
    columns: u32,
    rows: u32,
    cell: (u32, u32),
}

impl Layout {
    fn of(record: &Record) -> Result<Self, Error> {
        let sketch = sketch(record)?;
        let count = sketch.centroids.len().max(1) as u32;
        let (columns, cell) = match sketch.image {
            Some([height, width]) => {
                let longer = height.max(width).max(1) as u32;
                (10, (8 + 84 * width as u32 / longer, 24 + 84 * height as u32 / longer))
            }
            None if record.data.sparse => (5, (150, 34 + 17 * NAMED as u32)),
            None => (4, (180, 110)),
        };
        let columns = count.min(columns);
        Ok(Self { columns, rows: count.div_ceil(columns), cell })
    }

    fn corner(&self, at: u32) -> (u32, u32) {
        (8 + at % self.columns * self.cell.0, 8 + at / self.columns * self.cell.1)
    }
}

pub(super) fn size(record: &Record) -> Result<(u32, u32), Error> {
    let layout = Layout::of(record)?;
    Ok((16 + layout.columns * layout.cell.0, 16 + layout.rows * layout.cell.1))
}

pub(super) fn centroids<B: DrawingBackend>(
    paper: &Paper<'_, B>,
    record: &Record,
) -> Result<Vec<Picture>, Error> {
    let (sketch, layout) = (sketch(record)?, Layout::of(record)?);
    let mut sizes = vec![0_usize; record.spec.label_count()];
    record.samples.label.iter().for_each(|&label| sizes[label] += 1);
    let mut pictures = Vec::new();
    for (at, centroid) in sketch.centroids.iter().enumerate() {
        let (left, top) = layout.corner(at as u32);
        let title = match sizes.get(centroid.cluster) {
            Some(size) if sizes.len() == record.spec.k || record.spec.is_deep() => {
                format!("{}: {size}", centroid.cluster)
            }
            _ => centroid.cluster.to_string(),
        };
        paper.text(&title, (f64::from(left), f64::from(top) + 6.0), Anchor::Start, 12)?;
        match sketch.image {
            Some(shape) => pictures.push(picture(paper, centroid, shape, ((left, top), layout.cell))),
            None if record.data.sparse => bars(paper, centroid, ((left, top), layout.cell))?,
            None => curve(paper, centroid, ((left, top), layout.cell))?,
        }
    }
    Ok(pictures)
}

type Cell = ((u32, u32), (u32, u32));

fn picture<B: DrawingBackend>(
    paper: &Paper<'_, B>,
    centroid: &CentroidSketch,
    shape: [usize; 2],
    ((left, top), cell): Cell,
) -> Picture {
    Picture {
        left: paper.size(left),
        top: paper.size(top + 16),
        width: paper.size(cell.0 - 8),
        height: paper.size(cell.1 - 24),
        pixels: pixels(centroid, shape),
    }
}

/// A centroid as an image.
pub(super) fn pixels(centroid: &CentroidSketch, [height, width]: [usize; 2]) -> RgbImage {
    let mut pixels = RgbImage::new(width as u32, height as u32);
    let values = centroid.shape.values();
    let level =
        |value: &f64| (255.0 * value / centroid.shape.high.max(f64::MIN_POSITIVE)).clamp(0.0, 255.0) as u8;
    // A number a pixel is grey, and three are a colour.
    let parts = (values.len() / (width * height).max(1)).max(1);
    for (pixel, values) in pixels.pixels_mut().zip(values.chunks_exact(parts)) {
        let part = |at: usize| level(&values[at.min(parts - 1)]);
        *pixel = Rgb([part(0), part(1), part(2)]);
    }
    pixels
}

fn bars<B: DrawingBackend>(
    paper: &Paper<'_, B>,
    centroid: &CentroidSketch,
    ((left, top), cell): Cell,
) -> Result<(), Error> {
    let most = centroid.top.iter().map(|feature| feature.value).fold(f64::MIN_POSITIVE, f64::max);
    for (line, feature) in centroid.top.iter().take(NAMED).enumerate() {
        let name: String = feature.name.chars().take(18).collect();
        let (start, middle) = (f64::from(left), f64::from(top + 25 + 17 * line as u32));
        let end = start + f64::from(cell.0 - 10) * (feature.value / most).clamp(0.0, 1.0);
        let (over, under) = (middle - 7.5, middle + 7.5);
        paper.fill(&[(start, over), (end, over), (end, under), (start, under)], BAR.to_rgba())?;
        paper.text(&name, (start + 6.0, middle), Anchor::Start, 13)?;
    }
    Ok(())
}

fn curve<B: DrawingBackend>(
    paper: &Paper<'_, B>,
    centroid: &CentroidSketch,
    ((left, top), cell): Cell,
) -> Result<(), Error> {
    let values = centroid.shape.values();
    let (low, high) = (centroid.shape.low, centroid.shape.high.max(centroid.shape.low + f64::MIN_POSITIVE));
    let (width, height) = (f64::from(cell.0 - 12), f64::from(cell.1 - 30));
    let place = |x: f64, y: f64| (f64::from(left) + x, f64::from(top) + 18.0 + y);
    let count = values.len().max(2) - 1;
    let point = |(at, value): (usize, &f64)| {
        place(width * at as f64 / count as f64, height * (1.0 - (value - low) / (high - low)))
    };
    paper.line(&[place(0.0, height), place(width, height)], GRID.to_rgba(), 1.0)?;
    let line: Vec<_> = values.iter().enumerate().filter(|(_, value)| !value.is_nan()).map(point).collect();
    paper.line(&line, GOOD.to_rgba(), 1.5)
}
