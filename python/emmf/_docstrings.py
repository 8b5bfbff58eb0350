"""The docstrings of the estimators, put together from the registry."""

from __future__ import annotations

from textwrap import fill
from typing import Any

from ._parameters import Parameter, begun

WIDTH = 100

ATTRIBUTES = """
Attributes
----------
components_ : ndarray of shape (n_components, n_features)
    The centroids, Uᵀ.
coefficients_ : ndarray of shape (n_samples, n_components)
    V at the end of the fit; with a graph it also follows the neighbours, which ``transform`` does not know.
labels_ : ndarray of shape (n_samples,)
    Cluster of each training sample.
n_components_ : int
    Number of centroids; with ``n_components="auto"`` the chosen one.
choice_ : Choice
    How it was chosen, with ``n_components="auto"``.
n_iter_ : int
    Number of iterations.
stop_reason_ : str
    Why the fit ended: "converged", "max-iter", "time-limit" or "cancelled".
objective_ : float
    The objective at the end.
objective_history_ : ndarray of shape (n_iter_,)
    The objective after each iteration.
reconstruction_err_ : float
    Frobenius norm of X − V·Uᵀ.
residuals_ : ndarray of shape (n_samples,)
    ‖x − U·v‖ of each training sample.
sample_weight_ : ndarray of shape (n_samples,)
    How much each training sample pulls on the centroids.
outlier_scores_ : ndarray of shape (n_samples,)
    By how many robust standard deviations the sample lies beyond the others in its residual, its distance to others,
    the same at unit length, the rarity of its values, or its length, whichever is the most; scaled so that the tail of
    the others ends at 3.5. Higher is worse.
outlier_reasons_ : ndarray of shape (n_samples,)
    What decides the score: "centroids", "neighbours", "direction", "structure", "values" or "length".
sample_names_ : ndarray of shape (n_samples,)
    The names of the training samples: the index of a data frame, ``obs_names`` of AnnData, or the first coordinates of
    xarray, where X has them.
outlier_groups_ : list of ndarray
    Outliers that are alike, where there are several: the training samples of each group.
outliers_ : ndarray of shape (n_samples,)
    Whether the score is above 3.5, or the sample was set aside.
set_aside_ : ndarray of shape (n_set_aside,)
    The training samples that the start and the fit did not see, because they clearly do not belong to the others.
residual_center_, residual_spread_ : float
    Median and robust standard deviation of the training residuals.
imputed_ : ndarray of shape (n_samples, n_features)
    The samples with missing values filled in, with ``missing="nan"``.
extras_ : dict
    What else the method found.
consensus_ : dict of ndarray
    With ``consensus``: the ``stability`` of each component, from 0 to 1 (the mean cosine between it and its match in
    the restarts that count), the components that are ``unstable`` (below 0.9), the ``distances`` of the restarts from
    the consensus, their ``weights``, and those that were ``set_aside``.
n_samples_seen_ : int
    Number of samples in all batches of ``partial_fit``.
drift_ : float
    Share of the samples in its last batch that the model takes for outliers.
tree_ : dict
    With ``layers``, the nodes that have samples: layer (from 1), number, parent, certainty, children, members and
    share.
newick_ : str
    The same tree in Newick format.
linkage_ : ndarray of shape (n_nodes - 1, 4)
    The same tree as merges of two nodes at a time, in the format of ``scipy.cluster.hierarchy``; the leaves are the
    nodes of the first layer that have samples.
layer_labels_, layer_scores_, layer_reasons_ : list of ndarray of shape (n_samples,)
    The node of each training sample on every layer, its outlier score with the residual there, and what decides it.
layer_components_ : list of ndarray of shape (width, n_features)
    The centroids of every layer.
layer_shares_, layer_certainty_ : list of ndarray of shape (width_below, width), (width_below,)
    For every layer above the first, the share of each node below in each of its nodes, and how certain it is that the
    node below belongs to its parent.
n_features_in_ : int
    Number of features.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Names of the features, if X has names.
"""

EXAMPLES = """
Examples
--------
>>> from emmf import {name}
>>> from emmf.datasets import make_rays
>>> X, labels, outlier = make_rays(n_outliers=5, random_state=0)
>>> model = {name}(3, init="trimmed", max_iter=50).fit(X)
>>> model.components_.shape
(3, 20)
>>> model.transform(X[:4]).shape
(4, 3)
"""


def docstring(name: str, entry: dict[str, Any], parameters: list[Parameter]) -> str:
    """Write the docstring of a method's estimator."""
    title = begun(entry["title"])
    verb = "Minimises" if entry["goal"] == "least" else "Maximises"
    storage = "dense and sparse" if "sparse" in entry["data"] else "dense"
    about = (
        f"{verb} {entry['objective']} over nonnegative U and V, X ≈ V·Uᵀ; rᵢ is the length of row i of X − V·Uᵀ, mᵢⱼ "
        f"an entry of it. Guarantee: {entry['guarantee']}. Takes {storage} data. The method ``{entry['name']}`` of "
        f"{entry['reference']}."
    )
    lines = [f"{title}.", "", fill(about, WIDTH), "", "Parameters", "----------"]
    for parameter in parameters:
        lines.append(f"{parameter.name} : {parameter.type}, default={parameter.default!r}")
        lines.append(fill(parameter.help, WIDTH, initial_indent="    ", subsequent_indent="    "))
    return "\n".join(lines) + "\n" + ATTRIBUTES + EXAMPLES.format(name=name)
