//! Whether a sketch goes with its fit, and is as small as one is made.

use super::levels::Levels;
use super::reduce::{self, MOST_PIXELS};
use super::{LayoutSketch, MOST_CENTROIDS, MOST_POINTS, OUTLIERS, PlaneSketch, SilhouetteSketch, Sketch};
use crate::record::check::{Checked, below, finite, length, rising, wrong};

impl Sketch {
    /// Of a fit with `n` samples, `k` centroids and so many clusters.
    pub(crate) fn check(&self, n: usize, (k, clusters): (usize, usize)) -> Checked {
        self.plane.check(n, k)?;
        let points = self.plane.x.len();
        self.layout.as_ref().map_or(Ok(()), |layout| layout.check(points))?;
        self.silhouettes.as_ref().map_or(Ok(()), |silhouettes| silhouettes.check(points, clusters))?;
        for feature in &self.features {
            length("sketch.features.values", feature.values.len(), (points, "points"))?;
            feature.values.check("sketch.features.values")?;
        }
        at_most("sketch.centroids", self.centroids.len(), MOST_CENTROIDS)?;
        at_most("sketch.outliers", self.outliers.len(), OUTLIERS)?;
        let shown: Vec<usize> = self.centroids.iter().map(|centroid| centroid.cluster).collect();
        below("sketch.centroids.cluster", &shown, (k, "clusters"))?;
        for layer in &self.layers {
            at_most("sketch.layers", layer.len(), MOST_CENTROIDS)?;
            let nodes: Vec<usize> = layer.iter().map(|node| node.cluster).collect();
            below("sketch.layers.cluster", &nodes, (k, "nodes of the first layer"))?;
        }
        let rows: Vec<usize> = self.outliers.iter().map(|outlier| outlier.row).collect();
        below("sketch.outliers.row", &rows, (n, "samples"))?;
        let parts = self.outliers.iter().flat_map(|outlier| &outlier.parts);
        finite("sketch.outliers.parts", &parts.flat_map(|part| [part.z, part.part]).collect::<Vec<_>>())?;
        if !self.thumbnails.is_empty() {
            length("sketch.thumbnails", self.thumbnails.len(), (points, "points"))?;
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
        let nodes = self.layers.iter().flatten().map(|node| ("sketch.layers.shape", &node.shape));
        let mut all = centroids.chain(outliers).chain(thumbnails).chain(nodes).peekable();
        let (count, of) = match (self.image, all.peek()) {
            (Some(sides), _) => (pixels(sides, self.colour)?, "pixels"),
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
    fn check(&self, n: usize, k: usize) -> Checked {
        if !self.centroids.is_empty() {
            length("sketch.plane.centroids", self.centroids.len(), (k, "centroids"))?;
            finite("sketch.plane.centroids", self.centroids.as_flattened())?;
        }
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

impl LayoutSketch {
    fn check(&self, points: usize) -> Checked {
        for (place, along) in [("sketch.layout.x", &self.x), ("sketch.layout.y", &self.y)] {
            length(place, along.len(), (points, "points"))?;
            finite(place, along)?;
        }
        Ok(())
    }
}

impl SilhouetteSketch {
    fn check(&self, points: usize, clusters: usize) -> Checked {
        length("sketch.silhouettes.points", self.points.len(), (points, "points"))?;
        length("sketch.silhouettes.clusters", self.clusters.len(), (clusters, "clusters"))?;
        finite("sketch.silhouettes.points", &self.points)?;
        finite("sketch.silhouettes.clusters", &self.clusters)?;
        finite("sketch.silhouettes.mean", &[self.mean])
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

fn pixels([height, width]: [usize; 2], colour: bool) -> Result<usize, crate::Inconsistent> {
    if (1..=MOST_PIXELS).contains(&height) && (1..=MOST_PIXELS).contains(&width) {
        return Ok(reduce::numbers([height, width], colour));
    }
    wrong("sketch.image", format!("it is {height}×{width}; sides are from 1 to {MOST_PIXELS}"))
}

fn at_most(place: &str, entries: usize, most: usize) -> Checked {
    if entries <= most {
        return Ok(());
    }
    wrong(place, format!("it has {entries} entries; at most {most} are shown"))
}
