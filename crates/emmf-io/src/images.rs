//! Images as samples: grey, or red, green and blue, from 0 (black) to 1, row by row.

use crate::budget::Budget;
use crate::dataset::{Dtype, Numbers};
use crate::error::{Error, Problem};
use crate::folder::{FolderOptions, Item, quoted};
use crate::jpeg;
use crate::read::load;
use emmf::synth::ImageShape;
use emmf::{Mat, Real};
use image::imageops::FilterType;
use image::{DynamicImage, GenericImageView, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
use std::io::Cursor;

/// The longest side, in pixels: anything longer is a damaged header or not a thumbnail.
const MOST_PIXELS: u32 = 20_000;
/// Bytes that decoding one image may take.
const MOST_BYTES: u64 = 1 << 30;
/// Pixels that are turned into numbers at a time.
const STRIP: u32 = 1 << 16;
/// Features of a pixel in colour.
const COLOURS: usize = 3;
/// Bytes of a number of a pixel, and of a pixel between the two steps of resizing.
const NUMBER: u64 = 4;
const BETWEEN: u64 = 16;

/// Images as samples.
pub(crate) struct Images<X> {
    pub(crate) x: X,
    /// Their common shape.
    pub(crate) shape: ImageShape,
    /// Whether any has colours.
    pub(crate) coloured: bool,
}

/// The images as a matrix.
pub(crate) fn read(items: &[Item], options: &FolderOptions<'_>) -> Result<Images<Numbers>, Error> {
    let sides = options.resize.map(sides).transpose().map_err(|problem| problem.of("the images"))?;
    Ok(if options.dtype == Some(Dtype::F32) {
        let Images { x, shape, coloured } = matrix::<f32>(items, (sides, options.colour), &options.budget)?;
        Images { x: x.into(), shape, coloured }
    } else {
        let Images { x, shape, coloured } = matrix::<f64>(items, (sides, options.colour), &options.budget)?;
        Images { x: x.into(), shape, coloured }
    })
}

/// Width and height that images can be brought to.
fn sides((height, width): (usize, usize)) -> Result<(u32, u32), Problem> {
    let side = |side: usize| u32::try_from(side).ok().filter(|side| (1..=MOST_PIXELS).contains(side));
    side(width).zip(side(height)).ok_or_else(|| {
        let instead = format!("a side has 1 to {MOST_PIXELS} pixels");
        Problem::unsupported(format!("images of {height}x{width}"), instead)
    })
}

fn matrix<T: Real>(
    items: &[Item],
    (sides, colour): (Option<(u32, u32)>, bool),
    budget: &Budget,
) -> Result<Images<Mat<T>>, Error> {
    let parts = if colour { COLOURS } else { 1 };
    let mut coloured = false;
    let mut pixels: Vec<T> = Vec::new();
    let mut first: Option<(u32, u32)> = None;
    for item in items {
        let of_item = |problem: Problem| problem.of(item.path.display().to_string());
        // What is needed to decode one image is there for the next.
        let within = budget.fork();
        let image = open(item, &within)?;
        coloured |= image.color().has_color();
        let size = sides.unwrap_or_else(|| image.dimensions());
        if first.is_none() {
            let entries = items.len().checked_mul(size.0 as usize * size.1 as usize * parts);
            pixels = within.room(entries, "the matrix of all images").map_err(of_item)?;
            budget.spend(size_of::<T>() as u64 * pixels.capacity() as u64);
        }
        if *first.get_or_insert(size) != size {
            return Err(differs(item, size, (&items[0], first.unwrap_or(size))));
        }
        append(&mut pixels, &image, (size, colour), &within).map_err(of_item)?;
    }
    let (width, height) = first.unwrap_or((0, 0));
    let shape = ImageShape { height: height as usize, width: width as usize, column_major: false, colour };
    let x = Mat::from_vec(pixels, items.len(), shape.height * shape.width * parts);
    Ok(Images { x: x.map_err(|error| Problem::from(error).of("the images"))?, shape, coloured })
}

fn open(item: &Item, budget: &Budget) -> Result<DynamicImage, Error> {
    let (bytes, name) = load(&item.path, budget)?;
    decode(&bytes, item, budget).map_err(|problem| problem.of(name))
}

fn decode(bytes: &[u8], item: &Item, budget: &Budget) -> Result<DynamicImage, Problem> {
    let damaged = |error: ImageError| Problem::malformed("its pixels", error.to_string());
    let mut reader = ImageReader::new(Cursor::new(bytes));
    if let Ok(format) = ImageFormat::from_path(&item.path) {
        reader.set_format(format);
    }
    let mut reader = reader.with_guessed_format().map_err(Problem::Read)?;
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(MOST_PIXELS), Some(MOST_PIXELS));
    limits.max_alloc = Some(MOST_BYTES);
    let is_jpeg = reader.format() == Some(ImageFormat::Jpeg);
    reader.limits(limits.clone());
    let decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(Problem::malformed("its header", "it has no pixels"));
    }
    if is_jpeg
        && !(jpeg::is_whole(bytes) && jpeg::can_hold(bytes.len(), u64::from(width) * u64::from(height)))
    {
        return Err(Problem::malformed(
            "its end",
            format!("not all of its {height}x{width} pixels are there"),
        ));
    }
    limits.reserve(decoder.total_bytes()).map_err(damaged)?;
    // A JPEG that comes in several passes has numbers of twice the size beside its pixels.
    let copies = if is_jpeg { 3 } else { 1 };
    budget.take(decoder.total_bytes().checked_mul(copies), "the image")?;
    DynamicImage::from_decoder(decoder).map_err(damaged)
}

/// Adds the pixels of an image that is brought to this width and height.
fn append<T: Real>(
    pixels: &mut Vec<T>,
    image: &DynamicImage,
    ((width, height), colour): ((u32, u32), bool),
    budget: &Budget,
) -> Result<(), Problem> {
    let real = |&level: &f32| T::from_f64(f64::from(level));
    let (own_width, own_height) = image.dimensions();
    if (own_width, own_height) == (width, height) {
        // A strip at a time: all of it in single precision would take four times the memory.
        let rows = (STRIP / width).max(1);
        for top in (0..height).step_by(rows as usize) {
            let strip = image.crop_imm(0, top, width, rows.min(height - top));
            pixels.extend(levels(&strip, colour).iter().map(real));
        }
        return Ok(());
    }
    let area = |width: u32, height: u32| u64::from(width) * u64::from(height);
    let number = if colour { NUMBER * COLOURS as u64 } else { NUMBER };
    let both = area(own_width, own_height).saturating_add(area(width, height)).saturating_mul(number);
    let between = area(own_width, height).saturating_mul(BETWEEN);
    budget.take(both.checked_add(between), "resizing the image")?;
    if colour {
        let resized = image::imageops::resize(&image.to_rgb32f(), width, height, FilterType::Triangle);
        pixels.extend(resized.as_raw().iter().map(real));
    } else {
        let resized = image::imageops::resize(&image.to_luma32f(), width, height, FilterType::Triangle);
        pixels.extend(resized.as_raw().iter().map(real));
    }
    Ok(())
}

/// The numbers of all pixels, row by row.
fn levels(image: &DynamicImage, colour: bool) -> Vec<f32> {
    if colour { image.to_rgb32f().into_raw() } else { image.to_luma32f().into_raw() }
}

fn differs(item: &Item, (width, height): (u32, u32), (first, size): (&Item, (u32, u32))) -> Error {
    let problem = Problem::ImageSize {
        got: (height as usize, width as usize),
        first: quoted(first),
        want: (size.1 as usize, size.0 as usize),
    };
    problem.of(item.path.display().to_string())
}
