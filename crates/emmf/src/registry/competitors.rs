//! The graph and concept methods that the paper compares with, and what they rest on.

use super::facts::{GraphUse, Memory, alone, like_v, with_graph};
use super::{DESCENT, Entry, Kind, MOST, Param, Storage, Values, choice, own, positive};
use crate::method::{CANDIDATES, Learning, Source, Terms, memory};
use crate::spec::LabelRule;

const fn lambda(default: f64, help: &'static str) -> Param {
    positive("lambda", Some(default), help)
}

const MU: Param = positive("mu", Some(1.0), "μ: how much centroids are pulled towards samples that use them");

const NEIGHBOURS: Param = Param {
    name: "neighbors",
    default: Some(5.0),
    above: 0.0,
    up_to: (CANDIDATES - 1) as f64,
    whole: true,
    help: "number of neighbours of a sample in the learned graph",
};

const SMOOTH: &str = "λ: how strongly neighbours in the graph are pulled to the same coefficients";

/// No terms but the fit.
const PLAIN: Terms = Terms { concepts: false, local: 0.0, lambda: 0.0, unit: false, graph: Source::None };

fn get(values: &Values<'_>, name: &str) -> f64 {
    values.get(name).unwrap_or(1.0)
}

/// A graph that is learned among the nearest neighbours.
const fn learned(like_v: Memory) -> Memory {
    Memory { candidates: CANDIDATES, more: memory::learned, ..like_v }
}

pub(super) const GNMF: Entry = Entry {
    name: "gnmf",
    title: "graph-regularized NMF",
    reference: "Cai, He, Han and Huang, TPAMI 2011",
    objective: "Σ rᵢ² + λ tr(VᵀLV)",
    guarantee: DESCENT,
    params: &[lambda(100.0, SMOOTH)],
    ..own(
        with_graph(GraphUse::Needed, LabelRule::KmeansRaw, like_v(3.0)),
        Kind::Regularized(|values| Terms { lambda: get(values, "lambda"), graph: Source::Given, ..PLAIN }),
    )
};

pub(super) const CF: Entry = Entry {
    name: "cf",
    title: "concept factorization",
    reference: "Xu and Gong, SIGIR 2004",
    objective: "Σ rᵢ², U = XᵀB",
    guarantee: DESCENT,
    ..own(alone(LabelRule::Unit, true, like_v(4.0)), Kind::Regularized(|_| Terms { concepts: true, ..PLAIN }))
};

pub(super) const LCCF: Entry = Entry {
    name: "lccf",
    title: "locally consistent concept factorization",
    reference: "Cai, He and Han, TKDE 2011",
    objective: "Σ rᵢ² + λ tr(VᵀLV), U = XᵀB",
    guarantee: "the objective never rises; with unit columns of V it may",
    params: &[
        lambda(100.0, SMOOTH),
        choice(
            "unit",
            0.0,
            "1: scale the columns of V to unit length in every iteration, as the authors' code does",
        ),
    ],
    ..own(
        with_graph(GraphUse::Needed, LabelRule::KmeansRaw, like_v(5.0)),
        Kind::Regularized(|values| Terms {
            concepts: true,
            lambda: get(values, "lambda"),
            unit: get(values, "unit") == 1.0,
            graph: Source::Given,
            ..PLAIN
        }),
    )
};

pub(super) const NLCF: Entry = Entry {
    name: "nlcf",
    title: "nonnegative local coordinate factorization",
    reference: "Chen, Zhang, Cai, Liu and He, TIP 2013",
    objective: "Σ rᵢ² + μ Σ Vᵢₖ‖uₖ − xᵢ‖²",
    guarantee: DESCENT,
    params: &[MU],
    ..own(
        alone(LabelRule::Largest, false, like_v(3.0)),
        Kind::Regularized(|values| Terms { local: get(values, "mu"), ..PLAIN }),
    )
};

pub(super) const LCF: Entry = Entry {
    name: "lcf",
    title: "local coordinate concept factorization",
    reference: "Liu, Yang, Yang, Wu and Li, TNNLS 2014",
    objective: "Σ rᵢ² + μ Σ Vᵢₖ‖uₖ − xᵢ‖², U = XᵀB",
    guarantee: DESCENT,
    params: &[MU],
    ..own(
        alone(LabelRule::Largest, false, like_v(4.0)),
        Kind::Regularized(|values| Terms { concepts: true, local: get(values, "mu"), ..PLAIN }),
    )
};

pub(super) const NMFAN: Entry = Entry {
    name: "nmfan",
    title: "NMF with adaptive neighbours",
    reference: "Huang, Xu and Wang, IJCNN 2017",
    objective: "Σ rᵢ² + Σ ‖xᵢ − xⱼ‖²sᵢⱼ + γsᵢⱼ² + λ tr(VᵀLV)",
    guarantee: DESCENT,
    params: &[lambda(1.0, SMOOTH), NEIGHBOURS],
    ..own(
        with_graph(GraphUse::Learned, LabelRule::Unit, learned(like_v(3.0))),
        Kind::Regularized(|values| {
            let learning = Learning::Samples { neighbours: get(values, "neighbors") as usize };
            Terms { lambda: get(values, "lambda"), graph: Source::Learned(learning), ..PLAIN }
        }),
    )
};

pub(super) const SRMCF: Entry = Entry {
    name: "srmcf",
    title: "self-representative manifold concept factorization (reconstructed)",
    reference: "Ma, Zhang, Hu, Zhang, Wu and Li, IJCAI 2018; formulas reconstructed",
    objective: "Σ rᵢ² + λ tr(VᵀLV) + γ‖S‖², U = XᵀB",
    guarantee: "with a given gamma the objective never rises; without one it may",
    params: &[
        lambda(1.0, SMOOTH),
        NEIGHBOURS,
        positive(
            "gamma",
            None,
            "γ for all samples; default: one per sample, to keep only its neighbours, and unit columns of V",
        ),
    ],
    ..own(
        with_graph(GraphUse::Learned, LabelRule::Unit, learned(like_v(4.0))),
        Kind::Regularized(|values| {
            let (neighbours, gamma) = (get(values, "neighbors") as usize, values.get("gamma"));
            Terms {
                concepts: true,
                lambda: get(values, "lambda"),
                unit: gamma.is_none(),
                graph: Source::Learned(Learning::Coefficients { neighbours, gamma }),
                ..PLAIN
            }
        }),
    )
};

pub(super) const ONMF: Entry = Entry {
    name: "onmf",
    title: "orthogonal NMF",
    reference: "Ding, Li, Peng and Park, KDD 2006",
    objective: "Σ rᵢ², VᵀV = I",
    guarantee: "none; VᵀV is near I",
    ..own(alone(LabelRule::Unit, false, like_v(1.0)), Kind::Orthogonal)
};

pub(super) const SYMNMF: Entry = Entry {
    name: "symnmf",
    title: "symmetric NMF of the graph",
    reference: "Kuang, Park and Ding, SDM 2012",
    objective: "‖S − VVᵀ‖²",
    guarantee: "the objective never rises; with the half step it may",
    params: &[choice("half", 0.0, "1: the faster half step, without a proof; 0: the quarter power")],
    ..own(with_graph(GraphUse::Needed, LabelRule::Largest, like_v(3.0)), Kind::Symmetric)
};

pub(super) const RMNMF: Entry = Entry {
    name: "rmnmf",
    title: "robust manifold NMF",
    reference: "Huang, Nie, Huang and Ding, TKDD 2014",
    objective: "Σ rᵢ + λ tr(GᵀLG), GᵀG = I",
    guarantee: "GᵀG = I; the objective need not fall",
    storage: &[Storage::Dense],
    params: &[
        lambda(0.1, SMOOTH),
        choice("stable", 0.0, "1: an orthonormal start and a μ that depends on the graph; 0: as published"),
        Param {
            name: "penalty",
            default: None,
            above: 0.0,
            up_to: 1e10,
            whole: false,
            help: "μ of the first iteration; default: 1e-3, or max(10, λ·λ_max(L)/8) if stable",
        },
        Param {
            name: "growth",
            default: None,
            above: 1.0,
            up_to: 10.0,
            whole: false,
            help: "factor by which μ grows in an iteration; default: 1.05, or 1.01 if stable",
        },
    ],
    ..own(
        with_graph(
            GraphUse::Needed,
            LabelRule::Largest,
            Memory { like_x: 2.0, more: memory::rmnmf, ..like_v(6.0) },
        ),
        Kind::RobustManifold,
    )
};

pub(super) const LSNMF: Entry = Entry {
    name: "lsnmf",
    title: "local centroids structured NMF",
    reference: "Gao, Nie and Huang, AAAI 2017",
    objective: "‖X − GFᵀ‖² + 2λ tr(PᵀLP)",
    guarantee: "with a fixed λ and without stable the objective never rises; otherwise it may",
    params: &[
        lambda(0.1, "λ of the first iteration, doubled or halved until there are k components"),
        choice("adapt", 1.0, "0: keep λ as it is"),
        choice(
            "stable",
            0.0,
            "1: the normalised Laplacian, which does not cut off single samples; 0: as published",
        ),
        Param {
            name: "centroids",
            default: None,
            above: 0.0,
            up_to: MOST,
            whole: true,
            help: "m, the number of local centroids; default: 10k, but at most a quarter of the samples",
        },
        Param {
            name: "neighbors",
            default: Some(3.0),
            above: 0.0,
            up_to: 64.0,
            whole: true,
            help: "number of local centroids a sample is linked to, at most",
        },
    ],
    ..own(
        with_graph(GraphUse::Learned, LabelRule::Components, Memory { more: memory::lsnmf, ..like_v(0.0) }),
        Kind::LocalCentroids,
    )
};
