//! Samples in an `ndarray` array: `cargo run --example ndarray --features ndarray`.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use emmf::{Cut, Spec, View};
use ndarray::Array2;

fn main() -> emmf::Result<()> {
    // Two directions and one sample of neither.
    let x = Array2::from_shape_fn((41, 4), |(i, j)| match (i, i % 2) {
        (40, _) => [0.0, 9.0, 0.0, 9.0][j],
        (_, 0) => [1.0, 0.1, 0.0, 0.0][j] * (1.0 + f64::from(i as u32) / 40.0),
        _ => [0.0, 0.0, 0.2, 1.0][j] * (1.0 + f64::from(i as u32) / 40.0),
    });
    let fit = Spec::emmf(2).fit(View::try_from(x.view())?)?;
    println!("clusters {:?}", &fit.labels[..6]);
    println!("outliers {:?}", fit.outliers(Cut::default())?.iter().position(|&outlier| outlier));
    Ok(())
}

#[test]
fn works() -> emmf::Result<()> {
    main()
}
