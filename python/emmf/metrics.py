"""How good a result is: agreement of two labelings, quality of an outlier ranking, weight of single samples.

Labels may be numbers or strings; only which samples share a label counts, never its name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from . import _emmf
from ._arrays import admitted, unmasked

__all__ = ["accuracy", "ari", "nmi", "outlier_effect", "precision_at", "purity", "roc_auc"]

AVERAGES = ("geometric", "arithmetic", "max", "min")


def _agreement(measure: str, labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    truth, predicted = _numbered(labels_true, "labels_true"), _numbered(labels_pred, "labels_pred")
    check_consistent_length(truth, predicted)
    return _emmf.agreement(measure, truth, predicted)


def _numbered(labels: ArrayLike, name: str) -> NDArray[np.int64]:
    return np.unique(column_or_1d(unmasked(labels, name)), return_inverse=True)[1].astype(np.int64)


def _numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    return np.ascontiguousarray(column_or_1d(admitted(values, name)), dtype=np.float64)


def _ranked(scores: ArrayLike, outlier: ArrayLike) -> tuple[Any, Any]:
    flags = _numbers(outlier, "outlier")
    if not np.isin(flags, (0, 1)).all():
        raise ValueError("outlier must be True or 1 for outliers and False or 0 for the others, and nothing else.")
    return _numbers(scores, "scores"), flags.astype(bool)


def accuracy(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of samples that are labelled correctly under the best one-to-one matching of clusters to classes (ACC).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        The true classes and the clusters.

    Returns
    -------
    accuracy : float
        From 0 to 1.

    Examples
    --------
    >>> from emmf.metrics import accuracy
    >>> accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    return _agreement("accuracy", labels_true, labels_pred)


def nmi(labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: str = "geometric") -> float:
    """Normalized mutual information.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        The true classes and the clusters.
    average_method : {"geometric", "arithmetic", "max", "min"}, default="geometric"
        Which average of the two entropies to divide by. The default of scikit-learn is the arithmetic one.

    Returns
    -------
    nmi : float
        From 0 to 1.

    Examples
    --------
    >>> from emmf.metrics import nmi
    >>> nmi([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    if average_method not in AVERAGES:
        raise ValueError(f"average_method is {average_method!r}, but must be one of {', '.join(AVERAGES)}.")
    return _agreement(f"nmi-{average_method}", labels_true, labels_pred)


def ari(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Adjusted Rand index: 1 for the same clusters, 0 by chance.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        The true classes and the clusters.

    Returns
    -------
    ari : float
        At most 1.

    Examples
    --------
    >>> from emmf.metrics import ari
    >>> ari([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return _agreement("ari", labels_true, labels_pred)


def purity(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of samples that belong to the most frequent class of their cluster.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        The true classes and the clusters.

    Returns
    -------
    purity : float
        From 0 to 1.

    Examples
    --------
    >>> from emmf.metrics import purity
    >>> purity([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return _agreement("purity", labels_true, labels_pred)


def roc_auc(outlier: ArrayLike, scores: ArrayLike) -> float:
    """Area under the ROC curve of outlier scores.

    Parameters
    ----------
    outlier : array-like of shape (n_samples,)
        Whether the sample is an outlier.
    scores : array-like of shape (n_samples,)
        The scores; higher is more of an outlier.

    Returns
    -------
    auc : float
        1 for a perfect ranking, ½ by chance.

    Examples
    --------
    >>> from emmf.metrics import roc_auc
    >>> roc_auc([False, False, True], [0.1, 0.2, 3.0])
    1.0
    """
    return _emmf.roc_auc(*_ranked(scores, outlier))


def precision_at(outlier: ArrayLike, scores: ArrayLike, m: int) -> float:
    """Share of outliers among the m highest scores.

    Parameters
    ----------
    outlier : array-like of shape (n_samples,)
        Whether the sample is an outlier.
    scores : array-like of shape (n_samples,)
        The scores; higher is more of an outlier.
    m : int
        How many scores.

    Returns
    -------
    precision : float
        From 0 to 1.

    Examples
    --------
    >>> from emmf.metrics import precision_at
    >>> precision_at([False, True, True], [0.1, 0.2, 3.0], 2)
    1.0
    """
    return _emmf.precision_at(*_ranked(scores, outlier), m)


def outlier_effect(residuals: ArrayLike, *, method: str = "emmf") -> NDArray[np.float64]:
    """Share φ of every sample in the objective.

    Parameters
    ----------
    residuals : array-like of shape (n_samples,)
        Residuals of the samples, ``residuals_`` of an estimator.
    method : {"emmf", "nmf", "l21-nmf"}, default="emmf"
        The method whose objective is meant.

    Returns
    -------
    phi : ndarray of shape (n_samples,)
        They sum to 1, or are all 0 if the objective is 0.

    Examples
    --------
    >>> from emmf.metrics import outlier_effect
    >>> outlier_effect([1.0, 1.0, 2.0], method="l21-nmf").tolist()
    [0.25, 0.25, 0.5]
    """
    return _emmf.effect(method, _numbers(residuals, "residuals"))
