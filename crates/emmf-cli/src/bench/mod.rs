//! `emmf bench`: experiments of many runs, those of the paper among them.

mod files;

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use emmf_bench::{
    Experiment, Kind, Plan, Results, ResultsFile, Runs, Shown, Store, finish, paper, paper_page, show_runs,
    terminal_tables,
};
use emmf_report::Block;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::complain;
use crate::interrupt::resumable;
use crate::offered::ExperimentFile;
use crate::output::{print, table, wrote};

/// What stands above results that say nothing of their origin.
const OLD: &str = "**These results are from emmf 0.1**, which recorded neither the settings nor the data of \
                   its runs: nobody can tell whether they were made as this page says.";

#[derive(ClapArgs)]
#[command(
    after_help = "Experiments of the paper: table1, table2, table3, graph-start, table4, fig-toy-outliers, fig-toy-clean, \
    fig-outlier-effect, fig-bound, fig-convergence, fig-convergence-graph, fig-outlier-curves, fig-lambda, \
    fig-block-noise.\n\nExamples:\n  \
    emmf bench table2 --data sets --seeds 5\n  \
    emmf bench mine.toml --out results --jobs 2 --resume\n  \
    emmf bench --paper --quick"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct BenchArgs {
    /// A TOML file, or the name of an experiment of the paper.
    #[arg(value_name = "EXPERIMENT", required_unless_present = "paper", conflicts_with = "paper", value_parser = ExperimentFile, hide_possible_values = true)]
    experiment: Option<PathBuf>,
    /// Run all experiments of the paper and write one page about all of them.
    #[arg(long)]
    paper: bool,
    /// Two seeds, 100 iterations, few values of each grid, and only the small data sets.
    #[arg(long)]
    quick: bool,
    /// Folder with the data sets of the paper [default: $EMMF_DATA, otherwise data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Use only these data sets, separated by commas.
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    only: Vec<String>,
    /// Folder for the results; each experiment has its own folder in it.
    #[arg(long, value_name = "DIR", default_value = "bench")]
    out: PathBuf,
    /// Number of seeds for every method on every data set [default: what the experiment says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// Number of runs at a time, each on one thread [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Continue from existing results, if they have the same settings and data.
    #[arg(long)]
    resume: bool,
    /// Make no runs; write tables, figures and pages from existing results.
    #[arg(long)]
    show: bool,
    /// Where --paper writes its page as Markdown, with the figures in a folder of the same name [default: in DIR].
    #[arg(long, value_name = "FILE.md", requires = "paper")]
    page: Option<PathBuf>,
    /// Print one JSON object with the folders that were written, instead of tables.
    #[arg(long)]
    json: bool,
    /// Show no progress.
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    let mut said = HashSet::new();
    if let Some(file) = &args.experiment {
        let experiment = adapted(Experiment::read(file)?, args)?;
        let shown = bench(args, &experiment, &mut said)?;
        if args.json {
            return wrote(&[&args.out.join(&experiment.name)], true);
        }
        return show(&experiment, &shown, true);
    }
    let mut all = Vec::new();
    for experiment in paper()? {
        let Ok(experiment) = adapted(experiment, args) else { continue };
        match bench(args, &experiment, &mut said) {
            Ok(shown) => {
                if !args.json {
                    show(&experiment, &shown, false)?;
                }
                all.push((experiment, shown));
            }
            Err(error) => complain(&format!("left out: {error:#}")),
        }
    }
    if all.is_empty() {
        bail!("no experiment was completed; see above for what is missing");
    }
    let page = paper_page(&all);
    files::write_paper(&args.out, args.page.as_deref(), &page)?;
    if args.json {
        let folders: Vec<PathBuf> = all.iter().map(|(made, _)| args.out.join(&made.name)).collect();
        let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
        return wrote(&folders, true);
    }
    if !args.quiet {
        complain(&format!("written to {}", args.out.display()));
    }
    Ok(())
}

fn adapted(experiment: Experiment, args: &BenchArgs) -> Result<Experiment> {
    let mut experiment = if args.quick { experiment.quick() } else { experiment };
    if let Kind::Runs(runs) = &mut experiment.kind {
        let only: Vec<&str> = args.only.iter().map(String::as_str).collect();
        if !only.is_empty() && !runs.restrict(&only) {
            bail!(
                "{}: --only {} names none of {}",
                experiment.name,
                args.only.join(","),
                runs.data.join(", ")
            );
        }
        if let Some(seeds) = args.seeds {
            runs.set_seeds(seeds);
        }
    }
    Ok(experiment)
}

/// Makes an experiment and writes all its files. Missing data sets are named once.
fn bench(args: &BenchArgs, experiment: &Experiment, said: &mut HashSet<String>) -> Result<Shown> {
    let folder = args.out.join(&experiment.name);
    let shown = match &experiment.kind {
        Kind::Runs(runs) => runs_of(args, experiment, runs.clone(), said)?,
        _ => experiment.show(&data_folder(args))?,
    };
    tell(&shown.left_out, said);
    if shown.blocks.is_empty() {
        bail!("nothing of {} could be run", experiment.name);
    }
    files::write(&folder, experiment, &shown)?;
    if !args.quiet && !args.json {
        complain(&format!("written to {}", folder.display()));
    }
    Ok(shown)
}

fn tell(reasons: &[String], said: &mut HashSet<String>) {
    let new = reasons.iter().filter(|reason| said.insert((*reason).clone()));
    new.for_each(|reason| complain(&format!("left out: {reason}")));
}

/// Makes the runs of an experiment, or takes those that are there.
fn runs_of(
    args: &BenchArgs,
    experiment: &Experiment,
    runs: Runs,
    said: &mut HashSet<String>,
) -> Result<Shown> {
    let folder = args.out.join(&experiment.name);
    let file = folder.join("results.csv");
    if file.exists() && !args.resume && !args.show {
        bail!("{} already exists; continue with --resume, or choose another --out", file.display());
    }
    let plan = Plan::new(runs).with_context(|| experiment.name.clone())?;
    let there = ResultsFile::read(&file, &plan)?;
    there.check(&plan, &data_folder(args))?;
    let (new_folder, old) = (!folder.exists(), there.is_of_0_1());
    let (found, left_out) = if args.show {
        (there.into_results(), Vec::new())
    } else {
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("{}: cannot be created", folder.display()))?;
        make(args, experiment, &plan, Store::open(there)?)?
    };
    let left_out = reasons(&left_out);
    if !plan.cases.iter().any(|case| found.contains_key(&plan.key(case))) {
        if new_folder {
            forget(&args.out, &folder, &file);
        }
        let new: Vec<String> = left_out.into_iter().filter(|reason| said.insert(reason.clone())).collect();
        let reasons = if new.is_empty() { "none of its data sets was found".into() } else { new.join("; ") };
        bail!("no run of {} was completed: {reasons}", experiment.name);
    }
    let mut shown = show_runs(&plan, &found, &experiment.name)?;
    shown.left_out = left_out;
    if old {
        shown.blocks.insert(0, Block::Text(OLD.into()));
    }
    Ok(shown)
}

/// Makes the runs that are missing, and gives all results and what was left out.
fn make(
    args: &BenchArgs,
    experiment: &Experiment,
    plan: &Plan,
    mut store: Store,
) -> Result<(Results, Vec<emmf_bench::Error>)> {
    let progress = progress(&experiment.name, plan.cases.len(), args.quiet);
    let jobs = args.jobs.map_or_else(cores, usize::from);
    let seen = |done| progress.set_position(done as u64);
    resumable();
    let left_out = finish(plan, &mut store, (&data_folder(args), jobs), seen);
    progress.finish_and_clear();
    let found = store.sort(plan)?;
    Ok((found, left_out?))
}

/// What is missing one by one, and failed runs together: they are many of a kind.
fn reasons(left_out: &[emmf_bench::Error]) -> Vec<String> {
    let is_run = |error: &&emmf_bench::Error| matches!(error, emmf_bench::Error::Run { .. });
    let mut reasons: Vec<String> =
        left_out.iter().filter(|error| !is_run(error)).map(ToString::to_string).collect();
    let failed: Vec<_> = left_out.iter().filter(is_run).collect();
    match failed[..] {
        [] => {}
        [only] => reasons.push(only.to_string()),
        [first, ..] => reasons.push(format!("{} runs failed; the first: {first}", failed.len())),
    }
    reasons
}

/// Takes away the results without results, and the folders if nothing else is in them.
fn forget(out: &Path, folder: &Path, file: &Path) {
    let _ = std::fs::remove_file(file);
    let _ = std::fs::remove_dir(folder);
    let _ = std::fs::remove_dir(out);
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

fn data_folder(args: &BenchArgs) -> PathBuf {
    let given = args.data.clone().or_else(|| std::env::var_os("EMMF_DATA").map(Into::into));
    given.unwrap_or_else(|| "data".into())
}

fn progress(name: &str, runs: usize, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} runs, {eta} left");
    let bar = ProgressBar::with_draw_target(Some(runs as u64), target);
    bar.enable_steady_tick(Duration::from_secs(1));
    let bar = bar.with_prefix(name.to_owned());
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Prints what was found, with its tables where they are wanted.
fn show(experiment: &Experiment, shown: &Shown, with_tables: bool) -> Result<()> {
    writeln!(std::io::stdout(), "{}\n", experiment.title)?;
    let tables = if with_tables { terminal_tables(shown) } else { Vec::new() };
    for found in &tables {
        let mut drawn = table(found.head.iter().map(String::as_str));
        found.plain().into_iter().for_each(|row| {
            drawn.add_row(row);
        });
        print(&drawn)?;
        writeln!(std::io::stdout())?;
    }
    if !tables.is_empty() && matches!(experiment.kind, Kind::Runs(_)) {
        writeln!(
            std::io::stdout(),
            "▲ is the best of its column; * is not significantly different (paired over the seeds, 5 %).\n"
        )?;
    }
    for claim in &shown.claims {
        writeln!(std::io::stdout(), "- {}\n", claim.sentence().replace("**", ""))?;
    }
    Ok(())
}
