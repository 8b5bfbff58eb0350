//! The bulk of values of which some may be far too large, and where the rest begins.

/// In deviations of a normal distribution: half the width of its middle half, how far from the centre the moments reach,
/// and the deviation of what lies that near.
const NORMAL: (f64, f64, f64) = (0.674_5, 2.5, 0.954_6);
/// Of this share nobody can say that they are the outliers, and not the others.
pub(crate) const MOST: f64 = 0.4;
/// A tail that is clean reaches beyond the cut once in so many samples.
const RARE: f64 = 5000.0;
/// Quantiles between which the slope of the tail is measured: at first, where up to a third may be outliers, and of what is
/// left without them.
const SLOPE: [(f64, f64); 2] = [(0.5, 0.67), (0.5, 0.9)];
/// A valley lies above so many scales of the tail, and holds at most this share of what lies above it.
const ABOVE: f64 = 1.5;
const VALLEY: f64 = 0.1;
/// It is as empty by chance only in one of so many sets of data.
const CHANCE: f64 = 100.0;

/// Location and spread, at least `least`, of the values without those that lie far above: those of the shortest half (one that
/// does not begin above the lowest sixth: outliers are on one side), made efficient by the moments of what lies around it.
/// They hold up to a third of outliers.
pub(crate) fn bulk(values: &[f64], least: f64) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return (0.0, least) };
    let half = sorted.len() / 2;
    let width = |first: &usize| sorted[(first + half).min(last)] - sorted[*first];
    let firsts = 0..=(last - half.min(last)).min(sorted.len() / 6);
    let first = firsts.min_by(|a, b| width(a).total_cmp(&width(b))).unwrap_or(0);
    let mut center = f64::midpoint(sorted[first], sorted[(first + half).min(last)]);
    let mut spread = (0.5 * width(&first) / NORMAL.0).max(least);
    for _ in 0..3 {
        let near = || values.iter().filter(|value| (*value - center).abs() <= NORMAL.1 * spread);
        let (sum, number) = near().fold((0.0, 0.0), |(sum, number), value| (sum + value, number + 1.0));
        let mean = sum / f64::max(number, 1.0);
        let square = near().map(|value| (value - mean).powi(2)).sum::<f64>() / f64::max(number, 1.0);
        (center, spread) = (mean, (square.sqrt() / NORMAL.2).max(least));
    }
    (center, spread)
}

/// The value above which samples do not belong to the others. An exponential tail with at least the slope `least`
/// reaches beyond it once in [`RARE`] samples; or it lies in a valley that such a tail does not have.
pub(crate) fn cut(values: &[f64], least: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let within = |slope: (f64, f64), kept: &[f64]| {
        let (low, scale) = tail(kept, slope, least);
        let end = low + scale * ((1.0 - slope.0) * RARE).ln();
        end.min(valley(&sorted, (end, scale)))
    };
    let mut limit = within(SLOPE[0], &sorted);
    for _ in 0..10 {
        let kept = sorted.partition_point(|value| *value <= limit);
        if (kept as f64) < (1.0 - MOST) * sorted.len() as f64 {
            break;
        }
        let next = within(SLOPE[1], &sorted[..kept]);
        if (next - limit).abs() <= 1e-9 * limit.abs() {
            break;
        }
        limit = next;
    }
    limit
}

/// Where the tail of ascending values begins, and the scale of the exponential distribution that it follows.
fn tail(sorted: &[f64], (from, to): (f64, f64), least: f64) -> (f64, f64) {
    let (low, high) = (quantile(sorted, from), quantile(sorted, to));
    (low, ((high - low) / ((1.0 - from) / (1.0 - to)).ln()).max(least))
}

/// The middle of the widest gap in a valley of ascending values: a stretch as long as the scale of the tail that holds far fewer
/// values than there are above it. In a tail with this scale there would be e − 1 times as many, give or take what chance
/// allows (Chernoff's bound for Poisson's distribution). Values beyond the `end` of the tail are no reason to take as many others
/// for outliers: where there are fewer of them than of others above the valley, they do not count.
fn valley(sorted: &[f64], (end, scale): (f64, f64)) -> f64 {
    let n = sorted.len();
    let beyond = n - sorted.partition_point(|value| *value <= end);
    let lowest = quantile(sorted, 0.5) + ABOVE * scale;
    let chance = (n as f64 * CHANCE).ln();
    let (mut widest, mut found) = (0.0, f64::INFINITY);
    for at in (1..n).rev().take((MOST * n as f64) as usize) {
        let top = sorted[at];
        if top <= lowest {
            break;
        }
        let from = sorted.partition_point(|value| *value < top - scale);
        let own = (n - at).saturating_sub(beyond);
        let (above, inside) = (if beyond < own { own } else { n - at } as f64, (at - from) as f64);
        let expected = above * (std::f64::consts::E - 1.0);
        let doubt = expected - inside + if inside > 0.0 { inside * (inside / expected).ln() } else { 0.0 };
        if inside > VALLEY * above || doubt < chance {
            continue;
        }
        for pair in sorted[from.saturating_sub(1)..=at].windows(2) {
            if pair[1] - pair[0] > widest {
                (widest, found) = (pair[1] - pair[0], f64::midpoint(pair[0], pair[1]));
            }
        }
    }
    found
}

/// A quantile of ascending values, between two of them where it has to be.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = share * last as f64;
    let below = sorted[at as usize];
    below + at.fract() * (sorted[(at as usize + 1).min(last)] - below)
}
