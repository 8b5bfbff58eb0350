//! The data that a command works on: read into memory, or left in its file where memory is short.

use anyhow::{Result, bail};
use emmf::{Missing, Real, Samples};
use emmf_io::{Dataset, Dtype, Notes, Numbers, Order, Problem, ReadOptions, Streamed};

use crate::args::InputArgs;
use crate::gaps::MissingArgs;
use crate::look::{About, LookArgs};

/// Data in memory, or in a file that is read when it is needed.
pub(crate) enum Input {
    Memory(Numbers, About),
    File(Streamed, About),
}

/// The data that the arguments name.
pub(crate) fn read(input: &InputArgs, missing: Missing) -> Result<Dataset> {
    Ok(emmf_io::read(&input.data, &options(input, missing))?)
}

pub(crate) fn options(input: &InputArgs, missing: Missing) -> ReadOptions {
    ReadOptions {
        dtype: input.dtype,
        labels: input.labels.clone(),
        variable: input.variable.clone(),
        header: input.header,
        missing: missing == Missing::Nan,
        ..ReadOptions::default()
    }
}

/// The data that the arguments name, in memory if that takes at most `most` bytes. `work(shape, dtype, streamed)`
/// tells how much the work takes beside them.
pub(crate) fn open(
    (input, look): (&InputArgs, &LookArgs),
    (missing, most): (Missing, Option<u64>),
    model: Option<&Notes>,
    work: impl Fn((usize, usize), Dtype, bool) -> usize,
) -> Result<Input> {
    look.check_memory(&input.data, most.is_some())?;
    let in_memory = || look.read(input, missing, model).map(|(x, about)| Input::Memory(x, about));
    let Some(most) = most else { return in_memory() };
    let file = input.data.display();
    if input.data.as_os_str() == "-" {
        bail!("--max-memory needs a file: standard input cannot be read more than once");
    }
    let size = emmf_io::file_size(&input.data, &options(input, missing))?;
    let Some(shape) = size.shape else {
        // Not known before it is read: text and packed files unfold to a few times their size.
        if 4 * size.bytes > most {
            bail!(
                "{file}: might take more than the {} of --max-memory and cannot be read in blocks of samples; \
                 save it as .npy or .parquet, or allow {}",
                readable(most),
                readable(4 * size.bytes)
            );
        }
        return in_memory();
    };
    let entry = if size.dtype == Dtype::F32 { 4 } else { 8 };
    // While it is read, the file and the matrix are both in memory.
    let whole = (shape.0 * shape.1 * entry + work(shape, size.dtype, false)) as u64 + size.bytes;
    if whole <= most {
        return in_memory();
    }
    if missing == Missing::Nan {
        bail!(
            "{file}: missing values need the data in memory, {} with the fit; allow that much, or fill the gaps before",
            readable(whole)
        );
    }
    let needed = work(shape, size.dtype, true) as u64;
    if needed > most {
        bail!(
            "{file}: even in blocks of samples the fit takes {}, but --max-memory is {}; \
             allow more, take a smaller k, or compute in single precision (--dtype f32)",
            readable(needed),
            readable(most)
        );
    }
    let mut data = emmf_io::stream(&input.data, &options(input, missing), most - needed)?;
    let image = look.shape(shape.1, &input.data, look.of_model(shape.1, model))?;
    let (labels, columns) = (data.labels.take(), data.columns.take());
    let about = About { labels, columns, image, ..About::default() };
    Ok(Input::File(data, about))
}

/// Work that is the same for both types and all storages.
pub(crate) trait Work {
    fn run<T: Real>(self, x: Samples<'_, T>, about: About) -> Result<()>;
}

impl Input {
    /// Samples and features.
    pub(crate) fn shape(&self) -> (usize, usize) {
        match self {
            Self::Memory(x, _) => x.shape(),
            Self::File(data, _) => data.rows.shape(),
        }
    }

    /// What goes with the numbers.
    pub(crate) fn about_mut(&mut self) -> &mut About {
        match self {
            Self::Memory(_, about) | Self::File(_, about) => about,
        }
    }

    /// The columns in this order, and no others.
    pub(crate) fn in_order(self, order: &Order) -> Result<Self, Problem> {
        Ok(match self {
            Self::Memory(x, about) => Self::Memory(x.in_order(order)?, about),
            Self::File(data, about) => Self::File(data.in_order(order), about),
        })
    }

    /// With the gaps that a mask tells.
    pub(crate) fn with_gaps(self, gaps: &MissingArgs) -> Result<Self> {
        Ok(match self {
            Self::Memory(Numbers::F32(x), about) => Self::Memory(Numbers::F32(gaps.apply(x)?), about),
            Self::Memory(Numbers::F64(x), about) => Self::Memory(Numbers::F64(gaps.apply(x)?), about),
            // Missing values need the data in memory.
            in_file @ Self::File(..) => in_file,
        })
    }

    /// Does the work in the type of the data, with the gaps that a mask tells.
    pub(crate) fn work(self, gaps: &MissingArgs, work: impl Work) -> Result<()> {
        match self.with_gaps(gaps)? {
            Self::Memory(Numbers::F32(x), about) => work.run(x.samples(), about),
            Self::Memory(Numbers::F64(x), about) => work.run(x.samples(), about),
            Self::File(Streamed { rows, dtype: Dtype::F32, .. }, about) => {
                work.run(Samples::<f32>::Stream(&rows), about)
            }
            Self::File(Streamed { rows, dtype: Dtype::F64, .. }, about) => {
                work.run(Samples::<f64>::Stream(&rows), about)
            }
        }
    }
}

/// Bytes in the largest unit that leaves a number above 1.
pub(crate) fn readable(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes >= 1e9 => format!("{:.1} GB", bytes / 1e9),
        bytes if bytes >= 1e6 => format!("{:.0} MB", bytes / 1e6),
        bytes => format!("{:.0} kB", bytes / 1e3),
    }
}
