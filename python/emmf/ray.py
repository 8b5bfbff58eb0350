"""The same fits on a Ray cluster, with the same driver as on Dask: see :mod:`emmf.dask`.

>>> from emmf.ray import EMMF  # doctest: +SKIP
>>> model = EMMF(10, n_workers=8).fit("samples-*.npy")  # doctest: +SKIP

``X`` is an array, or the path or pattern of files (npy, parquet, zarr, h5ad) that all workers see. Workers are actors
that live as long as the fit. The result is the same, bit for bit, as on Dask and on one machine.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

try:
    import ray
    from ray.exceptions import GetTimeoutError, RayActorError, RayTaskError
except ImportError as error:
    raise ImportError("emmf.ray needs ray; install it with pip install 'emmf[ray]'.") from error

from ._arrays import admitted
from ._cluster.driver import Call, Lost
from ._cluster.estimators import WORKERS, OnCluster, made
from ._cluster.sources import of_files

# How often it is looked whether the workers are still there.
LOOK = 1.0


@ray.remote(max_restarts=0, max_task_retries=0)
class Worker:
    """A process that holds shards."""

    def call(self, function: Any, *args: Any) -> Any:
        """Call a function here."""
        return function(*args)


class RayEngine:
    """Calls on actors, which are made anew where they are lost."""

    def __init__(self, workers: int) -> None:
        self.actors: dict[str, Any] = {}
        self.made = 0
        self.wanted = workers
        self._fill()

    def _fill(self) -> None:
        while len(self.actors) < self.wanted:
            self.actors[f"worker-{self.made}"] = Worker.remote()
            self.made += 1

    def workers(self) -> list[str]:
        """Give the names of the actors."""
        return list(self.actors)

    def call(self, calls: list[Call], deadline: float) -> list[Any]:
        """Call functions on actors."""
        tasks = {
            at: self.actors[call.owner].call.remote(call.function, *call.args)
            for at, call in enumerate(calls)
            if call.owner in self.actors
        }
        left, end = list(tasks.values()), time.monotonic() + deadline
        while left and time.monotonic() < end:
            _, left = ray.wait(left, num_returns=len(left), timeout=min(LOOK, max(0.0, end - time.monotonic())))
        gone = Lost("it is gone")
        return [self._result(tasks[at], call.owner) if at in tasks else gone for at, call in enumerate(calls)]

    # Rows in the store of objects come to the actor by themselves.
    load = call

    def _result(self, task: Any, owner: str) -> Any:
        try:
            return ray.get(task, timeout=0.1)
        except RayTaskError as error:
            raise error.as_instanceof_cause() from None
        except GetTimeoutError:
            self._forget(owner)
            return Lost("deadline")
        except RayActorError:
            self._forget(owner)
            return Lost("it is gone")

    def _forget(self, owner: str) -> None:
        actor = self.actors.pop(owner, None)
        if actor is not None:
            ray.kill(actor)
        self._fill()

    def close(self) -> None:
        """End the actors."""
        self.wanted = 0
        for owner in list(self.actors):
            self._forget(owner)


class InStore:
    """An array in the store of objects, cut where the shards are."""

    def __init__(self, X: Any) -> None:
        X = admitted(X, "X")
        self.X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
        if self.X.ndim != 2 or 0 in self.X.shape:
            raise ValueError(f"X has the shape {self.X.shape}; samples are the rows of a matrix.")
        self.shape, self.sparse = self.X.shape, sp.issparse(X)
        self.single = self.X.dtype == np.float32
        self.features = [str(name) for name in X.columns] if hasattr(X, "columns") else None

    def recipes(self, places: list[tuple[int, int]]) -> list[Any]:
        """Put the rows of each place into the store."""
        return [ray.put(self.X[first : first + count]) for first, count in places]


class RayFactorization(OnCluster):
    """What the estimators on Ray have in common."""

    def _engine(self) -> RayEngine:
        if not ray.is_initialized():
            ray.init()
        workers = self.n_workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        return RayEngine(workers)

    def _source(self, X: Any) -> Any:
        if isinstance(X, (str, os.PathLike)):
            return of_files(X, in_place=self.in_place)
        return InStore(X)

    @property
    def labels_(self) -> Any:
        """The cluster of each sample of the fit, for at most 20,000 or if labels are the largest coefficients."""
        check_is_fitted(self)
        if len(self._labels) == self._n:
            return self._labels
        raise AttributeError(
            "there are too many samples to keep their labels here; give them to predict, part by part."
        )


CLASSES = made(RayFactorization, "emmf.ray", WORKERS)
globals().update(CLASSES)
__all__ = list(CLASSES)
