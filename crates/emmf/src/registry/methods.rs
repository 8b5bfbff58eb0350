//! The list of all methods, the paper's own first.

use super::{Entry, Goal, Kind, MOST, Param, Storage, Values, competitors};
use crate::loss::{Capped, Correntropy, Entropy, Frobenius, L21, Log};
use crate::method::Recipe;
use crate::model::MOST_SWEEPS;
use crate::spec::Solver;

const DESCENT: &str = "the objective never rises";

const DELTA: Param = Param {
    name: "delta",
    default: None,
    above: 0.0,
    up_to: MOST,
    whole: false,
    help: "δ: larger residuals count linearly; default: the median absolute residual at the start",
};

/// σ of a correntropy.
const fn width(help: &'static str) -> Param {
    Param { name: "width", default: None, above: 0.0, up_to: MOST, whole: false, help }
}

/// Of losses whose published scale outliers can move.
const ROBUST: Param = Param {
    name: "robust",
    default: Some(0.0),
    above: -1.0,
    up_to: 1.0,
    whole: true,
    help: "1: a scale that is not given comes from the median residual at the start, which outliers cannot move; 0: as published",
};

/// Parameters of every method that follows a graph over the samples.
pub const GRAPH_PARAMS: &[Param] = &[
    Param {
        name: "lambda",
        default: None,
        above: 0.0,
        up_to: MOST,
        whole: false,
        help: "λ: how much the graph weighs; default: from the data, a thousand times the weight of the loss",
    },
    Param {
        name: "monotone",
        default: Some(0.0),
        above: -1.0,
        up_to: 1.0,
        whole: true,
        help: "1: the variant whose objective never rises, without VᵀV = I; 0: as published",
    },
];

const BOTH: &[Storage] = &[Storage::Dense, Storage::Sparse];
const ALL: &[Solver] = &[Solver::Mu, Solver::Hals];
const MU: &[Solver] = &[Solver::Mu];

fn is_robust(values: &Values<'_>) -> bool {
    values.get("robust") == Some(1.0)
}

/// All methods, the paper's own first.
pub const METHODS: &[Entry] = &[
    Entry {
        name: "emmf",
        title: "entropy minimizing matrix factorization",
        reference: "Chen and Li, Entropy Minimizing Matrix Factorization",
        objective: "−Σ rᵢ log(rᵢ/Σr)",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: ALL,
        exponent: Some(0.5),
        params: &[],
        kind: Kind::Samples(|_| Box::new(Entropy)),
    },
    Entry {
        name: "g-emmf",
        title: "graph-regularised entropy minimizing matrix factorization",
        reference: "Chen and Li, Entropy Minimizing Matrix Factorization",
        objective: "−Σ rᵢ log(rᵢ/Σr) + λ‖S − VVᵀ‖²",
        guarantee: "none as published; with monotone=1 the objective never rises",
        goal: Goal::Least,
        storage: BOTH,
        solvers: &[],
        exponent: Some(0.5),
        params: GRAPH_PARAMS,
        kind: Kind::Graph(|_| Box::new(Entropy)),
    },
    Entry {
        name: "nmf",
        title: "nonnegative matrix factorization, Frobenius norm",
        reference: "Lee and Seung, NIPS 2000",
        objective: "Σ rᵢ²",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: ALL,
        exponent: Some(1.0),
        params: &[],
        kind: Kind::Samples(|_| Box::new(Frobenius)),
    },
    Entry {
        name: "l21-nmf",
        title: "l2,1-norm NMF",
        reference: "Kong, Ding and Huang, CIKM 2011",
        objective: "Σ rᵢ",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: ALL,
        exponent: Some(1.0),
        params: &[],
        kind: Kind::Samples(|_| Box::new(L21)),
    },
    Entry {
        name: "hx-nmf",
        title: "logarithmic-loss NMF",
        reference: "Wang, He, Jiang and Li, TPAMI",
        objective: "Σ a log(1 + rᵢ/a)",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: ALL,
        exponent: Some(1.0),
        params: &[
            Param {
                name: "scale",
                default: Some(1.0),
                above: 0.0,
                up_to: MOST,
                whole: false,
                help: "a: residuals well above it count logarithmically",
            },
            ROBUST,
        ],
        kind: Kind::Samples(|values| {
            Box::new(Log { scale: values.get("scale").unwrap_or(1.0), robust: is_robust(values) })
        }),
    },
    Entry {
        name: "capped-nmf",
        title: "capped-norm NMF",
        reference: "Gao, Nie, Cai and Huang, CIKM 2015",
        objective: "Σ min(rᵢ, θ)",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: ALL,
        exponent: Some(1.0),
        params: &[
            Param {
                name: "threshold",
                default: None,
                above: 0.0,
                up_to: MOST,
                whole: false,
                help: "θ: residuals above it have no pull; default: by quantile",
            },
            Param {
                name: "quantile",
                default: Some(0.95),
                above: 0.0,
                up_to: 1.0,
                whole: false,
                help: "θ is this quantile of the residuals after one l2,1 iteration",
            },
            ROBUST,
        ],
        kind: Kind::Samples(|values| {
            let quantile = values.get("quantile").unwrap_or(1.0);
            Box::new(Capped { threshold: values.get("threshold"), quantile, robust: is_robust(values) })
        }),
    },
    Entry {
        name: "rcim-nmf",
        title: "sample-wise correntropy NMF",
        reference: "Du, Li and Shen, ICDM 2012",
        objective: "Σ 1 − exp(−rᵢ²/2σ²)",
        guarantee: "with a given width the objective never rises; without one it may",
        goal: Goal::Least,
        storage: BOTH,
        solvers: ALL,
        exponent: Some(1.0),
        params: &[width("σ; default: 2σ² is the mean of rᵢ², anew in every iteration"), ROBUST],
        kind: Kind::Samples(|values| {
            Box::new(Correntropy { width: values.get("width"), robust: is_robust(values) })
        }),
    },
    Entry {
        name: "nmf-div",
        title: "NMF of the generalised Kullback-Leibler divergence",
        reference: "Lee and Seung, NIPS 2000",
        objective: "Σ xᵢⱼ log(xᵢⱼ/yᵢⱼ) − xᵢⱼ + yᵢⱼ",
        guarantee: "the objective never rises; the approximation of a sample keeps its sum",
        goal: Goal::Least,
        storage: BOTH,
        solvers: MU,
        exponent: Some(1.0),
        params: &[],
        kind: Kind::Entries(|_| Recipe::Divergence),
    },
    Entry {
        name: "l1-nmf",
        title: "l1-norm NMF by reweighting",
        reference: "Ke and Kanade, CVPR 2005",
        objective: "Σ √(mᵢⱼ² + ε²)",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: MU,
        exponent: Some(1.0),
        params: &[Param {
            name: "median-sweeps",
            default: Some(0.0),
            above: -1.0,
            up_to: MOST_SWEEPS as f64,
            whole: true,
            help: "sweeps of coordinate descent on Σ|mᵢⱼ| by weighted medians after the last iteration",
        }],
        kind: Kind::Entries(|values| {
            let median_sweeps = values.get("median-sweeps").unwrap_or(0.0) as usize;
            Recipe::L1 { median_sweeps }
        }),
    },
    Entry {
        name: "cim-nmf",
        title: "entry-wise correntropy NMF",
        reference: "Du, Li and Shen, ICDM 2012",
        objective: "Σ 1 − exp(−mᵢⱼ²/2σ²)",
        guarantee: "with a given width the objective never rises; without one it may",
        goal: Goal::Least,
        storage: BOTH,
        solvers: MU,
        exponent: Some(1.0),
        params: &[width("σ; default: 2σ² is the mean of mᵢⱼ², anew in every iteration"), ROBUST],
        kind: Kind::Entries(|values| Recipe::Correntropy {
            width: values.get("width"),
            robust: is_robust(values),
        }),
    },
    Entry {
        name: "huber-nmf",
        title: "Huber-loss NMF",
        reference: "Du, Li and Shen, ICDM 2012",
        objective: "Σ ½mᵢⱼ², or δ|mᵢⱼ| − ½δ² above δ",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: MU,
        exponent: Some(1.0),
        params: &[DELTA],
        kind: Kind::Entries(|values| Recipe::Huber { delta: values.get("delta") }),
    },
    Entry {
        name: "hypersurface-nmf",
        title: "hypersurface-cost NMF",
        reference: "Hamza and Brady, IEEE TSP 2006",
        objective: "Σ δ²(√(1 + mᵢⱼ²/δ²) − 1)",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: MU,
        exponent: Some(1.0),
        params: &[DELTA],
        kind: Kind::Entries(|values| Recipe::Hypersurface { delta: values.get("delta") }),
    },
    Entry {
        name: "l12-nmf",
        title: "l1,2-norm NMF, the sum over features of the residuals' norm",
        reference: "Yang, Jing and Ng 2015 (one reading)",
        objective: "Σⱼ √(Σᵢ mᵢⱼ²)",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: MU,
        exponent: Some(1.0),
        params: &[],
        kind: Kind::Entries(|_| Recipe::Features),
    },
    Entry {
        name: "l12-squared-nmf",
        title: "l1,2-norm NMF, the sum over samples of the squared l1 norm",
        reference: "Huang, Li and Zhao 2019 (another reading)",
        objective: "Σᵢ (Σⱼ |mᵢⱼ|)²",
        guarantee: DESCENT,
        goal: Goal::Least,
        storage: BOTH,
        solvers: MU,
        exponent: Some(1.0),
        params: &[],
        kind: Kind::Entries(|_| Recipe::SquaredSums),
    },
    Entry {
        name: "pnmf",
        title: "probabilistic NMF by variational Bayes",
        reference: "Brouwer, Frellsen and Liò, ECML PKDD 2017",
        objective: "ELBO = E[log p(X, U, V, τ) − log q(U, V, τ)]",
        guarantee: "the evidence lower bound never falls",
        goal: Goal::Most,
        storage: BOTH,
        solvers: &[],
        exponent: None,
        params: &[
            Param {
                name: "lambda",
                default: Some(0.1),
                above: 0.0,
                up_to: MOST,
                whole: false,
                help: "λ: entries of U and V are Exp(λ) a priori",
            },
            Param {
                name: "shape",
                default: Some(1.0),
                above: 0.0,
                up_to: MOST,
                whole: false,
                help: "shape of the gamma prior of the precision τ of the noise",
            },
            Param {
                name: "rate",
                default: Some(1.0),
                above: 0.0,
                up_to: MOST,
                whole: false,
                help: "rate of the gamma prior of τ",
            },
            Param {
                name: "ard",
                default: Some(0.0),
                above: -1.0,
                up_to: 1.0,
                whole: true,
                help: "1: λ has a gamma prior, one for each centroid, and unneeded centroids fade away",
            },
            Param {
                name: "ard-shape",
                default: Some(1.0),
                above: 0.0,
                up_to: MOST,
                whole: false,
                help: "shape of that prior",
            },
            Param {
                name: "ard-rate",
                default: Some(1.0),
                above: 0.0,
                up_to: MOST,
                whole: false,
                help: "rate of that prior",
            },
        ],
        kind: Kind::Probabilistic,
    },
    Entry {
        name: "gsnmf",
        title: "generalized separable NMF",
        reference: "Pan and Gillis, TPAMI 2021",
        objective: "Σ rᵢ², U = [samples, P₂], V = [P₁, features]",
        guarantee: "the objective never rises; noiseless generalized separable data are recovered",
        goal: Goal::Least,
        storage: BOTH,
        solvers: &[],
        exponent: None,
        params: &[
            Param {
                name: "convex",
                default: Some(0.0),
                above: -1.0,
                up_to: 1.0,
                whole: true,
                help: "1: choose samples and features by a convex problem; 0: by successive projection",
            },
            Param {
                name: "lambda",
                default: Some(1.0),
                above: 0.0,
                up_to: MOST,
                whole: false,
                help: "λ of the convex problem, in units of the unexplained energy per sample and feature",
            },
        ],
        kind: Kind::Separable,
    },
    competitors::ONMF,
    competitors::CF,
    competitors::NLCF,
    competitors::LCF,
    competitors::GNMF,
    competitors::LCCF,
    competitors::SYMNMF,
    competitors::RMNMF,
    competitors::NMFAN,
    competitors::SRMCF,
    competitors::LSNMF,
];
