//! `emmf transform`: coefficients, labels and scores of new samples.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use emmf::{Mat, Missing, Model, Real, Running, Samples, Spec};
use emmf_io::{Annotated, AnyModel, Dataset, Dtype, Features, Notes, Numbers};

use crate::args::InputArgs;
use crate::gaps::MissingArgs;
use crate::input::{self, Input};
use crate::look::LookArgs;
use crate::matching::matched;
use crate::output::{model_file, write_data, wrote};
use crate::progress::Waiting;
use crate::values::{count, size};
use crate::wording::explained;

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf transform result new.csv --out coded.csv\n  \
    emmf transform result new.h5ad --out coded.h5ad\n  \
    emmf transform result new.csv --out - | sort -t, -g -k 6")]
pub(crate) struct TransformArgs {
    /// Folder of a fit, or its model.safetensors
    ///
    /// If both it and DATA name the features, they are matched by name, in any order.
    #[arg(value_name = "RESULT")]
    model: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    look: LookArgs,
    /// Memory limit, such as 2GB
    ///
    /// Larger NPY and Parquet files are read in blocks of samples.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
    #[command(flatten)]
    gaps: MissingArgs,
    /// Number of threads; the result does not depend on it [default: one per core]
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    threads: Option<usize>,
    /// File for the samples with missing values filled in; its extension sets the format
    #[arg(long, value_name = "FILE")]
    imputed: Option<PathBuf>,
    /// File for the coefficients, label, residual and score of each sample
    ///
    /// The columns are those of a fit's coefficients.csv: the name, if there is one, v0, v1, …, label, residual, score, and with
    /// layers l2v0, …, label1, score1, …. The extension sets the format: csv, tsv, npy, npz, mat, mtx or parquet; - is CSV on standard output. With h5ad, they are added to a copy of DATA, as in result.h5ad of a fit.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print one JSON object about what was written
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &TransformArgs) -> Result<()> {
    check_output(args)?;
    args.imputed.as_deref().map_or(Ok(()), emmf_io::check_output)?;
    let (model, notes) = emmf_io::read_model_and_notes(&model_file(&args.model))?;
    let missing = match args.gaps.meaning() {
        Missing::Refuse => model.spec().missing,
        said @ Missing::Nan => said,
    };
    if args.imputed.is_some() && missing == Missing::Refuse {
        bail!("--imputed needs missing values; use --missing nan or give a --mask");
    }
    let reading = Waiting::new("reading the samples", false);
    let mut data = samples(args, (&model, &notes), missing)?;
    drop(reading);
    let columns = data.about_mut().columns.take();
    let names = data.about_mut().names.take();
    let (found, imputed) = match (model, data) {
        (AnyModel::F32(model), Input::Memory(x, _)) => {
            transform(args, (&model.with_missing(missing), &notes), x.into_f32().samples())?
        }
        (AnyModel::F64(model), Input::Memory(x, _)) => {
            transform(args, (&model.with_missing(missing), &notes), x.into_f64().samples())?
        }
        (AnyModel::F32(model), Input::File(data, _)) => {
            transform(args, (&model, &notes), Samples::Stream(&data.rows))?
        }
        (AnyModel::F64(model), Input::File(data, _)) => {
            transform(args, (&model, &notes), Samples::Stream(&data.rows))?
        }
    };
    let writing = (args.out.as_os_str() != "-").then(|| Waiting::new("writing the results", false));
    let mut written = vec![args.out.as_path()];
    if let (Some(path), Some(x)) = (&args.imputed, imputed) {
        write_data(path, Dataset::new(x, None, columns))?;
        written.push(path);
    }
    match found {
        Found::Table(coded) => write_data(&args.out, Dataset { names, ..*coded })?,
        Found::Annotated(found) => found.write(&args.out, &args.input.data)?,
    }
    drop(writing);
    wrote(&written, args.json)
}

/// Whether the results are added to the AnnData file that the samples are from.
fn is_annotated(args: &TransformArgs) -> bool {
    args.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("h5ad"))
}

/// Whether the results can be written, so that this is known before the work.
fn check_output(args: &TransformArgs) -> Result<()> {
    if !is_annotated(args) {
        return Ok(emmf_io::check_output(&args.out)?);
    }
    if args.input.transpose || !emmf_io::is_anndata(&args.input.data) {
        bail!(
            "{}: the results are added to an AnnData file (.h5ad), and {} is not one; write .csv or .parquet",
            args.out.display(),
            args.input.data.display()
        );
    }
    Ok(emmf_io::check_writable(&args.out)?)
}

/// What is written about the samples.
enum Found {
    /// One row a sample: its coefficients, label, residual and outlier score.
    Table(Box<Dataset>),
    /// The same in an AnnData file.
    Annotated(Box<Annotated>),
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

/// What the model says of the samples; and the samples filled in.
fn transform<T: Real>(
    args: &TransformArgs,
    (model, notes): (&Model<T>, &Notes),
    x: Samples<'_, T>,
) -> Result<(Found, Option<Numbers>)>
where
    Numbers: From<Mat<T>>,
{
    let coding = Waiting::new("coding the samples", false);
    let coded = model.transform_with(x, &Running::on(args.threads));
    drop(coding);
    let coded = coded.map_err(|error| explained(&error, &args.input.data))?;
    if is_annotated(args) {
        let features = Features { names: notes.features.as_deref(), image: None };
        let found = Box::new(Annotated::new(model, &coded, features));
        return Ok((Found::Annotated(found), coded.imputed.map(Numbers::from)));
    }
    let found = (&coded.labels[..], &coded.residuals[..], &coded.scores[..]);
    let more = emmf_io::layer_columns(model, &coded.v, &coded.layers)?;
    let table = Box::new(emmf_io::coefficients(&coded.v, found, &more, None));
    Ok((Found::Table(table), coded.imputed.map(Numbers::from)))
}
