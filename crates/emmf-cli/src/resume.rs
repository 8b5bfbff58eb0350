//! `--checkpoint` and `--resume`: a fit that was stopped goes on where it was.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use emmf::{Checkpoint, Choice, Real, Samples};
use emmf_io::{CHECKPOINT_FILE, Call, read_checkpoint, write_checkpoint};

use crate::args::FitArgs;
use crate::{complain, interrupt};

/// The words that `emmf fit --resume FOLDER` stands for: those of the call that was stopped, in the folder in which it
/// was typed.
pub(crate) fn expanded(typed: Vec<OsString>) -> Result<Vec<OsString>> {
    let is_resume =
        |word: &OsString| word.to_str().is_some_and(|word| word.split('=').next() == Some("--resume"));
    if typed.get(1).is_none_or(|command| command != "fit") || !typed.iter().any(is_resume) {
        return Ok(typed);
    }
    let folder = match &typed[2..] {
        [word, folder] if word == "--resume" => PathBuf::from(folder),
        [word] => PathBuf::from(
            word.to_str().and_then(|word| word.split_once('=')).map_or("", |(_, folder)| folder),
        ),
        _ => bail!("--resume FOLDER takes no other options: they come from the call that was stopped"),
    };
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let (_, call) = read_checkpoint(&folder.join(CHECKPOINT_FILE))
        .with_context(|| format!("{}: there is no fit to continue", folder.display()))?;
    std::env::set_current_dir(&call.folder)
        .with_context(|| format!("{}: cannot go back to the folder of the call", call.folder))?;
    let words = call.arguments.into_iter().map(OsString::from);
    let resumed = [OsString::from("--resume"), folder.into_os_string()];
    Ok(typed[..1].iter().cloned().chain(words).chain(resumed).collect())
}

/// What is kept of a fit while it runs, and where another one is to go on.
pub(crate) struct Keeper {
    path: PathBuf,
    call: Call,
    every: Duration,
    last: Instant,
    /// The time limit of the fit.
    end: Option<Instant>,
    failed: bool,
}

impl Keeper {
    /// For a fit of these samples, where checkpoints are asked for.
    pub(crate) fn new<T: Real>(
        (args, spent): (&FitArgs, Duration),
        x: Samples<'_, T>,
        choice: Option<&Choice>,
    ) -> Result<Option<Self>> {
        let (Some(minutes), Some(out)) = (args.checkpoint, &args.out) else { return Ok(None) };
        if args.grid.is_some() {
            bail!("--checkpoint cannot be combined with --grid; leave one of them out");
        }
        let folder = std::env::current_dir().context("the folder of this call is gone")?;
        let call = Call {
            arguments: args.words.clone(),
            folder: folder.to_str().context("the name of this folder is not valid text")?.into(),
            data: emmf_io::fingerprint(x)?,
            choice: choice.cloned(),
        };
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let (path, every, last) = (out.join(CHECKPOINT_FILE), seconds(60.0 * minutes), Instant::now());
        let end = args.time_limit.and_then(|limit| last.checked_add(seconds(limit).saturating_sub(spent)));
        Ok(Some(Self { path, call, every, last, end, failed: false }))
    }

    /// Keeps a checkpoint where it is time for one, or where a signal or the time limit ends the fit.
    pub(crate) fn keep(&mut self, save: &mut dyn FnMut() -> emmf::Result<Checkpoint>) {
        let ends = interrupt::is_asked() || self.end.is_some_and(|end| Instant::now() >= end);
        if self.last.elapsed() < self.every && !ends {
            return;
        }
        let write = |checkpoint| Ok(write_checkpoint(&self.path, &checkpoint, &self.call)?);
        let kept: Result<()> = save().map_err(Into::into).and_then(write);
        if let Err(error) = kept
            && !self.failed
        {
            // The fit is worth more than its checkpoint.
            complain(&format!("warning: no checkpoint was saved: {error}"));
            self.failed = true;
        }
        self.last = Instant::now();
    }
}

/// Where the fit of these samples is to go on.
pub(crate) fn resumed<T: Real>(args: &FitArgs, x: Samples<'_, T>) -> Result<Option<Checkpoint>> {
    let Some(folder) = &args.resume else { return Ok(None) };
    let (checkpoint, call) = read_checkpoint(&folder.join(CHECKPOINT_FILE))?;
    if call.data != emmf_io::fingerprint(x)? {
        bail!(
            "{}: has changed since the fit in {} was stopped; start the fit again",
            args.input.data.display(),
            folder.display()
        );
    }
    Ok(Some(checkpoint))
}

/// How the number of clusters was chosen before the fit was stopped.
pub(crate) fn choice(args: &FitArgs) -> Result<Option<Choice>> {
    let Some(folder) = &args.resume else { return Ok(None) };
    Ok(read_checkpoint(&folder.join(CHECKPOINT_FILE))?.1.choice)
}

/// A fit that has come to its own end needs no checkpoint any more, nor does what an earlier one left. A file of that name
/// that is no checkpoint of ours stays.
pub(crate) fn done(out: &Path) {
    let path = out.join(CHECKPOINT_FILE);
    if read_checkpoint(&path).is_ok() {
        std::fs::remove_file(path).ok();
    }
}
