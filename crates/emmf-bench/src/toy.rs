//! Samples of the plane with one centroid: the samples, their approximations and the error of each, by several methods.

use emmf::Mat;
use emmf::synth::{toy_clean, toy_with_outliers};
use emmf_report::{Axis, Block, Chart, Look, Mark, Plate, Plot, Point, Series, Sheet, Sign, Table};
use serde::Deserialize;

use crate::Error;
use crate::claim::{Claim, Verdict};
use crate::experiment::Competitor;
use crate::shown::{Shown, csv};

/// Samples of the plane and their approximations.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toy {
    /// Which samples.
    pub set: Samples,
    /// Methods, in the order of the figure; the last is the one in question.
    pub method: Vec<Competitor>,
}

/// Samples of the plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Samples {
    /// Ten near a ray, three far above it.
    Outliers,
    /// Ten on a ray.
    Clean,
}

/// What a method made of the samples.
struct Made {
    label: String,
    approximations: Vec<[f64; 2]>,
    errors: Vec<f64>,
}

impl Made {
    fn angle(&self) -> f64 {
        let [x, y] = self.approximations.iter().fold([0.0; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
        y.atan2(x).to_degrees()
    }

    /// The largest and the sum of the errors of these samples.
    fn of(&self, outlier: &[bool], wanted: bool) -> (f64, f64) {
        let errors =
            self.errors.iter().zip(outlier).filter(|(_, is)| **is == wanted).map(|(error, _)| *error);
        errors.fold((0.0, 0.0), |(most, sum), error| (error.max(most), error + sum))
    }
}

impl Toy {
    pub(crate) fn show(&self, name: &str) -> Result<Shown, Error> {
        let data = match self.set {
            Samples::Outliers => toy_with_outliers::<f64>(),
            Samples::Clean => toy_clean(),
        };
        let made =
            self.method.iter().map(|method| made(method, &data.x)).collect::<Result<Vec<_>, Error>>()?;
        let sheet = figure(&data.x, &data.outlier, &made);
        let caption = format!(
            "Left: {} samples of the plane (dots{}) and their approximations on the line of each method. Right: the error ‖x − Uv‖ of every sample.",
            data.x.rows(),
            if data.outlier.contains(&true) { "; outliers as crosses" } else { "" }
        );
        let plate = Plate { name: name.into(), caption, plot: Plot::Sheet(sheet) };
        let claims = match self.set {
            Samples::Outliers => with_outliers(&made, &data.outlier),
            Samples::Clean => clean(&made, &data.outlier),
        };
        let blocks = vec![Block::Figure(plate), Block::Table(table(&made, &data.outlier))];
        Ok(Shown {
            blocks,
            claims,
            files: vec![("samples.csv".into(), samples(&data.x, &made)?)],
            ..Shown::default()
        })
    }
}

fn made(method: &Competitor, x: &Mat<f64>) -> Result<Made, Error> {
    let wrong = |why: String| Error::Run { run: method.label.clone(), why };
    let spec = method.spec(1, 500).map_err(wrong)?;
    let fit = spec.fit(x).map_err(|error| wrong(error.to_string()))?;
    let u = fit.model.centroids();
    let approximations = (0..x.rows()).map(|i| [0, 1].map(|j| fit.v[(i, 0)] * u[(j, 0)])).collect();
    Ok(Made { label: method.label.clone(), approximations, errors: fit.residuals })
}

fn look(at: usize, of: usize) -> Look {
    let look = if at + 1 == of { Look::main() } else { Look::nth(at + 1) };
    Look { sign: [Sign::Square, Sign::Triangle, Sign::Ring][at % 3], size: 3.0, ..look }
}

fn figure(x: &Mat<f64>, outlier: &[bool], made: &[Made]) -> Sheet {
    let dots = |name: &str, wanted: bool, sign: Sign| Series {
        name: name.into(),
        points: (0..x.rows())
            .filter(|&i| outlier[i] == wanted)
            .map(|i| Point::new(x[(i, 0)], x[(i, 1)]))
            .collect(),
        mark: Mark::Dots,
        look: Look { sign, size: 4.5, ..Look::nth(0) },
    };
    let mut series = vec![dots("samples", false, Sign::Circle)];
    if outlier.contains(&true) {
        series.push(dots("outliers", true, Sign::Cross));
    }
    for (at, made) in made.iter().enumerate() {
        let points = made.approximations.iter().map(|[x, y]| Point::new(*x, *y)).collect();
        series.push(Series { name: made.label.clone(), points, mark: Mark::Curve, look: look(at, 3) });
    }
    let mut charts = vec![Chart {
        title: "samples".into(),
        x: Axis::new("first feature").reaching([0.0]),
        y: Axis::new("second feature").reaching([0.0]),
        series,
    }];
    let top = made.iter().flat_map(|made| &made.errors).copied().fold(0.0, f64::max);
    for (at, made) in made.iter().enumerate() {
        let points =
            made.errors.iter().enumerate().map(|(i, error)| Point::new((i + 1) as f64, *error)).collect();
        charts.push(Chart {
            title: made.label.clone(),
            x: Axis::new("sample").reaching([0.5]),
            y: Axis::new("error").reaching([0.0, top.max(1e-9)]),
            series: vec![Series { name: String::new(), points, mark: Mark::Bars, look: look(at, 3) }],
        });
    }
    Sheet::small(charts)
}

fn table(made: &[Made], outlier: &[bool]) -> Table {
    let mut table = Table::new([
        "method",
        "angle of the line",
        "largest error of a normal sample",
        "sum of the normal errors",
        "largest error of an outlier",
    ]);
    for made in made {
        let ((most, sum), (far, _)) = (made.of(outlier, false), made.of(outlier, true));
        let outlier = if outlier.contains(&true) { short(far) } else { "–".into() };
        table.rows.push(vec![
            made.label.as_str().into(),
            format!("{:.1}°", made.angle()).into(),
            short(most).into(),
            short(sum).into(),
            outlier.into(),
        ]);
    }
    table
}

/// Three digits that count.
fn short(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-3 { format!("{value:.1e}") } else { format!("{value:.3}") }
}

fn with_outliers(made: &[Made], outlier: &[bool]) -> Vec<Claim> {
    let [first, .., last] = made else { return Vec::new() };
    let nearest = |made: &Made| {
        let errors = made.errors.iter().zip(outlier).filter(|(_, is)| **is).map(|(error, _)| *error);
        errors.fold(f64::INFINITY, f64::min)
    };
    let worse =
        first.errors.iter().zip(outlier).filter(|(error, is)| !**is && **error > nearest(first)).count();
    let sums: Vec<String> =
        made.iter().map(|made| format!("{} {}", made.label, short(made.of(outlier, false).1))).collect();
    let least = made.iter().all(|other| last.of(outlier, false).1 <= other.of(outlier, false).1);
    vec![
        Claim::new(
            Verdict::of(usize::from(worse > 0), 1),
            format!(
                "Under {} the errors of some normal samples are larger than those of outliers.",
                first.label
            ),
            format!(
                "{worse} of {} normal samples have an error above the smallest one of an outlier, {}.",
                outlier.iter().filter(|is| !**is).count(),
                short(nearest(first))
            ),
        ),
        Claim::new(
            Verdict::of(usize::from(least), 1),
            format!(
                "{} lets the outliers have large errors and approximates the normal samples correctly.",
                last.label
            ),
            format!(
                "Sums of the normal errors: {}. Lines at {}; the normal samples lie around 26.6°.",
                sums.join(", "),
                angles(made)
            ),
        ),
    ]
}

fn angles(made: &[Made]) -> String {
    made.iter().map(|made| format!("{:.1}° ({})", made.angle(), made.label)).collect::<Vec<_>>().join(", ")
}

fn clean(made: &[Made], outlier: &[bool]) -> Vec<Claim> {
    let [.., before, last] = made else { return Vec::new() };
    let top = made.iter().map(|made| made.of(outlier, false).0).fold(0.0, f64::max);
    let (robust, ours) = (before.of(outlier, false).1, last.of(outlier, false).1);
    vec![
        Claim::new(
            Verdict::of(usize::from(top < 1e-3), 1),
            "Without outliers all methods approximate the samples.",
            format!("The largest error of any sample under any method is {}.", short(top)),
        ),
        Claim::new(
            Verdict::of(usize::from(ours <= robust), 1),
            format!(
                "The overall error of {} is less than that of {}, neither of which reaches zero because of ε.",
                last.label, before.label
            ),
            format!(
                "Sums of the errors: {} {}, {} {}. Both are rounding: with residuals smoothed as √(r² + ε²) nothing keeps them from zero.",
                last.label,
                short(ours),
                before.label,
                short(robust)
            ),
        ),
    ]
}

fn samples(x: &Mat<f64>, made: &[Made]) -> Result<String, Error> {
    let mut rows = vec![vec![
        "method".to_owned(),
        "sample".into(),
        "x1".into(),
        "x2".into(),
        "approximation1".into(),
        "approximation2".into(),
        "error".into(),
    ]];
    for made in made {
        for (i, ([a, b], error)) in made.approximations.iter().zip(&made.errors).enumerate() {
            let numbers = [x[(i, 0)], x[(i, 1)], *a, *b, *error].map(|value| value.to_string());
            rows.push([made.label.clone(), (i + 1).to_string()].into_iter().chain(numbers).collect());
        }
    }
    csv(&rows)
}
