"""The estimators of a cluster: those of one machine whose samples workers hold."""

from __future__ import annotations

import warnings
from contextlib import closing
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .. import _emmf, _parameters
from .._arrays import borrowed
from .._base import OF_SOME_FITS, MatrixFactorization
from .._choice import AMONG, chosen
from .._estimators import ESTIMATORS, make
from .._parameters import COUNT, Parameter
from .._progress import Progress, Step, watcher
from .driver import Driver, Engine

# Samples that are fetched: for the choice of a number of clusters, for scores, and for labels by k-means.
SOME = 20_000
# Bytes that they may take.
SOME_BYTES = 256 << 20
# The parameters beside those of the estimators of one machine.
DEADLINE = Parameter(
    "deadline",
    600.0,
    [_parameters.Interval(_parameters.Real, 0, None, closed="neither")],
    "float",
    "Seconds after which a worker that does not answer is given up and its samples go to others.",
)
SHARDS = Parameter(
    "shards",
    None,
    [COUNT, None],
    "int or None",
    "Most pieces that the samples are cut into; None means four per worker. The result does not depend on it.",
)


CLIENT = Parameter(
    "client", None, "no_validation", "Client or None", "The client of the cluster; None means the current one."
)
WORKERS = Parameter(
    "n_workers", None, [COUNT, None], "int or None", "Number of actors; None means one per core of the cluster."
)
IN_PLACE = Parameter(
    "in_place",
    False,
    ["boolean"],
    "bool",
    "Leaves samples in their NPY file, which is read again in every iteration: for files larger than the memory of all "
    "workers.",
)


class OnCluster(MatrixFactorization):
    """What the estimators of all engines have in common."""

    lost_workers_: list[str]
    n_set_aside_: int
    _X: Any
    """The samples of the fit, where they are here."""

    def _engine(self) -> Engine:
        """Give the engine that the fit runs on."""
        raise NotImplementedError

    def _source(self, X: Any) -> Any:
        """Give the samples as a source."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """Fit the factorization where the samples are.

        Parameters
        ----------
        X : lazy array, data frame, or path
            The samples, nonnegative: dense or CSR chunks, or files that all workers see.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each sample counts.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._fit_there(X, sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit the factorization and return the coefficients of the samples, lazily.

        Parameters
        ----------
        X : lazy array, data frame, or path
            The samples, nonnegative.
        y : Ignored
            Not used.
        **fit_params : dict
            As for ``fit``.

        Returns
        -------
        V : lazy array of shape (n_samples, n_components)
            The coefficients.
        """
        return self.fit(X, y, **fit_params).transform(X)

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit_there(self, X: Any, sample_weight: Any) -> None:
        steps = _parameters.steps(self.normalize)
        if steps not in ([], ["unit"]):
            raise ValueError(
                f'normalize is {self.normalize!r}, but must be None or "unit" on a cluster: other steps learn from all '
                f"samples; do them beforehand, with dask-ml for example."
            )
        if asked := self._of_all():
            raise ValueError(
                f"{' and '.join(asked)}: that needs all samples in one memory; on a cluster leave it out and start "
                f'with "kmeans-parallel", or fit some samples on one machine.'
            )
        if self.device not in ("cpu", "auto"):
            raise ValueError(f'device is {self.device!r}, but must be "cpu" on a cluster.')
        source = self._source(X)
        n, d = source.shape
        self.n_features_in_ = d
        if source.features is not None:
            self.feature_names_in_ = np.array(source.features, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        weights = self._weights(sample_weight, n)
        with closing(self._engine()) as engine:
            driver = Driver(engine, source, self.shards, self.deadline, bool(steps))
            if weights is not None:
                for about in driver.abouts:
                    _, first, count = about.place
                    about.weights = weights[first : first + count]
            try:
                self._work(driver, source, weights)
            finally:
                driver.close()
                self.lost_workers_ = driver.lost_workers

    def _of_all(self) -> list[str]:
        """Name what was asked for that looks at all samples at once."""
        given = {name: getattr(self, name, None) for name in ("graph", "consensus", "missing", "init")}
        if getattr(self, "layers", None) is not None and given["graph"] != "custom":
            # Layers are merged along a graph of samples that are fetched.
            del given["graph"]
        usual = {"missing": (None, "refuse"), "init": (None, "kmeans", "kmeans-parallel", "trimmed", "random")}
        return [f"{name}={value!r}" for name, value in given.items() if value not in usual.get(name, (None, False))]

    @staticmethod
    def _weights(sample_weight: Any, n: int) -> Any:
        if sample_weight is None:
            return None
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
        if weights.shape != (n,) or not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise ValueError(f"sample_weight must be {n} finite nonnegative numbers, at least one of them positive.")
        return weights / min(1.0, weights[weights > 0].min())

    def _work(self, driver: Driver, source: Any, weights: Any) -> None:
        n, d = source.shape
        params = self.get_params(deep=False)
        params["random_state"] = seed = self._seed()
        most = max(1, min(SOME, SOME_BYTES // (d * (4 if source.single else 8))))
        some = np.array(_emmf.some_samples(seed, n, most), dtype=np.int64)
        wanted = [list(some[(some >= first) & (some < first + count)] - first) for first, count in driver.places]
        parts = [part for part in driver.load(wanted) if part is not None]
        sample = sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
        layers = getattr(self, "layers", None)
        if layers is not None:
            params["n_components"] = 1
            params["layers"] = self._chosen_layers(params, sample) if layers == "auto" else layers
        elif self.n_components is None:
            params["n_components"] = d
        elif self.n_components == "auto":
            spec = _parameters.spec(self._entry, params | {"n_components": 1})
            self.choice_ = chosen(spec, sample, "clusters", AMONG, self.n_jobs)
            params["n_components"] = self.choice_.k
        if n < params["n_components"]:
            raise ValueError(f"n_samples={n} should be >= n_components={params['n_components']}.")
        usual = self._screen(driver, params, (sample, None if weights is None else weights[some]))
        params |= {"outliers": "keep", "init": params["init"] or "kmeans-parallel"}
        progress = Progress(type(self).__name__, self.restarts, self.max_iter) if self.verbose else None
        given = {
            "shape": (n, d),
            "single": source.single,
            "fetched": [int(i) for i in some[usual]],
            "carry": driver.carry,
            "features": source.features,
            "callback": watcher(self.callback, progress),
            "threads": _parameters.threads(self.n_jobs),
        }
        spec = _parameters.spec(self._entry, params)
        model, found, raised = _emmf.fit_elsewhere(spec, given)
        if raised is None:
            model = model.judging(borrowed(sample), usual)
        self._keep_there(model, found, (some[usual], n))
        if progress is not None:
            progress.end(Step(found["restart"], self.n_iter_, found["objective"], found["seconds"]), found["stop"])
        if raised is not None:
            raise raised
        if self.stop_reason_ == "max-iter" and (params["tol"] or 0.0) > 0:
            warnings.warn(
                f"{type(self).__name__} made all {self.max_iter} iterations and did not converge to "
                f"tol={params['tol']:g}; increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _seed(self) -> int:
        from numbers import Integral

        from sklearn.utils import check_random_state

        seed = self.random_state
        return int(seed if isinstance(seed, Integral) else check_random_state(seed).randint(2**31 - 1))

    def _screen(self, driver: Driver, params: dict[str, Any], some: tuple[Any, Any]) -> Any:
        """Set outliers aside by a fit of some samples with their weights; tell which of these are none."""
        self.n_set_aside_ = 0
        sample, weights = some
        if params.get("outliers") != "set-aside":
            return np.ones(sample.shape[0], dtype=bool)
        alone = ESTIMATORS[self._entry["name"]]
        known = {each.name for each in _parameters.of_method(self._entry)}
        local = alone(**{name: value for name, value in params.items() if name in known})
        local.set_params(init=None, callback=None, verbose=0, max_iter=min(self.max_iter, 100))
        if params.get("layers") is not None:
            local.set_params(layers=None, n_components=params["layers"][0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            local.fit(sample, sample_weight=weights)
        self.n_set_aside_ = driver.screen(local._model)
        return np.asarray(local._coded(sample)["scores"]) <= _emmf.THRESHOLD

    def _keep_there(self, model: Any, found: dict[str, Any], rows: tuple[Any, int]) -> None:
        for name in OF_SOME_FITS:
            self.__dict__.pop(name, None)
        self._take(model)
        self._keep_tree(found)
        self._rows, self._n = rows
        self._labels = found["labels"]
        self.n_iter_ = len(found["trace"])
        self.objective_, self.objective_history_ = found["objective"], found["trace"]
        self.stop_reason_ = found["stop"]
        self.extras_ = found["extras"]

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        # The samples do not travel with their model.
        return {**state, "_X": None} if "_X" in state else state

    def _of_fit(self, what: str) -> Any:
        """Give a result for the samples of the fit."""
        check_is_fitted(self)
        if self._X is None:
            raise AttributeError(
                "the samples of the fit are not here (workers read them from files, or the estimator is a copy); give "
                "them to transform, predict or score_samples to get a result for each of them."
            )
        return self._of(self._X, what)

    @property
    def labels_(self) -> Any:
        """The cluster of each sample of the fit."""
        check_is_fitted(self)
        return self._labels if len(self._labels) == self._n else self._of_fit("labels")

    @property
    def residuals_(self) -> Any:
        """‖x − U·v‖ of each sample of the fit."""
        return self._of_fit("residuals")

    @property
    def outlier_scores_(self) -> Any:
        """The outlier score of each sample of the fit; above 3.5 it is an outlier."""
        return self._of_fit("scores")

    @property
    def coefficients_(self) -> Any:
        """V."""
        return self._of_fit("v")

    def decision_function(self, X: Any) -> Any:
        """Return how far samples are from being outliers: negative for outliers; lazily if X is lazy.

        Parameters
        ----------
        X : lazy or array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : array of shape (n_samples,)
            3.5 minus the outlier scores.
        """
        return _emmf.THRESHOLD - self._of(X, "scores")


def spreads(entry: dict[str, Any]) -> bool:
    """Tell whether the samples of a method may be in shards: its steps need sums over them or their entries."""
    return bool(entry["places"] != "one-memory")


def made(base: type[OnCluster], module: str, own: Parameter) -> dict[str, type[OnCluster]]:
    """Make the estimators of an engine, by the names of their classes: of all methods that may have shards."""
    found = {}
    for alone in ESTIMATORS.values():
        if spreads(alone._entry):
            found[alone.__name__] = make(alone._entry, base, module, [own, IN_PLACE, SHARDS, DEADLINE])
    return found
