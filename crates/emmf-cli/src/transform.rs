//! `emmf transform`: coefficients, labels and scores of new samples.

use anyhow::{Result, bail};
use emmf::{Mat, Real};
use emmf_io::{AnyModel, Matrix, Numbers};

use crate::args::TransformArgs;
use crate::fit::read;

pub(crate) fn run(args: &TransformArgs) -> Result<()> {
    emmf_io::check_writable(&args.out)?;
    let model = emmf_io::read_model(&args.model)?;
    let data = read(&args.input)?;
    let table = match &model {
        AnyModel::F32(model) => Numbers::from(transform(model, &data.x.into_f32())?),
        AnyModel::F64(model) => Numbers::from(transform(model, &data.x.into_f64())?),
    };
    let k = model.spec().k;
    let names = (0..k).map(|at| format!("v{at}")).chain(["label", "residual", "score"].map(String::from));
    emmf_io::write(&args.out, &emmf_io::Dataset { x: table, labels: None, columns: Some(names.collect()) })?;
    Ok(())
}

/// One row a sample: its coefficients, label, residual and outlier score.
fn transform<T: Real>(model: &emmf::Model<T>, x: &Matrix<T>) -> Result<Mat<T>> {
    let coded = model.transform(x.samples())?;
    let k = coded.v.cols();
    let entry = |i: usize, j: usize| match j - j.min(k) {
        _ if j < k => coded.v[(i, j)],
        0 => T::from_f64(coded.labels[i] as f64),
        1 => T::from_f64(coded.residuals[i]),
        _ => T::from_f64(coded.scores[i]),
    };
    if coded.v.rows() == 0 {
        bail!("there are no samples to transform");
    }
    Ok(Mat::from_fn(coded.v.rows(), k + 3, entry))
}
