"""From the factors back to what people know: samples as they were, and features by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from . import _parameters
from ._arrays import admitted, borrowed

# What multiplies every sample by a factor of its own.
OWN_FACTOR = ("unit", "l1", "counts", "clip")


class Readable:
    """What a fitted factorization can say in the words of its data."""

    _model: Any
    _validated: Any
    components_: Any
    normalize: Any

    def inverse_transform(self, X: Any, *, original: bool = False, like: Any = None) -> Any:
        """Rebuild samples from their coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            The coefficients.
        original : bool, default=False
            Undo ``normalize`` as well, so that the values are in the units of the data; otherwise they are as they were
            after it.
        like : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            With ``original``: the samples that the coefficients are of. ``"unit"``, ``"l1"``, ``"counts"`` and
            ``"clip"`` multiply every sample by a factor of its own, which only the samples tell.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            V·Uᵀ, or what it stands for.
        """
        check_is_fitted(self)
        V = check_array(admitted(X, "X"), dtype=self.components_.dtype, input_name="X")
        values = self._model.reconstruct(V)
        if not original:
            if like is not None:
                raise ValueError("like is only used with original=True.")
            return values
        own = [step for step in _parameters.steps(self.normalize) if step in OWN_FACTOR]
        if own and like is None:
            raise ValueError(
                f"normalize={own[0]!r} multiplied every sample by a factor of its own: give the samples that the "
                "coefficients are of with like=X."
            )
        of = None if like is None else borrowed(self._validated(like, [self.components_.dtype], reset=False))
        return self._model.undo(values, of)

    def main_features(self, n_features: int = 10) -> dict[str, Any]:
        """List the features that each centroid has most of.

        Parameters
        ----------
        n_features : int, default=10
            The most features of a centroid.

        Returns
        -------
        table : dict of str to ndarray
            The columns of a table with one row for every feature of a centroid, the largest first: ``centroid``,
            ``rank`` (from 1), ``feature`` (its name, or its number where features have no names), ``value`` (its entry
            in ``components_``) and ``share`` (of this feature in all centroids). What is next to nothing is left out.
            ``pandas.DataFrame(table)`` and ``polars.DataFrame(table)`` make a table of it.
        """
        check_is_fitted(self)
        if n_features < 1:
            raise ValueError(f"n_features is {n_features}, but must be at least 1.")
        rows = self._model.main_features(n_features)
        types = {"centroid": int, "rank": int, "feature": int, "value": float, "share": float}
        columns = {name: np.array([row[at] for row in rows], kind) for at, (name, kind) in enumerate(types.items())}
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            columns["feature"] = np.asarray(names, dtype=object)[columns["feature"]]
        return columns
