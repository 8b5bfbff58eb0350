//! The data sets to begin with.

use std::path::Path;

use anyhow::Result;
use emmf::synth::{self, Amount, Example};
use emmf_io::Dataset;
use emmf_report::OUTLIER;

use super::args::ExampleArgs;
use super::{check_size, put};
use crate::output::wrote;
use crate::wording::explained;

/// More features than any of these has.
const FEATURES: usize = 256;

pub(super) fn write(args: &ExampleArgs, make: fn(&Amount) -> emmf::Result<Example>) -> Result<()> {
    let Example { data, classes, features, .. } =
        make(&amount(args)?).map_err(|error| explained(&error, &args.out.out))?;
    let labels = named(&data.labels, &classes);
    put(&args.out, Dataset::new(data.x, Some(labels), features))
}

/// Images go into a table, or each into a file of its own where a folder is named.
pub(super) fn write_shapes(args: &ExampleArgs) -> Result<()> {
    if !is_folder(&args.out.out) {
        return write(args, synth::shapes);
    }
    let Example { data, classes, image, .. } =
        synth::shapes(&amount(args)?).map_err(|error| explained(&error, &args.out.out))?;
    if let Some(shape) = image {
        emmf_io::write_images(&args.out.out, &data.x, shape, &named(&data.labels, &classes))?;
    }
    wrote(&[&args.out.out], args.out.json)
}

/// What has no ending, ends with a slash, or is one already, is a folder.
pub(super) fn is_folder(out: &Path) -> bool {
    let ends = out.to_string_lossy().ends_with(std::path::is_separator);
    ends || out.is_dir() || (out.extension().is_none() && out.as_os_str() != "-")
}

pub(super) fn write_texts(args: &ExampleArgs) -> Result<()> {
    let made = synth::texts(&amount(args)?).map_err(|error| explained(&error, &args.out.out))?;
    emmf_io::write_texts(&args.out.out, &made.texts, &named(&made.labels, &made.classes))?;
    wrote(&[&args.out.out], args.out.json)
}

fn amount(args: &ExampleArgs) -> Result<Amount> {
    check_size(args.samples, args.outliers, FEATURES)?;
    Ok(Amount { samples: args.samples, outliers: args.outliers, seed: args.seed.seed })
}

/// The class of each sample in words; what is beyond the classes is an outlier.
fn named(labels: &[usize], classes: &[&str]) -> Vec<String> {
    labels.iter().map(|&label| (*classes.get(label).unwrap_or(&OUTLIER)).to_owned()).collect()
}
