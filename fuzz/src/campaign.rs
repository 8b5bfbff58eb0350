//! Many cases of many targets, in processes of their own, so that one that aborts costs only itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::case::{Answer, Target};
use crate::judge::judge;

/// Seconds that a batch is to take.
const BATCH: f64 = 4.0;
/// Cases of the first batch of a target, when nobody knows how long they take.
const FIRST: u64 = 100;

/// What is known about a target.
#[derive(Debug)]
pub struct Tally {
    /// The target.
    pub target: &'static Target,
    /// Cases that were answered with a result.
    pub taken: u64,
    /// Cases that were answered with an error.
    pub refused: u64,
    /// The numbers of bad cases, and what is wrong.
    pub findings: Vec<(u64, String)>,
    /// The first number that was not tried.
    next: u64,
    seconds: f64,
}

impl Tally {
    /// Cases that were tried.
    pub fn cases(&self) -> u64 {
        self.taken + self.refused + self.findings.len() as u64
    }
}

/// All that is to be tried, and for how long.
#[derive(Debug)]
pub struct Campaign {
    end: Instant,
    tallies: Mutex<Vec<Tally>>,
}

impl Campaign {
    /// Tries these targets for so long, each from this number on.
    pub fn new(targets: &[&'static Target], time: Duration, from: u64) -> Self {
        let tally = |target: &&'static Target| Tally {
            target,
            taken: 0,
            refused: 0,
            findings: Vec::new(),
            next: from,
            seconds: 0.0,
        };
        Self { end: Instant::now() + time, tallies: Mutex::new(targets.iter().map(tally).collect()) }
    }

    /// Runs with so many processes at a time; `told` hears of every finding.
    pub fn run(self, jobs: usize, told: impl Fn(&Target, u64, &str) + Sync) -> Result<Vec<Tally>> {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(|| self.work(&told))).collect();
            workers.into_iter().try_for_each(|worker| worker.join().unwrap_or(Ok(())))
        })?;
        Ok(self.tallies.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn work(&self, told: &(impl Fn(&Target, u64, &str) + Sync)) -> Result<()> {
        while Instant::now() < self.end {
            let (target, from, count) = self.next_batch();
            let began = Instant::now();
            let mut at = from;
            while at < from + count {
                at = self.in_a_process(target, at, from + count, told)?;
            }
            self.with(target, |tally| tally.seconds += began.elapsed().as_secs_f64());
        }
        Ok(())
    }

    /// The target that has had least time, and as many of its cases as a batch has time for.
    fn next_batch(&self) -> (&'static Target, u64, u64) {
        let mut tallies = self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        let least = tallies.iter_mut().min_by(|a, b| {
            (a.seconds, a.next).partial_cmp(&(b.seconds, b.next)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let Some(tally) = least else { return (&crate::TARGETS[0], 0, FIRST) };
        let speed = tally.cases() as f64 / tally.seconds;
        let count = if tally.seconds > 0.0 { (BATCH * speed).clamp(20.0, 1e6) as u64 } else { FIRST };
        // Until it is back, it counts as if it took its time.
        let from = tally.next;
        tally.next += count;
        (tally.target, from, count)
    }

    fn with<R>(&self, target: &Target, change: impl FnOnce(&mut Tally) -> R) -> Option<R> {
        let mut tallies = self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        tallies.iter_mut().find(|tally| tally.target.name == target.name).map(change)
    }

    /// Tries the cases from `at` to `end` until one of them ends the process; returns where to go on.
    fn in_a_process(
        &self,
        target: &'static Target,
        mut at: u64,
        end: u64,
        told: &impl Fn(&Target, u64, &str),
    ) -> Result<u64> {
        let mut child = spawn(target, at, end)?;
        let out = child.stdout.take().context("a process without output")?;
        let found = |number: u64, what: String| {
            told(target, number, &what);
            self.with(target, |tally| tally.findings.push((number, what)));
        };
        for line in BufReader::new(out).lines() {
            match line?.split_at_checked(1) {
                Some(("t", _)) => drop(self.with(target, |tally| tally.taken += 1)),
                Some(("r", _)) => drop(self.with(target, |tally| tally.refused += 1)),
                Some((_, what)) => found(at, what.into()),
                None => continue,
            }
            at += 1;
        }
        let mut last_words = String::new();
        child.stderr.take().context("a process without errors")?.read_to_string(&mut last_words)?;
        let status = child.wait()?;
        if at < end {
            // Below them the standard library may print a backtrace.
            let last_words: Vec<&str> = last_words.lines().filter(|line| !line.is_empty()).take(2).collect();
            found(at, format!("{status}: {}", last_words.join("; ")));
            at += 1;
        }
        Ok(at)
    }
}

fn spawn(target: &Target, at: u64, end: u64) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["batch", target.name]).args([at, end].map(|number| number.to_string()));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().context("cannot start a process")
}

/// Tries cases one after the other and writes a line about each: `t` taken, `r` refused, else what is wrong after `f`.
pub fn batch(target: &Target, from: u64, end: u64, out: &mut impl Write) -> Result<()> {
    for number in from..end {
        match judge(target, number) {
            Ok(Answer::Taken) => writeln!(out, "t")?,
            Ok(Answer::Refused) => writeln!(out, "r")?,
            Err(what) => writeln!(out, "f{}", what.replace('\n', " / "))?,
        }
        out.flush()?;
    }
    Ok(())
}
