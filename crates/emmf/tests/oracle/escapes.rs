//! A law may be broken where rounding decides, but not often: how often that was allowed is counted.

use std::cell::Cell;

/// Comparisons of a law, and how many of them failed with an excuse.
#[derive(Default)]
pub(crate) struct Escapes {
    made: Cell<usize>,
    excused: Cell<usize>,
}

impl Escapes {
    /// Whether the law holds here, or has an excuse.
    pub(crate) fn holds(&self, holds: bool, excuse: impl FnOnce() -> bool) -> bool {
        self.made.set(self.made.get() + 1);
        let excused = !holds && excuse();
        self.excused.set(self.excused.get() + usize::from(excused));
        holds || excused
    }

    /// Fails where more than this share of the comparisons was excused, so that a law does not fade away unseen.
    pub(crate) fn at_most(&self, law: &str, share: f64) {
        let (made, excused) = (self.made.get(), self.excused.get());
        println!(
            "{law}: {excused} of {made} comparisons excused, {:.3} %",
            100.0 * excused as f64 / made as f64
        );
        assert!(
            made > 0 && excused as f64 <= share * made as f64,
            "{law}: {excused} of {made} excused, above {share}"
        );
    }
}
