//! `emmf-fuzz`: lists the targets, runs them for some time, and repeats one case.
#![expect(clippy::print_stdout, reason = "this is what a program is for")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use emmf_fuzz::{Campaign, TARGETS, Tally, Target, batch, find, judge, set_limit};

/// Seconds after which a case of a campaign hangs.
const PATIENCE: u64 = 20;

/// Tries the program with hostile files, models, records, images, experiments and specs.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Says what can be tried.
    List,
    /// Tries targets, all of them by default, in turn; exits with 1 where it finds something.
    Run {
        /// Targets.
        targets: Vec<String>,
        /// Minutes in all.
        #[arg(long, default_value_t = 1.0)]
        minutes: f64,
        /// Number of the first case; by default taken from the clock.
        #[arg(long)]
        from: Option<u64>,
        /// Processes at a time; by default one for each core.
        #[arg(long)]
        jobs: Option<usize>,
    },
    /// Repeats a case and says what it is.
    Case {
        /// Its target.
        target: String,
        /// Its number.
        number: u64,
        /// Writes its bytes here.
        #[arg(long)]
        write: Option<PathBuf>,
        /// Says what it is, but does not try it.
        #[arg(long)]
        only_show: bool,
    },
    /// Tries cases in this process, one line each.
    #[command(hide = true)]
    Batch {
        /// Their target.
        target: String,
        /// The first.
        from: u64,
        /// The one after the last.
        end: u64,
    },
}

fn main() -> Result<ExitCode> {
    match Args::parse().command {
        Action::List => TARGETS.iter().for_each(|target| println!("{:<12} {}", target.name, target.about)),
        Action::Run { targets, minutes, from, jobs } => return run(&targets, minutes, from, jobs),
        Action::Case { target, number, write, only_show } => {
            let target = named(&target)?;
            let case = target.case(number);
            println!("{}", case.show());
            if let Some(file) = write {
                std::fs::write(&file, case.bytes()).with_context(|| file.display().to_string())?;
            }
            if !only_show {
                match judge(target, number) {
                    Ok(answer) => println!("fine: {answer:?}"),
                    Err(what) => {
                        println!("FINDING: {what}");
                        return Ok(ExitCode::FAILURE);
                    }
                }
            }
        }
        Action::Batch { target, from, end } => {
            set_limit(PATIENCE);
            batch(named(&target)?, from, end, &mut std::io::stdout().lock())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn named(name: &str) -> Result<&'static Target> {
    find(name).with_context(|| format!("there is no target '{name}'; see emmf-fuzz list"))
}

fn run(targets: &[String], minutes: f64, from: Option<u64>, jobs: Option<usize>) -> Result<ExitCode> {
    if !(minutes > 0.0 && minutes < 1e6) {
        bail!("--minutes is {minutes}, but must be above 0");
    }
    let chosen: Vec<&Target> = match targets {
        [] => TARGETS.iter().collect(),
        names => names.iter().map(|name| named(name)).collect::<Result<_>>()?,
    };
    let from = from.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0, |now| now.as_secs() % 1_000_000 * 1_000_000)
    });
    let jobs = jobs.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    println!("cases from {from} on, for {minutes} minutes, {jobs} at a time");
    let campaign = Campaign::new(&chosen, Duration::from_secs_f64(60.0 * minutes), from);
    let tallies = campaign.run(jobs, |target, number, what| {
        println!("{} {number}: {what}\n  again: emmf-fuzz case {} {number}", target.name, target.name);
    })?;
    Ok(report(&tallies))
}

fn report(tallies: &[Tally]) -> ExitCode {
    println!("\n{:<12} {:>12} {:>12} {:>12} {:>9}", "target", "cases", "read well", "refused", "findings");
    for tally in tallies {
        let Tally { target, taken, refused, findings, .. } = tally;
        println!("{:<12} {:>12} {taken:>12} {refused:>12} {:>9}", target.name, tally.cases(), findings.len());
    }
    let findings: usize = tallies.iter().map(|tally| tally.findings.len()).sum();
    if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
