"""The choice of a number of clusters, or of a rank."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from . import _emmf, _parameters
from ._arrays import admitted, borrowed

# What "auto" chooses from.
AMONG = (2, 1000)


@dataclass(frozen=True)
class Choice:
    """A number of clusters or a rank, how sure it is, and the curve behind it; ``str`` of it is a sentence."""

    k: int
    """The chosen number."""
    low: int
    """The smallest number that is about as likely: by the graph, with other neighbours; otherwise the chosen one."""
    high: int
    """The largest number that is about as likely: with other neighbours, or within the spread of the curve."""
    ks: NDArray[np.int64]
    """The numbers that were tried."""
    curve: NDArray[np.float64]
    """For each, the agreement of random halves of the data, or the share of the held-out values that is explained."""
    spread: NDArray[np.float64]
    """Standard deviation of the curve over the splits."""
    sentence: str
    """The choice in one sentence."""
    clusters: NDArray[np.int64] | None = field(default=None, repr=False)
    """The cluster of each sample, if the number is that of the communities of a graph."""

    def __str__(self) -> str:
        return self.sentence


def chosen(spec: str, X: Any, what: str, among: tuple[int, int], n_jobs: int | None) -> Choice:
    """Let the library choose for samples that are checked."""
    low, high = (int(end) for end in among)
    if not 1 <= low <= high:
        raise ValueError(f"among is ({low}, {high}), but must be two numbers of at least 1, the smaller one first.")
    text, sentence, clusters = _emmf.choose(
        spec, borrowed(X), (what == "rank", (low, high)), _parameters.threads(n_jobs)
    )
    found = json.loads(text)
    curve, spread = np.array(found["stability"]), np.array(found["spread"])
    ks = np.array(found["ks"], dtype=np.int64)
    low, high = found.get("by_graph") or _as_likely(ks, curve, spread, found["k"])
    return Choice(found["k"], low, high, ks, curve, spread, sentence, clusters)


def _as_likely(ks: Any, curve: Any, spread: Any, k: int) -> tuple[int, int]:
    """Give the range up to the last number whose curve is within a standard deviation of that of the chosen one.

    Smaller numbers are coarser views of the same clusters, or explain less.
    """
    at = int(np.flatnonzero(ks == k)[0])
    return k, int(ks[at:][curve[at:] >= curve[at] - spread[at]].max())


def choose_k(
    X: Any,
    *,
    what: str = "clusters",
    among: tuple[int, int] = AMONG,
    normalize: Any = None,
    outliers: str = "set-aside",
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Choice:
    """Choose the number of clusters, or of centroids, for these samples.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The samples, nonnegative.
    what : {"clusters", "rank"}, default="clusters"
        What to choose. ``"clusters"`` is the largest number for which random halves of the data agree about their
        clusters or, if they do not, the number of communities in the graph of nearest neighbours. If half of the
        samples show the same communities and these are twice as many, their number is taken. ``"rank"`` is the
        smallest number of centroids that explains held-out values as well as any other, for topics and signatures.
    among : tuple of (int, int), default=(2, 1000)
        The smallest and the largest number to choose from.
    normalize : str, list of str or None, default=None
        Preprocessing of the samples, as for the estimators.
    outliers : {"set-aside", "keep"}, default="set-aside"
        Whether samples that clearly do not belong to the others are left out or kept when the number is chosen.
    random_state : int, default=0
        Seed for all random numbers.
    n_jobs : int or None, default=None
        Number of threads; None means one per core.

    Returns
    -------
    choice : Choice
        ``k``, the range ``low`` to ``high``, the curve over ``ks``, and a sentence about it.

    Examples
    --------
    >>> from emmf import choose_k
    >>> from emmf.datasets import make_rays
    >>> X, labels, outlier = make_rays(n_outliers=0, random_state=0)
    >>> choice = choose_k(X, among=(2, 8))
    >>> choice.k, choice.low, choice.high
    (3, 3, 3)
    >>> print(choice)
    3 of 2 to 8: two halves of the data agree to 100 %; 10 of 10 splits choose it
    """
    if what not in ("clusters", "rank"):
        raise ValueError(f'what is {what!r}, but must be "clusters" or "rank".')
    # The library looks at every entry anyway.
    X = check_array(admitted(X, "X"), accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False)
    steps = _parameters.steps(normalize)
    spec = {"method": "emmf", "k": 1, "normalize": steps, "outliers": outliers, "seed": int(random_state)}
    return chosen(json.dumps(spec), X, what, among, n_jobs)
