"""Arrays on their way to the library: nothing becomes something else on the way, and X is borrowed, not copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

# Kinds of entries that numpy would turn into floating-point numbers without a word.
REFUSED = {
    "M": "{name} holds dates",
    "m": "{name} holds durations",
    "U": "{name} holds text",
    "S": "{name} holds text",
    "V": "{name} has fields with names",
    "c": "Complex data not supported: {name} holds complex numbers",
}

# The same among arbitrary objects.
HIDDEN = {str: "U", bytes: "S", np.datetime64: "M", np.timedelta64: "m"}


# Containers of other packages whose numbers are somewhere inside: how to get at them.
CONTAINERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("anndata", "AnnData"): lambda data: data.X,
    ("xarray", "DataArray"): lambda data: data.values,
    ("torch", "Tensor"): lambda data: data.detach().cpu().numpy(),
    # From the card, where they are. JAX hands its arrays to NumPy by itself, wherever they are.
    ("cupy", "ndarray"): lambda data: data.get(),
    ("cupyx", "spmatrix"): lambda data: data.get(),
}
# Those in which it is not clear which numbers are meant.
UNCLEAR = {
    ("mudata", "MuData"): "one of its modalities, such as X.mod['rna'].X",
    ("xarray", "Dataset"): "one of its variables, such as X['counts']",
    ("pyarrow", "RecordBatchReader"): "X.read_all()",
}


def inner(array: Any, name: str) -> Any:
    """Give the numbers of an AnnData, xarray or torch object; refuse by its name what may mean several arrays."""
    for base in type(array).__mro__:
        kind = (base.__module__.partition(".")[0], base.__name__)
        if kind in CONTAINERS:
            inside = CONTAINERS[kind](array)
            if inside is None:
                raise ValueError(f"{name} is an {kind[1]} without X; give one of its layers.")
            return inside
        if kind in UNCLEAR:
            raise ValueError(f"{name} is a {kind[0]} {kind[1]}, which may mean several arrays; give {UNCLEAR[kind]}.")
    # Those that NumPy can take come here by themselves, or say why not.
    if hasattr(type(array), "__cuda_array_interface__") and not hasattr(type(array), "__array__"):
        kind = f"{type(array).__module__.partition('.')[0]} {type(array).__name__}"
        raise TypeError(f"{name} is a {kind} on a card; give a copy in this memory, an array of NumPy.")
    return array


def labelled(array: Any) -> tuple[Any, Any]:
    """Give the names of samples and features that an object keeps beside its numbers, None where it has none.

    Those of the features only where scikit-learn does not know the object; an index that only counts is no name.
    """
    package = type(array).__module__.partition(".")[0]
    if package == "anndata":
        return _texts(array.obs_names), _texts(array.var_names)
    if package == "xarray" and getattr(array, "ndim", 0) == 2:
        of = [_texts(array.indexes[dim]) if dim in array.indexes else None for dim in array.dims]
        return of[0], of[1]
    index = getattr(array, "index", None)
    if hasattr(array, "iloc") and type(index).__name__ != "RangeIndex":
        return _texts(index), None
    return None, None


def _texts(names: Any) -> Any:
    # What pandas and AnnData give where nobody says anything.
    if type(names).__name__ == "RangeIndex" or all(str(name) == str(at) for at, name in enumerate(names)):
        return None
    return np.array([str(name) for name in names], dtype=object)


def admitted(array: Any, name: str, *, gaps: bool = False) -> Any:
    """Give an array-like of numbers as it is; refuse one that would become something else when it is converted.

    Where NaN stands for a missing value (``gaps``), masked entries become NaN.
    """
    array = inner(array, name)
    if not sp.issparse(array):
        array = _of_rows(array)
        instead = "leave it out, make it the index if it names the samples, or " if hasattr(array, "set_index") else ""
        for part, entries in _parts(array, name):
            if kind := _refused(entries):
                raise ValueError(f"{REFUSED[kind].format(name=part)}; {instead}turn it into real numbers first.")
    return unmasked(array, name, gaps=gaps)


def unmasked(array: Any, name: str, *, gaps: bool = False) -> Any:
    """Give the entries of a masked array, none of which may be masked unless NaN stands for a missing value."""
    array = _of_rows(array)
    if not isinstance(array, np.ma.MaskedArray):
        return array
    masked = int(np.ma.count_masked(array))
    if masked == 0:
        return array.data
    if not gaps:
        raise ValueError(
            f"{name} is a masked array in which {masked} of {array.size} entries are masked; fill them in or remove "
            f'them first, or fit with missing="nan", which treats them as missing values.'
        )
    return (array if array.dtype.kind == "f" else array.astype(np.float64)).filled(np.nan)


def _of_rows(array: Any) -> Any:
    """Give a list of masked rows as one masked array; numpy would drop the masks."""
    if isinstance(array, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in array):
        return np.ma.array(array)
    return array


def _parts(array: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Give the parts of an array-like that have a type of their own: the columns of a table, else itself."""
    columns = getattr(array, "column_names", getattr(array, "columns", None))
    if columns is None:
        yield name, array
        return
    for at, column in enumerate(columns):
        # In pandas several columns may have one name.
        yield f"column {column!r} of {name}", array.iloc[:, at] if hasattr(array, "iloc") else array[column]


def _refused(entries: Any) -> str | None:
    """Give the kind of the entries where it is one that is refused."""
    kind = getattr(getattr(entries, "dtype", None), "kind", "O")
    if kind == "O":
        try:
            entries = np.asarray(entries)
        except (TypeError, ValueError):
            # Not an array at all, which the next check says better.
            return None
        kind = entries.dtype.kind
    if kind == "O":
        found = (HIDDEN[known] for entry in entries.flat for known in HIDDEN if isinstance(entry, known))
        return next(found, None)
    return kind if kind in REFUSED else None


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
