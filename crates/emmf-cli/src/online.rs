//! `emmf fit --batch` and `--update`: samples that come in batches, from a file or a pipe that need not end.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use emmf::{Given, Model, Real, Running, Samples, Spec};
use emmf_io::{AnyModel, MODEL_FILE, Notes, Numbers, RECORD_FILE, ResultFolder};

use crate::args::{FitArgs, heading};
use crate::batches::{Batch, Batches};
use crate::fit::{self, WITHOUT_GRAPH};
use crate::input::{self, called};
use crate::look::About;
use crate::matching::matched;
use crate::output::model_file;
use crate::values::{Clusters, count};
use crate::wording::explained;
use crate::{complain, interrupt};

/// How often a model that learns from a pipe is written.
const WRITTEN: Duration = Duration::from_secs(1);

#[derive(ClapArgs)]
#[command(next_help_heading = heading::BATCHES)]
pub(crate) struct OnlineArgs {
    /// Learn in batches of N samples each, and keep none of them
    ///
    /// DATA is text, NPY or Parquet, or text from a pipe that never ends. The first batch provides the start and the reference for outliers; later samples that are outliers by it are left out unless --outliers keep is given.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, hide_short_help = true)]
    pub(crate) batch: Option<usize>,
    /// Continue training a model of --batch on DATA
    ///
    /// RESULT is the folder of the model, or its model.safetensors. All samples are learned at once or in batches; the model is written back to its file, or to --out.
    #[arg(long, value_name = "RESULT", hide_short_help = true)]
    pub(crate) update: Option<PathBuf>,
    /// Number of samples after which an older sample counts half [default: none is forgotten]
    #[arg(
        long,
        value_name = "SAMPLES",
        requires = "batch",
        conflicts_with = "update",
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub(crate) half_life: Option<f64>,
}

impl OnlineArgs {
    /// Whether samples come in batches.
    pub(crate) fn is_asked(&self) -> bool {
        self.batch.is_some() || self.update.is_some()
    }
}

pub(crate) fn run(args: &FitArgs) -> Result<()> {
    check(args)?;
    let (file, folder) = place(args)?;
    let mut learner = Learner { args, file, model: None, seen: 0, batches: 0, written: None, warned: false };
    if let Some(path) = args.online.update.as_deref().map(model_file) {
        let (model, notes) = emmf_io::read_model_and_notes(&path)?;
        if !has_past(&model) {
            bail!(
                "{}: cannot continue learning, because it was fitted to all samples at once; make one with emmf fit DATA --batch N",
                path.display()
            );
        }
        learner.model = Some((model, notes));
        interrupt::iterating();
    }
    let mut batches = Batches::open(args, learner.model.as_ref().map(|(_, notes)| notes))?;
    while let Some((x, about)) = batches.next()? {
        learner.learn(x, about)?;
        if interrupt::is_asked() {
            break;
        }
    }
    if learner.model.is_none() || learner.batches == 0 {
        bail!("{}: has no samples", called(&args.input.data));
    }
    learner.write()?;
    drop(folder);
    Ok(())
}

/// What cannot be had batch by batch is refused.
fn check(args: &FitArgs) -> Result<()> {
    let asked = [
        ("--grid", args.grid.is_some()),
        ("--layers", args.layers.is_some()),
        ("--consensus", args.consensus),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--report", args.report.is_some()),
        ("--start", args.start.is_some()),
        ("--sample-weights", args.sample_weights.is_some()),
        ("--max-memory", args.max_memory.is_some()),
        ("--graph", args.graph.graph.is_some()),
        ("--as-published", args.as_published),
        ("--missing nan", args.gaps.meaning() == emmf::Missing::Nan),
    ];
    if let Some((name, _)) = asked.into_iter().find(|(_, asked)| *asked) {
        bail!(
            "{name} cannot be combined with --batch or --update, which see every sample once; leave it out"
        );
    }
    args.device.only_cpu("batches").map_err(|error| explained(&error, &args.input.data))?;
    if args.online.batch.is_some() && args.look.is_special(&args.input.data, None) {
        bail!("--batch takes text, NPY or Parquet; give folders and texts to a fit of all samples at once");
    }
    Ok(())
}

/// The file for the model, and the lock on its folder.
fn place(args: &FitArgs) -> Result<(PathBuf, Option<ResultFolder>)> {
    match (&args.out, &args.online.update) {
        (Some(out), _) => {
            let folder = ResultFolder::open(out)?;
            if out.join(RECORD_FILE).exists() {
                bail!("{}: holds the results of another fit; choose another folder", out.display());
            }
            Ok((out.join(MODEL_FILE), Some(folder)))
        }
        (None, Some(model)) => {
            let file = model_file(model);
            emmf_io::check_writable(&file)?;
            Ok((file, None))
        }
        (None, None) => bail!("--batch needs --out DIR, a folder for the model"),
    }
}

fn has_past(model: &AnyModel) -> bool {
    match model {
        AnyModel::F32(model) => model.past().is_some(),
        AnyModel::F64(model) => model.past().is_some(),
    }
}

struct Learner<'a> {
    args: &'a FitArgs,
    file: PathBuf,
    model: Option<(AnyModel, Notes)>,
    seen: usize,
    batches: usize,
    written: Option<Instant>,
    warned: bool,
}

impl Learner<'_> {
    fn learn(&mut self, x: Numbers, mut about: About) -> Result<()> {
        let (model, notes, batch) = match self.model.take() {
            None => {
                about.usual = input::usual(&self.args.input);
                let notes = about.notes();
                let (model, batch) = match x {
                    Numbers::F32(x) => self.begin(x.samples(), AnyModel::F32)?,
                    Numbers::F64(x) => self.begin(x.samples(), AnyModel::F64)?,
                };
                interrupt::iterating();
                (model, notes, batch)
            }
            Some((model, notes)) => {
                let given = x.shape().1;
                let order = matched((&mut about, given), &self.args.input.data, (&model, &notes))?;
                let x = x.in_order(&order)?;
                let (model, batch) = match model {
                    AnyModel::F32(model) => self.go_on(&model, x.into_f32().samples(), AnyModel::F32)?,
                    AnyModel::F64(model) => self.go_on(&model, x.into_f64().samples(), AnyModel::F64)?,
                };
                (model, notes, batch)
            }
        };
        (self.seen, self.batches) = (self.seen + batch.samples, self.batches + 1);
        self.model = Some((model, notes));
        batch.print(self.args)?;
        self.warn(&batch);
        if self.written.is_none_or(|at| at.elapsed() > WRITTEN) {
            self.write()?;
        }
        Ok(())
    }

    /// Once, where most of a batch has no part: then the first one did not show what is usual.
    fn warn(&mut self, batch: &Batch) {
        if !self.warned && self.batches > 1 && 2 * batch.outliers.len() > batch.samples {
            self.warned = true;
            complain(&format!(
                "batch {}: most of its samples are unlike those of the first batch and are left out; if they \
                 are not junk, shuffle the rows first, use a larger --batch, or give --outliers keep",
                batch.number
            ));
        }
    }

    fn begin<T: Real>(&self, x: Samples<'_, T>, any: fn(Model<T>) -> AnyModel) -> Result<(AnyModel, Batch)> {
        let failed = |error: emmf::Error| explained(&error, &self.args.input.data);
        let running = Running::on(self.args.threads);
        let mut spec: Spec = fit::spec(self.args)?;
        spec.method = self.args.method.clone().unwrap_or_else(|| WITHOUT_GRAPH.into());
        if let Clusters::Among(ks) = &self.args.k {
            let go_on = |_, _| std::ops::ControlFlow::Continue(());
            let choice = spec.choose_k(x, ks.clone(), go_on, &running).map_err(failed)?;
            if !self.args.quiet {
                complain(&format!("k = {choice}"));
            }
            spec.k = choice.k;
        }
        let given = Given { running, ..Given::default() };
        let fit = spec.fit_online(x, given, self.args.online.half_life).map_err(failed)?;
        let outliers = fit.outliers(emmf::Cut::default()).map_err(failed)?;
        let rows = (0..outliers.len()).filter(|&i| outliers[i]).collect();
        Ok((any(fit.model), self.batch(&fit.residuals, rows)))
    }

    fn go_on<T: Real>(
        &self,
        model: &Model<T>,
        x: Samples<'_, T>,
        any: fn(Model<T>) -> AnyModel,
    ) -> Result<(AnyModel, Batch)> {
        let updated = model.update(x, None, &Running::on(self.args.threads));
        let updated = updated.map_err(|error| {
            let after = format!("after {} samples", self.seen);
            explained(&error, &self.args.input.data).context(after)
        })?;
        let above = emmf::outliers::outliers(&updated.coded.scores, &[], emmf::outliers::THRESHOLD);
        let rows = above.enumerate().filter(|(_, above)| *above).map(|(i, _)| i).collect();
        Ok((any(updated.model), self.batch(&updated.coded.residuals, rows)))
    }

    fn batch(&self, residuals: &[f64], outliers: Vec<usize>) -> Batch {
        let mut sorted = residuals.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let residual = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
        let rows = outliers.into_iter().map(|i| self.seen + i).collect();
        Batch { number: self.batches, samples: residuals.len(), first: self.seen, outliers: rows, residual }
    }

    fn write(&mut self) -> Result<()> {
        match &self.model {
            Some((AnyModel::F32(model), notes)) => emmf_io::write_model(&self.file, model, notes)?,
            Some((AnyModel::F64(model), notes)) => emmf_io::write_model(&self.file, model, notes)?,
            None => {}
        }
        self.written = Some(Instant::now());
        Ok(())
    }
}
