//! What a model that goes on learning remembers, in numbers for its file.

use emmf::Mat;
use emmf::model::Past;
use safetensors::{Dtype, SafeTensors};

use super::{Numbers, broken, matrix};
use crate::error::Problem;

const A: &str = "past_a";
const B: &str = "past_b";

/// All but its sums, which go with the numbers.
pub(super) fn noted(past: &Past) -> Past {
    Past { a: Mat::zeros(0, 0), b: Mat::zeros(0, 0), ..past.clone() }
}

pub(super) fn put(past: &Past, numbers: &mut Numbers) {
    for (name, sums) in [(A, &past.a), (B, &past.b)] {
        numbers.put::<f64>(name, &[sums.rows(), sums.cols()], sums.as_slice());
    }
}

/// From its text and its sums.
pub(super) fn read(text: &str, tensors: &SafeTensors<'_>) -> Result<Past, Problem> {
    let past: Past = serde_json::from_str(text).map_err(broken)?;
    let sums = |name: &'static str| {
        let tensor = tensors.tensor(name).map_err(broken)?;
        if tensor.dtype() != Dtype::F64 {
            return Err(Problem::malformed(name, format!("it is {:?}, not F64", tensor.dtype())));
        }
        matrix(&tensor, f64::from_le_bytes)
    };
    Ok(Past { a: sums(A)?, b: sums(B)?, ..past })
}
