"""Written by tools/stubs.py from the registry of methods; do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from numpy.random import RandomState

from . import Start
from ._cluster.estimators import OnCluster
from ._progress import Step

class Factorization(OnCluster):
    @property
    def labels_(self) -> Any: ...
    @property
    def residuals_(self) -> Any: ...
    @property
    def outlier_scores_(self) -> Any: ...
    @property
    def coefficients_(self) -> Any: ...

class EMMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class DeepEMMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class NMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class L21NMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class HxNMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class CappedNMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class RCIMNMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class NMFDiv(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class BetaNMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class L1NMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class CIMNMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class HuberNMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class HypersurfaceNMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class L12NMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...

class L12SquaredNMF(Factorization):
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
    n_workers: int | None
    in_place: bool
    shards: int | None
    deadline: float
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
        n_workers: int | None = ...,
        in_place: bool = ...,
        shards: int | None = ...,
        deadline: float = ...,
    ) -> None: ...
