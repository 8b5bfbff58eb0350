//! `emmf fit`: from a file to centroids, clusters and outlier scores.

use std::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use emmf::preprocess::Normalize;
use emmf::registry::{DEFAULT, GraphUse};
use emmf::{Choice, Cut, Fit, Given, Missing, Real, Running, Samples, Spec};
use emmf_io::{
    Budget, DataInfo, Dtype, Features, Matrix, ReadOptions, Record, ResultFolder, Results, Sketch,
    TableFormat,
};
use emmf_report::report_page;

use crate::args::FitArgs;
use crate::assumed;
use crate::complain;
use crate::grid;
use crate::input::{self, Work};
use crate::interrupt;
use crate::look::About;
use crate::online;
use crate::progress::{Counting, Progress, Waiting};
use crate::report;
use crate::resume::{self, Keeper};
use crate::summary;
use crate::values::{ChooseName, Clusters, Layers, NormalizeName, TableName};
use crate::wording::{self, explained};

pub(crate) fn run(args: &FitArgs) -> Result<()> {
    interrupt::fitting();
    if args.online.is_asked() {
        return online::run(args);
    }
    let folder = args.out.as_deref().map(ResultFolder::open).transpose()?;
    // A typing error in the name must not wait for a long file.
    let entry = emmf::registry::find(method(args)).map_err(|error| explained(&error, &args.input.data))?;
    tables(args, (0, 0, 0))?;
    cut(args).threshold(&[]).map_err(|error| explained(&error, &args.input.data))?;
    let mut spec = spec(args)?;
    let merged = args.layers.is_some() && args.graph.is_asked();
    spec.graph = args.graph.spec(merged || entry.facts.graph == GraphUse::Needed, args.as_published)?;
    if args.normalize.is_empty() && args.look.has_texts(&args.input.data)? {
        spec.normalize = vec![Normalize::Tfidf, Normalize::Unit];
    }
    if let Some(page) = page(args) {
        check_page(args, &page)?;
    }
    let work = |shape, dtype, streamed| {
        let spec = Fitting::spec_of(args, &spec, streamed);
        match dtype {
            Dtype::F32 => spec.memory::<f32>(shape, streamed, args.threads),
            Dtype::F64 => spec.memory::<f64>(shape, streamed, args.threads),
        }
    };
    let data = (&args.input, &args.look);
    let budget = &input::budget(args.max_memory);
    let reading = Waiting::new("reading the samples", args.quiet);
    let input = input::open(data, (args.gaps.meaning(), budget), None, work)?;
    drop(reading);
    assumed::tell(args, &input);
    let input = match args.top_features {
        Some(most) => input.with_top_features(most, &args.input.data, budget)?,
        None => input,
    };
    input.work((&args.gaps, budget), Fitting { args, spec: &spec, budget, folder: folder.as_ref() })
}

struct Fitting<'a> {
    args: &'a FitArgs,
    spec: &'a Spec,
    folder: Option<&'a ResultFolder>,
    budget: &'a Budget,
}

impl Fitting<'_> {
    /// The fit, by default without a graph where samples are read in blocks: neighbours are looked for among all samples, which
    /// would be read again and again.
    fn spec_of(args: &FitArgs, spec: &Spec, streamed: bool) -> Spec {
        let mut spec = spec.clone();
        if streamed && follows_by_default(args) {
            (spec.method, spec.graph) = (WITHOUT_GRAPH.into(), None);
        }
        spec
    }
}

/// Whether the graph that a fit follows is one that nobody asked for. (Layers are merged along one, which whoever asks for them
/// waits for.)
fn follows_by_default(args: &FitArgs) -> bool {
    args.method.is_none() && args.graph.graph.is_none() && args.layers.is_none()
}

impl Work for Fitting<'_> {
    fn run<T: Real>(self, x: Samples<'_, T>, about: About) -> Result<()> {
        let mut spec = Self::spec_of(self.args, self.spec, matches!(x, Samples::Stream(_)));
        let began = Instant::now();
        if self.args.layers == Some(Layers::Auto) {
            let waiting = Waiting::new("choosing the layers", self.args.quiet);
            let widths = spec.choose_layers(x, &Running::on(self.args.threads));
            drop(waiting);
            let widths = widths.map_err(|error| explained(&error, &self.args.input.data))?;
            if let ([one], false) = (&widths[..], self.args.quiet) {
                complain(&format!("--layers auto finds one layer, of {one} nodes: there is no tree"));
            }
            spec = spec.layered(&widths);
        }
        let choice = match &self.args.k {
            Clusters::Among(ks) if self.args.layers.is_none() => match resume::choice(self.args)? {
                Some(choice) => Some(choice),
                None => Some(choose(self.args, &spec, x, ks)?),
            },
            _ => None,
        };
        spec.k = choice.as_ref().map_or(spec.k, |choice| choice.k);
        let chosen = Chosen { choice, spent: began.elapsed() };
        fit((self.args, self.budget), &spec, x, (about, chosen), self.folder)
    }
}

/// What was chosen before the fit, and how long that took.
struct Chosen {
    choice: Option<Choice>,
    spent: Duration,
}

/// The number of clusters, or the rank, of these samples.
fn choose<T: Real>(
    args: &FitArgs,
    spec: &Spec,
    x: Samples<'_, T>,
    ks: &RangeInclusive<usize>,
) -> Result<Choice> {
    let progress = Counting::new("choosing the number of centroids", args.quiet);
    let running = Running::on(args.threads);
    let seen = |done, all| {
        progress.step(done, all);
        ControlFlow::Continue(())
    };
    let choice = match args.choose {
        ChooseName::Clusters => spec.choose_k(x, ks.clone(), seen, &running),
        ChooseName::Rank => spec.choose_rank(x, ks.clone(), seen, &running),
    };
    drop(progress);
    choice.map_err(|error| explained(&error, &args.input.data))
}

/// Where the scores of outliers begin.
fn cut(args: &FitArgs) -> Cut {
    args.contamination.map_or_else(Cut::default, Cut::Share)
}

/// The page to write.
fn page(args: &FitArgs) -> Option<PathBuf> {
    let named = args.report.as_ref()?.clone();
    let beside = || args.out.as_ref().map_or_else(|| "report.html".into(), |out| out.join("report.html"));
    Some(named.unwrap_or_else(beside))
}

/// Whether the page can be written, so that this is known before the work.
fn check_page(args: &FitArgs, page: &Path) -> Result<()> {
    let in_out = args.out.as_ref().is_some_and(|out| page.parent() == Some(out.as_path()));
    let name = page.file_name().and_then(|name| name.to_str());
    if in_out && name.is_some_and(emmf_io::is_result_file) {
        bail!("--report {} is one of the result files; name another one", page.display());
    }
    if in_out { Ok(()) } else { Ok(emmf_io::check_writable(page)?) }
}

/// A number of clusters to reckon with before one is chosen.
const LIKELY: usize = 20;

/// The default where there can be no graph.
pub(crate) const WITHOUT_GRAPH: &str = "emmf";

/// The default with layers.
const DEEP: &str = "deep-emmf";

/// The method that was named, or what is best for data nobody prepared.
fn method(args: &FitArgs) -> &str {
    // What the graph method cannot do.
    let alone = args.gaps.meaning() == Missing::Nan
        || args.solver.is_some()
        || args.exponent.is_some()
        || args.consensus;
    let default = match args.layers {
        Some(_) => DEEP,
        None if alone => WITHOUT_GRAPH,
        None => DEFAULT,
    };
    args.method.as_deref().unwrap_or(default)
}

pub(crate) fn spec(args: &FitArgs) -> Result<Spec> {
    let k = match &args.k {
        Clusters::Fixed(k) => *k,
        // Until one is chosen, a number like those that mostly are.
        Clusters::Among(ks) => LIKELY.clamp(*ks.start(), *ks.end()),
    };
    let mut spec = Spec::new(method(args), k)
        .sweeps(args.sweeps)
        .normalize(normalize(&args.normalize)?)
        .seed(args.seed)
        .restarts(args.restarts)
        .consensus(args.consensus)
        .max_iter(args.max_iter)
        .missing(args.gaps.meaning());
    (spec.label_rule, spec.clusters) = (args.label_rule.map(Into::into), args.clusters);
    (spec.solver, spec.tol) = (args.solver.map(Into::into), args.tol);
    (spec.exponent, spec.time_limit) = (args.exponent, args.time_limit);
    spec.outliers = args.outliers.map(Into::into);
    if args.as_published {
        spec = spec.as_published();
    }
    spec.init = args.init.map_or(spec.init, |init| Some(init.into()));
    spec.init_restarts = args.init_restarts.unwrap_or(spec.init_restarts);
    spec.epsilon = args.epsilon;
    spec.stop_by = args.graph.stop_by.map(Into::into);
    if let Some(lambda) = args.graph.lambda {
        spec = spec.param("lambda", lambda);
    }
    if let Some(Layers::Fixed(widths)) = &args.layers {
        spec = spec.layered(widths);
    }
    Ok(args.params.iter().fold(spec, |spec, (name, value)| spec.param(name, *value)))
}

fn normalize(names: &[NormalizeName]) -> Result<Vec<Normalize>> {
    if names.len() > 1 && names.contains(&NormalizeName::None) {
        bail!("--normalize none cannot be combined with other steps; leave it out or give it alone");
    }
    Ok(names.iter().filter_map(|&name| name.into()).collect())
}

fn fit<T: Real>(
    (args, budget): (&FitArgs, &Budget),
    spec: &Spec,
    x: Samples<'_, T>,
    (about, Chosen { choice, spent }): (About, Chosen),
    folder: Option<&ResultFolder>,
) -> Result<()> {
    let (n, d) = x.shape();
    let weights = args.sample_weights.as_deref().map(|path| read_weights(path, n, budget)).transpose()?;
    let start = args.start.as_deref().map(|path| emmf_io::read_start(path, budget)).transpose()?;
    let graph = args.graph.read(n, budget)?;
    let saved = resume::resumed(args, x)?;
    let card = args.device.card(spec, &x).map_err(|error| explained(&error, &args.input.data))?;
    let most = args.max_device_memory.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    let card = card.map(|card| card.holding(most));
    // Where nobody says where to start, it is at the clusters by which k was chosen.
    let is_open = args.init.is_none() && args.start.is_none() && !args.as_published;
    let timed = |spec: &Spec, spent: Duration| -> Result<emmf::Result<Fit<T>>> {
        let keeper = Keeper::new((args, spent), x, choice.as_ref())?;
        let mut progress = Progress::new(spec.restarts, spec.max_iter, args.quiet).keeping(keeper);
        let given = Given {
            sample_weights: weights.as_deref(),
            start: start.as_ref(),
            clusters: choice.as_ref().and_then(|choice| choice.clusters.as_deref()).filter(|_| is_open),
            graph: graph.as_ref(),
            observer: Some(&mut progress),
            resume: saved.as_ref(),
            device: card.as_ref().map(|card| card as _),
            spent,
            running: Running::on(args.threads),
            ..Given::default()
        };
        Ok(spec.on(x).given(given).fit())
    };
    let one = |spec: &Spec| {
        let fit = match timed(spec, spent)? {
            Err(emmf::Error::OutOfTime) if follows_by_default(args) => {
                if !args.quiet {
                    complain("--time-limit left no time for a graph: emmf, without one");
                }
                let spec = Spec { method: WITHOUT_GRAPH.into(), graph: None, ..spec.clone() };
                timed(&spec, Duration::MAX)?
            }
            fit => fit,
        };
        fit.map_err(|error| explained(&error, at_fault(&error, args)))
    };
    let (fit, found) = match &args.grid {
        None => (one(spec)?, None),
        Some(grid) => {
            let (fit, found) =
                grid::search(args, (spec, grid), (x, about.labels.as_ref(), graph.as_ref()), one)?;
            (fit, Some(found))
        }
    };
    let sparse = matches!(x, Samples::Csr(_));
    let name = args.input.data.file_name().unwrap_or(args.input.data.as_os_str());
    let info = DataInfo { name: name.to_string_lossy().into(), n, d, dtype: T::NAME.into(), sparse };
    let notes = about.notes();
    let features = Features { names: notes.features.as_deref(), image: notes.image };
    let mut record = Record::new(&fit, info, about.labels)?;
    record.grid = found;
    record.threshold =
        cut(args).threshold(&fit.scores).map_err(|error| explained(&error, &args.input.data))?;
    record.notes = about.remarks.iter().map(ToString::to_string).collect();
    (record.samples.name, record.samples.text) = (about.names, about.texts);
    (record.choice, record.command) = (choice.map(Choice::without_clusters), Some(command_line(&args.words)));
    let page = page(args);
    let drawing = Waiting::new("drawing the samples", args.quiet);
    if args.out.is_some() || page.is_some() {
        record.sketch = Some(Sketch::on(&Running::on(args.threads), &fit, x, features)?);
    }
    let text = page.as_ref().map(|_| report_page(&report::title(&[&record]), &[&record])).transpose()?;
    drop(drawing);
    let writing = folder.map(|_| Waiting::new("writing the results", args.quiet));
    let page = page.as_deref().zip(text.as_deref());
    match (folder, page) {
        (Some(folder), _) => {
            let (tables, anndata) = tables(args, (n, d, fit.v.cols()))?;
            let anndata = anndata.then_some(args.input.data.as_path());
            let record = &mut record;
            folder.write(Results { fit: &fit, record, notes: &notes, page, tables: &tables, anndata })?;
        }
        (None, Some((path, text))) => emmf_io::write_atomically(path, |out| out.write_all(text.as_bytes()))?,
        (None, None) => {}
    }
    drop(writing);
    if let Some(out) = args.out.as_deref().filter(|_| !record.stop.is_early()) {
        resume::done(out);
    }
    let page = page.map(|(path, _)| path);
    if args.json { summary::print_json(&record) } else { summary::print(&record, args.out.as_deref(), page) }
}

/// Numbers that are written as text without being asked for.
const MOST_NUMBERS: usize = 10_000_000;

/// The formats of coefficients and centroids, and whether the AnnData file that was read is written with them.
fn tables(args: &FitArgs, (n, d, k): (usize, usize, usize)) -> Result<(Vec<TableFormat>, bool)> {
    let is_anndata = args.out.is_some() && !args.input.transpose && emmf_io::is_anndata(&args.input.data);
    if args.write.is_empty() {
        if (n + d).saturating_mul(k) <= MOST_NUMBERS {
            return Ok((vec![TableFormat::Csv], is_anndata));
        }
        if !args.quiet {
            complain(
                "coefficients.csv and centroids.csv would be large and are not written; use --write csv or parquet",
            );
        }
        return Ok((Vec::new(), is_anndata));
    }
    if args.write.contains(&TableName::H5ad) && !is_anndata {
        bail!(
            "--write h5ad adds the results to an AnnData file (.h5ad); {} is not one",
            args.input.data.display()
        );
    }
    let format = |name: &TableName| match name {
        TableName::Csv => Some(TableFormat::Csv),
        TableName::Parquet => Some(TableFormat::Parquet),
        TableName::Npy => Some(TableFormat::Npy),
        TableName::H5ad | TableName::None => None,
    };
    Ok((args.write.iter().filter_map(format).collect(), args.write.contains(&TableName::H5ad)))
}

/// The command as it can be typed again.
fn command_line(words: &[String]) -> String {
    std::iter::once("emmf".to_owned())
        .chain(words.iter().map(|word| wording::quoted(word)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The file that an error is about.
fn at_fault<'a>(error: &emmf::Error, args: &'a FitArgs) -> &'a Path {
    if let (emmf::Error::Shape { what: "the given graph", .. }, Some(graph)) = (error, &args.graph.graph) {
        return Path::new(graph);
    }
    let given = |what: &str| what.starts_with("the given");
    let of_start = match error {
        emmf::Error::Shape { what, .. } => given(what),
        emmf::Error::Param { name, .. } => given(name),
        _ => false,
    };
    args.start.as_ref().filter(|_| of_start).unwrap_or(&args.input.data)
}

fn read_weights(path: &Path, samples: usize, budget: &Budget) -> Result<Vec<f64>> {
    let file = path.display();
    let options = ReadOptions { budget: budget.clone(), ..ReadOptions::default() };
    let weights = match emmf_io::read(path, &options)?.x.into_f64() {
        Matrix::Dense(weights) if weights.cols() == 1 => weights.into_vec(),
        weights => {
            bail!("{file}: has {} columns; sample weights are one number per line", weights.shape().1)
        }
    };
    if weights.len() != samples {
        bail!("{file}: has {} sample weights for {samples} samples; give one for each", weights.len());
    }
    let is_bad = |weight: &&f64| !(**weight >= 0.0 && weight.is_finite());
    if let Some((row, weight)) = weights.iter().enumerate().find(|(_, weight)| is_bad(weight)) {
        bail!("{file}: the weight of sample {row} (from 0) is {weight}, but must be finite and nonnegative");
    }
    Ok(weights)
}
