//! `emmf transform`: coefficients, labels and scores of new samples.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use emmf::{Mat, Missing, Model, Real, Running, Samples, Spec};
use emmf_io::{AnyModel, Dataset, Dtype, Notes, Numbers};

use crate::args::InputArgs;
use crate::gaps::MissingArgs;
use crate::input::{self, Input};
use crate::look::LookArgs;
use crate::matching::matched;
use crate::output::write_data;
use crate::values::{count, size};
use crate::wording::explained;

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf transform result/model.safetensors new.csv --out coded.csv\n  \
    emmf transform result/model.safetensors new.csv --out - | sort -t, -g -k 6")]
pub(crate) struct TransformArgs {
    /// model.safetensors of a fit. Where it and DATA name the features, these are taken by name, in any order.
    model: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    look: LookArgs,
    /// Memory to stay within, for example 2GB: larger NPY and Parquet files are read in blocks of samples.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
    #[command(flatten)]
    gaps: MissingArgs,
    /// Threads [default: one for each core]. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    threads: Option<usize>,
    /// File for the samples with missing values filled in; its ending names the format.
    #[arg(long, value_name = "FILE")]
    imputed: Option<PathBuf>,
    /// File for coefficients v0, v1, …, label, residual and score of each sample: csv, tsv, npy, npz, mat, mtx or
    /// parquet by its ending; - is CSV on standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &TransformArgs) -> Result<()> {
    emmf_io::check_output(&args.out)?;
    args.imputed.as_deref().map_or(Ok(()), emmf_io::check_output)?;
    let (model, notes) = emmf_io::read_model_and_notes(&args.model)?;
    let missing = match args.gaps.meaning() {
        Missing::Refuse => model.spec().missing,
        said @ Missing::Nan => said,
    };
    if args.imputed.is_some() && missing == Missing::Refuse {
        bail!("--imputed needs missing values; say --missing nan or give a --mask");
    }
    let k = model.spec().k;
    let mut data = samples(args, (&model, &notes), missing)?;
    let columns = data.about_mut().columns.take();
    let (x, imputed) = match (model, data) {
        (AnyModel::F32(model), Input::Memory(x, _)) => {
            transform(args, &model.with_missing(missing), x.into_f32().samples())?
        }
        (AnyModel::F64(model), Input::Memory(x, _)) => {
            transform(args, &model.with_missing(missing), x.into_f64().samples())?
        }
        (AnyModel::F32(model), Input::File(data, _)) => transform(args, &model, Samples::Stream(&data.rows))?,
        (AnyModel::F64(model), Input::File(data, _)) => transform(args, &model, Samples::Stream(&data.rows))?,
    };
    if let (Some(path), Some(x)) = (&args.imputed, imputed) {
        write_data(path, Dataset { x, labels: None, columns })?;
    }
    let coefficients = (0..k).map(|at| format!("v{at}"));
    let columns = coefficients.chain(["label", "residual", "score"].map(String::from)).collect();
    write_data(&args.out, Dataset { x, labels: None, columns: Some(columns) })
}

/// The samples, with their gaps, in the order of the model's features.
fn samples(args: &TransformArgs, (model, notes): (&AnyModel, &Notes), missing: Missing) -> Result<Input> {
    let coding = Spec::new("nmf", model.spec().k);
    let work = |shape, dtype, streamed| match dtype {
        Dtype::F32 => coding.memory::<f32>(shape, streamed, args.threads),
        Dtype::F64 => coding.memory::<f64>(shape, streamed, args.threads),
    };
    let look = (&args.input, &args.look);
    // The mask is that of the file, whatever becomes of its columns.
    let budget = &input::budget(args.max_memory);
    let mut data = input::open(look, (missing, budget), Some(notes), work)?.with_gaps(&args.gaps, budget)?;
    let given = data.shape().1;
    let order = matched((data.about_mut(), given), &args.input.data, (model, notes))?;
    Ok(data.in_order(&order)?)
}

/// One row a sample: its coefficients, label, residual and outlier score; and the samples filled in.
fn transform<T: Real>(
    args: &TransformArgs,
    model: &Model<T>,
    x: Samples<'_, T>,
) -> Result<(Numbers, Option<Numbers>)>
where
    Numbers: From<Mat<T>>,
{
    let coded = model.transform_with(x, &Running::on(args.threads));
    let coded = coded.map_err(|error| explained(&error, &args.input.data))?;
    let k = coded.v.cols();
    let entry = |i: usize, j: usize| match j - j.min(k) {
        _ if j < k => coded.v[(i, j)],
        0 => T::from_f64(coded.labels[i] as f64),
        1 => T::from_f64(coded.residuals[i]),
        _ => T::from_f64(coded.scores[i]),
    };
    Ok((Mat::from_fn(coded.v.rows(), k + 3, entry).into(), coded.imputed.map(Numbers::from)))
}
