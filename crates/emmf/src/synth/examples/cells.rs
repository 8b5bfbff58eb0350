//! Gene counts in blood cells.

use rand::RngExt;
use rand_distr::{Distribution, Poisson, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Amount, Example, Kind};
use crate::error::Result;

const CLASSES: [&str; 5] = ["T cell", "B cell", "monocyte", "NK cell", "platelet"];
/// Genes that cells of a class make much of.
const MARKERS: [&[&str]; 5] = [
    &["CD3D", "CD3E", "IL7R", "LTB", "TRAC", "CD27", "LDHB", "TCF7"],
    &["MS4A1", "CD79A", "CD79B", "CD37", "BANK1", "TCL1A", "HLA-DQA1", "LINC00926"],
    &["LYZ", "CD14", "S100A8", "S100A9", "FCN1", "VCAN", "CST3", "FCER1G"],
    &["GNLY", "NKG7", "GZMB", "PRF1", "KLRD1", "FGFBP2", "CST7", "GZMA"],
    &["PPBP", "PF4", "GNG11", "SDPR", "TUBB1", "CLU", "GP9", "ITGA2B"],
];
/// Genes that every cell makes much of.
const COMMON: [&str; 8] = ["MALAT1", "B2M", "ACTB", "TMSB4X", "RPL10", "RPS27", "EEF1A1", "FTL"];
/// Genes of the mitochondria, most of what is left in a dying cell.
const DYING: [&str; 5] = ["MT-CO1", "MT-CO2", "MT-ND1", "MT-ND4", "MT-CYB"];
/// Genes that hardly anything is made of.
const OTHERS: usize = 147;
/// Mean sum of the counts of a cell.
const DEPTH: f64 = 1500.0;

/// Counts of 200 genes in five kinds of cells, with about 1500 counts each, half or twice as many in some. Outliers are in turn
/// dying cells, of which little but mitochondrial genes is left, and cells in which the counts belong to wrong genes.
pub fn cells(amount: &Amount) -> Result<Example> {
    let profiles: Vec<Vec<f64>> = (0..CLASSES.len()).map(profile).collect();
    let mut made = Example::new(amount, &CLASSES, |kind, random| match kind {
        Kind::Class(class) => counts(&profiles[class], random),
        Kind::Outlier(at) if at % 2 == 0 => counts(&dying(&profiles[at / 2 % CLASSES.len()], random), random),
        Kind::Outlier(at) => {
            let mut wrong = profiles[at / 2 % CLASSES.len()].clone();
            wrong.rotate_right(random.random_range(60..150));
            counts(&wrong, random)
        }
    })?;
    made.features = Some(genes());
    Ok(made)
}

fn genes() -> Vec<String> {
    let named = MARKERS.iter().copied().flatten().chain(&COMMON).chain(&DYING).map(ToString::to_string);
    named.chain((1..=OTHERS).map(|at| format!("GENE{at}"))).collect()
}

/// The share of each gene in a cell of this class.
fn profile(class: usize) -> Vec<f64> {
    let markers = (0..MARKERS.len()).flat_map(|of| MARKERS[of].iter().map(move |_| of));
    let markers = markers.map(|of| if of == class { 40.0 } else { 1.0 });
    let common = COMMON.iter().map(|_| 50.0);
    let rest = (0..DYING.len() + OTHERS).map(|at| if at < DYING.len() { 8.0 } else { 1.0 + (at % 5) as f64 });
    let weights: Vec<f64> = markers.chain(common).chain(rest).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// Most of the cell is gone but for its mitochondria.
fn dying(profile: &[f64], random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let first = profile.len() - OTHERS - DYING.len();
    let left = 0.1 + 0.2 * random.random::<f64>();
    let mut shares: Vec<f64> = profile.iter().map(|share| share * left).collect();
    for share in &mut shares[first..first + DYING.len()] {
        *share += (1.0 - left) * (0.5 + random.random::<f64>()) / DYING.len() as f64;
    }
    shares
}

/// Counts around the shares, more or less of all and of each.
fn counts(shares: &[f64], random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut spread = |by: f64| (by * random.sample::<f64, _>(StandardNormal)).exp();
    let depth = DEPTH * spread(0.35);
    let rates: Vec<f64> = shares.iter().map(|share| depth * share * spread(0.25)).collect();
    // A rate that is no rate gives no counts.
    rates.iter().map(|&rate| Poisson::new(rate).map_or(0.0, |rate| rate.sample(random))).collect()
}
