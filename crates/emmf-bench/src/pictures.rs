//! Images before and after block noise.

use std::path::Path;

use emmf::Mat;
use emmf::synth::{ImageShape, add_block_noise, choose_per_class};
use emmf_report::{Block, Gallery, Plate, Plot, Tile};
use serde::Deserialize;

use crate::Error;
use crate::sets::Set;
use crate::shown::Shown;

/// Images before and after contamination.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pictures {
    /// The data set.
    pub data: String,
    /// Sides of the squares of random pixels.
    pub size: Vec<usize>,
    /// Images of each class that get one.
    pub per_class: usize,
    /// Images in a row.
    pub images: usize,
    /// Where the random numbers start.
    #[serde(default)]
    pub seed: u64,
}

impl Pictures {
    pub(crate) fn show(&self, name: &str, folder: &Path) -> Result<Shown, Error> {
        let set = match Set::read(&self.data, folder) {
            Ok(set) => set,
            Err(error) => return Ok(Shown { left_out: vec![error.to_string()], ..Shown::default() }),
        };
        let wrong = |why: String| Error::Run { run: name.into(), why };
        let shape = set.image.ok_or_else(|| wrong(format!("{} holds no images", set.name)))?;
        let noisy = choose_per_class(&set.classes, self.per_class, self.seed);
        // One of each class first, so that few images show many classes.
        let mut order: Vec<usize> = (0..noisy.len()).collect();
        order.sort_by_key(|at| (at % self.per_class.max(1), *at));
        let shown: Vec<usize> = order.iter().take(self.images).map(|at| noisy[*at]).collect();
        let mut rows = vec![("clean".to_owned(), tiles(&set.x, shape, &shown))];
        for &size in &self.size {
            let mut x = set.x.clone();
            add_block_noise(&mut x, shape, &noisy, size, self.seed)
                .map_err(|error| wrong(error.to_string()))?;
            rows.push((format!("{size}×{size}"), tiles(&x, shape, &shown)));
        }
        let caption = format!(
            "{} of the {} images of {} that get a square of random pixels, {} of each class, with squares of {} pixels a side.",
            shown.len(),
            noisy.len(),
            set.name,
            self.per_class,
            self.size.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        );
        let plate = Plate { name: name.into(), caption, plot: Plot::Gallery(Gallery { rows }) };
        Ok(Shown { blocks: vec![Block::Figure(plate)], ..Shown::default() })
    }
}

fn tiles(x: &Mat<f64>, shape: ImageShape, rows: &[usize]) -> Vec<Tile> {
    let top = x.as_slice().iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let tile = |&row: &usize| {
        let pixel = |at: usize| {
            shape.pixel(at / shape.width, at % shape.width).map(|feature| x[(row, feature)]).sum::<f64>()
                / top
        };
        Tile {
            shape: (shape.height, shape.width),
            grey: (0..shape.height * shape.width).map(pixel).collect(),
        }
    };
    rows.iter().map(tile).collect()
}
