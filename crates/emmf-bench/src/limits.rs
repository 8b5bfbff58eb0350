//! How large an experiment may be: what its fields ask for is counted before anything is allocated.

use crate::experiment::Runs;

/// A run in the plan and in the results, with its names.
const RUN_BYTES: f64 = 1024.0;
/// More runs than this are a slip of the pen: at a second each they take twelve days.
const MOST_RUNS: f64 = 1e6;
/// Copies of the data while a run is made: as read, contaminated, in the precision of the fit, and what the fit holds.
const COPIES: f64 = 8.0;

/// An experiment asks for more than the machine can hold, or than anyone can wait for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{asked}; there may be at most {most}")]
pub struct TooLarge {
    /// The field, its value, and what it makes.
    pub asked: String,
    /// The largest value.
    pub most: String,
}

/// How many things of this size may be held. Half of the memory is left to everything else.
fn most(bytes: f64) -> f64 {
    (emmf_io::machine::memory() as f64 / 2.0 / bytes).floor()
}

fn at_most(asked: f64, most: f64, told: impl FnOnce() -> (String, String)) -> Result<(), TooLarge> {
    if asked <= most {
        return Ok(());
    }
    let (asked, most) = told();
    Err(TooLarge { asked, most })
}

/// Refuses more runs than can be planned.
pub(crate) fn check_runs(runs: &Runs) -> Result<(), TooLarge> {
    let most = most(RUN_BYTES).min(MOST_RUNS);
    let mut variants = 0.0;
    for method in &runs.method {
        let values: f64 = method.grid.values().map(|values| values.len() as f64).product();
        at_most(values, most, || {
            (format!("grid of {} makes {values:.0} combinations", method.label), format!("{most:.0}"))
        })?;
        variants += values;
    }
    let seeds: f64 = runs.data.iter().map(|name| runs.seeds_on(name) as f64).sum();
    let count = seeds * variants * runs.contaminations().len() as f64;
    at_most(count, most, || {
        (format!("seeds = {} makes {count:.0} runs", runs.seeds), format!("{most:.0} runs"))
    })
}

/// Refuses more contaminating samples than can be added to n samples of d features.
pub(crate) fn check_share(share: f64, (n, d): (usize, usize)) -> Result<(), TooLarge> {
    let most = most(COPIES * 8.0 * d as f64) - n as f64;
    let added = share * n as f64;
    at_most(added, most, || {
        let asked = format!("share = {share} of {n} samples makes {added:.0} more");
        (asked, format!("share = {:.0}", (most / n as f64).max(0.0)))
    })
}

/// Refuses a square matrix that cannot be fitted.
pub(crate) fn check_square(size: usize) -> Result<(), TooLarge> {
    let most = most(COPIES * 8.0).sqrt().floor();
    at_most(size as f64, most, || {
        (format!("matrix: size = {size} makes a matrix of {size}×{size}"), format!("size = {most:.0}"))
    })
}
