//! Every method by name, with its reference and parameters. Library, command line and Python take their
//! names, defaults and checks from here.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::loss::{Capped, Correntropy, Entropy, Frobenius, L21, Log, Loss};

/// How X may be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// All entries.
    Dense,
    /// Nonzero entries, compressed by rows.
    Sparse,
}

impl std::fmt::Display for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Dense => "dense",
            Self::Sparse => "sparse",
        })
    }
}

/// A parameter of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Its value where none is given; `None` is taken from the data.
    pub default: Option<f64>,
    /// It must be above this.
    pub above: f64,
    /// It must not be above this.
    pub up_to: f64,
    /// What it does.
    pub help: &'static str,
}

/// A method.
pub struct Entry {
    /// Its name everywhere.
    pub name: &'static str,
    /// What the name stands for.
    pub title: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// The objective, in symbols.
    pub objective: &'static str,
    /// The storage of X that it takes.
    pub storage: &'static [Storage],
    /// Exponent of its published multiplicative update.
    pub exponent: f64,
    /// Its own parameters.
    pub params: &'static [Param],
    /// Makes its loss.
    pub(crate) loss: fn(&Values<'_>) -> Box<dyn Loss>,
}

/// The parameters of a method as given or by default.
pub(crate) struct Values<'a> {
    entry: &'a Entry,
    given: &'a BTreeMap<String, f64>,
}

impl Values<'_> {
    fn get(&self, name: &str) -> Option<f64> {
        let default = || self.entry.params.iter().find(|param| param.name == name)?.default;
        self.given.get(name).copied().or_else(default)
    }
}

const BOTH: &[Storage] = &[Storage::Dense, Storage::Sparse];

/// All methods, the paper's own first.
pub const METHODS: &[Entry] = &[
    Entry {
        name: "emmf",
        title: "entropy minimizing matrix factorization",
        reference: "Chen and Li, Entropy Minimizing Matrix Factorization",
        objective: "−Σ rᵢ log(rᵢ/Σr)",
        storage: BOTH,
        exponent: 0.5,
        params: &[],
        loss: |_| Box::new(Entropy),
    },
    Entry {
        name: "nmf",
        title: "nonnegative matrix factorization, Frobenius norm",
        reference: "Lee and Seung, NIPS 2000",
        objective: "Σ rᵢ²",
        storage: BOTH,
        exponent: 1.0,
        params: &[],
        loss: |_| Box::new(Frobenius),
    },
    Entry {
        name: "l21-nmf",
        title: "l2,1-norm NMF",
        reference: "Kong, Ding and Huang, CIKM 2011",
        objective: "Σ rᵢ",
        storage: BOTH,
        exponent: 1.0,
        params: &[],
        loss: |_| Box::new(L21),
    },
    Entry {
        name: "hx-nmf",
        title: "logarithmic-loss NMF",
        reference: "Wang, He, Jiang and Li, TPAMI",
        objective: "Σ a log(1 + rᵢ/a)",
        storage: BOTH,
        exponent: 1.0,
        params: &[Param {
            name: "scale",
            default: Some(1.0),
            above: 0.0,
            up_to: f64::MAX,
            help: "a: residuals well above it count logarithmically",
        }],
        loss: |values| Box::new(Log { scale: values.get("scale").unwrap_or(1.0) }),
    },
    Entry {
        name: "capped-nmf",
        title: "capped-norm NMF",
        reference: "Gao, Nie, Cai and Huang, CIKM 2015",
        objective: "Σ min(rᵢ, θ)",
        storage: BOTH,
        exponent: 1.0,
        params: &[
            Param {
                name: "threshold",
                default: None,
                above: 0.0,
                up_to: f64::MAX,
                help: "θ: residuals above it have no pull; default: by quantile",
            },
            Param {
                name: "quantile",
                default: Some(0.95),
                above: 0.0,
                up_to: 1.0,
                help: "θ is this quantile of the residuals after one l2,1 iteration",
            },
        ],
        loss: |values| {
            let quantile = values.get("quantile").unwrap_or(1.0);
            Box::new(Capped { threshold: values.get("threshold"), quantile })
        },
    },
    Entry {
        name: "rcim-nmf",
        title: "sample-wise correntropy NMF",
        reference: "Du, Li and Shen, ICDM 2012",
        objective: "Σ 1 − exp(−rᵢ²/2σ²)",
        storage: BOTH,
        exponent: 1.0,
        params: &[Param {
            name: "width",
            default: None,
            above: 0.0,
            up_to: f64::MAX,
            help: "σ; default: 2σ² is the mean of rᵢ², anew in every iteration",
        }],
        loss: |values| Box::new(Correntropy { width: values.get("width") }),
    },
];

/// The method of this name.
pub fn find(name: &str) -> Result<&'static Entry> {
    let entry = METHODS.iter().find(|entry| entry.name == name);
    entry.ok_or_else(|| unknown("method", name, METHODS.iter().map(|entry| entry.name)))
}

impl Entry {
    /// The loss with the given parameters.
    pub fn loss(&self, params: &BTreeMap<String, f64>) -> Box<dyn Loss> {
        (self.loss)(&Values { entry: self, given: params })
    }

    /// Every given parameter is one of the method's and within its range.
    pub fn check(&self, params: &BTreeMap<String, f64>) -> Result<()> {
        for (name, &value) in params {
            let Some(param) = self.params.iter().find(|param| param.name == name) else {
                let names = self.params.iter().map(|param| param.name);
                return Err(match self.params {
                    [] => Error::Param {
                        name: "params",
                        got: format!("'{name}'"),
                        must: format!("empty: {} has no parameters of its own", self.name),
                    },
                    _ => unknown("parameter of this method", name, names),
                });
            };
            if !(value > param.above && value <= param.up_to) {
                let most = if param.up_to < f64::MAX {
                    format!(" and at most {}", param.up_to)
                } else {
                    " and finite".into()
                };
                return Err(Error::param(param.name, value, format!("above {}{most}", param.above)));
            }
        }
        Ok(())
    }
}

fn unknown(kind: &'static str, name: &str, known: impl Iterator<Item = &'static str>) -> Error {
    // A name that was cut short is meant before one that differs in few letters.
    let distance = |known: &&str| (!known.contains(name), strsim::levenshtein(known, name));
    let nearest = known.min_by_key(distance).unwrap_or_default();
    Error::Unknown { kind, name: name.into(), nearest: nearest.into() }
}
