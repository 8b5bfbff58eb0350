"""What all estimators have in common."""

from __future__ import annotations

import json
import time
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_n_features,
    _check_sample_weight,
    check_array,
    check_is_fitted,
    validate_data,
)

from . import _emmf, _parameters
from ._arrays import admitted, borrowed, labelled
from ._choice import AMONG, Choice, chosen
from ._cuda import found_libraries
from ._online import Online
from ._progress import Progress, Step, watcher
from ._readable import Readable
from ._report import Shown

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Self

# Scores above this are outliers; the library divides scores so that the tail of the others ends there.
THRESHOLD = _emmf.THRESHOLD
TYPES = [np.float64, np.float32]
# What not every fit leaves: the next one may be without.
OF_LAYERS = (
    "layer_labels_",
    "layer_scores_",
    "layer_reasons_",
    "layer_components_",
    "layer_shares_",
    "layer_certainty_",
)
OF_SOME_FITS = ("consensus_", "tree_", "newick_", "linkage_", *OF_LAYERS, "imputed_", "sample_names_")


def found_in(coded: dict[str, Any], what: str | int) -> Any:
    """Give one of the results of coding, or the nodes on the layer with this number."""
    return coded["layers"][what - 1]["labels"] if isinstance(what, int) else coded[what]


def _may_be_deep(estimator: Any) -> bool:
    return bool(estimator._entry["layers"])


def _may_miss(estimator: Any) -> bool:
    return getattr(estimator, "missing", "refuse") == "nan"


class MatrixFactorization(
    Online, Shown, Readable, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """A factorization X ≈ V·Uᵀ by one of the registered methods; the estimators derive from it."""

    _entry: ClassVar[dict[str, Any]]
    _parameter_constraints: ClassVar[dict[str, list[Any]]]

    choice_: Choice
    components_: NDArray[Any]
    coefficients_: NDArray[Any]
    labels_: NDArray[np.int64]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    sample_names_: NDArray[np.object_]
    stop_reason_: str
    objective_: float
    objective_history_: NDArray[np.float64]
    reconstruction_err_: float
    residuals_: NDArray[np.float64]
    residual_center_: float
    residual_spread_: float
    sample_weight_: NDArray[np.float64]
    outlier_scores_: NDArray[np.float64]
    outlier_reasons_: NDArray[np.object_]
    outlier_groups_: list[NDArray[np.int64]]
    outliers_: NDArray[np.bool_]
    set_aside_: NDArray[np.int64]
    imputed_: NDArray[Any]
    extras_: dict[str, Any]
    consensus_: dict[str, NDArray[Any]]
    tree_: dict[str, Any]
    newick_: str
    linkage_: NDArray[np.float64]
    layer_labels_: list[NDArray[np.int64]]
    layer_scores_: list[NDArray[np.float64]]
    layer_reasons_: list[NDArray[Any]]
    layer_components_: list[NDArray[Any]]
    layer_shares_: list[NDArray[np.float64]]
    layer_certainty_: list[NDArray[np.float64]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self._shifts()
        tags.input_tags.sparse = self._takes_sparse()
        tags.input_tags.allow_nan = _may_miss(self)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, S: Any = None, W: Any = None, H: Any = None
    ) -> Self:
        """Fit the factorization.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples, nonnegative. Arrays of float32 and float64 are not copied.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each sample counts in the loss. A graph counts each sample once.
        S : sparse matrix or array-like of shape (n_samples, n_samples), default=None
            The graph with ``graph="custom"``: symmetric weights of the edges.
        W, H : array-like of shape (n_samples, n_components), (n_components, n_features), default=None
            Where to start with ``init="custom"``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._fit(X, sample_weight, S, (W, H))
        return self

    def fit_transform(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, S: Any = None, W: Any = None, H: Any = None
    ) -> Any:
        """Fit the factorization and return the coefficients of the samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples, nonnegative.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each sample counts in the loss. A graph counts each sample once.
        S : sparse matrix or array-like of shape (n_samples, n_samples), default=None
            The graph with ``graph="custom"``: symmetric weights of the edges.
        W, H : array-like of shape (n_samples, n_components), (n_components, n_features), default=None
            Where to start with ``init="custom"``.

        Returns
        -------
        V : ndarray of shape (n_samples, n_components)
            The coefficients, the same as from ``transform``.
        """
        return self._alone(self._fit(X, sample_weight, S, (W, H)), X)

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X: Any, sample_weight: Any, S: Any, start: tuple[Any, Any]) -> Any:
        """Fit and give V."""
        names, _ = labelled(X)
        given, X = X, self._validated(X, TYPES, reset=True)
        n = X.shape[0]
        layers = getattr(self, "layers", None)
        count = X.shape[1] if self.n_components is None else self.n_components
        if layers is None and count != "auto" and n < count:
            raise ValueError(f"n_samples={n} should be >= n_components={count}.")
        if sample_weight is not None:
            sample_weight = admitted(sample_weight, "sample_weight")
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            sample_weight = np.ascontiguousarray(sample_weight)
        progress = Progress(type(self).__name__, self.restarts, self.max_iter) if self.verbose else None
        params = self.get_params(deep=False) | {"n_components": count}
        clusters, began = None, time.monotonic()
        if layers is not None:
            params["n_components"] = 1
            if layers == "auto":
                if progress is not None:
                    progress.phase("choosing the layers")
                params["layers"] = self._chosen_layers(params, X)
        elif self.n_components == "auto":
            spec = _parameters.spec(self._entry, params | {"n_components": 1})
            if progress is not None:
                progress.phase("choosing the number of clusters")
            self.choice_ = chosen(spec, X, "clusters", AMONG, self.n_jobs)
            params["n_components"] = self.choice_.k
            clusters = self.choice_.clusters if self.init is None else None
        besides = {
            "sample_weight": sample_weight,
            "start": self._start(*start, X, params["n_components"] if layers is None else None),
            "clusters": clusters,
            "graph": self._given_graph(S),
            "features": list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None,
            "callback": watcher(self.callback, progress),
            "threads": _parameters.threads(self.n_jobs),
            "online": None,
            "device": found_libraries(self.device),
            "max_device_memory": self.max_device_memory,
            "spent": time.monotonic() - began,
        }
        spec = _parameters.spec(self._entry, params)
        model, found, raised = _emmf.fit(spec, borrowed(X), besides)
        self._keep(model, found)
        self._saw(given)
        if names is not None:
            self.sample_names_ = names
        if progress is not None:
            last = Step(found["restart"], self.n_iter_, found["objective"], found["seconds"])
            progress.end(last, found["stop"])
        if raised is not None:
            raise raised
        tol = json.loads(model.spec).get("tol") or 0.0
        # With a graph labels have settled long before its default tolerance is reached.
        wanted = self.tol is not None or self._entry["converges"]
        if self.stop_reason_ == "max-iter" and tol > 0 and wanted:
            warnings.warn(
                f"{type(self).__name__} made all {self.max_iter} iterations and did not converge to "
                f"tol={tol:g}; increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return found["v"]

    def _chosen_layers(self, params: dict[str, Any], X: Any) -> list[int]:
        """Choose the widths of layers for these samples."""
        spec = _parameters.spec(self._entry, params | {"layers": None})
        widths: list[int] = _emmf.choose_layers(spec, borrowed(X), _parameters.threads(self.n_jobs))
        if len(widths) == 1:
            warnings.warn('layers="auto" finds one layer: there is no tree.', UserWarning, stacklevel=5)
        return widths

    def _alone(self, V: Any, X: Any) -> Any:
        """Give the coefficients of the fit as those of each sample alone."""
        follows_more = getattr(self, "graph", None) is not None or not self._entry["codes_alone"]
        return self.transform(X) if follows_more or not self.polish else V

    def transform(self, X: Any) -> Any:
        """Return the coefficients of samples for the fitted centroids.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        V : ndarray of shape (n_samples, n_components)
            The coefficients; for the training samples those of the fit.
        """
        return self._of(X, "v")

    @available_if(_may_be_deep)
    def transform_layers(self, X: Any) -> list[Any]:
        """Return the coefficients of samples on every layer.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        V : list of ndarray of shape (n_samples, width)
            The coefficients on each layer, starting with the first, which is that of ``transform``.
        """
        V = self.transform(X)
        return [self._on_layer(V, layer + 1) for layer in range(len(self._model.layers) + 1)]

    def _on_layer(self, V: Any, layer: int) -> Any:
        return self._model.coefficients_on(V, layer)

    def predict(self, X: Any, *, layer: int | None = None) -> Any:
        """Return the cluster of each sample, by ``label_rule``.

        For the training samples ``labels_`` may differ if labels are the largest coefficients, with a graph or
        ``label_rule="largest"``: they are read off before the coefficients are polished, which gives better clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        layer : int or None, default=None
            With ``layers``: the layer, counted from 1, whose nodes are returned; None means the last.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The clusters, from 0.
        """
        check_is_fitted(self)
        count = len(self._model.layers) + 1
        if layer is not None and not 1 <= layer <= count:
            raise ValueError(f"layer is {layer}, but must be from 1 to {count}, the number of layers.")
        if layer is None or count == 1:
            return self._of(X, "labels")
        return self._of(X, layer)

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit the factorization and return the clusters of the samples, ``labels_``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples, nonnegative.
        y : Ignored
            Not used.
        **fit_params : dict
            As for ``fit``.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The clusters, from 0.
        """
        return self.fit(X, y, **fit_params).labels_

    def score_samples(self, X: Any) -> Any:
        """Return the outlier scores with scikit-learn's sign: the lower, the worse.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Minus the outlier scores. A sample below -3.5 is an outlier.
        """
        return -self._of(X, "scores")

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the mean residual ‖x − U·v‖, for model selection: the higher, the better.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : Ignored
            Not used.

        Returns
        -------
        score : float
            Minus the mean residual.
        """
        return -float(self._of(X, "residuals").mean())

    def explain(self, X: Any) -> Any:
        """Show why a sample is an outlier: how far each of its features is from the fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        residuals : ndarray of shape (n_samples, n_features)
            The samples after ``normalize`` minus V·Uᵀ; NaN where a value is missing.
        """
        check_is_fitted(self)
        return self._model.explain(*self._given(X))

    def outlier_parts(self, X: Any) -> Bunch:
        """Show what every reason says of samples as outliers, and the part of the score that it makes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        found : Bunch
            ``reasons``, the names of the reasons; ``z`` of shape (n_samples, n_reasons), by how many robust standard
            deviations a sample is above what is usual, NaN where nothing could be measured; and ``parts`` of the same
            shape, whose rows add up to the outlier scores. ``pandas.DataFrame(found.parts, columns=found.reasons)``
            is a table.
        """
        check_is_fitted(self)
        reasons, z, parts = self._model.outlier_parts(*self._given(X))
        return Bunch(reasons=reasons, z=z, parts=parts)

    @available_if(_may_miss)
    def impute(self, X: Any) -> Any:
        """Fill in missing values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, with NaN where a value is missing.

        Returns
        -------
        X_filled : ndarray of shape (n_samples, n_features)
            The samples with V·Uᵀ in place of NaN.
        """
        return self._of(X, "imputed")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model file that the program ``emmf`` and :func:`emmf.load_model` read.

        Parameters
        ----------
        path : str or path-like
            The file, usually ``*.safetensors``. It is written completely or not at all.
        """
        check_is_fitted(self)
        self._model.save(path)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _takes_sparse(self) -> bool:
        return "sparse" in self._entry["data"] and not _may_miss(self)

    def _shifts(self) -> bool:
        return "shift" in _parameters.steps(self.normalize)

    def _of(self, X: Any, what: str | int) -> Any:
        """Give a result of the model for new samples; a number stands for the nodes on this layer."""
        return found_in(self._coded(X), what)

    def _coded(self, X: Any) -> dict[str, Any]:
        check_is_fitted(self)
        return self._model.transform(*self._given(X))

    def _given(self, X: Any) -> tuple[tuple[Any, ...], int | None]:
        """Give new samples as the model takes them, and the threads to work with."""
        X = self._validated(X, [self.components_.dtype], reset=False)
        return borrowed(X), _parameters.threads(self.n_jobs)

    def _validated(self, X: Any, types: list[Any], reset: bool) -> Any:
        _, features = labelled(X)
        how: dict[str, Any] = {
            "dtype": types,
            "accept_sparse": "csr" if self._takes_sparse() else False,
            # The library looks at every entry anyway, and names the first that is NaN, infinite or negative.
            "ensure_all_finite": False,
        }
        X = admitted(X, "X", gaps=_may_miss(self))
        if features is None:
            return validate_data(self, X, reset=reset, **how)
        X = check_array(X, estimator=self, input_name="X", **how)
        _check_n_features(self, X, reset=reset)
        if reset:
            self.feature_names_in_ = features
        elif hasattr(self, "feature_names_in_") and list(features) != list(self.feature_names_in_):
            raise ValueError(
                "The feature names should match those that were passed during fit: the same, in the same order."
            )
        return X

    def _start(self, W: Any, H: Any, X: Any, k: int | None) -> tuple[Any, Any] | None:
        if self.init != "custom":
            if W is not None or H is not None:
                raise ValueError('W and H are only used with init="custom".')
            return None
        if W is None or H is None:
            raise ValueError('init="custom" needs both W and H.')
        given = ((H, "H"), (W, "W"))
        H, W = (check_array(admitted(factor, name), dtype=X.dtype, input_name=name) for factor, name in given)
        (n, d), k = X.shape, H.shape[0] if k is None else k
        if (W.shape, H.shape) != ((n, k), (k, d)):
            raise ValueError(f"W and H have the shapes {W.shape} and {H.shape}, but must have {n, k} and {k, d}.")
        return H.T, W

    def _given_graph(self, S: Any) -> tuple[Any, ...] | None:
        if getattr(self, "graph", None) != "custom":
            if S is not None:
                raise ValueError('S is only used with graph="custom".')
            return None
        if S is None:
            raise ValueError('graph="custom" needs S.')
        S = check_array(admitted(S, "S"), accept_sparse="csr", dtype=np.float64, input_name="S")
        return borrowed(csr_array(S))

    def _keep(self, model: Any, found: dict[str, Any]) -> None:
        """Take up what a fit has found."""
        for name in OF_SOME_FITS:
            self.__dict__.pop(name, None)
        self._take(model)
        self.n_iter_ = len(found["trace"])
        self.labels_ = found["labels"]
        self.coefficients_ = found["v"]
        self.reconstruction_err_ = float(np.linalg.norm(found["residuals"]))
        self.objective_ = found["objective"]
        self.objective_history_ = found["trace"]
        self.stop_reason_ = found["stop"]
        self.residuals_ = found["residuals"]
        self.sample_weight_ = found["weights"]
        self.outlier_scores_ = found["scores"]
        self.outlier_reasons_ = np.array(found["reasons"], dtype=object)
        self.outlier_groups_ = found["groups"]
        self.set_aside_ = found["set_aside"]
        self.outliers_ = _emmf.outliers(self.outlier_scores_, self.set_aside_, THRESHOLD)
        self.extras_ = found["extras"]
        self._course = {name: found[name] for name in ("initial", "restart", "consensus", "seconds", "layers")}
        if found["consensus"] is not None:
            self.consensus_ = found["consensus"]
        self._keep_tree(found)
        if found["layers"]:
            self.layer_scores_ = [on["scores"] for on in found["layers"]]
            self.layer_reasons_ = [np.array(on["reasons"], dtype=object) for on in found["layers"]]
        if found["imputed"] is not None:
            self.imputed_ = found["imputed"]

    def _keep_tree(self, found: dict[str, Any]) -> None:
        if found["tree"] is not None:
            self.tree_ = json.loads(found["tree"]["json"])
            self.newick_, self.linkage_ = found["tree"]["newick"], found["tree"]["linkage"]
            self.layer_labels_ = [on["labels"] for on in found["layers"]]

    def _take(self, model: Any) -> None:
        self._model = model
        self.components_ = model.centroids.T
        self.n_components_ = self.components_.shape[0]
        self.residual_center_, self.residual_spread_ = model.residual_scale
        if above := model.layers:
            self.layer_components_ = [self.components_, *(layer["centroids"].T for layer in above)]
            self.layer_shares_ = [layer["shares"] for layer in above]
            self.layer_certainty_ = [layer["certainty"] for layer in above]

    @classmethod
    def _of_model(cls, model: Any) -> Self:
        """Make a fitted estimator from a model alone."""
        estimator = cls(**_parameters.from_spec(cls._entry, model.spec))
        estimator._take(model)
        if model.past is not None:
            estimator.n_samples_seen_, estimator.drift_, estimator.half_life = model.past
        estimator.n_features_in_ = estimator.components_.shape[1]
        if model.features is not None:
            estimator.feature_names_in_ = np.array(model.features, dtype=object)
        return estimator


class Unweighted(MatrixFactorization):
    """A factorization that counts every sample once."""

    def fit(self, X: Any, y: Any = None, *, S: Any = None, W: Any = None, H: Any = None) -> Self:  # type: ignore[override]
        """Fit the factorization.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples, nonnegative. Arrays of float32 and float64 are not copied.
        y : Ignored
            Not used.
        S : sparse matrix or array-like of shape (n_samples, n_samples), default=None
            The graph with ``graph="custom"``: symmetric weights of the edges.
        W, H : array-like of shape (n_samples, n_components), (n_components, n_features), default=None
            Where to start with ``init="custom"``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return super().fit(X, y, S=S, W=W, H=H)

    def fit_transform(self, X: Any, y: Any = None, *, S: Any = None, W: Any = None, H: Any = None) -> Any:  # type: ignore[override]
        """Fit the factorization and return the coefficients of the samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples, nonnegative.
        y : Ignored
            Not used.
        S : sparse matrix or array-like of shape (n_samples, n_samples), default=None
            The graph with ``graph="custom"``: symmetric weights of the edges.
        W, H : array-like of shape (n_samples, n_components), (n_components, n_features), default=None
            Where to start with ``init="custom"``.

        Returns
        -------
        V : ndarray of shape (n_samples, n_components)
            The coefficients, the same as from ``transform``.
        """
        return super().fit_transform(X, y, S=S, W=W, H=H)
