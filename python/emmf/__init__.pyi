"""Written by tools/stubs.py from the registry of methods; do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from numpy.random import RandomState

from . import datasets as datasets
from . import graph as graph
from . import metrics as metrics
from . import outlier as outlier
from . import plot as plot
from ._base import MatrixFactorization as MatrixFactorization
from ._base import Unweighted
from ._choice import Choice as Choice
from ._choice import choose_k as choose_k
from ._files import load_model as load_model
from ._progress import Step as Step
from ._report import report as report
from ._selection import TopFeatures as TopFeatures

__version__: str
ESTIMATORS: dict[str, type[MatrixFactorization]]
Start: TypeAlias = Literal[
    "kmeans",
    "kmeans-parallel",
    "trimmed",
    "random",
    "nndsvd",
    "nndsvda",
    "nndsvdar",
    "graph",
    "custom",
]

class EMMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    layers: Sequence[int] | Literal["auto"] | None
    graph: Literal["auto", "knn", "adaptive", "custom"] | None
    lam: float | None
    monotone: bool
    merge: bool
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    solver: Literal["mu", "hals", "cd"] | None
    sweeps: int
    extrapolate: bool
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    half_life: float | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        layers: Sequence[int] | Literal["auto"] | None = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] | None = ...,
        lam: float | None = ...,
        monotone: bool = ...,
        merge: bool = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        solver: Literal["mu", "hals", "cd"] | None = ...,
        sweeps: int = ...,
        extrapolate: bool = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        half_life: float | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class GraphEMMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    lam: float | None
    monotone: bool
    graph: Literal["auto", "knn", "adaptive", "custom"]
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        lam: float | None = ...,
        monotone: bool = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class DeepEMMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    layers: Sequence[int] | Literal["auto"] | None
    merge: bool
    graph: Literal["auto", "knn", "adaptive", "custom"] | None
    lam: float | None
    monotone: bool
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    solver: Literal["mu", "hals", "cd"] | None
    sweeps: int
    extrapolate: bool
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    half_life: float | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        layers: Sequence[int] | Literal["auto"] | None = ...,
        merge: bool = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] | None = ...,
        lam: float | None = ...,
        monotone: bool = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        solver: Literal["mu", "hals", "cd"] | None = ...,
        sweeps: int = ...,
        extrapolate: bool = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        half_life: float | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class NMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    layers: Sequence[int] | Literal["auto"] | None
    graph: Literal["auto", "knn", "adaptive", "custom"] | None
    lam: float | None
    monotone: bool
    merge: bool
    alpha_W: float
    alpha_H: float | Literal["same"] | None
    l1_ratio: float
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    solver: Literal["mu", "hals", "cd"] | None
    sweeps: int
    extrapolate: bool
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    half_life: float | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        layers: Sequence[int] | Literal["auto"] | None = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] | None = ...,
        lam: float | None = ...,
        monotone: bool = ...,
        merge: bool = ...,
        alpha_W: float = ...,
        alpha_H: float | Literal["same"] | None = ...,
        l1_ratio: float = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        solver: Literal["mu", "hals", "cd"] | None = ...,
        sweeps: int = ...,
        extrapolate: bool = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        half_life: float | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class L21NMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    layers: Sequence[int] | Literal["auto"] | None
    graph: Literal["auto", "knn", "adaptive", "custom"] | None
    lam: float | None
    monotone: bool
    merge: bool
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    solver: Literal["mu", "hals", "cd"] | None
    sweeps: int
    extrapolate: bool
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    half_life: float | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        layers: Sequence[int] | Literal["auto"] | None = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] | None = ...,
        lam: float | None = ...,
        monotone: bool = ...,
        merge: bool = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        solver: Literal["mu", "hals", "cd"] | None = ...,
        sweeps: int = ...,
        extrapolate: bool = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        half_life: float | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class HxNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    layers: Sequence[int] | Literal["auto"] | None
    scale: float
    robust: bool
    graph: Literal["auto", "knn", "adaptive", "custom"] | None
    lam: float | None
    monotone: bool
    merge: bool
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    solver: Literal["mu", "hals", "cd"] | None
    sweeps: int
    extrapolate: bool
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    half_life: float | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        layers: Sequence[int] | Literal["auto"] | None = ...,
        scale: float = ...,
        robust: bool = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] | None = ...,
        lam: float | None = ...,
        monotone: bool = ...,
        merge: bool = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        solver: Literal["mu", "hals", "cd"] | None = ...,
        sweeps: int = ...,
        extrapolate: bool = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        half_life: float | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class CappedNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    layers: Sequence[int] | Literal["auto"] | None
    threshold: float | None
    quantile: float
    robust: bool
    graph: Literal["auto", "knn", "adaptive", "custom"] | None
    lam: float | None
    monotone: bool
    merge: bool
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    solver: Literal["mu", "hals", "cd"] | None
    sweeps: int
    extrapolate: bool
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    half_life: float | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        layers: Sequence[int] | Literal["auto"] | None = ...,
        threshold: float | None = ...,
        quantile: float = ...,
        robust: bool = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] | None = ...,
        lam: float | None = ...,
        monotone: bool = ...,
        merge: bool = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        solver: Literal["mu", "hals", "cd"] | None = ...,
        sweeps: int = ...,
        extrapolate: bool = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        half_life: float | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class RCIMNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    layers: Sequence[int] | Literal["auto"] | None
    width: float | None
    robust: bool
    graph: Literal["auto", "knn", "adaptive", "custom"] | None
    lam: float | None
    monotone: bool
    merge: bool
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    solver: Literal["mu", "hals", "cd"] | None
    sweeps: int
    extrapolate: bool
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    half_life: float | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        layers: Sequence[int] | Literal["auto"] | None = ...,
        width: float | None = ...,
        robust: bool = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] | None = ...,
        lam: float | None = ...,
        monotone: bool = ...,
        merge: bool = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        solver: Literal["mu", "hals", "cd"] | None = ...,
        sweeps: int = ...,
        extrapolate: bool = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        half_life: float | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class NMFDiv(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    alpha_W: float
    alpha_H: float | Literal["same"] | None
    l1_ratio: float
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        alpha_W: float = ...,
        alpha_H: float | Literal["same"] | None = ...,
        l1_ratio: float = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class BetaNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    beta: float
    alpha_W: float
    alpha_H: float | Literal["same"] | None
    l1_ratio: float
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        beta: float = ...,
        alpha_W: float = ...,
        alpha_H: float | Literal["same"] | None = ...,
        l1_ratio: float = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class L1NMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    median_sweeps: int
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        median_sweeps: int = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class CIMNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    width: float | None
    robust: bool
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        width: float | None = ...,
        robust: bool = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class HuberNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    delta: float | None
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        delta: float | None = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class HypersurfaceNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    delta: float | None
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        delta: float | None = ...,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class L12NMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class L12SquaredNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    exponent: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    outliers: Literal["set-aside", "keep"] | None
    missing: Literal["refuse", "nan"]
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        exponent: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        outliers: Literal["set-aside", "keep"] | None = ...,
        missing: Literal["refuse", "nan"] = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class PNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    lam: float
    shape: float
    rate: float
    ard: bool
    ard_shape: float
    ard_rate: float
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        lam: float = ...,
        shape: float = ...,
        rate: float = ...,
        ard: bool = ...,
        ard_shape: float = ...,
        ard_rate: float = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class GSNMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    convex: bool
    lam: float
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        convex: bool = ...,
        lam: float = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class ONMF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class CF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class NLCF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    mu: float
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        mu: float = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class LCF(MatrixFactorization):
    n_components: int | Literal["auto"] | None
    mu: float
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        mu: float = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class GNMF(Unweighted):
    n_components: int | Literal["auto"] | None
    lam: float
    graph: Literal["auto", "knn", "adaptive", "custom"]
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        lam: float = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class LCCF(Unweighted):
    n_components: int | Literal["auto"] | None
    lam: float
    unit: bool
    graph: Literal["auto", "knn", "adaptive", "custom"]
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        lam: float = ...,
        unit: bool = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class SymNMF(Unweighted):
    n_components: int | Literal["auto"] | None
    half: bool
    graph: Literal["auto", "knn", "adaptive", "custom"]
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        half: bool = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class RMNMF(Unweighted):
    n_components: int | Literal["auto"] | None
    lam: float
    stable: bool
    penalty: float | None
    growth: float | None
    graph: Literal["auto", "knn", "adaptive", "custom"]
    n_neighbors: int
    graph_weights: Literal["binary", "heat", "cosine"]
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        lam: float = ...,
        stable: bool = ...,
        penalty: float | None = ...,
        growth: float | None = ...,
        graph: Literal["auto", "knn", "adaptive", "custom"] = ...,
        n_neighbors: int = ...,
        graph_weights: Literal["binary", "heat", "cosine"] = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class NMFAN(Unweighted):
    n_components: int | Literal["auto"] | None
    lam: float
    neighbors: int
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        lam: float = ...,
        neighbors: int = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class SRMCF(Unweighted):
    n_components: int | Literal["auto"] | None
    lam: float
    neighbors: int
    gamma: float | None
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        lam: float = ...,
        neighbors: int = ...,
        gamma: float | None = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

class LSNMF(Unweighted):
    n_components: int | Literal["auto"] | None
    lam: float
    adapt: bool
    stable: bool
    centroids: int | None
    neighbors: int
    init: Start | None
    init_restarts: int
    normalize: str | Sequence[str] | None
    random_state: int | RandomState | None
    restarts: int
    consensus: bool
    max_iter: int
    tol: float | None
    stop_by: Literal["objective", "coefficients"] | None
    time_limit: float | None
    epsilon: float | None
    label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None
    n_clusters: int | None
    polish: bool
    n_jobs: int | None
    device: str
    max_device_memory: int | None
    callback: Callable[[Step], Any] | None
    verbose: int
    def __init__(
        self,
        n_components: int | Literal["auto"] | None = ...,
        *,
        lam: float = ...,
        adapt: bool = ...,
        stable: bool = ...,
        centroids: int | None = ...,
        neighbors: int = ...,
        init: Start | None = ...,
        init_restarts: int = ...,
        normalize: str | Sequence[str] | None = ...,
        random_state: int | RandomState | None = ...,
        restarts: int = ...,
        consensus: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        stop_by: Literal["objective", "coefficients"] | None = ...,
        time_limit: float | None = ...,
        epsilon: float | None = ...,
        label_rule: Literal["largest", "unit", "kmeans", "kmeans-raw", "components"] | None = ...,
        n_clusters: int | None = ...,
        polish: bool = ...,
        n_jobs: int | None = ...,
        device: str = ...,
        max_device_memory: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        verbose: int = ...,
    ) -> None: ...

GEMMF = GraphEMMF
