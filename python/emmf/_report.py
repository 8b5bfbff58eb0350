"""What a fit looks like: a page, and a few lines in a notebook."""

from __future__ import annotations

import json
import weakref
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _emmf
from ._arrays import borrowed, labelled, unmasked

if TYPE_CHECKING:
    from os import PathLike

# Shown in a notebook: features of a centroid, outliers, and the width of the longest bar.
FEATURES, OUTLIERS, WIDTH = 6, 5, 12


class Shown:
    """What an estimator shows of its fit."""

    components_: Any
    labels_: Any
    outliers_: Any
    outlier_scores_: Any
    outlier_reasons_: Any

    def report(
        self,
        path: str | PathLike[str],
        X: Any = None,
        y: Any = None,
        *,
        names: Sequence[str] | None = None,
        image_shape: tuple[int, ...] | None = None,
        title: str | None = None,
    ) -> None:
        """Write an interactive page about the fit: clusters, centroids, outliers. One HTML file that needs no network.

        Parameters
        ----------
        path : str or path-like
            The file, usually ``*.html``. It is written completely or not at all.
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            The samples of the fit. None means the object that ``fit`` was given: the estimator does not keep it, but
            finds it as long as something else does.
        y : array-like of shape (n_samples,), default=None
            The true classes, if they are known. Samples of the class "outlier" are outliers.
        names : sequence of str, default=None
            The names of the samples; None takes those that X has, or that it had in ``fit``.
        image_shape : tuple of int, default=None
            Height and width, and 3 for colours, if the samples are images.
        title : str, default=None
            The heading.
        """
        report([self], path, X, y, names=names, image_shape=image_shape, title=title)

    def _saw(self, X: Any) -> None:
        """Remember where the samples of the fit are, without keeping them."""
        try:
            self._seen = weakref.ref(X)
        except TypeError:
            self.__dict__.pop("_seen", None)

    def _samples(self) -> Any:
        """Give the object that was fitted, None where it is gone."""
        seen = self.__dict__.get("_seen")
        return None if seen is None else seen()

    def _was_fitted_to(self, X: Any) -> bool:
        return X is not None and self._samples() is X

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state.pop("_seen", None)
        return state

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + summary(self)  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += summary(self)
        return bundle


def report(
    models: Sequence[Any],
    path: str | PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    names: Sequence[str] | None = None,
    image_shape: tuple[int, ...] | None = None,
    title: str | None = None,
) -> None:
    """Write an interactive page about several fits of the same samples, side by side.

    Parameters
    ----------
    models : sequence of MatrixFactorization
        Fitted estimators.
    path : str or path-like
        The file, usually ``*.html``. It is written completely or not at all.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
        The samples of the fits. None means the object that ``fit`` was given, as long as something keeps it.
    y : array-like of shape (n_samples,), default=None
        The true classes, if they are known. Samples of the class "outlier" are outliers.
    names : sequence of str, default=None
        The names of the samples; None takes those that X has, or that it had in ``fit``.
    image_shape : tuple of int, default=None
        Height and width, and 3 for colours, if the samples are images.
    title : str, default=None
        The heading.

    Examples
    --------
    >>> import tempfile
    >>> import emmf
    >>> X = emmf.datasets.make_rays().X
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     emmf.report([emmf.NMF(3).fit(X), emmf.EMMF(3).fit(X)], f"{folder}/both.html")
    """
    if not models:
        raise ValueError("models is empty; give at least one fitted estimator.")
    for model in models:
        check_is_fitted(model)
        if not hasattr(model, "_course"):
            raise ValueError(
                f"this {type(model).__name__} knows nothing about its training samples, because it comes from a file "
                "or from partial_fit; make the page with the estimator that fit was called on."
            )
    X = _fitted_to(models) if X is None else X
    if names is None:
        found, _ = labelled(X)
        names = getattr(models[0], "sample_names_", None) if found is None else found
    X = models[0]._validated(X, [models[0].components_.dtype], reset=False)
    n, d = X.shape
    for what, given in (("y", y), ("names", names)):
        if given is not None and len(given) != n:
            raise ValueError(f"{what} has {len(given)} entries for {n} samples; give one for each.")
    check_image(image_shape, d, "samples")
    about = {
        "data": f"{n} samples",
        "truth": None if y is None else [str(label) for label in column_or_1d(unmasked(y, "y"))],
        "names": None if names is None else [str(name) for name in names],
        "image": None if image_shape is None else (image_shape[0], image_shape[1], len(image_shape) == 3),
    }
    title = title or ", ".join(f"{type(model).__name__}({model.n_components_})" for model in models)
    _emmf.report((path, title), [(model._model, _kept(model)) for model in models], borrowed(X), about)


def check_image(shape: Sequence[int] | None, features: int, what: str) -> None:
    """Check that images of this shape have so many features."""
    if shape is None:
        return
    if len(shape) not in (2, 3) or tuple(shape[2:]) not in ((), (3,)):
        raise ValueError(f"image_shape is {shape}, but must be height and width, with 3 behind them for colours.")
    if np.prod(shape) != features:
        raise ValueError(f"image_shape is {shape}, but {what} have {features} features.")


def _fitted_to(models: Sequence[Any]) -> Any:
    """Give the object that all models were fitted to."""
    found = [model._samples() for model in models]
    if any(each is None for each in found):
        raise ValueError(
            "the samples of the fit are not in memory any more, or were a list, or the estimator was copied or "
            "unpickled; give them again: report(..., X)."
        )
    if any(each is not found[0] for each in found):
        raise ValueError("the models were not fitted to the same object; give the samples: report(models, path, X).")
    return found[0]


def _kept(model: Any) -> dict[str, Any]:
    """Put together what the page wants to know of a fit."""
    kept = {
        "v": model.coefficients_,
        "labels": model.labels_,
        "residuals": model.residuals_,
        "weights": model.sample_weight_,
        "scores": model.outlier_scores_,
        "reasons": list(model.outlier_reasons_),
        "set_aside": model.set_aside_,
        "groups": model.outlier_groups_,
        "trace": model.objective_history_,
        "objective": model.objective_,
        "stop": model.stop_reason_,
        "layers": [],
    }
    return kept | model._course


def summary(model: Any) -> str:
    """Return clusters, their features and the outliers of a fit as HTML; nothing of what is not fitted."""
    if not hasattr(model, "labels_"):
        return ""
    names = getattr(model, "feature_names_in_", None)
    centroids = cluster_centroids(model)
    sizes = np.bincount(model.labels_, minlength=len(centroids))
    rows = "".join(_cluster(at, size, sizes.max(), _top(centroids[at], names)) for at, size in enumerate(sizes))
    worst = np.argsort(-model.outlier_scores_)[:OUTLIERS]
    names = getattr(model, "sample_names_", range(len(model.labels_)))
    told = ((names[at], model.outlier_scores_[at], model.outlier_reasons_[at]) for at in worst)
    listed = ", ".join(f"{escape(str(name))} ({score:.1f}, {reason})" for name, score, reason in told)
    count = int(model.outliers_.sum())
    return (
        "<table><thead><tr><th>cluster</th><th>samples</th><th></th>"
        "<th style='text-align:left'>top features</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
        f"<p>{count} of {len(model.labels_)} samples are outliers. The highest scores: {listed}</p>"
    )


def _cluster(at: int, size: int, most: int, features: str) -> str:
    bar = "█" * max(round(WIDTH * size / max(most, 1)), 1 if size else 0)
    cells = f"<td>{at}</td><td>{size}</td><td style='text-align:left'>{bar}</td>"
    return f"<tr>{cells}<td style='text-align:left'>{features}</td></tr>"


def cluster_centroids(model: Any) -> list[Any]:
    """Give the centroid of every cluster, None where clusters are no centroids."""
    centroids = getattr(model, "layer_components_", [model.components_])[-1]
    clusters = json.loads(model._model.spec).get("clusters") or len(centroids)
    return list(centroids) if clusters == len(centroids) else [None] * clusters


def _top(centroid: Any, names: Any) -> str:
    """Name the features that make up most of a centroid."""
    if centroid is None:
        return ""
    top = [feature for feature in np.argsort(-centroid)[:FEATURES] if centroid[feature] > 0]
    return ", ".join(escape(str(names[feature])) if names is not None else f"x{feature}" for feature in top)
