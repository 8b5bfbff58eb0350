"""The parameters of the estimators: names, defaults, what is allowed, what they mean, and the way to the library."""

from __future__ import annotations

import json
import os
from math import floor
from numbers import Integral, Real
from typing import Any, NamedTuple

from joblib import effective_n_jobs
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from . import _emmf

# What has no value, or is off, is not written, but is there all the same.
DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(["stop_by", "outliers", "init", "solver", "tol", "clusters"]),
    "consensus": False,
    **json.loads(_emmf.defaults()),
}
GRAPH_PARAMS: list[dict[str, Any]] = json.loads(_emmf.graph_params())
LAYER_PARAMS: list[dict[str, Any]] = json.loads(_emmf.layer_params())
PENALTY_PARAMS: list[dict[str, Any]] = json.loads(_emmf.penalty_params())
STEPS = ("unit", "max", "tfidf", "shift", "clip", "l1", "counts", "log1p", "min-max")
STARTS = (
    "kmeans",
    "kmeans-parallel",
    "trimmed",
    "random",
    "nndsvd",
    "nndsvda",
    "nndsvdar",
    "graph",
    "custom",
)
COUNT = Interval(Integral, 1, None, closed="left")
# What is more does not fit into the library's numbers; it starts a few for each core anyway.
MOST_THREADS = 2**31


class Parameter(NamedTuple):
    """A parameter of an estimator."""

    name: str
    default: Any
    allowed: list[Any]
    type: str
    help: str


def _shared(name: str, allowed: list[Any], type: str, help: str) -> Parameter:
    return Parameter(name, DEFAULTS[name], allowed, type, help)


FIRST = Parameter(
    "n_components",
    10,
    [COUNT, StrOptions({"auto"}), None],
    'int, "auto" or None',
    'Number of centroids, k in the paper: clusters, topics or parts. ``"auto"`` chooses the number of clusters as '
    ":func:`emmf.choose_k` does, and starts from the clusters found that way unless ``init`` is given. None means as "
    "many as there are features, as in scikit-learn.",
)
# By the methods that can have layers.
LAYERS = Parameter(
    "layers",
    None,
    [list, tuple, StrOptions({"auto"}), None],
    'sequence of int, "auto" or None',
    "Widths of the layers, from the bottom up and decreasing, such as ``(60, 20)``. They replace ``n_components``: "
    "the width of the first layer is its number of centroids, and ``labels_`` are the nodes of the last. "
    '``"auto"`` takes the communities of the graph at several resolutions. None means one layer.',
)
# By the methods that have a choice of solver.
SOLVING = [
    _shared(
        "solver",
        [StrOptions({"mu", "hals", "cd"}), None],
        '{"mu", "hals", "cd"} or None',
        "How one factor is updated while the other stays fixed: multiplicative updates, or coordinate descent, which "
        'reaches low objectives much faster. ``"cd"`` is scikit-learn\'s name for ``"hals"``. None means {solver}.',
    ),
    _shared("sweeps", [COUNT], "int", 'Inner sweeps of ``solver="hals"`` over each factor.'),
    _shared("extrapolate", ["boolean"], "bool", 'Lets ``solver="hals"`` extrapolate along its last step.'),
]
EXPONENT = _shared(
    "exponent",
    [Interval(Real, 0, 1, closed="right"), None],
    "float or None",
    "Exponent of the multiplicative update; None means the published one, {exponent}.",
)
MISSING = _shared(
    "missing",
    [StrOptions({"refuse", "nan"})],
    '{"refuse", "nan"}',
    'What NaN means: an error, or a missing value. With ``"nan"`` missing values are left out of the fit, and '
    '``imputed_`` has them filled in; only for dense data and ``solver="mu"``.',
)
# By the methods that can set samples aside.
OUTLIERS = _shared(
    "outliers",
    [StrOptions({"set-aside", "keep"}), None],
    '{"set-aside", "keep"} or None',
    "What to do with samples that clearly do not belong to the others: set them aside, so that the start and the fit "
    "do not see them (they still get coefficients, a cluster and a score), or keep them, as published. None means "
    "{outliers}.",
)
# By the methods that can follow a graph; those that need one have ``graph="auto"``.
GRAPH = [
    Parameter(
        "graph",
        None,
        [StrOptions({"auto", "knn", "adaptive", "custom"}), None],
        '{"auto", "knn", "adaptive", "custom"} or None',
        "The graph over the samples that the coefficients should follow: the one with the clearest clusters among "
        "those of the samples and of their reconstructions by wide robust fits, nearest neighbours, nearest neighbours "
        "with weights that fall with the distance, or ``S`` of ``fit``; None is {without}.",
    ),
    Parameter("n_neighbors", 5, [COUNT], "int", "Number of neighbours of a sample in the graph."),
    Parameter(
        "graph_weights",
        "binary",
        [StrOptions({"binary", "heat", "cosine"})],
        '{"binary", "heat", "cosine"}',
        "Weights of the edges between nearest neighbours: 1, by the distance, or by the angle.",
    ),
]
COMMON = [
    Parameter(
        "init",
        DEFAULTS["init"],
        [StrOptions(set(STARTS)), None],
        "{" + ", ".join(f'"{name}"' for name in STARTS) + "} or None",
        'How the factors start. ``"kmeans-parallel"`` needs few passes over many samples; ``"trimmed"`` is k-means '
        'that leaves out the farthest samples; ``"nndsvd"``, also called ``"nndsvda"``, fills the zeros of a double '
        'SVD with the mean, ``"nndsvdar"`` with small random numbers; ``"graph"`` is clusters along a graph; '
        '``"custom"`` takes ``W`` and ``H`` of ``fit``.'
        " None means the graph if one is used, NNDSVD with :class:`emmf.NMF`, otherwise k-means.",
    ),
    _shared("init_restarts", [COUNT], "int", "Number of k-means runs for the start, of which the best is used."),
    Parameter(
        "normalize",
        None,
        [StrOptions(set(STEPS)), list, tuple, None],
        "str, list of str or None",
        'Preprocessing steps, applied in this order: ``"unit"`` length (as in the paper), ``"max"`` to 1, '
        '``"tfidf"``, ``"shift"`` of negative features to 0, ``"clip"`` of long samples to the median length, '
        '``"l1"`` (each sample sums to 1), ``"counts"`` (each to the median sum), ``"log1p"``, ``"min-max"`` '
        "of each feature.",
    ),
    Parameter(
        "random_state",
        DEFAULTS["seed"],
        ["random_state"],
        "int, RandomState instance or None",
        "Seed for all random numbers; None draws from numpy's global generator.",
    ),
    _shared("restarts", [COUNT], "int", "Number of independent fits; the one with the best objective is kept."),
    _shared(
        "consensus",
        ["boolean"],
        "bool",
        "Whether the model is what the restarts agree on, instead of the best of them: components are matched between "
        "restarts and averaged, restarts far from the others are set aside, and ``consensus_`` says how stable each "
        "component is. Needs ``restarts`` of at least 2, and no graph.",
    ),
    _shared("max_iter", [COUNT], "int", "Maximum number of iterations."),
    _shared(
        "tol",
        [Interval(Real, 0, 1, closed="left"), None],
        "float or None",
        "Stop when the relative change of the objective, or with a graph that of the coefficients, is below this; 0 "
        "runs all iterations. None means {tol}.",
    ),
    _shared(
        "stop_by",
        [StrOptions({"objective", "coefficients"}), None],
        '{"objective", "coefficients"} or None',
        "What ``tol`` is compared with; None means the coefficients with a graph, otherwise the objective.",
    ),
    _shared(
        "time_limit",
        [Interval(Real, 0, None, closed="neither"), None],
        "float or None",
        "Stop after this many seconds.",
    ),
    _shared(
        "epsilon",
        [Interval(Real, 0, None, closed="neither"), None],
        "float or None",
        "ε of the smoothed residual √(‖m‖² + ε²); None means 1e-10 times the mean sample norm.",
    ),
    Parameter(
        "label_rule",
        DEFAULTS["label_rule"],
        [StrOptions({"largest", "unit", "kmeans", "kmeans-raw", "components"}), None],
        '{"largest", "unit", "kmeans", "kmeans-raw", "components"} or None',
        "How labels are read off the coefficients: the largest as it is, the largest after scaling the centroids to "
        "unit length, k-means on the directions of the coefficients times the lengths of the centroids, k-means on the "
        "coefficients as they are, or the components of a graph that the method learns. None means {labels}.",
    ),
    Parameter(
        "n_clusters",
        DEFAULTS["clusters"],
        [COUNT, None],
        "int or None",
        "Number of clusters that k-means makes of the coefficients; None means one per centroid.",
    ),
    _shared(
        "polish",
        ["boolean"],
        "bool",
        "Whether to solve for the coefficients exactly after the last iteration, so that ``transform`` of the training "
        "samples gives the same values.",
    ),
    Parameter(
        "n_jobs",
        None,
        [Integral, None],
        "int or None",
        "Number of threads, as joblib counts them; None means one per core, or the ``OMP_NUM_THREADS`` that joblib "
        "sets for its workers. The result does not depend on it.",
    ),
    Parameter(
        "device",
        "cpu",
        [str],
        "str",
        'Where the iterations of ``fit`` run: ``"cpu"``, ``"cuda"`` (or ``"cuda:1"``, the second card), or ``"auto"``, '
        "which uses a card if there is one and the work is large enough to benefit. ``partial_fit`` always runs on the "
        "processor.",
    ),
    Parameter(
        "max_device_memory",
        None,
        [COUNT, None],
        "int or None",
        "Bytes of the card that dense samples may take; those beyond go there in blocks, in every pass. Factors and "
        "all else come on top. None means all but a fifth of what is free.",
    ),
    Parameter(
        "callback",
        None,
        [callable, None],
        "callable or None",
        "Called with an :class:`emmf.Step` after every iteration; the fit ends when it returns True.",
    ),
    Parameter("verbose", 0, ["verbose"], "int", "Above 0: a progress line on standard error."),
]
# By the methods that can learn batch by batch.
HALF_LIFE = Parameter(
    "half_life",
    None,
    [Interval(Real, 0, None, closed="neither"), None],
    "float or None",
    "For ``partial_fit``: the number of samples after which an older one counts half; None means never.",
)
# The names that the library has for them, where it has others.
RENAMED = {"n_components": "k", "n_clusters": "clusters"}


def own_name(name: str) -> str:
    """Name of a method's own parameter as it can be written in Python."""
    return {"lambda": "lam", "alpha-w": "alpha_W", "alpha-h": "alpha_H"}.get(name, name.replace("-", "_"))


def begun(text: str) -> str:
    """Begin a text with a capital, but for a letter of a formula: σ is no sum."""
    is_letter = not text[1:2].isalpha()
    return text if is_letter else text[0].upper() + text[1:]


def _own(param: dict[str, Any]) -> Parameter:
    """Make a parameter of one method, from its entry in the registry."""
    name, default, help = own_name(param["name"]), param["default"], begun(param["help"]) + "."
    if param["whole"] and (param["above"], param["up_to"]) == (-1, 1):
        return Parameter(
            name, bool(default), ["boolean"], "bool", help.replace("1: ", "True: ").replace("0: ", "False: ")
        )
    kind, type = (Integral, "int") if param["whole"] else (Real, "float")
    number, low = (int, floor(param["above"]) + 1) if param["whole"] else (float, param["above"])
    high = number(param["up_to"])
    # A bound that is negative but for rounding lets 0 in.
    from_zero = -1e-9 < low < 0
    # A whole number is bounded by the least that is allowed, any other by what it must be above.
    closed = "both" if param["whole"] or from_zero else "right"
    allowed: list[Any] = [Interval(kind, 0.0 if from_zero else low, high, closed=closed)]
    if name == "alpha_H":
        help = help.replace("default: as alpha-w", '``"same"`` and None: as ``alpha_W``')
        return Parameter(name, None, [*allowed, StrOptions({"same"}), None], 'float, "same" or None', help)
    if default is None:
        return Parameter(name, None, [*allowed, None], f"{type} or None", help)
    return Parameter(name, number(default), allowed, type, help)


def _optional(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the method's own parameters of what it need not have (a graph, layers, penalties), as the registry does."""
    known = {param["name"] for param in entry["params"]}
    layers = [param for param in LAYER_PARAMS if param["name"] not in known] if entry["layers"] else []
    penalties = PENALTY_PARAMS if entry["penalties"] else []
    return [*(GRAPH_PARAMS if entry["graph"] == "optional" else []), *layers, *penalties]


def _graph(entry: dict[str, Any]) -> list[Parameter]:
    """Make the parameters of the graph that a method follows, and those that it has besides."""
    if entry["graph"] not in ("optional", "needed"):
        return [*map(_own, _optional(entry))]
    kind, *others = GRAPH
    needed = entry["graph"] == "needed"
    if needed:
        kind = kind._replace(default="auto", allowed=kind.allowed[:1], type=kind.type.removesuffix(" or None"))
    text = kind.help.replace("; None is {without}", "" if needed else "; None means no graph")
    return [kind._replace(help=text), *map(_own, _optional(entry)), *others]


def _with(text: str, told: dict[str, str]) -> str:
    """Put what is true of a method into the help of a parameter that all methods have."""
    for name, value in told.items():
        text = text.replace(name, value)
    return text


def _tolerance(entry: dict[str, Any]) -> str:
    """Say when fits by a method end if nobody says it."""
    own = {"1e-4 with a graph": entry["settles"], "1e-6 with coordinate descent": entry["converges"]}
    known = [tolerance for tolerance, is_own in own.items() if is_own]
    return ", ".join([*known, "otherwise 0"]) if known else "0"


def of_method(entry: dict[str, Any]) -> list[Parameter]:
    """All parameters of a method's estimator, ``n_components`` first."""
    solver, *others = SOLVING
    default = '``"hals"`` without a graph or missing values' if entry["converges"] else '``"mu"``'
    solver = solver._replace(help=solver.help.format(solver=default))
    solving = [solver, *others] if "hals" in entry["solvers"] else []
    exponent = [] if entry["exponent"] is None else [EXPONENT._replace(help=EXPONENT.help.format(**entry))]
    missing = [MISSING] if entry["missing"] else []
    own_way = "to set them aside" if entry["set_aside"] == "default" else "to keep them"
    outliers = [OUTLIERS._replace(help=OUTLIERS.help.format(outliers=own_way))] if entry["set_aside"] != "never" else []
    own = [*map(_own, entry["params"]), *_graph(entry)]
    rule = f'``"{entry["labels"]}"``'
    if entry["published_labels"] != entry["labels"]:
        rule += f', with a graph ``"{entry["published_labels"]}"``'
    told = {"{labels}": rule, "{tol}": _tolerance(entry)}
    common = [each._replace(help=_with(each.help, told)) for each in COMMON]
    online = [HALF_LIFE] if entry["places"] == "anywhere" else []
    layers = [LAYERS] if entry["layers"] else []
    return [FIRST, *layers, *own, *solving, *exponent, *common[:-2], *outliers, *missing, *online, *common[-2:]]


def steps(normalize: Any) -> list[str]:
    """Give the steps of preprocessing as a list."""
    named = [] if normalize is None else [normalize] if isinstance(normalize, str) else list(normalize)
    for name in named:
        if name not in STEPS:
            raise ValueError(f"normalize has the step {name!r}, but the steps are {', '.join(STEPS)}.")
    return named


def widths(layers: Any) -> list[int]:
    """Give the widths of layers as whole numbers."""
    if len(layers) == 0 or not all(isinstance(width, Integral) and width > 0 for width in layers):
        raise ValueError(f"layers is {layers!r}, but must be decreasing whole numbers of at least 1, such as (60, 20).")
    return [int(width) for width in layers]


def threads(n_jobs: int | None) -> int | None:
    """Give the number of threads, None for one on each core."""
    if n_jobs is not None:
        return min(int(effective_n_jobs(n_jobs)), MOST_THREADS)
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(int(limit), MOST_THREADS) if limit.isdigit() and limit != "0" else None


def graph_spec(params: dict[str, Any]) -> dict[str, Any]:
    """Write the parameters of a graph as the library reads them."""
    weights = params["graph_weights"]
    return {
        "kind": {"custom": "given"}.get(params["graph"], params["graph"]),
        "neighbours": int(params["n_neighbors"]),
        "weighting": {"heat": {"width": None}} if weights == "heat" else weights,
    }


def spec(entry: dict[str, Any], params: dict[str, Any]) -> str:
    """Write the parameters of an estimator as the library reads them."""
    found = {"method": entry["name"], "normalize": steps(params["normalize"])}
    seed = params["random_state"]
    if not isinstance(seed, Integral):
        seed = check_random_state(seed).randint(2**31 - 1)
    found["seed"] = int(seed)
    own = {own_name(param["name"]): param for param in [*entry["params"], *_optional(entry)]}
    # What is as by default is left out: without a graph the parameters of one would be refused.
    changed = {name: params[name] for name in own if params[name] != own[name]["default"]}
    given = {name: value for name, value in changed.items() if value is not None and value != "same"}
    found["params"] = {own[name]["name"]: float(value) for name, value in given.items()}
    if params.get("graph") is not None:
        found["graph"] = graph_spec(params)
    for name, value in params.items():
        known = RENAMED.get(name, name)
        if known in DEFAULTS and known not in found:
            found[known] = getattr(value, "item", lambda value=value: value)()
    if found["init"] == "custom":
        del found["init"]
    elif found["init"] == "nndsvda":
        found["init"] = "nndsvd"
    if found.get("solver") == "cd":
        found["solver"] = "hals"
    if params.get("layers") is not None:
        found["k"], *found["above"] = widths(params["layers"])
    return json.dumps(found)


def from_spec(entry: dict[str, Any], text: str) -> dict[str, Any]:
    """Read the parameters of an estimator from those of the library."""
    found = json.loads(text)
    params = {}
    for parameter in of_method(entry):
        name = RENAMED.get(parameter.name, parameter.name)
        if name in found and name not in ("normalize", "graph"):
            params[parameter.name] = found[name]
    if found.get("above"):
        params["layers"] = (found["k"], *found["above"])
    own = {own_name(name): value for name, value in found["params"].items()}
    types = {parameter.name: parameter.type.removesuffix(" or None") for parameter in of_method(entry)}
    params |= {name: {"bool": bool, "int": int}.get(types[name], float)(value) for name, value in own.items()}
    if graph := found.get("graph"):
        weighting = graph["weighting"]
        params["graph"] = {"given": "custom"}.get(graph["kind"], graph["kind"])
        params["n_neighbors"] = graph["neighbours"]
        params["graph_weights"] = weighting if isinstance(weighting, str) else next(iter(weighting))
    return params | {"normalize": found["normalize"] or None, "random_state": found["seed"]}
