"""Estimators that go on learning, batch after batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight

from . import _emmf, _parameters
from ._arrays import admitted, borrowed
from ._choice import AMONG, chosen

if TYPE_CHECKING:
    from typing_extensions import Self


def learns(entry: dict[str, Any]) -> bool:
    """Tell whether a method can learn batch by batch: its steps need sums over samples, and no more."""
    return bool(entry["places"] == "anywhere")


def _goes_on(estimator: Any) -> bool:
    plain = getattr(estimator, "graph", None) is None and getattr(estimator, "missing", "refuse") == "refuse"
    return learns(estimator._entry) and plain


class Online:
    """What estimators that can learn batch by batch have in common."""

    drift_: float
    n_samples_seen_: int

    @available_if(_goes_on)
    def partial_fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn from a batch of samples, which need not be kept.

        The first batch is a fit like any other: it provides the start and the reference by which outliers in later
        batches are recognised, so it should be typical (a few hundred samples, with some from every cluster). Outliers
        are left out unless ``outliers="keep"``. The same batches in the same order give the same model. After ``fit``
        it starts over.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples of the batch, nonnegative.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each sample counts.

        Returns
        -------
        self : object
            The estimator. ``labels_``, ``residuals_``, ``outlier_scores_`` and ``outliers_`` are those of the batch,
            ``drift_`` is the share of outliers among them, ``n_samples_seen_`` counts the samples of all batches.
        """
        self._learn(X, sample_weight)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def _learn(self: Any, X: Any, sample_weight: Any) -> None:
        if self.device not in ("cpu", "auto"):
            raise ValueError(
                f"device is {self.device!r}, but partial_fit learns on the processor; "
                'use device="cpu" or "auto", or fit.'
            )
        # A model of all samples at once has no past to go on from.
        begun = hasattr(self, "_model") and self._model.past is not None
        types = [self.components_.dtype] if begun else [np.float64, np.float32]
        X = self._validated(X, types, reset=not begun)
        if sample_weight is not None:
            sample_weight = admitted(sample_weight, "sample_weight")
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            sample_weight = np.ascontiguousarray(sample_weight)
        if begun:
            self._go_on(X, sample_weight)
        else:
            self._begin(X, sample_weight)
        # A page shows all samples, which nobody has any more.
        for name in ("_course", "_seen"):
            self.__dict__.pop(name, None)
        self.n_samples_seen_, self.drift_, _ = self._model.past

    def _begin(self: Any, X: Any, sample_weight: Any) -> None:
        params = self.get_params(deep=False)
        if params.get("layers") is not None and len(params["layers"]) > 1:
            raise ValueError(f"layers is {self.layers!r}, but partial_fit learns one layer; use fit, or layers=None.")
        if self.n_components is None:
            params["n_components"] = X.shape[1]
        elif self.n_components == "auto":
            spec = _parameters.spec(self._entry, params | {"n_components": 1})
            self.choice_ = chosen(spec, X, "clusters", AMONG, self.n_jobs)
            params["n_components"] = self.choice_.k
        besides = {
            "sample_weight": sample_weight,
            "start": self._start(None, None, X, None),
            "clusters": None,
            "graph": None,
            "features": list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None,
            "callback": None,
            "threads": _parameters.threads(self.n_jobs),
            "device": "cpu",
            "max_device_memory": None,
            "spent": 0.0,
            "online": (None if self.half_life is None else float(self.half_life),),
        }
        model, found, raised = _emmf.fit(_parameters.spec(self._entry, params), borrowed(X), besides)
        if raised is not None:
            raise raised
        self._keep(model, found)

    def _go_on(self: Any, X: Any, sample_weight: Any) -> None:
        model, found = self._model.update(borrowed(X), sample_weight, _parameters.threads(self.n_jobs))
        self._take(model)
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        self.coefficients_, self.labels_ = found["v"], found["labels"]
        self.residuals_, self.outlier_scores_ = found["residuals"], found["scores"]
        self.outlier_reasons_ = np.array(found["reasons"], dtype=object)
        self.set_aside_ = found["set_aside"]
        self.outliers_ = _emmf.outliers(self.outlier_scores_, self.set_aside_, _emmf.THRESHOLD)
