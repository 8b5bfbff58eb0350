//! Raman spectra of minerals.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Amount, Example, Kind};
use crate::error::Result;

const CLASSES: [&str; 4] = ["quartz", "calcite", "gypsum", "olivine"];
/// Lines of each mineral: wave number, width (both in 1/cm) and height.
const LINES: [&[(f64, f64, f64)]; 4] = [
    &[(128.0, 12.0, 0.4), (206.0, 18.0, 0.45), (464.0, 10.0, 1.0)],
    &[(156.0, 10.0, 0.25), (282.0, 12.0, 0.5), (712.0, 9.0, 0.3), (1086.0, 10.0, 1.0)],
    &[(414.0, 12.0, 0.3), (493.0, 12.0, 0.25), (618.0, 12.0, 0.15), (1008.0, 10.0, 1.0)],
    &[(824.0, 12.0, 0.95), (856.0, 12.0, 1.0), (960.0, 14.0, 0.2)],
];
const CHANNELS: usize = 121;

/// Spectra of 121 channels from 100 to 1300 per centimetre: four minerals, each with up to a fifth of another one, on a
/// sloping ground, with noise. Outliers are in turn spectra with cosmic rays (a few huge channels), with strong fluorescence
/// (a broad hill) and of an unknown substance.
pub fn spectra(amount: &Amount) -> Result<Example> {
    let mut made = Example::new(amount, &CLASSES, |kind, random| match kind {
        Kind::Class(class) => spectrum(class, random),
        Kind::Outlier(at) => outlier(at, random),
    })?;
    made.features = Some((0..CHANNELS).map(|at| format!("{}/cm", wave_number(at))).collect());
    Ok(made)
}

fn wave_number(at: usize) -> f64 {
    100.0 + 10.0 * at as f64
}

/// A mineral and some of another one.
fn spectrum(class: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let other = (class + random.random_range(1..CLASSES.len())) % CLASSES.len();
    let (share, bright) = (0.2 * random.random::<f64>(), 0.6 + 0.8 * random.random::<f64>());
    let (ground, slope) = (0.03 + 0.04 * random.random::<f64>(), 0.04 * random.random::<f64>());
    let value = |at: usize, random: &mut Xoshiro256PlusPlus| {
        let pure = (1.0 - share) * height(LINES[class], at) + share * height(LINES[other], at);
        let below = ground + slope * (1.0 - at as f64 / CHANNELS as f64);
        bright * (pure + below) + 0.015 * random.random::<f64>()
    };
    (0..CHANNELS).map(|at| value(at, random)).collect()
}

fn height(lines: &[(f64, f64, f64)], at: usize) -> f64 {
    let line = |&(middle, width, height): &(f64, f64, f64)| {
        height * (-0.5 * ((wave_number(at) - middle) / width).powi(2)).exp()
    };
    lines.iter().map(line).sum()
}

fn outlier(at: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut made = spectrum(at / 3 % CLASSES.len(), random);
    match at % 3 {
        0 => {
            (0..3).for_each(|_| made[random.random_range(0..CHANNELS)] += 4.0 + 4.0 * random.random::<f64>());
        }
        1 => {
            let hill = [(400.0 + 500.0 * random.random::<f64>(), 250.0, 2.0 + random.random::<f64>())];
            made.iter_mut().enumerate().for_each(|(at, value)| *value += height(&hill, at));
        }
        _ => {
            let line = |random: &mut Xoshiro256PlusPlus| (150.0 + 1100.0 * random.random::<f64>(), 12.0, 1.0);
            let lines: Vec<(f64, f64, f64)> = (0..5).map(|_| line(random)).collect();
            made.iter_mut().enumerate().for_each(|(at, value)| *value = 0.1 * *value + height(&lines, at));
        }
    }
    made
}
