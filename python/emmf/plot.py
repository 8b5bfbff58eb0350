"""Pictures of a fit. Every function draws with matplotlib, shows nothing and returns the axes.

It is not imported with the package, which does not need matplotlib: ``from emmf import plot``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _emmf
from ._base import THRESHOLD
from ._pictures import NORMAL, OUTLIER, axes_or_new, centroids, embedding

__all__ = ["centroids", "convergence", "embedding", "lambda_curve", "residuals", "tree"]


def convergence(*models: Any, ax: Any = None, relative: bool | None = None) -> Any:
    """Draw the objective after each iteration.

    Parameters
    ----------
    *models : MatrixFactorization
        Fitted estimators.
    ax : matplotlib Axes, default=None
        Where to draw.
    relative : bool or None, default=None
        Divide each curve by its first value; None does so for several models, whose objectives cannot be compared.

    Returns
    -------
    ax : matplotlib Axes
        The axes.

    Examples
    --------
    >>> import emmf
    >>> from emmf import plot
    >>> X = emmf.datasets.make_rays().X
    >>> ax = plot.convergence(emmf.NMF(3, max_iter=30).fit(X), emmf.EMMF(3, max_iter=30).fit(X))
    >>> ax.get_xlabel()
    'iteration'
    """
    ax = axes_or_new(ax)
    relative = len(models) > 1 if relative is None else relative
    for model in models:
        check_is_fitted(model, "objective_history_")
        values = model.objective_history_ / (abs(model.objective_history_[0]) if relative else 1)
        ax.plot(np.arange(1, len(values) + 1), values, label=type(model).__name__)
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective / objective after the first iteration" if relative else "objective")
    if len(models) > 1:
        ax.legend(frameon=False)
    return ax


def residuals(model: Any, *, threshold: float | None = None, bins: int = 50, ax: Any = None) -> Any:
    """Draw the distribution of the outlier scores, with the threshold above which samples are outliers.

    Parameters
    ----------
    model : MatrixFactorization
        A fitted estimator.
    threshold : float or None, default=None
        The outlier score at which to cut; None means 3.5, that of ``outliers_``. Samples that were set aside are
        outliers whatever it is.
    bins : int, default=50
        Number of bars.
    ax : matplotlib Axes, default=None
        Where to draw.

    Returns
    -------
    ax : matplotlib Axes
        The axes.

    Examples
    --------
    >>> import emmf
    >>> from emmf import plot
    >>> X = emmf.datasets.make_rays().X
    >>> plot.residuals(emmf.EMMF(3, init="trimmed").fit(X)).get_xlabel()
    'outlier score'
    """
    check_is_fitted(model, "residuals_")
    ax = axes_or_new(ax)
    threshold = THRESHOLD if threshold is None else threshold
    values = model.outlier_scores_
    is_outlier = _emmf.outliers(model.outlier_scores_, model.set_aside_, threshold)
    edges = np.histogram_bin_edges(values, bins)
    counts = [values[~is_outlier], values[is_outlier]]
    names = [f"normal ({(~is_outlier).sum()})", f"outliers ({is_outlier.sum()})"]
    ax.hist(counts, edges, stacked=True, color=[NORMAL, OUTLIER], label=names)
    ax.axvline(threshold, color="0.2", linestyle="--", linewidth=1, label=f"score {threshold:g}")
    # A single outlier is to be seen beside a thousand normal samples.
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("outlier score")
    ax.set_ylabel("samples")
    ax.legend(frameon=False)
    return ax


def lambda_curve(
    lambdas: Sequence[float], values: Sequence[float] | Mapping[str, Sequence[float]], *, ax: Any = None
) -> Any:
    """Draw one or several measures against the weight λ of a penalty.

    Parameters
    ----------
    lambdas : sequence of float
        The weights.
    values : sequence of float, or mapping of str to sequence of float
        The measure for each of them, or several measures by name.
    ax : matplotlib Axes, default=None
        Where to draw.

    Returns
    -------
    ax : matplotlib Axes
        The axes, with a logarithmic λ.

    Examples
    --------
    >>> from emmf import plot
    >>> plot.lambda_curve([1, 10, 100], {"ACC": [0.5, 0.7, 0.6], "NMI": [0.4, 0.6, 0.5]}).get_xscale()
    'log'
    """
    ax = axes_or_new(ax)
    named = values if isinstance(values, Mapping) else {"": values}
    for name, curve in named.items():
        ax.plot(lambdas, curve, marker="o", label=name)
    ax.set_xscale("log")
    ax.set_xlabel("λ")
    if isinstance(values, Mapping):
        ax.legend(frameon=False)
    return ax


def tree(model: Any, *, ax: Any = None) -> Any:
    """Draw the nodes of all layers as a dendrogram, the nodes of the first layer at the bottom.

    Parameters
    ----------
    model : MatrixFactorization
        An estimator that was fitted with ``layers``.
    ax : matplotlib Axes, default=None
        Where to draw.

    Returns
    -------
    ax : matplotlib Axes
        The axes. A leaf is named by its node and the number of its samples; branches join at the height of the layer
        that merges them, and are thin and pale where that is not certain.

    Examples
    --------
    >>> import emmf
    >>> from emmf import plot
    >>> X = emmf.datasets.make_rays().X
    >>> plot.tree(emmf.DeepEMMF(layers=(6, 3)).fit(X)).get_ylabel()
    'layer'
    """
    check_is_fitted(model, "tree_")
    ax = axes_or_new(ax)
    nodes = {(node["layer"], node["node"]): node for node in model.tree_["nodes"]}
    places: dict[tuple[int, int], float] = {}
    leaves: list[str] = []

    def place(key: tuple[int, int]) -> float:
        node = nodes[key]
        below = [place((key[0] - 1, child)) for child in node.get("children", [])]
        if not below:
            leaves.append(f"{node['node']} ({len(node['members'])})")
        places[key] = float(np.mean([below[0], below[-1]])) if below else float(len(leaves) - 1)
        return places[key]

    last = model.tree_["layers"]
    for key in [key for key in nodes if key[0] == last]:
        place(key)
    for (layer, number), node in nodes.items():
        at = places[layer, number]
        if "parent" in node:
            up, sure = places[layer + 1, node["parent"]], node.get("certainty", 1.0)
            ax.plot(
                [at, at, up], [layer, layer + 1, layer + 1], color=NORMAL, alpha=0.35 + 0.65 * sure, lw=0.5 + 1.5 * sure
            )
        ax.scatter([at], [layer], 20 + 200 * node["share"], color=NORMAL, zorder=3)
    ax.set_xticks(range(len(leaves)), leaves, rotation=90)
    ax.set_yticks(range(1, last + 1))
    ax.set_xlabel("nodes of the first layer (samples)")
    ax.set_ylabel("layer")
    return ax
