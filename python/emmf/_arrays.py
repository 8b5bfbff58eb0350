"""X on its way to the library: borrowed, not copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def borrowed(X: Any) -> tuple[Any, ...]:
    """Give the arrays that make up a validated matrix, in the form that the compiled half takes."""
    if sp.issparse(X):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X.indptr, X.indices, X.data, X.shape
    size = X.itemsize
    if min(X.strides) < 0 or any(step % size for step in X.strides) or not X.flags.aligned:
        X = np.ascontiguousarray(X)
    strides = tuple(step // size for step in X.strides)
    span = 1 + sum((count - 1) * step for count, step in zip(X.shape, strides, strict=True))
    # One long vector over the same memory, from the first to the last entry.
    memory = np.lib.stride_tricks.as_strided(X, (span,), (size,), writeable=False)
    return memory, X.shape, strides
