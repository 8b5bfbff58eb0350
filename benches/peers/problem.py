"""The data of a job: from files, or uniform random numbers."""

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64}


def load(dtype="f32", x=None, u=None, v=None, n=1, d=1, c=1, row_entries=None):
    """X (n×d), U (d×c) and V (n×c)."""
    rng = np.random.default_rng(1)
    kind = TYPES[dtype]
    if x is not None:
        x = np.load(x).astype(kind)
    elif row_entries is not None:
        x = sparse(rng, n, d, row_entries, kind)
    else:
        x = rng.random((n, d), dtype=kind)
    n, d = x.shape
    u = rng.random((d, c), dtype=kind) if u is None else np.load(u).astype(kind)
    v = rng.random((n, c), dtype=kind) if v is None else np.load(v).astype(kind)
    return x, u, v


def sparse(rng, n, d, row_entries, kind):
    """Every row has so many entries, one in each of as many equal ranges of columns."""
    import scipy.sparse

    edges = np.arange(row_entries + 1) * d // row_entries
    columns = rng.integers(edges[:-1], edges[1:], size=(n, row_entries), dtype=np.int32)
    values = rng.random(n * row_entries, dtype=kind)
    starts = np.arange(n + 1, dtype=np.int32) * row_entries
    return scipy.sparse.csr_matrix((values, columns.ravel(), starts), shape=(n, d))
