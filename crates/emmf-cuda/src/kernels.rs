//! Programs of kernels, made of the sources beside this file and a few macros.

use emmf::loss::{LossSpec, Stats};
use emmf::registry;
use emmf::{Result, Solver, Spec};

use crate::number::Number;

const COMMON: &str = include_str!("kernels/common.cu");
const STEP: &str = include_str!("kernels/step.cu");
const SAMPLES: &str = include_str!("kernels/samples.cu");
const SHARED: &str = include_str!("kernels/shared.cu");
const GRAM: &str = include_str!("kernels/gram.cu");
const TENSOR: &str = include_str!("kernels/tensor.cu");
const HALVES: &str = include_str!("kernels/halves.cu");
const PULL: &str = include_str!("kernels/pull.cu");
const SPARSE: &str = include_str!("kernels/sparse.cu");

/// Samples whose sums one block makes.
pub(crate) const CHUNK: usize = 1024;
/// Tensor cores take halves from here on.
pub(crate) const TENSOR_ARCH: usize = 80;
/// Columns of V that the registers of a block hold.
pub(crate) const MOST_IN_REGISTERS: usize = 128;

/// How V is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Columns.
    pub(crate) c: usize,
    /// The distance of rows; columns from `c` on are zero.
    pub(crate) ld: usize,
}

impl Shape {
    pub(crate) fn new(c: usize) -> Self {
        Self { c, ld: c.next_multiple_of(16) }
    }
}

/// What a fused pass does to V: a program each, since code for all would not stay in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// Nothing: P alone.
    Project,
    /// A multiplicative step with exponent 1, ½ or any other.
    Whole,
    Root,
    Power,
}

impl Pass {
    /// The one for this exponent.
    pub(crate) fn of(exponent: f64) -> Self {
        match exponent {
            1.0 => Self::Whole,
            0.5 => Self::Root,
            _ => Self::Power,
        }
    }

    /// The one that a fit with these parameters makes most.
    fn of_fit(spec: &Spec) -> Result<Self> {
        let entry = registry::find(&spec.method)?;
        let exponent = spec.exponent.or(entry.exponent).unwrap_or(1.0);
        Ok(if entry.solver(spec) == Solver::Hals { Self::Project } else { Self::of(exponent) })
    }

    fn macro_name(self) -> &'static str {
        match self {
            Self::Project => "PROJECT",
            Self::Whole => "WHOLE",
            Self::Root => "ROOT",
            Self::Power => "ANY_POWER",
        }
    }
}

/// Which kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// What does not depend on the number of centroids.
    Shared,
    /// What else needs no tensor cores.
    Plain,
    /// A fused pass over X.
    Sweep(Pass),
    /// XᵀQV.
    Pull,
}

/// How X is kept on a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kept {
    /// In its own type.
    Reals,
    /// Every entry as the sum of two halves, which tensor cores take.
    Halves,
    /// Every entry as one half, which it is.
    Exact,
    /// In its own type, without the zeros.
    Sparse,
}

/// The type of numbers, and how X is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Types {
    real: &'static str,
    kept: Kept,
    /// What `Real` says of it.
    constants: [(&'static str, String); 4],
}

impl Types {
    pub(crate) fn of<T: Number>(kept: Kept) -> Self {
        let constants = [
            ("TINY", T::literal(T::TINY)),
            ("MOST", T::literal(T::MOST)),
            ("NOISE", T::literal(T::NOISE)),
            ("CANCELLATION", format!("{:e}", T::CANCELLATION)),
        ];
        Self { real: T::IN_C, kept, constants }
    }
}

/// What NVRTC compiles at once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Program {
    pub(crate) types: Types,
    pub(crate) shape: Shape,
    pub(crate) part: Part,
}

impl Program {
    /// All that a card of this compute capability may ever run.
    pub(crate) fn every(shape: Shape, arch: usize) -> Vec<Self> {
        let in_own_type = |kept| [Types::of::<f32>(kept), Types::of::<f64>(kept)];
        let mut plain: Vec<Types> = [Kept::Reals, Kept::Sparse].into_iter().flat_map(in_own_type).collect();
        if arch >= TENSOR_ARCH {
            plain.extend([Kept::Halves, Kept::Exact].map(Types::of::<f32>));
        }
        let both =
            |types: Types| [Part::Shared, Part::Plain].map(|part| Self { types: types.clone(), shape, part });
        let mut every: Vec<Self> = plain.into_iter().flat_map(both).collect();
        if arch >= TENSOR_ARCH && shape.ld <= MOST_IN_REGISTERS {
            let passes = [Pass::Project, Pass::Whole, Pass::Root, Pass::Power].map(Part::Sweep);
            for kept in [Kept::Halves, Kept::Exact] {
                let parts = passes.into_iter().chain([Part::Pull]);
                every.extend(parts.map(|part| Self { types: Types::of::<f32>(kept), shape, part }));
            }
        }
        every
    }

    /// What a fit with these parameters runs on samples that are kept like this, those that take longest to compile first.
    pub(crate) fn of_fit(types: &Types, spec: &Spec) -> Result<Vec<Self>> {
        let shape = Shape::new(spec.k);
        let tensor = match types.kept {
            Kept::Halves | Kept::Exact => vec![Part::Sweep(Pass::of_fit(spec)?), Part::Pull],
            Kept::Reals | Kept::Sparse => Vec::new(),
        };
        let parts = tensor.into_iter().chain([Part::Plain]);
        Ok(parts.map(|part| Self { types: types.clone(), shape, part }).collect())
    }

    pub(crate) fn name(&self) -> String {
        let Self { types, shape, part } = self;
        format!("{part:?} of {}, X in {:?}, c = {}", types.real, types.kept, shape.c)
    }

    pub(crate) fn source(&self) -> String {
        let files: &[&str] = match self.part {
            Part::Shared if self.types.kept == Kept::Sparse => &[COMMON, SHARED, SPARSE],
            Part::Shared => &[COMMON, SHARED],
            Part::Plain => &[COMMON, STEP, SAMPLES, GRAM],
            Part::Sweep(_) => &[COMMON, STEP, TENSOR, HALVES],
            Part::Pull => &[COMMON, STEP, TENSOR, HALVES, PULL],
        };
        files.join("\n")
    }

    pub(crate) fn options(&self) -> Vec<String> {
        let Types { real, kept, constants } = &self.types;
        let Shape { c, ld } = self.shape;
        let mut macros = vec![("REAL", (*real).to_owned())];
        macros.extend([("C", c.to_string()), ("LD", ld.to_string()), ("CHUNK", CHUNK.to_string())]);
        macros.extend(constants.iter().cloned());
        macros.extend(LOSSES.iter().enumerate().map(|(number, name)| (*name, number.to_string())));
        let names: &[&str] = match kept {
            Kept::Reals => &[],
            Kept::Halves => &["HALVES"],
            Kept::Exact => &["HALVES", "EXACT"],
            Kept::Sparse => &["SPARSE"],
        };
        macros.extend(names.iter().map(|name| (*name, "1".into())));
        match self.part {
            Part::Sweep(pass) => macros.push((pass.macro_name(), "1".into())),
            Part::Pull => macros.push(("PULL", "1".into())),
            Part::Shared | Part::Plain => {}
        }
        macros.into_iter().map(|(name, value)| format!("-D{name}={value}")).collect()
    }
}

/// Losses by their number in kernels.
const LOSSES: [&str; 6] =
    ["LOSS_ENTROPY", "LOSS_FROBENIUS", "LOSS_L21", "LOSS_LOG", "LOSS_CAPPED", "LOSS_CORRENTROPY"];

/// The number of a loss in kernels, and the one number that it needs there; nothing where it has no kernel.
pub(crate) fn loss_in_kernels(loss: LossSpec, stats: &Stats) -> Option<(i32, f64)> {
    Some(match loss {
        LossSpec::Entropy => (0, stats.sum),
        LossSpec::Frobenius => (1, 0.0),
        LossSpec::L21 => (2, 0.0),
        LossSpec::Log(scale) => (3, scale),
        LossSpec::Capped(threshold) => (4, threshold),
        LossSpec::Correntropy(width) => {
            let double_variance = width.map_or(stats.sum_sq / stats.n, |sigma| 2.0 * sigma * sigma);
            (5, double_variance.max(f64::MIN_POSITIVE))
        }
        _ => return None,
    })
}
