"""Pictures of centroids and of samples; :mod:`emmf.plot` shows them to users."""

from __future__ import annotations

from collections.abc import Sequence
from colorsys import hls_to_rgb
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke
from sklearn.utils.validation import check_is_fitted

from . import _emmf
from ._arrays import unmasked
from ._base import THRESHOLD
from ._report import check_image, cluster_centroids

NORMAL, OUTLIER = "#4878a8", "#d1495b"
# Told apart by most eyes, the colours of the program's figures; more clusters get hues of their own.
FEW = ["#3b82c4", "#d6ad17", "#2f9e6e", "#c94f7c", "#8b6cc9", "#a98324", "#3aa6b9", "#6b4226", "#7a8b3c", "#7d7f8c"]
# A longer legend would hide the picture.
NAMED = 20


def axes_or_new(ax: Any) -> Any:
    """Give the axes to draw on."""
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def colour(cluster: int, count: int) -> Any:
    """Give the colour of one of so many clusters; none comes twice."""
    if count <= len(FEW):
        return FEW[cluster]
    return hls_to_rgb(cluster * 0.381966 % 1, 0.42 + 0.1 * (cluster % 3), 0.62)


def centroids(
    model: Any,
    image_shape: tuple[int, ...] | None = None,
    *,
    names: Sequence[str] | None = None,
    features: int = 10,
    columns: int | None = None,
    column_major: bool = False,
    axes: Any = None,
) -> Any:
    """Draw the centroids: as images, or as bars of their largest features.

    Parameters
    ----------
    model : MatrixFactorization
        A fitted estimator.
    image_shape : tuple of int, default=None
        Height and width, and 3 for colours, if samples are images; None draws bars.
    names : sequence of str, default=None
        The names of the features, for bars; None means those of the data frame that was fitted, or ``x0``, ``x1``, ….
    features : int, default=10
        How many features have a bar.
    columns : int or None, default=None
        Number of centroids in a row; None means 10 images, or 4 groups of bars.
    column_major : bool, default=False
        The features run down the columns of the images, as in MATLAB files; with colours, of three images, red, green
        and blue.
    axes : ndarray of matplotlib Axes, default=None
        Where to draw, one for each centroid.

    Returns
    -------
    axes : ndarray of matplotlib Axes
        The axes.

    Examples
    --------
    >>> import emmf
    >>> from emmf import plot
    >>> from sklearn.datasets import load_digits
    >>> model = emmf.EMMF(10, max_iter=20).fit(load_digits().data)
    >>> plot.centroids(model, (8, 8)).shape
    (10,)
    >>> plot.centroids(model, features=5)[0].get_title()
    'centroid 0'
    """
    check_is_fitted(model, "components_")
    count, d = model.components_.shape
    check_image(image_shape, d, "centroids")
    if names is None:
        names = getattr(model, "feature_names_in_", [f"x{feature}" for feature in range(d)])
    elif len(names) != d:
        raise ValueError(f"names has {len(names)} entries for {d} features; give one for each.")
    if axes is None:
        wide, high = (1.1, 1.1 * image_shape[0] / image_shape[1]) if image_shape else (3.2, 0.5 + 0.22 * features)
        columns = min(columns or (10 if image_shape else 4), count)
        rows = -(-count // columns)
        size = (wide * columns, high * rows)
        axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)[1]
    axes = np.ravel(axes)
    for at, (ax, component) in enumerate(zip(axes, model.components_, strict=False)):
        if image_shape is None:
            _bars(ax, component, names, features)
            ax.set_title(f"centroid {at}")
        else:
            image = component.reshape(image_shape, order="F" if column_major else "C")
            # Colours are numbers up to 1; grey ones are scaled, and more is darker.
            ax.imshow(image / max(image.max(), 1e-300) if image.ndim == 3 else image, cmap="gray_r")
            ax.axis("off")
    for ax in axes[count:]:
        ax.axis("off")
    return axes[:count]


def _bars(ax: Any, component: Any, names: Sequence[str], features: int) -> None:
    """Draw the largest features of a centroid, the first on top."""
    top = [feature for feature in np.argsort(-component, kind="stable")[:features] if component[feature] > 0]
    ax.barh(range(len(top)), component[top], color=NORMAL)
    ax.set_yticks(range(len(top)), [str(names[feature]) for feature in top])
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)


def embedding(model: Any, X: Any = None, *, labels: Any = None, ax: Any = None) -> Any:
    """Draw the samples in the plane, along their two principal components.

    Samples are brought to unit length first, as on the page of ``report``: directions, not lengths, make the clusters.

    Parameters
    ----------
    model : MatrixFactorization
        A fitted estimator.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
        The samples; None, or the very object that was fitted, means those of the fit, with their ``labels_`` and
        ``outliers_``. Where they are not in memory any more, or have missing values, the principal components are
        those of their coefficients, and the axes say so.
    labels : array-like of shape (n_samples,), default=None
        What to colour by; None means the clusters.
    ax : matplotlib Axes, default=None
        Where to draw.

    Returns
    -------
    ax : matplotlib Axes
        The axes. Outliers are crosses, numbers are the centroids of the clusters. There is a legend of up to 20 groups.

    Examples
    --------
    >>> import emmf
    >>> from emmf import plot
    >>> X = emmf.datasets.make_rays().X
    >>> plot.embedding(emmf.EMMF(3, init="trimmed").fit(X)).get_title()
    '160 samples, 10 outliers'
    """
    V, clusters, is_outlier, X = _samples(model, X)
    if labels is not None and len(labels) != len(V):
        raise ValueError(f"labels has {len(labels)} entries for {len(V)} samples; give one for each.")
    groups = clusters if labels is None else np.asarray(unmasked(labels, "labels"))
    given, threads = (None, None) if X is None else model._given(X)
    places, shares, centroids, by = _emmf.plane(model._model, V, given, threads)
    ax = axes_or_new(ax)
    kinds, group = np.unique(groups, return_inverse=True)
    count = len(model.components_) if labels is None else len(kinds)
    for at, kind in enumerate(kinds):
        own = places[(group == at) & ~is_outlier]
        name = f"cluster {kind}" if labels is None else str(kind)
        colours = [colour(int(kind) if labels is None else at, max(count, at + 1))]
        ax.scatter(own[:, 0], own[:, 1], 12, colours, label=f"{name} ({len(own)})")
    if is_outlier.any():
        bad = places[is_outlier]
        ax.scatter(bad[:, 0], bad[:, 1], 30, OUTLIER, marker="x", label=f"outliers ({len(bad)})")
    if labels is None and not hasattr(model, "tree_") and cluster_centroids(model)[0] is not None:
        _number(ax, kinds, centroids)
    if len(kinds) <= NAMED:
        ax.legend(frameon=False, bbox_to_anchor=(1.01, 1), loc="upper left", fontsize="small")
    ax.set_xticks([])
    ax.set_yticks([])
    what = "" if by == "samples" else " of the coefficients"
    ax.set_xlabel(f"first component{what} ({100 * shares[0]:.0f} % of the variance)")
    ax.set_ylabel(f"second component ({100 * shares[1]:.0f} %)")
    ax.set_title(f"{len(places)} samples, {is_outlier.sum()} outliers")
    return ax


def _number(ax: Any, kinds: Any, centroids: Any) -> None:
    """Write the number of each of these clusters above its centroid."""
    halo = [withStroke(linewidth=3, foreground=ax.get_facecolor())]
    style = {"ha": "center", "weight": "bold", "size": "small", "path_effects": halo}
    for kind in kinds:
        ax.annotate(str(kind), centroids[kind], (0, 6), textcoords="offset points", **style)


def _samples(model: Any, X: Any) -> tuple[Any, Any, Any, Any]:
    """Give coefficients, clusters, outliers and the samples, if they are there: those of the fit, or new ones."""
    check_is_fitted(model, "components_")
    if hasattr(model, "labels_") and (X is None or model._was_fitted_to(X)):
        return model.coefficients_, model.labels_, model.outliers_, model._samples()
    if X is None:
        raise ValueError(f"this {type(model).__name__} knows no samples, because it comes from a file; give X.")
    is_outlier = _emmf.outliers(-model.score_samples(X), np.zeros(0, np.int64), THRESHOLD)
    return np.asarray(model.transform(X)), model.predict(X), is_outlier, X
