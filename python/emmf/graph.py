"""Graphs over samples."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils import check_array

from . import _emmf, _parameters
from ._arrays import admitted, borrowed

__all__ = ["knn_graph"]


def knn_graph(
    X: Any,
    n_neighbors: int = 5,
    *,
    graph_weights: str = "binary",
    adaptive: bool = False,
    normalize: Any = None,
    n_jobs: int | None = None,
) -> csr_array:
    """Build the graph of nearest neighbours of the samples, as the estimators do.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The samples, nonnegative.
    n_neighbors : int, default=5
        Number of neighbours of a sample; two samples are linked if one is among the neighbours of the other.
    graph_weights : {"binary", "heat", "cosine"}, default="binary"
        Weights of the edges: 1, by the distance, or by the angle.
    adaptive : bool, default=False
        Weights that fall with the squared distance to 0 at the next neighbour, instead of ``graph_weights``.
    normalize : str, list of str or None, default=None
        Preprocessing of the samples, as for the estimators.
    n_jobs : int or None, default=None
        Number of threads; None means one per core.

    Returns
    -------
    S : csr_array of shape (n_samples, n_samples)
        The symmetric weights of the edges, for ``fit(X, S=S)`` of an estimator with ``graph="custom"``.

    Examples
    --------
    >>> from emmf.graph import knn_graph
    >>> knn_graph([[0.0, 1.0], [0.1, 1.0], [5.0, 1.0]], n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    # The library looks at every entry anyway.
    X = check_array(admitted(X, "X"), accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False)
    kind = "adaptive" if adaptive else "knn"
    graph = {"graph": kind, "n_neighbors": n_neighbors, "graph_weights": graph_weights}
    spec = {
        "method": "nmf",
        "k": 1,
        "normalize": _parameters.steps(normalize),
        "graph": _parameters.graph_spec(graph),
    }
    starts, columns, weights = _emmf.graph_of(json.dumps(spec), borrowed(X), _parameters.threads(n_jobs))
    return csr_array((weights, columns, starts), shape=(X.shape[0], X.shape[0]))
