"""The features that vary most, as ``--top-features`` of the program chooses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _emmf
from ._arrays import admitted, borrowed

if TYPE_CHECKING:
    from typing_extensions import Self


class TopFeatures(SelectorMixin, BaseEstimator):
    """Keep the features that vary most, such as 2000 genes.

    The variance of a feature over its mean, with its largest 2 % of values capped, is compared with that of features
    of about the same mean. It comes before everything else: ``make_pipeline(TopFeatures(2000), EMMF(12))``, or, for
    AnnData, ``adata[:, TopFeatures(2000).fit(adata).get_support()]``.

    Parameters
    ----------
    n_features : int, default=2000
        How many to keep; all where there are no more.

    Attributes
    ----------
    features_ : ndarray of shape (n_features_kept,)
        Their places, in the order of the data.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if X has some.

    Examples
    --------
    >>> import emmf
    >>> cells = emmf.datasets.load_cells()
    >>> emmf.TopFeatures(50).fit_transform(cells.data).shape[1]
    50
    """

    def __init__(self, n_features: int = 2000) -> None:
        self.n_features = n_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples. What is no number or not finite does not count.
        y : Ignored
            Not used.

        Returns
        -------
        self : object
            The fitted selector.
        """
        if self.n_features < 1:
            raise ValueError(f"n_features is {self.n_features}, but must be at least 1.")
        types = [np.float64, np.float32]
        X = validate_data(self, admitted(X, "X"), dtype=types, accept_sparse="csr", ensure_all_finite=False)
        self.features_ = _emmf.most_variable(borrowed(X), self.n_features)
        return self

    def transform(self, X: Any) -> Any:
        """Keep only these features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        X_kept : {ndarray, sparse matrix} of shape (n_samples, n_features_kept)
            The samples with the features that are kept.
        """
        return super().transform(admitted(X, "X"))

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, bool)
        mask[self.features_] = True
        return mask
