"""Where samples come from: arrays, or files that workers read themselves, by paths or, with fsspec, by URLs.

A source has a shape, a type and, for any rows, a *recipe*: something small that is sent to a worker, which reads the
rows by it.
"""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from .._arrays import REFUSED, admitted
from .readers import READERS, fsspec, is_url, look


class Source(Protocol):
    """Samples somewhere."""

    shape: tuple[int, int]
    single: bool
    sparse: bool
    features: list[str] | None

    def recipes(self, places: list[tuple[int, int]]) -> list[Any]:
        """Give a recipe for each of these places, (first, count)."""
        ...


class InMemory:
    """An array of this process, cut where the shards are."""

    def __init__(self, X: Any) -> None:
        self.features = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        X = admitted(X, "X")
        self.sparse = sp.issparse(X)
        self.X = sp.csr_array(X) if self.sparse else np.asarray(X)
        if self.X.ndim != 2 or 0 in self.X.shape:
            raise ValueError(f"X has the shape {self.X.shape}; samples are the rows of a matrix.")
        self.shape = self.X.shape
        self.single = self.X.dtype == np.float32

    def recipes(self, places: list[tuple[int, int]]) -> list[Any]:
        """Give a recipe for each of these places, (first, count)."""
        return [Rows(self.X, *place) for place in places]


@dataclass
class Rows:
    """Rows of an array, which are taken from it no earlier than they are sent."""

    X: Any
    first: int
    count: int

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self.X[self.first : self.first + self.count],)


def _itself(rows: Any) -> Any:
    return rows


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


def _checked(kind: str, path: str) -> tuple[tuple[int, int], Any, bool, list[str] | None]:
    """Look at a file whose rows must be samples."""
    shape, dtype, sparse, names = look(kind, path)
    if len(shape) != 2:
        raise ValueError(f"{path} has {len(shape)} dimensions; samples are the rows of a matrix.")
    if dtype.kind in REFUSED:
        raise ValueError(f"{REFUSED[dtype.kind].format(name=path)}; turn it into real numbers first.")
    return (shape[0], shape[1]), dtype, sparse, names


def _found(pattern: str) -> list[str]:
    """Give the files of a pattern in the order of their names."""
    if not is_url(pattern):
        return [os.path.abspath(path) for path in sorted(glob.glob(pattern))]
    system, path = fsspec().core.url_to_fs(pattern)
    return [system.unstrip_protocol(each) for each in sorted(system.glob(path))]


def of_files(pattern: str | os.PathLike[str], *, in_place: bool = False) -> Files:
    """Make a source of a file, or of all files of a pattern in the order of their names. Workers must see them, too."""
    paths = _found(os.fspath(pattern))
    if not paths:
        raise FileNotFoundError(f"no file is named {os.fspath(pattern)}; workers and this process must both see it.")
    kind = os.path.splitext(paths[0].rstrip("/"))[1].lstrip(".").replace("pq", "parquet")
    if kind not in READERS:
        raise ValueError(f"{paths[0]} is not a file of type {', '.join(READERS)}; give a dask array of it instead.")
    looks = [_checked(kind, path) for path in paths]
    width, names = looks[0][0][1], looks[0][3]
    for path, (shape, _, _, other) in zip(paths, looks, strict=True):
        if shape[1] != width or other != names:
            raise ValueError(f"{path} has {shape[1]} features, or different ones from {paths[0]}, which has {width}.")
    if in_place and (kind != "npy" or len(paths) > 1 or is_url(paths[0])):
        raise ValueError(
            "in_place=True takes one NPY file by its path: rows of other files cannot be found without reading them, "
            "and a URL would be read anew in every iteration."
        )
    shape = (sum(look[0][0] for look in looks), width)
    files = list(zip(paths, (look[0][0] for look in looks), strict=True))
    return Files(kind, files, shape, _single(look[1] for look in looks), looks[0][2], names, in_place)
