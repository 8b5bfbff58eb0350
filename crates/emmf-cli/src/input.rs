//! The data that a command works on: read into memory, or left in its file where memory is short.

use std::path::Path;

use anyhow::{Result, bail};
use emmf::{Missing, Real, Samples};
use emmf_io::{
    Budget, Dataset, Dtype, Limit, Notes, Numbers, Order, Problem, ReadOptions, Streamed, Usual, data_in,
    variable_features,
};

use crate::args::InputArgs;
use crate::gaps::MissingArgs;
use crate::look::{About, LookArgs};

/// Bytes of the program itself.
const PROGRAM: u64 = 18 << 20;

/// Data in memory, or in a file that is read when it is needed.
pub(crate) enum Input {
    Memory(Numbers, About),
    File(Streamed, About),
}

/// The data that the arguments name.
pub(crate) fn read(
    input: &InputArgs,
    (missing, budget): (Missing, &Budget),
    model: Option<&Notes>,
) -> Result<Dataset> {
    let file = data_in(&input.data).unwrap_or_else(|| input.data.clone());
    Ok(emmf_io::read(&file, &options(input, (missing, budget), model))?)
}

/// Where names and numbers are, for other files of this kind.
pub(crate) fn usual(input: &InputArgs) -> Usual {
    Usual { id: input.id.clone(), variable: input.variable.clone() }
}

/// How to read the data, for a model as it was fitted to its own where nothing else is said.
pub(crate) fn options(
    input: &InputArgs,
    (missing, budget): (Missing, &Budget),
    model: Option<&Notes>,
) -> ReadOptions {
    ReadOptions {
        dtype: input.dtype,
        labels: input.labels.clone(),
        id: input.id.clone(),
        columns: input.columns.clone(),
        drop: input.drop.clone(),
        variable: input.variable.clone(),
        transpose: input.transpose,
        header: input.header,
        delimiter: input.separator,
        decimal: input.decimal,
        missing: missing == Missing::Nan,
        usual: model.map(|notes| notes.usual.clone()).unwrap_or_default(),
        budget: budget.clone(),
        ..ReadOptions::default()
    }
}

/// The memory that reading may take: that of `--max-memory`, or the machine's.
pub(crate) fn budget(max_memory: Option<u64>) -> Budget {
    let budget = max_memory.map_or_else(Budget::default, |most| Budget::new(Limit::Asked(most)));
    budget.spend(PROGRAM);
    budget
}

/// The data that the arguments name, in memory if they fit. `work(shape, dtype, streamed)` tells how much the work takes
/// beside them.
pub(crate) fn open(
    (input, look): (&InputArgs, &LookArgs),
    (missing, budget): (Missing, &Budget),
    model: Option<&Notes>,
    work: impl Fn((usize, usize), Dtype, bool) -> usize,
) -> Result<Input> {
    let work = |shape, dtype, streamed| work(shape, dtype, streamed) as u64;
    let in_memory = || -> Result<Input> {
        let (x, about) = look.read(input, (missing, budget), model)?;
        check_room(&x, work(x.shape(), x.dtype(), false), (&input.data, budget.limit()))?;
        Ok(Input::Memory(x, about))
    };
    let Limit::Asked(most) = budget.limit() else { return in_memory() };
    if is_pipe(&input.data) {
        bail!("--max-memory needs a file: {} cannot be read more than once", called(&input.data));
    }
    if look.is_special(&input.data, model) || input.transpose {
        return in_memory();
    }
    let options = options(input, (missing, budget), model);
    let size = emmf_io::file_size(&input.data, &options)?;
    let Some(shape) = size.shape else { return in_memory() };
    let matrix = shape.0 as u64 * shape.1 as u64 * entry(size.dtype);
    let whole = matrix + size.beside.saturating_add(PROGRAM).max(work(shape, size.dtype, false));
    if whole <= most {
        return in_memory();
    }
    let file = input.data.display();
    if missing == Missing::Nan {
        bail!(
            "{file}: missing values need the data in memory, {} with the fit; allow that much, or fill the gaps first",
            readable(whole)
        );
    }
    let needed = work(shape, size.dtype, true);
    if needed > most {
        bail!(
            "{file}: even in blocks of samples the fit takes {}, but --max-memory is {}; {}",
            readable(needed),
            readable(most),
            advice(size.dtype)
        );
    }
    let mut data = emmf_io::stream(&input.data, &options, most - needed)?;
    let features = data.rows.shape().1;
    let image = look.shape(features, &input.data, look.of_model(features, model))?;
    let (labels, columns) = (data.labels.take(), data.columns.take());
    let (names, remarks) = (data.names.take(), std::mem::take(&mut data.remarks));
    let usual = usual(input);
    let about = About { labels, columns, names, image, usual, remarks, ..About::default() };
    Ok(Input::File(data, about))
}

/// Whether the fit has room beside data that are in memory.
fn check_room(x: &Numbers, work: u64, (data, limit): (&Path, Limit)) -> Result<()> {
    // Sparse data are kept by features, too.
    let needed = work.saturating_add(if x.is_sparse() { 2 * x.bytes() } else { x.bytes() });
    if needed <= limit.bytes() {
        return Ok(());
    }
    let whose = match limit {
        Limit::Asked(most) => format!("--max-memory is {}", readable(most)),
        Limit::Machine(all) => format!("this machine has {}", readable(all)),
    };
    let blocks = "save the data as .npy or .parquet, which --max-memory reads in blocks of samples";
    let blocks = if x.is_sparse() { "" } else { blocks };
    let advice = [blocks, advice(x.dtype())].into_iter().filter(|text| !text.is_empty());
    bail!(
        "{}: data and fit take {}, but {whose}; {}",
        called(data),
        readable(needed),
        advice.collect::<Vec<_>>().join(", or ")
    )
}

/// What makes a fit smaller.
fn advice(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 => "allow more, or use a smaller k",
        Dtype::F64 => "allow more, use a smaller k, or compute in single precision (--dtype f32)",
    }
}

fn entry(dtype: Dtype) -> u64 {
    if dtype == Dtype::F32 { 4 } else { 8 }
}

/// Standard input, or anything else that gives each byte only once.
fn is_pipe(path: &Path) -> bool {
    let gives_once = |about: std::fs::Metadata| !about.is_file() && !about.is_dir();
    path.as_os_str() == "-" || std::fs::metadata(path).is_ok_and(gives_once)
}

/// What messages call the data.
pub(crate) fn called(data: &Path) -> String {
    if data.as_os_str() == "-" { "standard input".into() } else { data.display().to_string() }
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
    pub(crate) fn about(&self) -> &About {
        match self {
            Self::Memory(_, about) | Self::File(_, about) => about,
        }
    }

    /// What goes with the numbers.
    pub(crate) fn about_mut(&mut self) -> &mut About {
        match self {
            Self::Memory(_, about) | Self::File(_, about) => about,
        }
    }

    /// Only the features that vary most.
    pub(crate) fn with_top_features(self, most: usize, data: &Path, budget: &Budget) -> Result<Self> {
        let Self::Memory(x, mut about) = self else {
            bail!("{}: --top-features needs the data in memory; allow more, or leave it out", data.display());
        };
        if most == 0 {
            bail!("--top-features is 0, but must be at least 1");
        }
        if about.image.is_some() {
            bail!("{}: --top-features would leave holes in the images; leave it out", data.display());
        }
        let order = variable_features(&x, most, budget)?;
        about.columns = Some(order.names(about.columns.as_deref()));
        Ok(Self::Memory(x.in_order(&order)?, about))
    }

    /// The columns in this order, and no others.
    pub(crate) fn in_order(self, order: &Order) -> Result<Self, Problem> {
        Ok(match self {
            Self::Memory(x, about) => Self::Memory(x.in_order(order)?, about),
            Self::File(data, about) => Self::File(data.in_order(order), about),
        })
    }

    /// With the gaps that a mask tells.
    pub(crate) fn with_gaps(self, gaps: &MissingArgs, budget: &Budget) -> Result<Self> {
        Ok(match self {
            Self::Memory(Numbers::F32(x), about) => Self::Memory(Numbers::F32(gaps.apply(x, budget)?), about),
            Self::Memory(Numbers::F64(x), about) => Self::Memory(Numbers::F64(gaps.apply(x, budget)?), about),
            // Missing values need the data in memory.
            in_file @ Self::File(..) => in_file,
        })
    }

    /// Does the work in the type of the data, with the gaps that a mask tells.
    pub(crate) fn work(self, (gaps, budget): (&MissingArgs, &Budget), work: impl Work) -> Result<()> {
        match self.with_gaps(gaps, budget)? {
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
