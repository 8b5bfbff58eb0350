//! The command line: `emmf`.

#![forbid(unsafe_code)]

mod args;
mod assumed;
mod batches;
mod bench;
mod config;
mod demo;
mod device;
mod explain;
mod fit;
mod gaps;
mod graph;
mod grid;
mod input;
mod interrupt;
mod look;
mod matching;
mod methods;
mod offered;
mod online;
mod output;
mod plot;
mod progress;
mod report;
mod resume;
mod score;
mod shell;
mod summary;
mod synth;
mod tips;
mod transform;
mod values;
mod wording;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anstream::AutoStream;

use args::Command;

/// Exit code for bad input of any kind.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    hush_caught_panics();
    let args = match config::arguments() {
        Ok(args) => args,
        Err(error) => return fail(&error),
    };
    interrupt::listen();
    let done = match args.command {
        Command::Fit(args) => fit::run(&args),
        Command::Transform(args) => transform::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Synth(args) => synth::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Device(args) => device::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Completions(args) => shell::completions(args.shell),
        Command::Man(args) => shell::manual(&args),
    };
    match done {
        Ok(()) => interrupt::exit_code().map_or(ExitCode::SUCCESS, ExitCode::from),
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// A panic that becomes an error is reported once, as the error.
fn hush_caught_panics() {
    let say = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !emmf_io::is_guarded() {
            say(panic);
        }
    }));
}

fn fail(error: &anyhow::Error) -> ExitCode {
    let text = wording::in_words(error).unwrap_or_else(|| format!("{error:#}"));
    let text = output::folded(&format!("error: {text}"));
    let text = text.strip_prefix("error:").unwrap_or(&text);
    // In colour only where a terminal shows it and NO_COLOR does not forbid it.
    let _ = writeln!(AutoStream::auto(std::io::stderr()), "\x1b[1;31merror:\x1b[0m{text}");
    ExitCode::from(BAD_INPUT)
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
    let _ = writeln!(std::io::stderr(), "{}", output::folded(line));
}
