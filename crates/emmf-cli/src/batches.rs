//! Samples batch by batch: lines of a text, which may come from a pipe, or rows of a file; and what is said about each batch.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use emmf::{Mat, Missing, Real, RowSource};
use emmf_io::{Dataset, Dtype, Matrix, Notes, Numbers, ReadOptions, Streamed, read_bytes};

use crate::args::FitArgs;
use crate::input::{self, called};
use crate::look::About;
use crate::{complain, interrupt};

/// How often it is looked whether a signal asks for the end while a pipe is silent.
const LOOK: Duration = Duration::from_millis(100);

/// Where batches come from.
pub(crate) enum Batches {
    /// All at once.
    Whole(Option<Box<(Numbers, About)>>),
    /// A file whose rows are read when they are needed: the next one, and how many there are in a batch.
    Rows(Box<Streamed>, usize, usize),
    /// A text, line by line.
    Lines(Box<Lines>),
}

impl Batches {
    /// The batches that the arguments ask for; `model` says which features they must have.
    pub(crate) fn open(args: &FitArgs, model: Option<&Notes>) -> Result<Self> {
        let budget = &input::budget(None);
        let Some(size) = args.online.batch else {
            let (x, about) = args.look.read(&args.input, (Missing::Refuse, budget), model)?;
            return Ok(Self::Whole(Some(Box::new((x, about)))));
        };
        let options = input::options(&args.input, (Missing::Refuse, budget), model);
        let path = &args.input.data;
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if matches!(ending.as_deref(), Some("npy" | "parquet")) {
            let data = emmf_io::stream(path, &options, budget.limit().bytes() / 2)?;
            return Ok(Self::Rows(Box::new(data), 0, size));
        }
        Ok(Self::Lines(Box::new(Lines::open(path, size, options)?)))
    }

    /// The next batch, or nothing at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(Numbers, About)>> {
        match self {
            Self::Whole(all) => Ok(all.take().map(|all| *all)),
            Self::Rows(data, next, size) => {
                let (rows, end) = (data.rows.shape().0, (*next + *size).min(data.rows.shape().0));
                if *next >= rows {
                    return Ok(None);
                }
                let x = match data.dtype {
                    Dtype::F32 => Numbers::F32(Matrix::Dense(read_rows(&data.rows, *next..end)?)),
                    Dtype::F64 => Numbers::F64(Matrix::Dense(read_rows(&data.rows, *next..end)?)),
                };
                *next = end;
                Ok(Some((x, About { columns: data.columns.clone(), ..About::default() })))
            }
            Self::Lines(lines) => lines.next(),
        }
    }
}

fn read_rows<T: Real>(source: &impl RowSource<T>, rows: std::ops::Range<usize>) -> Result<Mat<T>> {
    let (count, columns) = (rows.len(), source.shape().1);
    let mut entries = vec![T::ZERO; count * columns];
    source.read(rows, &mut entries)?;
    Ok(Mat::from_vec(entries, count, columns)?)
}

/// A text whose lines another thread reads: whoever waits for a silent pipe must see signals.
pub(crate) struct Lines {
    texts: Receiver<std::io::Result<String>>,
    /// Tells the other thread how many lines the second batch is still to have.
    second: SyncSender<usize>,
    name: String,
    options: ReadOptions,
    /// The first line, where it names the columns and stands before every batch.
    header: Option<String>,
    /// Lines before the next batch.
    before: usize,
    /// The line that was read in case the first one names the columns, where it does not.
    held: String,
    /// Samples of a batch.
    size: usize,
}

impl Lines {
    fn open(path: &Path, size: usize, options: ReadOptions) -> Result<Self> {
        let name = called(path);
        let input: Box<dyn Read + Send> = if path.as_os_str() == "-" {
            Box::new(std::io::stdin())
        } else {
            Box::new(File::open(path).with_context(|| format!("{name}: cannot be read; check its name"))?)
        };
        let (send, texts) = sync_channel(1);
        let (second, of_second) = sync_channel(1);
        thread::spawn(move || {
            let mut input = BufReader::new(input);
            // The first batch may begin with a line of names.
            let first = some_lines(&mut input, size + 1);
            let over = |text: &std::io::Result<String>| text.as_ref().map_or(true, String::is_empty);
            if over(&first) || send.send(first).is_err() {
                return;
            }
            let Ok(wanted) = of_second.recv() else { return };
            let mut text = some_lines(&mut input, wanted);
            loop {
                if send.send(text).is_err() {
                    return;
                }
                text = some_lines(&mut input, size);
                if over(&text) {
                    send.send(text).ok();
                    return;
                }
            }
        });
        Ok(Self { texts, second, name, options, header: None, before: 0, held: String::new(), size })
    }

    fn next(&mut self) -> Result<Option<(Numbers, About)>> {
        let mut text = loop {
            match self.texts.recv_timeout(LOOK) {
                Ok(text) => break text.with_context(|| format!("{}: cannot be read", self.name))?,
                Err(RecvTimeoutError::Timeout) if !interrupt::is_asked() => {}
                Err(_) => return Ok(None),
            }
        };
        text.insert_str(0, &std::mem::take(&mut self.held));
        if text.trim().is_empty() {
            return Ok(None);
        }
        let mut data = self.parse(&text)?;
        if self.before == 0 {
            let named = data.columns.is_some();
            self.header = named.then(|| text.split_inclusive('\n').next().unwrap_or_default().to_owned());
            self.options.header = Some(named);
            let last = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
            if !named && text.lines().count() > self.size && last > 0 {
                self.held = text.split_off(last);
                data = self.parse(&text)?;
            }
            // Without an answer the other thread has ended, and so will the batches.
            self.second.send(self.size - usize::from(!self.held.is_empty())).ok();
        }
        self.before += text.lines().count();
        Ok(Some((data.x, About { columns: data.columns, ..About::default() })))
    }

    /// The samples in some lines, below the line of names where there is one.
    fn parse(&self, text: &str) -> Result<Dataset> {
        let whole = self.header.as_ref().map_or_else(|| text.to_owned(), |header| format!("{header}{text}"));
        let data = read_bytes(whole.as_bytes(), &self.name, &self.options);
        data.with_context(|| format!("in the batch after line {}", self.before))
    }
}

/// So many lines, or as many as are left.
fn some_lines(input: &mut impl BufRead, count: usize) -> std::io::Result<String> {
    let mut text = String::new();
    for _ in 0..count {
        if input.read_line(&mut text)? == 0 {
            break;
        }
    }
    Ok(text)
}

/// What is said about a batch.
pub(crate) struct Batch {
    /// From 0.
    pub(crate) number: usize,
    /// Its samples, and how many came before.
    pub(crate) samples: usize,
    pub(crate) first: usize,
    /// Outliers by the yardstick of the model, as rows of all data.
    pub(crate) outliers: Vec<usize>,
    /// The median residual.
    pub(crate) residual: f64,
}

impl Batch {
    pub(crate) fn print(&self, args: &FitArgs) -> Result<()> {
        if args.json {
            let mut out = std::io::stdout().lock();
            let Self { number, samples, first, outliers, residual } = self;
            let line = serde_json::json!({
                "batch": number, "samples": samples, "first": first, "outliers": outliers, "residual": residual,
            });
            writeln!(out, "{line}")?;
            return Ok(out.flush()?);
        }
        if !args.quiet {
            complain(&format!(
                "batch {}: {} samples, {} outliers ({:.1} %), residual {:.4}",
                self.number,
                self.samples,
                self.outliers.len(),
                100.0 * self.outliers.len() as f64 / self.samples.max(1) as f64,
                self.residual
            ));
        }
        Ok(())
    }
}
