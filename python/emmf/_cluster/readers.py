"""Reads rows of files, by paths or, with fsspec, by URLs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp


def is_url(path: str) -> bool:
    """Tell whether it is no path of this machine."""
    return "://" in path


def fsspec() -> Any:
    """Give the module that opens URLs."""
    try:
        import fsspec
    except ImportError as error:
        raise ImportError("files with a URL need fsspec; install it with pip install fsspec.") from error
    return fsspec


@contextmanager
def _reachable(path: str) -> Iterator[Any]:
    """Give what readers of formats open: the path, or a file that is read where it is."""
    if is_url(path):
        with fsspec().open(path, "rb") as file:
            yield file
    else:
        yield path


@dataclass
class Npy:
    """A NPY file that is read by its rows, without a memory map."""

    file: Any
    path: str

    def __post_init__(self) -> None:
        version = np.lib.format.read_magic(self.file)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        self.shape, by_columns, self.dtype = header(self.file)
        self.start = self.file.tell()
        if self.dtype.hasobject:
            raise ValueError(f"{self.path} holds objects; turn them into real numbers first.")
        if by_columns and len(self.shape) > 1:
            raise ValueError(f"{self.path} is stored by columns; save it by rows, with numpy.ascontiguousarray.")

    def rows(self, first: int, count: int) -> Any:
        """Read some rows."""
        shape = (count, *self.shape[1:])
        row = int(np.prod(shape[1:])) * self.dtype.itemsize
        self.file.seek(self.start + first * row)
        entries = self.file.read(count * row)
        if len(entries) < count * row:
            raise ValueError(f"{self.path} ends before row {first + len(entries) // max(row, 1)}; it is not complete.")
        return np.frombuffer(entries, self.dtype).reshape(shape)


def _npy(path: str, first: int, count: int, columns: Any) -> Any:
    if not is_url(path):
        return np.array(np.load(path, mmap_mode="r")[first : first + count])
    with _reachable(path) as file:
        return Npy(file, path).rows(first, count)


def _parquet(path: str, first: int, count: int, columns: list[str] | None) -> Any:
    import pyarrow.parquet as pq

    with _reachable(path) as place:
        return _row_groups(pq.ParquetFile(place), first, count, columns)


def _row_groups(file: Any, first: int, count: int, columns: list[str] | None) -> Any:
    rows, at = [], 0
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

            x = stack.enter_context(h5py.File(stack.enter_context(_reachable(path)), "r"))
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


def look(kind: str, path: str) -> tuple[tuple[int, ...], Any, bool, list[str] | None]:
    """Give shape, type, whether it is sparse, and the names of the features of a file."""
    if kind == "npy":
        with _reachable(path) as place:
            x = Npy(place, path) if is_url(path) else np.load(path, mmap_mode="r")
        return x.shape, x.dtype, False, None
    if kind == "parquet":
        import pyarrow.parquet as pq

        with _reachable(path) as place:
            file = pq.ParquetFile(place)
            schema, rows = file.schema_arrow, file.metadata.num_rows
        for name, column in zip(schema.names, schema.types, strict=True):
            if not str(column).startswith(("float", "double", "int", "uint", "halffloat")):
                raise ValueError(f"column {name!r} of {path} holds {column}; leave out columns that are not numbers.")
        dtype = np.dtype(np.float32 if all(str(each) == "float" for each in schema.types) else np.float64)
        return (rows, len(schema.names)), dtype, False, list(schema.names)
    with _matrix(kind, path) as x:
        if not hasattr(x, "keys"):
            return x.shape, x.dtype, False, None
        if x.attrs.get("encoding-type") != "csr_matrix":
            raise ValueError(f"X of {path} is not compressed by rows; save it as CSR.")
        return tuple(int(size) for size in x.attrs["shape"]), x["data"].dtype, True, None
