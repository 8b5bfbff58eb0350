//! Images as samples: grey, from 0 (black) to 1 (white), row by row.

use crate::dataset::{Dtype, Numbers};
use crate::error::{Error, Problem};
use crate::folder::{FolderOptions, Item, quoted};
use emmf::Mat;
use emmf::synth::ImageShape;
use image::imageops::FilterType;
use image::{ImageBuffer, ImageReader, Limits, Luma};

/// Pixels of a side at the most: more is a damaged header or no thumbnail of anything.
const MOST_PIXELS: u32 = 20_000;
/// Bytes that decoding one image may take.
const MOST_BYTES: u64 = 1 << 30;

type Grey = ImageBuffer<Luma<f32>, Vec<f32>>;

/// The images as a matrix, and their common shape.
pub(crate) fn read(items: &[Item], options: &FolderOptions<'_>) -> Result<(Numbers, ImageShape), Error> {
    let mut pixels: Vec<f32> = Vec::new();
    let mut first: Option<(u32, u32)> = None;
    for item in items {
        let grey = resized(open(item)?, options.resize);
        let size = grey.dimensions();
        if *first.get_or_insert(size) != size {
            return Err(differs(item, size, (&items[0], first.unwrap_or(size))));
        }
        pixels.extend(grey.as_raw());
    }
    let (width, height) = first.unwrap_or((0, 0));
    let shape = ImageShape { height: height as usize, width: width as usize, column_major: false };
    let x = Mat::from_vec(pixels, items.len(), shape.height * shape.width);
    let x = x.map_err(|error| Problem::from(error).of("the images"))?;
    Ok((if options.dtype == Some(Dtype::F32) { x.into() } else { x.cast::<f64>().into() }, shape))
}

fn open(item: &Item) -> Result<Grey, Error> {
    let file = || item.path.display().to_string();
    let reader = ImageReader::open(&item.path).and_then(ImageReader::with_guessed_format);
    let mut reader = reader.map_err(|error| Problem::Read(error).of(file()))?;
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(MOST_PIXELS), Some(MOST_PIXELS));
    limits.max_alloc = Some(MOST_BYTES);
    reader.limits(limits);
    let broken = |error: image::ImageError| Problem::malformed("its pixels", error.to_string()).of(file());
    let grey = reader.decode().map_err(broken)?.to_luma32f();
    if grey.width() == 0 || grey.height() == 0 {
        return Err(Problem::malformed("its header", "it has no pixels").of(file()));
    }
    Ok(grey)
}

fn resized(grey: Grey, size: Option<(usize, usize)>) -> Grey {
    match size {
        Some((height, width)) if grey.dimensions() != (width as u32, height as u32) => {
            image::imageops::resize(&grey, width as u32, height as u32, FilterType::Triangle)
        }
        _ => grey,
    }
}

fn differs(item: &Item, (width, height): (u32, u32), (first, size): (&Item, (u32, u32))) -> Error {
    let what = format!("an image of {height}x{width} beside {} of {}x{}", quoted(first), size.1, size.0);
    let instead = format!("all must have one size: say --resize {}x{} to bring them to it", size.1, size.0);
    Problem::unsupported(what, instead).of(item.path.display().to_string())
}
