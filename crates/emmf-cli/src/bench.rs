//! `emmf bench`: experiments of many runs, those of the paper among them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use emmf_bench::{Experiment, Measure, Store, Summary, finish, paper};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::complain;
use crate::interrupt::uninterrupted;
use crate::output::{print, table};

/// The small data sets, a few seeds and iterations: enough to see that everything works.
const QUICK: (&[&str], u64, usize) = (&["yale", "movement", "jaffe"], 2, 30);

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf bench table2 --data sets --seeds 5\n  \
    emmf bench mine.toml --out results --jobs 2 --resume\n  \
    emmf bench --paper --quick")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct BenchArgs {
    /// A TOML file, or an experiment of the paper: table2, table3, table4, fig-outlier-curves, fig-lambda.
    #[arg(value_name = "EXPERIMENT", required_unless_present = "paper", conflicts_with = "paper")]
    experiment: Option<PathBuf>,
    /// All experiments of the paper.
    #[arg(long)]
    paper: bool,
    /// Two seeds, 30 iterations and the small data sets only.
    #[arg(long)]
    quick: bool,
    /// Folder with the data sets of the paper [default: $EMMF_DATA, else data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Folder for the results; each experiment has its own in there.
    #[arg(long, value_name = "DIR", default_value = "bench")]
    out: PathBuf,
    /// Seeds of every method [default: what the experiment says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// Runs at a time, each on one thread [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Go on with the results that are there.
    #[arg(long)]
    resume: bool,
    /// No progress.
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    if let Some(file) = &args.experiment {
        return bench(args, adapted(Experiment::read(file)?, args));
    }
    let mut ended = 0;
    for experiment in paper()? {
        match bench(args, adapted(experiment, args)) {
            Ok(()) => ended += 1,
            Err(error) => complain(&format!("left out: {error:#}")),
        }
    }
    if ended == 0 {
        bail!("no experiment has ended; what is missing stands above");
    }
    Ok(())
}

fn adapted(mut experiment: Experiment, args: &BenchArgs) -> Experiment {
    if args.quick {
        let (sets, seeds, iterations) = QUICK;
        let few =
            experiment.data.iter().filter(|name| sets.contains(&name.as_str())).cloned().collect::<Vec<_>>();
        if !few.is_empty() {
            experiment.data = few;
        }
        (experiment.seeds, experiment.max_iter) = (seeds, iterations);
    }
    experiment.seeds = args.seeds.unwrap_or(experiment.seeds);
    experiment
}

/// Makes the runs of an experiment and writes its tables.
fn bench(args: &BenchArgs, experiment: Experiment) -> Result<()> {
    let folder = args.out.join(&experiment.name);
    let file = folder.join("results.csv");
    if file.exists() && !args.resume {
        bail!("{} is there already; go on with --resume, or take another --out", file.display());
    }
    let plan = experiment.plan();
    std::fs::create_dir_all(&folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    let mut store = Store::open(&file)?;
    let progress = progress(&plan.experiment.name, plan.cases.len(), args.quiet);
    let jobs = args.jobs.map_or_else(cores, usize::from);
    let seen = |done| progress.set_position(done as u64);
    let left_out = finish(&plan, &mut store, (&data_folder(args), jobs), seen);
    progress.finish_and_clear();
    let found = uninterrupted(|| store.sort(&plan))?;
    let left_out = left_out?;
    if found.is_empty() {
        forget(&args.out, &folder, &file);
        let reasons: Vec<String> = left_out.iter().map(ToString::to_string).collect();
        bail!("no run of {} has ended: {}", plan.experiment.name, reasons.join("; "));
    }
    left_out.iter().for_each(|error| complain(&format!("left out: {error}")));
    let summaries = Measure::ALL.map(|measure| Summary::new(&plan, &found, measure));
    uninterrupted(|| write_tables(&folder, &plan.experiment, &summaries))?;
    show(&plan.experiment, summaries)?;
    if !args.quiet {
        complain(&format!("written to {}", folder.display()));
    }
    Ok(())
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

fn write_tables(folder: &Path, experiment: &Experiment, summaries: &[Summary]) -> Result<()> {
    let mut page = format!("# {}\n\n", experiment.title);
    let mut latex = String::new();
    for note in &experiment.notes {
        writeln!(page, "{note}\n")?;
    }
    writeln!(page, "{LEGEND}\n")?;
    for summary in summaries {
        writeln!(page, "{}", summary.markdown().to_markdown())?;
        writeln!(
            latex,
            "% {}, {}\n{}",
            experiment.title,
            summary.measure.name(),
            summary.latex().to_latex()
        )?;
    }
    let written = [("table.md", page), ("table.tex", latex)];
    for (name, text) in written {
        emmf_io::write_atomically(&folder.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}

const LEGEND: &str = "Mean ± standard deviation over the seeds; in brackets the paper's value and how much ours is above it. The best of a \
column is in bold; a star marks what cannot be told apart from it (paired over the seeds, 5 %).";

fn show(experiment: &Experiment, summaries: [Summary; 2]) -> Result<()> {
    writeln!(std::io::stdout(), "{}\n", experiment.title)?;
    for summary in summaries {
        let plain = summary.plain();
        let mut shown = table(plain.head.iter().map(String::as_str));
        plain.rows.into_iter().for_each(|row| {
            shown.add_row(row);
        });
        print(&shown)?;
        writeln!(std::io::stdout())?;
    }
    Ok(())
}
