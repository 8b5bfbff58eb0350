//! A method of your own: nonnegative least squares with centroids drawn towards smooth ones, by projected gradients.
//!
//! ½‖X − VUᵀ‖² + ½λ·Σ (u_j − u_{j+1})² over neighbouring features j, for spectra and time series. The step is all that is written here; start,
//! restarts, stop rules, checkpoints and the result are those of every fit.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use emmf::checkpoint::Archive;
use emmf::data::{Data, Dense};
use emmf::init::Start;
use emmf::method::{Ending, Method, Outcome};
use emmf::{Factors, Given, Mat, Result, Spec, synth};

struct Smooth {
    lambda: f64,
}

struct State {
    factors: Factors<f64>,
    objective: f64,
}

impl Smooth {
    /// Of neighbouring features of each centroid.
    fn roughness(&self, u: &Mat<f64>) -> f64 {
        let step = |j: usize| u.row(j).iter().zip(u.row(j + 1)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        0.5 * self.lambda * (0..u.rows() - 1).map(step).sum::<f64>()
    }

    /// ½‖X‖² − ⟨XU, V⟩ + ½⟨VᵀV, UᵀU⟩ and the roughness.
    fn objective<X: Data<f64>>(&self, x: &X, Factors { u, v }: &Factors<f64>) -> f64 {
        let cross: f64 = x.dot(u).as_slice().iter().zip(v.as_slice()).map(|(p, v)| p * v).sum();
        let fitted: f64 = gram(v).as_slice().iter().zip(gram(u).as_slice()).map(|(a, b)| a * b).sum();
        0.5 * x.norms_sq().iter().sum::<f64>() - cross + 0.5 * fitted + self.roughness(u)
    }
}

fn gram(a: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.cols(), a.cols(), |k, l| (0..a.rows()).map(|i| a[(i, k)] * a[(i, l)]).sum())
}

/// A ← max(0, A − (A·G − P + more)/L), L no less than the largest eigenvalue of what the gradient is made with.
fn descend(a: &mut Mat<f64>, p: &Mat<f64>, g: &Mat<f64>, (more, curvature): (&Mat<f64>, f64)) {
    let length = curvature + g.as_slice().iter().map(|g| g * g).sum::<f64>().sqrt();
    let gradient =
        |i, k| (0..g.cols()).map(|l| a[(i, l)] * g[(l, k)]).sum::<f64>() - p[(i, k)] + more[(i, k)];
    *a = Mat::from_fn(a.rows(), a.cols(), |i, k| (a[(i, k)] - gradient(i, k) / length).max(0.0));
}

impl<'x, X: Data<f64>> Method<'x, f64, X> for Smooth {
    type State = State;

    fn start(&self, x: &'x X, start: &mut Start<'_, f64>) -> Result<State> {
        let factors = start.factors(x)?;
        Ok(State { objective: self.objective(x, &factors), factors })
    }

    fn step(&self, x: &X, state: &mut State) -> Result<()> {
        let Factors { u, v } = &mut state.factors;
        let mut p = Mat::zeros(u.rows(), u.cols());
        x.t_dot(&vec![1.0; v.rows()], v, &mut p);
        let last = u.rows() - 1;
        let bend = |j: usize, k| {
            let towards = |other: usize| self.lambda * (u[(j, k)] - u[(other, k)]);
            towards(j.saturating_sub(1)) + towards((j + 1).min(last))
        };
        let bends = Mat::from_fn(u.rows(), u.cols(), bend);
        descend(u, &p, &gram(v), (&bends, 4.0 * self.lambda));
        let none = Mat::zeros(v.rows(), v.cols());
        descend(v, &x.dot(u), &gram(u), (&none, 0.0));
        state.objective = self.objective(x, &state.factors);
        Ok(())
    }

    fn objective(&self, state: &State) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut State, archive: &mut Archive) {
        archive.reals("u", state.factors.u.as_mut_slice());
        archive.reals("v", state.factors.v.as_mut_slice());
        archive.number("objective", &mut state.objective);
    }

    fn coefficients<'s>(&self, state: &'s State) -> Option<&'s Mat<f64>> {
        Some(&state.factors.v)
    }

    fn finish(&self, x: &X, state: State, ending: Ending) -> Result<Outcome<f64>> {
        let outcome = Outcome::least_squares(x, state.factors, &ending)?;
        let objective = 0.5 * outcome.objective + self.roughness(&outcome.factors.u);
        Ok(Outcome { objective, ..outcome })
    }
}

fn main() -> Result<()> {
    let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
    let x = Dense::new(data.x.view(), None);
    let fit = |lambda| Spec::new("nmf", 3).max_iter(300).fit_by(&Smooth { lambda }, &x, Given::default());
    let (plain, smooth) = (fit(0.0)?, fit(50.0)?);
    for fit in [&plain, &smooth] {
        assert!(fit.trace.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)));
        assert_eq!(fit.model.transform(&data.x)?.v, fit.v);
    }
    let rough = |fit: &emmf::Fit<f64>| Smooth { lambda: 1.0 }.roughness(fit.centroids());
    println!("roughness {:.3} without, {:.3} with the penalty", rough(&plain), rough(&smooth));
    assert!(rough(&smooth) < rough(&plain));
    Ok(())
}

#[test]
fn works() -> Result<()> {
    main()
}
