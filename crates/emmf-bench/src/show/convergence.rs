//! The objective by iterations.

use emmf_report::{Axis, Block, Chart, Look, Mark, Plate, Plot, Point, Series, Sheet, Table};

use super::seeds_note;
use crate::claim::{Claim, Verdict};
use crate::plan::Plan;
use crate::run::{Course, kept};
use crate::sets::title;
use crate::shown::Shown;
use crate::statistics::{deviation, mean};
use crate::summary::Results;

/// Within so many iterations the paper's curves are flat.
const EARLY: usize = 40;

/// An objective this near to its last value has settled.
const NEAR: f64 = 0.05;

/// A method on a data set.
struct Curve<'a> {
    data: usize,
    method: usize,
    courses: Vec<&'a Course>,
}

impl Curve<'_> {
    /// Mean and deviation of objective over objective at the start.
    fn points(&self) -> Vec<Point> {
        let longest = self.courses.iter().map(|course| course.trace.len()).max().unwrap_or(0);
        let iterations = (0..).filter(|at| kept(*at)).take(longest);
        let value = |at: usize, iteration: usize| {
            let there =
                self.courses.iter().filter_map(|course| Some(course.trace.get(at)? / course.trace.first()?));
            let values: Vec<f64> = there.collect();
            Point { x: iteration as f64, y: mean(&values), deviation: deviation(&values) }
        };
        iterations.enumerate().map(|(at, iteration)| value(at, iteration)).collect()
    }

    /// The share of the whole fall that the first iterations make, on average.
    fn early(&self) -> Option<f64> {
        let shares: Vec<f64> = self
            .courses
            .iter()
            .filter_map(|course| {
                let (first, last) = (course.trace.first()?, course.trace.last()?);
                let early = course.trace.get(EARLY)?;
                (first > last).then(|| (first - early) / (first - last))
            })
            .collect();
        (!shares.is_empty()).then(|| mean(&shares))
    }

    /// How far the objective is then above its last value, as a share of that, on average.
    fn left(&self) -> Option<f64> {
        let of = |course: &&Course| Some(course.trace.get(EARLY)? / course.trace.last()? - 1.0);
        let shares: Vec<f64> = self.courses.iter().filter_map(of).collect();
        (!shares.is_empty()).then(|| mean(&shares))
    }

    fn rises(&self) -> usize {
        self.courses.iter().map(|course| course.rises).sum()
    }
}

pub(super) fn show(plan: &Plan, found: &Results, name: &str) -> Shown {
    let curves = curves(plan, found);
    let charts = (0..plan.runs.data.len()).map(|data| chart(plan, &curves, data));
    let charts: Vec<Chart> = charts.filter(|chart| !chart.series.is_empty()).collect();
    let plate = Plate {
        name: name.into(),
        caption: "The objective after each iteration over that at the start, mean and standard deviation (band) over the seeds.".into(),
        plot: Plot::Sheet(Sheet::small(charts)),
    };
    let table = table(plan, &curves);
    let legend = format!(
        "Iterations that raised the objective, of all iterations of {} seeds unless a cell names its number; below, how much of the whole fall the first {EARLY} iterations make.",
        most_seeds(&curves)
    );
    let blocks = vec![Block::Figure(plate), Block::Text(legend), Block::Table(table)];
    let claims = (0..plan.runs.method.len()).flat_map(|method| claims(plan, &curves, method));
    Shown { blocks, claims: claims.collect(), ..Shown::default() }
}

fn curves<'a>(plan: &Plan, found: &'a Results) -> Vec<Curve<'a>> {
    let mut curves: Vec<Curve<'a>> = Vec::new();
    for case in &plan.cases {
        let Some(course) = found.get(&plan.key(case)).and_then(|found| found.course.as_ref()) else {
            continue;
        };
        let method = plan.variants[case.variant].method;
        match curves.iter_mut().find(|curve| (curve.data, curve.method) == (case.data, method)) {
            Some(curve) => curve.courses.push(course),
            None => curves.push(Curve { data: case.data, method, courses: vec![course] }),
        }
    }
    curves
}

fn chart(plan: &Plan, curves: &[Curve<'_>], data: usize) -> Chart {
    let here = curves.iter().filter(|curve| curve.data == data);
    let series = here.map(|curve| {
        let label = &plan.runs.method[curve.method].label;
        let ours = plan.runs.proposed.as_ref() == Some(label);
        let look = if ours { Look { width: 2.0, ..Look::main() } } else { Look::nth(curve.method + 1) };
        Series { name: label.clone(), points: curve.points(), mark: Mark::Line, look }
    });
    Chart {
        title: title(&plan.runs.data[data]),
        // The start stands far above all that follows: only logarithms show both.
        x: Axis::log("iteration"),
        y: Axis::log("objective / start"),
        series: series.collect(),
    }
}

fn most_seeds(curves: &[Curve<'_>]) -> usize {
    curves.iter().map(|curve| curve.courses.len()).max().unwrap_or(0)
}

fn table(plan: &Plan, curves: &[Curve<'_>]) -> Table {
    let sets: Vec<usize> =
        (0..plan.runs.data.len()).filter(|data| curves.iter().any(|curve| curve.data == *data)).collect();
    let head = sets.iter().map(|&data| title(&plan.runs.data[data]));
    let most = most_seeds(curves);
    let mut table = Table::new(std::iter::once("rises".to_owned()).chain(head));
    for (method, competitor) in plan.runs.method.iter().enumerate() {
        let cells = sets.iter().map(|&data| {
            let Some(curve) = curves.iter().find(|curve| (curve.data, curve.method) == (data, method)) else {
                return "–".into();
            };
            let early = curve.early().map(|share| format!("{:.1} % early", 100.0 * share));
            let notes = early.into_iter().chain(seeds_note(most, curve.courses.len()));
            emmf_report::Cell {
                text: curve.rises().to_string(),
                notes: notes.collect(),
                ..Default::default()
            }
        });
        table.rows.push(std::iter::once(competitor.label.as_str().into()).chain(cells).collect());
    }
    table
}

/// What the paper says of a method: that the objective falls, and within how many iterations it settles.
fn claims(plan: &Plan, curves: &[Curve<'_>], method: usize) -> Vec<Claim> {
    let label = &plan.runs.method[method].label;
    let here: Vec<&Curve<'_>> = curves.iter().filter(|curve| curve.method == method).collect();
    if here.is_empty() {
        return Vec::new();
    }
    let stated = plan.runs.proposed.as_ref() == Some(label) || plan.runs.beside.contains(label);
    let of = |verdict: Verdict| if stated { verdict } else { Verdict::Beside };
    let falling = here.iter().filter(|curve| curve.rises() == 0).count();
    let rises: usize = here.iter().map(|curve| curve.rises()).sum();
    let mut claims = vec![Claim::new(
        of(Verdict::of(falling, here.len())),
        format!("The updates of {label} decrease the objective monotonically."),
        format!(
            "It never rises on {falling} of {} data sets; {rises} iterations in all raise it.",
            here.len()
        ),
    )];
    let early: Vec<f64> = here.iter().filter_map(|curve| curve.early()).collect();
    let left: Vec<f64> = here.iter().filter_map(|curve| curve.left()).collect();
    if !left.is_empty() {
        let most = left.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let settled = left.iter().filter(|share| share.abs() < NEAR).count();
        let stated = stated && plan.runs.settles == Some(EARLY);
        claims.push(Claim::new(
            if stated { Verdict::of(settled, left.len()) } else { Verdict::Beside },
            format!("{label} converges within {EARLY} iterations."),
            format!(
                "The first {EARLY} iterations make {:.1} % of the whole fall on average. The objective is then {:.1} % above its last value on average, {:.1} % at most, and within {:.0} % of it on {settled} of {} data sets.",
                100.0 * mean(&early), 100.0 * mean(&left), 100.0 * most, 100.0 * NEAR, left.len()
            ),
        ));
    }
    claims
}
