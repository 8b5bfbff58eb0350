use emmf::{Init, Spec, synth};
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let x = synth::uniform::<f32>(a[0], a[1], 1);
    let fit = Spec::emmf(a[2]).init(Init::Random).threads(1).max_iter(a[3]).polish(false).fit(&x).unwrap();
    println!("{:.3} ms", 1e3 * fit.seconds.iterate / a[3] as f64);
}
