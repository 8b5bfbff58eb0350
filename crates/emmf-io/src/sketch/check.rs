//! Whether a sketch goes with its fit, and is as small as one is made.

use super::levels::Levels;
use super::reduce::{self, MOST_PIXELS};
use super::{MOST_CENTROIDS, MOST_POINTS, OUTLIERS, PlaneSketch, Sketch};
use crate::record::check::{Checked, below, finite, length, rising, wrong};

impl Sketch {
    /// Of a fit with `n` samples and `k` clusters.
    pub(crate) fn check(&self, n: usize, k: usize) -> Checked {
        self.plane.check(n)?;
        at_most("sketch.centroids", self.centroids.len(), MOST_CENTROIDS)?;
        at_most("sketch.outliers", self.outliers.len(), OUTLIERS)?;
        let clusters: Vec<usize> = self.centroids.iter().map(|centroid| centroid.cluster).collect();
        below("sketch.centroids.cluster", &clusters, (k, "clusters"))?;
        let rows: Vec<usize> = self.outliers.iter().map(|outlier| outlier.row).collect();
        below("sketch.outliers.row", &rows, (n, "samples"))?;
        if !self.thumbnails.is_empty() {
            length("sketch.thumbnails", self.thumbnails.len(), (self.plane.x.len(), "points"))?;
        }
        self.check_shapes()
    }

    /// Everything that is drawn has the same number of pixels or points.
    fn check_shapes(&self) -> Checked {
        let centroids = self.centroids.iter().map(|centroid| ("sketch.centroids.shape", &centroid.shape));
        let outliers = self.outliers.iter().flat_map(|outlier| {
            [("sketch.outliers.shape", &outlier.shape), ("sketch.outliers.fitted", &outlier.fitted)]
        });
        let thumbnails = self.thumbnails.iter().map(|thumbnail| ("sketch.thumbnails", thumbnail));
        let mut all = centroids.chain(outliers).chain(thumbnails).peekable();
        let (count, of) = match (self.image, all.peek()) {
            (Some(sides), _) => (pixels(sides)?, "pixels"),
            (None, Some((place, first))) => {
                at_most(place, first.len(), reduce::MOST_POINTS)?;
                (first.len(), "points of the first centroid")
            }
            (None, None) => return Ok(()),
        };
        all.try_for_each(|(place, levels)| {
            length(place, levels.len(), (count, of))?;
            levels.check(place)
        })
    }
}

impl PlaneSketch {
    fn check(&self, n: usize) -> Checked {
        at_most("sketch.plane.x", self.x.len(), MOST_POINTS)?;
        length("sketch.plane.y", self.y.len(), (self.x.len(), "points"))?;
        finite("sketch.plane.x", &self.x)?;
        finite("sketch.plane.y", &self.y)?;
        finite("sketch.plane.shares", &self.shares)?;
        match &self.rows {
            None => length("sketch.plane.x", self.x.len(), (n, "samples")),
            Some(rows) => {
                length("sketch.plane.rows", rows.len(), (self.x.len(), "points"))?;
                below("sketch.plane.rows", rows, (n, "samples"))?;
                rising("sketch.plane.rows", rows)
            }
        }
    }
}

impl Levels {
    fn check(&self, place: &str) -> Checked {
        let (low, high) = (self.low, self.high);
        if (high - low).is_finite() && low <= high {
            return Ok(());
        }
        wrong(place, format!("its levels go from {low} to {high}"))
    }
}

fn pixels([height, width]: [usize; 2]) -> Result<usize, crate::Inconsistent> {
    if (1..=MOST_PIXELS).contains(&height) && (1..=MOST_PIXELS).contains(&width) {
        return Ok(height * width);
    }
    wrong("sketch.image", format!("it is {height}×{width}; sides are from 1 to {MOST_PIXELS}"))
}

fn at_most(place: &str, entries: usize, most: usize) -> Checked {
    if entries <= most {
        return Ok(());
    }
    wrong(place, format!("it has {entries} entries; at most {most} are shown"))
}
