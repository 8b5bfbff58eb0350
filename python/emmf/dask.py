"""The same fits on a Dask cluster: the samples stay with the workers, and only small results come back.

>>> from emmf.dask import EMMF  # doctest: +SKIP
>>> model = EMMF(10, client=client).fit(X)  # doctest: +SKIP

``X`` is a dask array with dense or scipy CSR chunks, a dask data frame, or the path or pattern of files (npy, parquet,
zarr, h5ad) that all workers see. ``components_`` is a NumPy array; everything with a row for each sample is lazy and
has the chunks of X. The result is the same, bit for bit, for any number of workers, for any chunks, and even after
workers were lost.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

try:
    import dask.array as da
    from dask import delayed
    from distributed import Client, get_client

    from ._dask import DaskEngine, awaited
except ImportError as error:
    raise ImportError("emmf.dask needs dask and distributed; install them with pip install 'emmf[dask]'.") from error

from ._arrays import REFUSED, borrowed
from ._base import found_in
from ._cluster.estimators import CLIENT, OnCluster, made
from ._cluster.sources import of_files
from ._cluster.worker import of_type


class Lazy:
    """The samples of a dask array."""

    def __init__(self, X: Any, features: list[str] | None = None) -> None:
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimensions; samples are the rows of a matrix.")
        if X.dtype.kind in REFUSED or X.dtype.kind == "O":
            raise ValueError(f"X has entries of the type {X.dtype}; turn them into real numbers first.")
        self.X, self.features = X, features
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        if 0 in self.shape:
            raise ValueError(
                f"Found array with {self.shape[0]} sample(s) and {self.shape[1]} feature(s); there must be some."
            )
        self.single = X.dtype == np.float32
        self.sparse = "sparse" in type(X._meta).__module__

    def recipes(self, places: list[tuple[int, int]]) -> list[Any]:
        """Give the rows of each place as one lazy block."""
        counts = tuple(count for _, count in places)
        blocks = self.X.rechunk({0: counts, 1: -1})
        return list(blocks.to_delayed().ravel())


def _measured(X: Any, client: Client, deadline: float) -> Any:
    """Give a dask array whose chunks have known sizes; the workers measure those that have not."""
    if X.ndim != 2 or not any(np.isnan(size) for size in X.shape):
        return X
    if np.isnan(X.shape[1]) or X.numblocks[1] > 1:
        raise ValueError(
            f"X has {X.shape[1]} features in {X.numblocks[1]} chunks, of unknown sizes; call X.compute_chunk_sizes() "
            f"first."
        )
    tasks = client.compute([delayed(np.shape)(block) for block in X.to_delayed().ravel()])
    if late := awaited(client, tasks, deadline, set):
        raise RuntimeError(
            f"the sizes of {len(late)} of {len(tasks)} chunks of X were not found within deadline={deadline:g} "
            f"seconds; see whether the workers are busy or waiting, or raise deadline."
        )
    rows = tuple(int(task.result(timeout=deadline)[0]) for task in tasks)
    return da.Array(X.dask, X.name, (rows, X.chunks[1]), meta=X._meta)


def _coded(block: Any, model: Any, what: str | int) -> Any:
    """Give a result of a model for a block of samples."""
    block = of_type(block, model.centroids.dtype == np.float32)
    return found_in(model.transform(borrowed(block), 1), what)


class DaskFactorization(OnCluster):
    """What the estimators on Dask have in common."""

    def _engine(self) -> DaskEngine:
        return DaskEngine(self.client or get_client(), self.deadline)

    def __sklearn_clone__(self) -> Any:
        params = self.get_params(deep=False)
        # A client is no parameter that could be copied.
        client = params.pop("client")
        return type(self)(**{name: clone(value, safe=False) for name, value in params.items()}, client=client)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}

    def _source(self, X: Any) -> Any:
        self._X = None
        if isinstance(X, (str, os.PathLike)):
            return of_files(X, in_place=self.in_place)
        lazy = _measured(self._array(X), self.client or get_client(), self.deadline)
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        source = Lazy(lazy, names)
        self._X = lazy
        return source

    def _array(self, X: Any) -> Any:
        """Give X as a dask array of known shape."""
        if hasattr(X, "to_dask_array"):
            X = X.to_dask_array()
        if isinstance(X, da.Array):
            return X
        raise TypeError(
            f"X is a {type(X).__name__}; give a dask array, a dask data frame or the path of files, or fit it on one "
            f"machine with the estimators of emmf."
        )

    def _of(self, X: Any, what: str | int) -> Any:
        check_is_fitted(self)
        if not isinstance(X, da.Array) and not hasattr(X, "to_dask_array"):
            return super()._of(X, what)
        X = self._array(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_}."
            )
        X = X.rechunk({1: -1})
        if what == "v":
            meta = np.empty((0, 0), dtype=self.components_.dtype)
            chunks = (X.chunks[0], (self.n_components_,))
            return X.map_blocks(_coded, self._model, what, chunks=chunks, dtype=meta.dtype, meta=meta)
        meta = np.empty((0,), dtype=np.int64 if what == "labels" or isinstance(what, int) else np.float64)
        return X.map_blocks(_coded, self._model, what, drop_axis=1, dtype=meta.dtype, meta=meta)

    def _on_layer(self, V: Any, layer: int) -> Any:
        if not isinstance(V, da.Array):
            return super()._on_layer(V, layer)
        width = len(self.layer_components_[layer - 1]) if self._model.layers else self.n_components_
        chunks = (V.chunks[0], (width,))
        return V.map_blocks(self._model.coefficients_on, layer, chunks=chunks, dtype=V.dtype, meta=V._meta)

    @property
    def labels_(self) -> Any:
        """The cluster of each sample of the fit, lazily."""
        labels = super().labels_
        if self._X is None or isinstance(labels, da.Array):
            return labels
        return da.from_array(np.asarray(labels), chunks=(self._X.chunks[0],))


CLASSES = made(DaskFactorization, "emmf.dask", CLIENT)
globals().update(CLASSES)
__all__ = list(CLASSES)
