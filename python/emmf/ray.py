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

try:
    import ray
    from ray.exceptions import RayError, RayTaskError
except ImportError as error:
    raise ImportError("emmf.ray needs ray; install it with pip install 'emmf[ray]'.") from error

from ._cluster.driver import SILENT, Call, Lost
from ._cluster.estimators import WORKERS, OnCluster, made
from ._cluster.sources import InMemory, of_files

# How often it is looked whether the workers are still there.
LOOK = 1.0


@ray.remote(max_restarts=0, max_task_retries=0)
class Worker:
    """A process that holds shards."""

    def call(self, function: Any, *args: Any) -> Any:
        """Call a function here."""
        return function(*args)


class RayEngine:
    """Calls on actors, which are made anew where they are lost, and end with whoever made them."""

    lease = None

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
        """Call functions on actors, on each one after the other: rows for one actor come to it one shard at a time."""
        found: dict[int, Any] = {}
        waiting: dict[str, list[int]] = {}
        for at, call in enumerate(calls):
            waiting.setdefault(call.owner, []).append(at)
        running: dict[Any, tuple[int, float]] = {}
        while len(found) < len(calls):
            busy = {calls[at].owner for at, _ in running.values()}
            for owner in waiting.keys() - busy:
                if not waiting[owner]:
                    continue
                at = waiting[owner].pop(0)
                if owner in self.actors:
                    task = self.actors[owner].call.remote(calls[at].function, *calls[at].args)
                    running[task] = (at, time.monotonic() + deadline)
                else:
                    found[at] = Lost("it is gone")
            found |= self._ended(running, calls)
        return [found[at] for at in range(len(calls))]

    load = call

    def _ended(self, running: dict[Any, tuple[int, float]], calls: list[Call]) -> dict[int, Any]:
        """Wait a moment; give the results of the tasks that are over, and forget these."""
        if not running:
            return {}
        ray.wait(list(running), num_returns=1, timeout=LOOK)
        done, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
        late = [task for task, (_, end) in running.items() if task not in done and time.monotonic() > end]
        found = {}
        for task in [*done, *late]:
            at, _ = running.pop(task)
            found[at] = self._result(task, calls[at].owner) if task in done else Lost(SILENT)
            if task in late:
                self._forget(calls[at].owner)
        return found

    def _result(self, task: Any, owner: str) -> Any:
        """Give what a function has found, or raise what it has raised; whatever else Ray says, the actor is lost."""
        try:
            return ray.get(task)
        except RayTaskError as error:
            cause = error.as_instanceof_cause()
            if not isinstance(error.cause, RayError):
                raise cause from None
            why = type(error.cause).__name__
        except RayError as error:
            why = type(error).__name__
        self._forget(owner)
        return Lost(why)

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


class RayFactorization(OnCluster):
    """What the estimators on Ray have in common."""

    def _engine(self) -> RayEngine:
        if not ray.is_initialized():
            ray.init()
        workers = self.n_workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        return RayEngine(workers)

    def _source(self, X: Any) -> Any:
        self._X = None
        if isinstance(X, (str, os.PathLike)):
            return of_files(X, in_place=self.in_place)
        source, self._X = InMemory(X), X
        return source


CLASSES = made(RayFactorization, "emmf.ray", WORKERS)
globals().update(CLASSES)
__all__ = list(CLASSES)
