//! `emmf transform`: coefficients, labels and scores of new samples.

use anyhow::{Result, bail};
use emmf::{Mat, Real, Samples, Spec};
use emmf_io::{AnyModel, Dataset, Dtype, Numbers};

use crate::args::TransformArgs;
use crate::explain::explained;
use crate::input::{self, Input};
use crate::output::write_data;

pub(crate) fn run(args: &TransformArgs) -> Result<()> {
    emmf_io::check_output(&args.out)?;
    let model = emmf_io::read_model(&args.model)?;
    let k = model.spec().k;
    let data = input::open(&args.input, args.max_memory, |shape, dtype, streamed| {
        // Coefficients in double precision, and the table of them.
        let coding = Spec::new("nmf", k);
        if dtype == Dtype::F32 {
            coding.memory::<f32>(shape, streamed)
        } else {
            coding.memory::<f64>(shape, streamed)
        }
    })?;
    let features = match &model {
        AnyModel::F32(model) => model.centroids().rows(),
        AnyModel::F64(model) => model.centroids().rows(),
    };
    if data.shape().1 != features {
        bail!(
            "{}: has {} features, but the model {} was fitted to {features}; \
             give samples with the same features in the same order",
            args.input.data.display(),
            data.shape().1,
            args.model.display()
        );
    }
    let table = match (&model, data) {
        (AnyModel::F32(model), Input::Memory(data)) => {
            transform(model, data.x.into_f32().samples()).map(Numbers::from)
        }
        (AnyModel::F64(model), Input::Memory(data)) => {
            transform(model, data.x.into_f64().samples()).map(Numbers::from)
        }
        (AnyModel::F32(model), Input::File(data)) => {
            transform(model, Samples::Stream(&data.rows)).map(Numbers::from)
        }
        (AnyModel::F64(model), Input::File(data)) => {
            transform(model, Samples::Stream(&data.rows)).map(Numbers::from)
        }
    };
    let x = table.map_err(|error| explained(&error, &args.input.data))?;
    let coefficients = (0..k).map(|at| format!("v{at}"));
    let columns = coefficients.chain(["label", "residual", "score"].map(String::from)).collect();
    write_data(&args.out, Dataset { x, labels: None, columns: Some(columns) })
}

/// One row a sample: its coefficients, label, residual and outlier score.
fn transform<T: Real>(model: &emmf::Model<T>, x: Samples<'_, T>) -> emmf::Result<Mat<T>> {
    let coded = model.transform(x)?;
    let k = coded.v.cols();
    let entry = |i: usize, j: usize| match j - j.min(k) {
        _ if j < k => coded.v[(i, j)],
        0 => T::from_f64(coded.labels[i] as f64),
        1 => T::from_f64(coded.residuals[i]),
        _ => T::from_f64(coded.scores[i]),
    };
    Ok(Mat::from_fn(coded.v.rows(), k + 3, entry))
}
