//! A loss of your own: Geman and McClure's ρ(r) = r²/(σ² + r²), which no sample can pull at for long.
//!
//! ρ is concave in r² and the weight is ρ'(r)/r, so every iteration lowers the objective.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use emmf::loss::{Loss, Stats};
use emmf::{Spec, synth};

struct GemanMcClure {
    sigma: f64,
}

impl Loss for GemanMcClure {
    fn at(&self, r: f64, _: &Stats) -> (f64, f64) {
        let below = self.sigma.powi(2) + r * r;
        (r * r / below, 2.0 * self.sigma.powi(2) / below.powi(2))
    }

    // No pole at 0, so that the residual needs no smoothing.
    fn smooth(&self) -> bool {
        false
    }
}

fn main() -> emmf::Result<()> {
    let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
    let fit = Spec::new("nmf", 3).on(&data.x).loss(&|| Box::new(GemanMcClure { sigma: 0.1 })).fit()?;
    assert!(fit.trace.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)));
    let worst = (0..data.x.rows()).max_by(|&a, &b| fit.scores[a].total_cmp(&fit.scores[b]));
    println!("objective {:.4} after {} iterations", fit.objective, fit.trace.len());
    println!("the worst sample is row {worst:?}, an outlier: {:?}", worst.map(|i| data.outlier[i]));
    Ok(())
}

#[test]
fn works() -> emmf::Result<()> {
    main()
}
