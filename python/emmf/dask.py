"""The same fits on a Dask cluster: the samples stay with the workers, and only small results come back.

>>> from emmf.dask import EMMF  # doctest: +SKIP
>>> model = EMMF(10, client=client).fit(X)  # doctest: +SKIP

``X`` is a dask array with dense or scipy CSR chunks, a dask data frame, or the path or pattern of files (npy, parquet,
zarr, h5ad) that all workers see. ``components_`` is a NumPy array; everything with a row for each sample is lazy and
has the chunks of X. The result is the same, bit for bit, for any number of workers, for any chunks, and even after
workers were lost.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

try:
    import dask.array as da
    from distributed import CancelledError, Client, Future, as_completed, get_client
    from distributed.comm import CommClosedError
    from distributed.protocol.pickle import dumps
    from distributed.scheduler import KilledWorker
except ImportError as error:
    raise ImportError("emmf.dask needs dask and distributed; install them with pip install 'emmf[dask]'.") from error

from ._arrays import REFUSED, borrowed
from ._cluster.driver import Call, Lost
from ._cluster.estimators import CLIENT, OnCluster, made
from ._cluster.sources import of_files
from ._cluster.worker import of_type

# How often it is looked whether the workers are still there.
LOOK = 1.0
# Seconds within which workers must answer that are to be called directly.
REACH = 2.0

# What says that time is up: the same from Python 3.11 on.
OVER = (TimeoutError, asyncio.TimeoutError)
# What says that a worker is lost, and nothing about what it was to do.
LOST = (KilledWorker, CommClosedError, CancelledError, *OVER)


async def _called(function: Any, *args: Any) -> tuple[bool, Any]:
    """Call a function on a worker, beside its event loop; what it raises is its result."""

    def guarded() -> tuple[bool, Any]:
        try:
            return True, function(*args)
        except Exception as error:
            return False, error

    return await asyncio.get_running_loop().run_in_executor(None, guarded)


class DaskEngine:
    """Calls on the workers of a Dask cluster.

    Shards are loaded by tasks, whose samples Dask makes. Orders go past the scheduler's queue, since they are many and
    short, and each may be given again: straight to the workers where they can be reached from here, else by
    ``Client.run``, which takes longer.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.direct = client.direct_to_workers
        if self.direct is None:
            self.direct = client.sync(self._reached)

    async def _reached(self) -> bool:
        """Tell whether all workers can be reached from here."""
        try:
            addresses = await self.client.scheduler.ncores()
            identities = asyncio.gather(*(self.client.rpc(address).identity() for address in addresses))
            await asyncio.wait_for(identities, REACH)
        except (OSError, *OVER):
            return False
        return True

    def workers(self) -> list[str]:
        """Give the addresses of the workers that are alive."""
        # Not by scheduler_info, of which the client itself overwrites the workers now and then.
        return list(self.client.nthreads())

    def call(self, calls: list[Call], deadline: float) -> list[Any]:
        """Call functions on workers."""

        async def one(call: Call) -> Any:
            try:
                return await asyncio.wait_for(self._answer(call), deadline)
            except OVER:
                return Lost("deadline")
            except (OSError, ValueError) as error:
                # It is not there any more.
                return Lost(type(error).__name__)

        async def every() -> list[Any]:
            return await asyncio.gather(*map(one, calls))

        return [self._unwrapped(result) for result in self.client.sync(every)]

    async def _answer(self, call: Call) -> Any:
        """Give what a worker answers, which is an error where there is no answer."""
        if not self.direct:
            answers = await self.client._run(
                _called, call.function, *call.args, workers=[call.owner], on_error="return"
            )
            return answers.get(call.owner, Lost("it is gone"))
        args = dumps((call.function, *call.args))
        response = await self.client.rpc(call.owner).run(function=dumps(_called), args=args, kwargs=dumps({}))
        return response["result"] if response["status"] == "OK" else Lost(response["exception_text"])

    @staticmethod
    def _unwrapped(result: Any) -> Any:
        if isinstance(result, Lost):
            return result
        if isinstance(result, BaseException):
            return Lost(type(result).__name__)
        done, found = result
        if not done:
            raise found
        return found

    def load(self, calls: list[Call], deadline: float) -> list[Any]:
        """Load shards by tasks.

        A task waits for ever for a worker that is gone, unless others may have it, and then it is done where nobody
        looks for the shard. So it is looked who is still there.
        """
        tasks = [self._begun(call) for call in calls]
        end, given_up = time.monotonic() + deadline, {}
        while left := [at for at, task in enumerate(tasks) if not task.done() and at not in given_up]:
            try:
                deque(as_completed([tasks[at] for at in left], loop=self.client.loop, timeout=LOOK), maxlen=0)
                continue
            except OVER:
                alive, over = set(self.workers()), time.monotonic() > end
            gone = {at: "it is gone" for at in left if calls[at].owner not in alive}
            given_up |= (dict.fromkeys(left, "deadline") if over else {}) | gone
        return [
            self._lost(task, given_up[at]) if at in given_up else self._result(task, calls[at].owner, end)
            for at, task in enumerate(tasks)
        ]

    def _begun(self, call: Call) -> Future:
        about, recipe, *more = call.args
        if hasattr(recipe, "__dask_graph__"):
            recipe = self.client.compute(recipe, workers=[call.owner], allow_other_workers=True)
        return self.client.submit(call.function, about, recipe, *more, workers=[call.owner], pure=False)

    @staticmethod
    def _lost(task: Future, why: str) -> Lost:
        task.cancel(force=True)
        return Lost(why)

    def _result(self, task: Future, owner: str, end: float) -> Any:
        """Give what a task that is done has found. Its worker may be gone with it, and then it is not done any more."""
        try:
            while True:
                try:
                    return task.result(timeout=LOOK)
                except OVER:
                    if owner not in self.workers():
                        return self._lost(task, "it is gone")
                    if time.monotonic() > end:
                        return self._lost(task, "deadline")
        except LOST as error:
            return Lost(type(error).__name__)
        finally:
            task.release()

    def close(self) -> None:
        """Leave the cluster to its owner."""


class Lazy:
    """The samples of a dask array."""

    def __init__(self, X: Any, features: list[str] | None = None) -> None:
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimensions; samples are the rows of a matrix.")
        if X.dtype.kind in REFUSED or X.dtype.kind == "O":
            raise ValueError(f"X has entries of the type {X.dtype}; turn them into real numbers first.")
        if any(np.isnan(size) for size in X.shape):
            X = X.compute_chunk_sizes()
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


def _coded(block: Any, model: Any, what: str) -> Any:
    """Give a result of a model for a block of samples."""
    block = of_type(block, model.centroids.dtype == np.float32)
    return model.transform(borrowed(block), 1)[what]


class DaskFactorization(OnCluster):
    """What the estimators on Dask have in common."""

    def _engine(self) -> DaskEngine:
        return DaskEngine(self.client or get_client())

    def __sklearn_clone__(self) -> Any:
        params = self.get_params(deep=False)
        # A client is no parameter that could be copied.
        client = params.pop("client")
        return type(self)(**{name: clone(value, safe=False) for name, value in params.items()}, client=client)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}

    def _source(self, X: Any) -> Any:
        if isinstance(X, (str, os.PathLike)):
            source = of_files(X, in_place=self.in_place)
            self._X = None
            return source
        lazy = self._array(X)
        self._X = lazy
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        return Lazy(lazy, names)

    def _array(self, X: Any) -> Any:
        """Give X as a dask array of known shape."""
        if hasattr(X, "to_dask_array"):
            return X.to_dask_array(lengths=True)
        if isinstance(X, da.Array):
            return X
        raise TypeError(
            f"X is a {type(X).__name__}; give a dask array, a dask data frame or the path of files, or fit it on one "
            f"machine with the estimators of emmf."
        )

    def _of(self, X: Any, what: str) -> Any:
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
        meta = np.empty((0,), dtype=np.int64 if what == "labels" else np.float64)
        return X.map_blocks(_coded, self._model, what, drop_axis=1, dtype=meta.dtype, meta=meta)

    def _of_fit(self, what: str) -> Any:
        check_is_fitted(self)
        if self._X is None:
            raise AttributeError(
                "the samples were read from files by the workers; give them as a dask array to transform, predict or "
                "score_samples to get a lazy result for each of them."
            )
        return self._of(self._X, what)

    @property
    def labels_(self) -> Any:
        """The cluster of each sample of the fit, lazily."""
        check_is_fitted(self)
        if len(self._labels) == self._n:
            labels = np.asarray(self._labels)
            return labels if self._X is None else da.from_array(labels, chunks=(self._X.chunks[0],))
        return self._of_fit("labels")

    @property
    def residuals_(self) -> Any:
        """‖x − U·v‖ of each sample of the fit, lazily."""
        return self._of_fit("residuals")

    @property
    def outlier_scores_(self) -> Any:
        """The outlier score of each sample of the fit, lazily; above 3.5 it is an outlier."""
        return self._of_fit("scores")

    @property
    def coefficients_(self) -> Any:
        """V, lazily."""
        return self._of_fit("v")


CLASSES = made(DaskFactorization, "emmf.dask", CLIENT)
globals().update(CLASSES)
__all__ = list(CLASSES)
