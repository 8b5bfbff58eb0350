//! `emmf synth`: synthetic and contaminated data.

mod args;
mod examples;

use std::path::Path;

use anyhow::{Result, bail};
use emmf::synth::{self, ImageShape, Junk, Labelled, Rays};
use emmf::{Mat, Missing, Real};
use emmf_io::{Budget, Dataset, Matrix, Numbers, ReadOptions};
use emmf_report::OUTLIER;

use crate::input::read;
use crate::output::{write_data, wrote};
use crate::wording::explained;

pub(crate) use args::SynthArgs;
use args::{OutArgs, SynthKind};

/// More numbers than this (32 GB) are a typing error.
const MOST_ENTRIES: usize = 1 << 32;

pub(crate) fn run(SynthArgs { kind }: &SynthArgs) -> Result<()> {
    match kind {
        SynthKind::Shapes(_) if examples::is_folder(kind.out()) => emmf_io::check_folder(kind.out())?,
        _ => emmf_io::check_output(kind.out())?,
    }
    match kind {
        SynthKind::Shapes(args) => examples::write_shapes(args),
        SynthKind::Cells(args) => examples::write(args, synth::cells),
        SynthKind::Spectra(args) => examples::write(args, synth::spectra),
        SynthKind::Texts(args) => examples::write_texts(args),
        SynthKind::Toy(out) => write_labelled(&synth::toy_with_outliers::<f64>(), out),
        SynthKind::ToyClean(out) => write_labelled(&synth::toy_clean::<f64>(), out),
        SynthKind::Rays { samples, features, k, outliers, noise, seed, out } => {
            check_size(*samples, *outliers, *features)?;
            let rays = Rays {
                classes: *k,
                features: *features,
                samples: *samples,
                outliers: *outliers,
                noise: *noise,
                seed: seed.seed,
                ..Rays::default()
            };
            let made = synth::rays_with_outliers::<f64>(&rays);
            write_labelled(&made.map_err(|error| explained(&error, &out.out))?, out)
        }
        SynthKind::Outliers { input, count, kind, seed, out } => {
            let data = read(input, (Missing::Refuse, &Budget::default()), None)?;
            let kind: Option<Junk> = (*kind).into();
            write_more(out, data, *count, |x| Ok(with_outliers(&x, kind, *count, seed.seed)))
        }
        SynthKind::Foreign { input, from, count, seed, out } => {
            let data = read(input, (Missing::Refuse, &Budget::default()), None)?;
            let other = emmf_io::read(from, &ReadOptions::default())?.x.into_f64();
            let other = dense(other)?;
            write_more(out, data, *count, |x| {
                let foreign = synth::add_foreign(&x, &other, *count, seed.seed);
                foreign.map_err(|error| explained(&error, from))
            })
        }
        SynthKind::SaltAndPepper { input, count, share, seed, out } => {
            let data = read(input, (Missing::Refuse, &Budget::default()), None)?;
            let samples = data.x.shape().0;
            if *count > samples {
                bail!("--count is {count}, but {} has {samples} samples", input.data.display());
            }
            let rows = synth::choose_per_class(&vec![0; samples], *count, seed.seed);
            write_more(out, data, 0, |mut x| {
                let done = synth::add_salt_and_pepper(&mut x, &rows, *share, seed.seed);
                done.map(|()| x).map_err(|error| explained(&error, &input.data))
            })
        }
        SynthKind::BlockNoise { input, image, row_major, block, per_class, seed, out } => {
            let mut data = read(input, (Missing::Refuse, &Budget::default()), None)?;
            let rows = rows_per_class(&data, *per_class, seed.seed)?;
            let shape =
                ImageShape { height: image.0, width: image.1, column_major: !row_major, colour: false };
            let features = data.x.shape().1;
            if shape.features() != Some(features) {
                bail!(
                    "{}: has {features} features, which do not make images of {}x{}; give their size with --image",
                    input.data.display(),
                    shape.height,
                    shape.width
                );
            }
            data.x = match data.x {
                Numbers::F32(x) => with_blocks(x, shape, &rows, *block, seed.seed).map(Numbers::from),
                Numbers::F64(x) => with_blocks(x, shape, &rows, *block, seed.seed).map(Numbers::from),
            }?;
            put(out, data)
        }
    }
}

/// Writes the data with `count` outliers that `add` puts after the samples.
fn write_more(
    out: &OutArgs,
    mut data: Dataset,
    count: usize,
    add: impl Fn(Mat<f64>) -> Result<Mat<f64>>,
) -> Result<()> {
    check_size(data.x.shape().0, count, data.x.shape().1)?;
    data.x = match data.x {
        Numbers::F32(x) => Numbers::from(add(dense(x)?.cast())?.cast::<f32>()),
        Numbers::F64(x) => add(dense(x)?)?.into(),
    };
    if let Some(labels) = &mut data.labels {
        labels.extend(std::iter::repeat_n(OUTLIER.to_string(), count));
    }
    if let Some(names) = &mut data.names {
        names.extend((1..=count).map(|at| format!("{OUTLIER}_{at}")));
    }
    put(out, data)
}

/// Writes the data and says where.
fn put(out: &OutArgs, data: Dataset) -> Result<()> {
    write_data(&out.out, data)?;
    wrote(&[&out.out], out.json)
}

/// Outliers of a kind after the samples, huge ones by default.
fn with_outliers(x: &Mat<f64>, kind: Option<Junk>, count: usize, seed: u64) -> Mat<f64> {
    match kind {
        None => synth::add_outliers(x, count, seed),
        Some(kind) => synth::add_junk(x, kind, count, seed),
    }
}

fn dense<T: Real>(x: Matrix<T>) -> Result<Mat<T>> {
    match x {
        Matrix::Dense(x) => Ok(x),
        Matrix::Sparse(_) => bail!("this contamination would make a sparse matrix dense; give a dense one"),
    }
}

fn with_blocks<T: Real>(
    x: Matrix<T>,
    shape: ImageShape,
    rows: &[usize],
    block: usize,
    seed: u64,
) -> Result<Mat<T>> {
    let mut x = dense(x)?;
    synth::add_block_noise(&mut x, shape, rows, block, seed)
        .map_err(|error| explained(&error, Path::new("the images")))?;
    Ok(x)
}

fn check_size(samples: usize, outliers: usize, features: usize) -> Result<()> {
    if samples.saturating_add(outliers).saturating_mul(features) > MOST_ENTRIES {
        bail!(
            "{samples} samples and {outliers} outliers with {features} features are more than {MOST_ENTRIES} numbers; \
             ask for fewer"
        );
    }
    Ok(())
}

/// Random rows of every class.
fn rows_per_class(data: &Dataset, count: usize, seed: u64) -> Result<Vec<usize>> {
    let Some(labels) = &data.labels else {
        bail!("block noise goes on some images of every class: name the labels with --labels")
    };
    let mut classes: Vec<&String> = labels.iter().collect();
    classes.sort();
    classes.dedup();
    let class = |label: &String| classes.binary_search(&label).unwrap_or(0);
    let classes: Vec<usize> = labels.iter().map(class).collect();
    Ok(synth::choose_per_class(&classes, count, seed))
}

fn write_labelled(data: &Labelled<f64>, out: &OutArgs) -> Result<()> {
    let label =
        |(&label, &outlier): (&usize, &bool)| if outlier { OUTLIER.into() } else { label.to_string() };
    let labels = data.labels.iter().zip(&data.outlier).map(label).collect();
    put(out, Dataset::new(data.x.clone(), Some(labels), None))
}
