"""Where samples come from: arrays, or files that workers read themselves.

A source has a shape, a type and, for any rows, a *recipe*: something small that is sent to a worker, which reads the
rows by it.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from .._arrays import REFUSED


class Source(Protocol):
    """Samples somewhere."""

    shape: tuple[int, int]
    single: bool
    sparse: bool
    features: list[str] | None

    def recipes(self, places: list[tuple[int, int]]) -> list[Any]:
        """Give a recipe for each of these places, (first, count)."""
        ...


@dataclass
class InFile:
    """Rows that stay in a NPY file."""

    path: str
    first: int
    count: int

    def some(self, wanted: Any) -> Any:
        """Give some of them."""
        return np.load(self.path, mmap_mode="r")[self.first + np.asarray(wanted)]


@dataclass
class Pieces:
    """Rows that are parts of files: path, first and count of each."""

    kind: str
    parts: list[tuple[str, int, int]]
    columns: list[str] | None = None

    def read(self) -> Any:
        """Read the rows."""
        parts = [READERS[self.kind](path, first, count, self.columns) for path, first, count in self.parts]
        if len(parts) == 1:
            return parts[0]
        return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def read(recipe: Any) -> Any:
    """Give the rows of a recipe, which may be the rows themselves."""
    return recipe.read() if isinstance(recipe, Pieces) else recipe


def _npy(path: str, first: int, count: int, columns: Any) -> Any:
    return np.array(np.load(path, mmap_mode="r")[first : first + count])


def _parquet(path: str, first: int, count: int, columns: list[str] | None) -> Any:
    import pyarrow.parquet as pq

    file, rows, at = pq.ParquetFile(path), [], 0
    for group in range(file.num_row_groups):
        size = file.metadata.row_group(group).num_rows
        low, high = max(first - at, 0), min(first + count - at, size)
        if low < high:
            table = file.read_row_group(group, columns=columns).slice(low, high - low)
            rows.append(np.column_stack([column.to_numpy() for column in table.columns]))
        at += size
    return np.concatenate(rows)


@contextmanager
def _matrix(kind: str, path: str) -> Iterator[Any]:
    """Open X of annotated data, or the array that a Zarr store is; a group is a matrix compressed by rows."""
    with ExitStack() as stack:
        if kind == "zarr":
            import zarr

            x = zarr.open(path, mode="r")
        else:
            import h5py

            x = stack.enter_context(h5py.File(path, "r"))
        if hasattr(x, "keys"):
            if "X" not in x:
                raise ValueError(f"{path} holds no X; give a dask array of what shall be fitted.")
            x = x["X"]
        yield x


def _stored(kind: str, path: str, first: int, count: int) -> Any:
    with _matrix(kind, path) as x:
        if not hasattr(x, "keys"):
            return np.asarray(x[first : first + count])
        import anndata

        return sp.csr_array(anndata.io.sparse_dataset(x)[first : first + count])


def _zarr(path: str, first: int, count: int, columns: Any) -> Any:
    return _stored("zarr", path, first, count)


def _h5ad(path: str, first: int, count: int, columns: Any) -> Any:
    return _stored("h5ad", path, first, count)


READERS = {"npy": _npy, "parquet": _parquet, "zarr": _zarr, "h5ad": _h5ad}


@dataclass
class Files:
    """One file, or several whose rows follow each other."""

    kind: str
    files: list[tuple[str, int]]
    """Path and rows of each."""
    shape: tuple[int, int]
    single: bool
    sparse: bool = False
    features: list[str] | None = None
    in_place: bool = False
    """Whether rows stay in their file and are read whenever they are needed."""

    def recipes(self, places: list[tuple[int, int]]) -> list[Any]:
        """Give a recipe for each of these places, (first, count)."""
        if self.in_place:
            return [InFile(self.files[0][0], first, count) for first, count in places]
        return [Pieces(self.kind, self._parts(*place), self.features) for place in places]

    def _parts(self, first: int, count: int) -> list[tuple[str, int, int]]:
        parts, at = [], 0
        for path, rows in self.files:
            low, high = max(first - at, 0), min(first + count - at, rows)
            if low < high:
                parts.append((path, low, high - low))
            at += rows
        return parts


def _single(dtypes: Any) -> bool:
    return all(np.dtype(dtype) == np.float32 for dtype in dtypes)


def _look(kind: str, path: str) -> tuple[tuple[int, ...], Any, bool, list[str] | None]:
    """Give shape, type, whether it is sparse, and the names of the features of a file."""
    if kind == "npy":
        x = np.load(path, mmap_mode="r")
        return x.shape, x.dtype, False, None
    if kind == "parquet":
        import pyarrow.parquet as pq

        file = pq.ParquetFile(path)
        schema = file.schema_arrow
        for name, column in zip(schema.names, schema.types, strict=True):
            if not str(column).startswith(("float", "double", "int", "uint", "halffloat")):
                raise ValueError(f"column {name!r} of {path} holds {column}; leave out columns that are not numbers.")
        dtype = np.dtype(np.float32 if all(str(each) == "float" for each in schema.types) else np.float64)
        return (file.metadata.num_rows, len(schema.names)), dtype, False, list(schema.names)
    with _matrix(kind, path) as x:
        if not hasattr(x, "keys"):
            return x.shape, x.dtype, False, None
        if x.attrs.get("encoding-type") != "csr_matrix":
            raise ValueError(f"X of {path} is not compressed by rows; save it as CSR.")
        return tuple(int(size) for size in x.attrs["shape"]), x["data"].dtype, True, None


def _checked(kind: str, path: str) -> tuple[tuple[int, int], Any, bool, list[str] | None]:
    """Look at a file whose rows must be samples."""
    shape, dtype, sparse, names = _look(kind, path)
    if len(shape) != 2:
        raise ValueError(f"{path} has {len(shape)} dimensions; samples are the rows of a matrix.")
    if dtype.kind in REFUSED:
        raise ValueError(f"{REFUSED[dtype.kind].format(name=path)}; turn it into real numbers first.")
    return (shape[0], shape[1]), dtype, sparse, names


def of_files(pattern: str | os.PathLike[str], *, in_place: bool = False) -> Files:
    """Make a source of a file, or of all files of a pattern in the order of their names. Workers must see them, too."""
    paths = sorted(glob.glob(os.fspath(pattern)))
    if not paths:
        raise FileNotFoundError(f"no file is named {os.fspath(pattern)}; workers and this process must both see it.")
    paths = [os.path.abspath(path) for path in paths]
    kind = os.path.splitext(paths[0].rstrip("/"))[1].lstrip(".").replace("pq", "parquet")
    if kind not in READERS:
        raise ValueError(f"{paths[0]} is not a file of type {', '.join(READERS)}; give a dask array of it instead.")
    looks = [_checked(kind, path) for path in paths]
    width, names = looks[0][0][1], looks[0][3]
    for path, (shape, _, _, other) in zip(paths, looks, strict=True):
        if shape[1] != width or other != names:
            raise ValueError(f"{path} has {shape[1]} features, or different ones from {paths[0]}, which has {width}.")
    if in_place and (kind != "npy" or len(paths) > 1):
        raise ValueError("in_place=True takes one NPY file: rows of other files cannot be found without reading them.")
    shape = (sum(look[0][0] for look in looks), width)
    files = list(zip(paths, (look[0][0] for look in looks), strict=True))
    return Files(kind, files, shape, _single(look[1] for look in looks), looks[0][2], names, in_place)
