//! The command line: `emmf`.

#![forbid(unsafe_code)]

mod args;
mod demo;
mod explain;
mod fit;
mod gaps;
mod graph;
mod grid;
mod input;
mod interrupt;
mod methods;
mod output;
mod progress;
mod score;
mod synth;
mod transform;
mod values;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

/// Exit code for bad input of any kind.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    interrupt::listen();
    let done = match args.command {
        Command::Fit(args) => fit::run(&args),
        Command::Transform(args) => transform::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Synth(args) => synth::run(&args.kind),
        Command::Methods(args) => methods::run(&args),
        Command::Demo(args) => demo::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: {error:#}"));
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = match error.downcast_ref::<emmf_io::Error>().map(|error| &error.problem) {
        Some(emmf_io::Problem::Write(error)) => Some(error.kind()),
        _ => error.downcast_ref::<std::io::Error>().map(std::io::Error::kind),
    };
    kind == Some(ErrorKind::BrokenPipe)
}

/// A line on standard error, which may be gone.
fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
