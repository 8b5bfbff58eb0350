//! The list of all methods, the paper's own first.

use super::facts::{ENTRIES, Facts, GraphUse, Memory, Places, SAMPLES, SetAside, WITH_GRAPH, alone, like_v};
use super::{
    DESCENT, Entry, Goal, Kind, MOST, Param, Values, choice, competitors, not_negative, own, positive,
};
use crate::loss::{Capped, Correntropy, Entropy, Frobenius, L21, Log, Loss};
use crate::method::{Recipe, memory};
use crate::model::MOST_SWEEPS;
use crate::spec::{LabelRule, Solver};

const DELTA: Param = positive(
    "delta",
    None,
    "δ: larger residuals count linearly; default: the median absolute residual at the start",
);

/// σ of a correntropy.
const fn width(help: &'static str) -> Param {
    positive("width", None, help)
}

/// Of losses whose published scale outliers can move.
const ROBUST: Param = choice(
    "robust",
    0.0,
    "1: a scale that is not given is set from the median residual at the start, which outliers cannot shift; 0: as published",
);

/// Parameters of every method that follows a graph over the samples.
pub const GRAPH_PARAMS: &[Param] = &[
    positive(
        "lambda",
        None,
        "λ: weight of the graph; default: from the data, a thousand times the weight of the loss",
    ),
    choice("monotone", 0.0, "1: the variant whose objective never rises, without VᵀV = I; 0: as published"),
];

/// Parameters of every method that can have penalties, named as in scikit-learn.
pub const PENALTY_PARAMS: &[Param] = &[
    not_negative(
        "alpha-w",
        Some(0.0),
        MOST,
        "α_W: penalty on the coefficients, times the number of features; 0: none",
    ),
    not_negative(
        "alpha-h",
        None,
        MOST,
        "α_H: penalty on the centroids, times the number of samples; default: as alpha-w",
    ),
    not_negative(
        "l1-ratio",
        Some(0.0),
        1.0,
        "share of the penalties that falls on the entries (zeros), the rest falls on half their squares (smaller entries)",
    ),
];

/// Parameters of every method with layers.
pub const LAYER_PARAMS: &[Param] = &[choice(
    "merge",
    1.0,
    "1: each layer above the first merges the nodes below it along a graph over the samples; 0: every node has a share in each",
)];

/// A method of weighted samples; the rest of its entry is to be filled in.
const fn samples(facts: Facts, make: fn(&Values<'_>) -> Box<dyn Loss>) -> Entry {
    Entry { solvers: &[Solver::Mu, Solver::Hals], exponent: Some(1.0), ..own(facts, Kind::Samples(make)) }
}

/// A method of weighted entries; the rest of its entry is to be filled in.
const fn entries(make: fn(&Values<'_>) -> Recipe) -> Entry {
    Entry { solvers: &[Solver::Mu], exponent: Some(1.0), ..own(ENTRIES, Kind::Entries(make)) }
}

/// A method of weighted entries that can have penalties; the rest of its entry is to be filled in.
const fn penalised(make: fn(&Values<'_>) -> Recipe) -> Entry {
    let facts = Facts { penalties: true, ..ENTRIES };
    Entry { solvers: &[Solver::Mu], exponent: Some(1.0), ..own(facts, Kind::Entries(make)) }
}

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
        exponent: Some(0.5),
        ..samples(Facts { set_aside: SetAside::Default, ..SAMPLES }, |_| Box::new(Entropy))
    },
    Entry {
        name: "g-emmf",
        title: "graph-regularised entropy minimizing matrix factorization",
        reference: "Chen and Li, Entropy Minimizing Matrix Factorization",
        objective: "−Σ rᵢ log(rᵢ/Σr) + λ‖S − VVᵀ‖²",
        guarantee: "none as published; with monotone=1 the objective never rises",
        exponent: Some(0.5),
        params: GRAPH_PARAMS,
        ..own(
            Facts {
                graph: GraphUse::Needed,
                missing: false,
                set_aside: SetAside::Default,
                zeros: false,
                codes_alone: false,
                consensus: false,
                layers: false,
                places: Places::OneMemory,
                memory: like_v(WITH_GRAPH),
                ..SAMPLES
            },
            Kind::Graph(|_| Box::new(Entropy)),
        )
    },
    Entry {
        name: "deep-emmf",
        title: "entropy minimizing matrix factorization in layers",
        reference: "Chen and Li, Entropy Minimizing Matrix Factorization (future work); De Handschutter and Gillis 2022 (the sum over layers)",
        objective: "−Σₗ λₗ Σ rᵢ⁽ˡ⁾ log(rᵢ⁽ˡ⁾/Σr⁽ˡ⁾), rᵢ⁽ˡ⁾ = ‖xᵢ − UₗB₂…Bₗᵀvᵢ‖",
        guarantee: DESCENT,
        exponent: Some(0.5),
        params: LAYER_PARAMS,
        ..samples(Facts { set_aside: SetAside::Default, ..SAMPLES }, |_| Box::new(Entropy))
    },
    Entry {
        name: "nmf",
        title: "nonnegative matrix factorization, Frobenius norm",
        reference: "Lee and Seung, NIPS 2000",
        objective: "Σ rᵢ²",
        guarantee: DESCENT,
        ..samples(Facts { converges: true, penalties: true, ..SAMPLES }, |_| Box::new(Frobenius))
    },
    Entry {
        name: "l21-nmf",
        title: "l2,1-norm NMF",
        reference: "Kong, Ding and Huang, CIKM 2011",
        objective: "Σ rᵢ",
        guarantee: DESCENT,
        ..samples(SAMPLES, |_| Box::new(L21))
    },
    Entry {
        name: "hx-nmf",
        title: "logarithmic-loss NMF",
        reference: "Wang, He, Jiang and Li, TPAMI",
        objective: "Σ a log(1 + rᵢ/a)",
        guarantee: DESCENT,
        params: &[positive("scale", Some(1.0), "a: residuals well above it count logarithmically"), ROBUST],
        ..samples(Facts { homogeneous: false, ..SAMPLES }, |values| {
            Box::new(Log { scale: values.get("scale").unwrap_or(1.0), robust: is_robust(values) })
        })
    },
    Entry {
        name: "capped-nmf",
        title: "capped-norm NMF",
        reference: "Gao, Nie, Cai and Huang, CIKM 2015",
        objective: "Σ min(rᵢ, θ)",
        guarantee: DESCENT,
        params: &[
            positive("threshold", None, "θ: residuals above it have no effect; default: by quantile"),
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
        ..samples(SAMPLES, |values| {
            let quantile = values.get("quantile").unwrap_or(1.0);
            Box::new(Capped { threshold: values.get("threshold"), quantile, robust: is_robust(values) })
        })
    },
    Entry {
        name: "rcim-nmf",
        title: "sample-wise correntropy NMF",
        reference: "Du, Li and Shen, ICDM 2012",
        objective: "Σ 1 − exp(−rᵢ²/2σ²)",
        guarantee: "with a given width the objective never rises; without one it may",
        params: &[width("σ; default: 2σ² is the mean of rᵢ², updated in every iteration"), ROBUST],
        ..samples(SAMPLES, |values| {
            Box::new(Correntropy { width: values.get("width"), robust: is_robust(values) })
        })
    },
    Entry {
        name: "nmf-div",
        title: "NMF of the generalised Kullback-Leibler divergence",
        reference: "Lee and Seung, NIPS 2000",
        objective: "Σ xᵢⱼ log(xᵢⱼ/yᵢⱼ) − xᵢⱼ + yᵢⱼ",
        guarantee: "the objective never rises; without penalties the approximation of a sample keeps its sum",
        ..penalised(|_| Recipe::Divergence)
    },
    Entry {
        name: "beta-nmf",
        title: "NMF of a β-divergence, such as Itakura-Saito",
        reference: "Févotte and Idier, Neural Computation 2011",
        objective: "Σ (xᵢⱼ^β + (β−1)yᵢⱼ^β − βxᵢⱼyᵢⱼ^(β−1)) / (β(β−1))",
        guarantee: DESCENT,
        params: &[Param {
            name: "beta",
            default: Some(0.5),
            above: -1.0,
            up_to: 3.0,
            whole: false,
            help: "β: 2 is half the squared error, 1 Kullback-Leibler, 0 Itakura-Saito; up to 0 no entry of X may be 0",
        }],
        ..penalised(|values| Recipe::of_beta(values.get("beta").unwrap_or(0.5)))
    },
    Entry {
        name: "l1-nmf",
        title: "l1-norm NMF by reweighting",
        reference: "Ke and Kanade, CVPR 2005",
        objective: "Σ √(mᵢⱼ² + ε²)",
        guarantee: DESCENT,
        params: &[Param {
            name: "median-sweeps",
            default: Some(0.0),
            above: -1.0,
            up_to: MOST_SWEEPS as f64,
            whole: true,
            help: "coordinate descent sweeps on Σ|mᵢⱼ| by weighted medians after the last iteration",
        }],
        ..entries(|values| {
            let median_sweeps = values.get("median-sweeps").unwrap_or(0.0) as usize;
            Recipe::L1 { median_sweeps }
        })
    },
    Entry {
        name: "cim-nmf",
        title: "entry-wise correntropy NMF",
        reference: "Du, Li and Shen, ICDM 2012",
        objective: "Σ 1 − exp(−mᵢⱼ²/2σ²)",
        guarantee: "with a given width the objective never rises; without one it may",
        params: &[width("σ; default: 2σ² is the mean of mᵢⱼ², updated in every iteration"), ROBUST],
        ..entries(|values| Recipe::Correntropy { width: values.get("width"), robust: is_robust(values) })
    },
    Entry {
        name: "huber-nmf",
        title: "Huber-loss NMF",
        reference: "Du, Li and Shen, ICDM 2012",
        objective: "Σ ½mᵢⱼ², or δ|mᵢⱼ| − ½δ² above δ",
        guarantee: DESCENT,
        params: &[DELTA],
        ..entries(|values| Recipe::Huber { delta: values.get("delta") })
    },
    Entry {
        name: "hypersurface-nmf",
        title: "hypersurface-cost NMF",
        reference: "Hamza and Brady, IEEE TSP 2006",
        objective: "Σ δ²(√(1 + mᵢⱼ²/δ²) − 1)",
        guarantee: DESCENT,
        params: &[DELTA],
        ..entries(|values| Recipe::Hypersurface { delta: values.get("delta") })
    },
    Entry {
        name: "l12-nmf",
        title: "l1,2-norm NMF, the sum over features of the residuals' norm",
        reference: "Yang, Jing and Ng 2015 (one reading)",
        objective: "Σⱼ √(Σᵢ mᵢⱼ²)",
        guarantee: DESCENT,
        ..entries(|_| Recipe::Features)
    },
    Entry {
        name: "l12-squared-nmf",
        title: "l1,2-norm NMF, the sum over samples of the squared l1 norm",
        reference: "Huang, Li and Zhao 2019 (another reading)",
        objective: "Σᵢ (Σⱼ |mᵢⱼ|)²",
        guarantee: DESCENT,
        ..entries(|_| Recipe::SquaredSums)
    },
    Entry {
        name: "pnmf",
        title: "probabilistic NMF by variational Bayes",
        reference: "Brouwer, Frellsen and Liò, ECML PKDD 2017",
        objective: "ELBO = E[log p(X, U, V, τ) − log q(U, V, τ)]",
        guarantee: "the evidence lower bound never falls",
        goal: Goal::Most,
        params: &[
            positive("lambda", Some(0.1), "λ: the prior of the entries of U and V is Exp(λ)"),
            positive("shape", Some(1.0), "shape of the gamma prior on the noise precision τ"),
            positive("rate", Some(1.0), "rate of the gamma prior on τ"),
            choice(
                "ard",
                0.0,
                "1: λ has a gamma prior, one per centroid, and centroids that are not needed fade away",
            ),
            positive("ard-shape", Some(1.0), "shape of that prior"),
            positive("ard-rate", Some(1.0), "rate of that prior"),
        ],
        ..own(
            Facts {
                zeros: false,
                homogeneous: false,
                ..alone(LabelRule::Largest, true, Memory { more: memory::pnmf, ..like_v(2.2) })
            },
            Kind::Probabilistic,
        )
    },
    Entry {
        name: "gsnmf",
        title: "generalized separable NMF",
        reference: "Pan and Gillis, TPAMI 2021",
        objective: "Σ rᵢ², U = [samples, P₂], V = [P₁, features]",
        guarantee: "the objective never rises; noiseless generalized separable data are recovered",
        params: &[
            choice(
                "convex",
                0.0,
                "1: choose samples and features by a convex problem; 0: by successive projection",
            ),
            positive(
                "lambda",
                Some(1.0),
                "λ of the convex problem, in units of the unexplained energy per sample and feature",
            ),
        ],
        ..own(
            Facts {
                homogeneous: false,
                ..alone(LabelRule::Unit, true, Memory { starts: false, ..like_v(3.0) })
            },
            Kind::Separable,
        )
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
