"""Calls on the workers of a Dask cluster, for the driver of fits."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from distributed import CancelledError, Client, Future, as_completed
from distributed.comm import CommClosedError
from distributed.core import clean_exception
from distributed.protocol.pickle import dumps
from distributed.scheduler import KilledWorker

from ._cluster.driver import SILENT, Call, Lost
from ._cluster.worker import About

# How often it is looked whether the workers are still there.
LOOK = 1.0
# Seconds within which workers must answer that are to be called directly.
REACH = 2.0
# Seconds after which a worker forgets a fit whose driver was lost.
LEASE = 120.0

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


def awaited(client: Client, tasks: list[Future], deadline: float, gone: Callable[[], set[int]]) -> dict[int, str]:
    """Wait for tasks as long as some end, or their workers are there; give why others are not waited for, by number.

    A task waits for ever for a worker that is gone, unless others may have it, and then it is done where nobody looks
    for the shard. So it is looked who is still there.
    """
    given_up: dict[int, str] = {}
    left, end = set(range(len(tasks))), time.monotonic() + deadline
    while left:
        with suppress(*OVER):
            deque(as_completed([tasks[at] for at in left], loop=client.loop, timeout=LOOK), maxlen=0)
        if done := {at for at in left if tasks[at].done()}:
            end = time.monotonic() + deadline
        left -= done
        over = dict.fromkeys(left, SILENT) if time.monotonic() > end else {}
        over |= dict.fromkeys(left and left & gone(), "it is gone")
        given_up |= over
        left -= set(over)
    return given_up


class DaskEngine:
    """Calls on the workers of a Dask cluster.

    Shards are loaded by tasks, whose samples Dask makes. Orders go past the scheduler's queue, since they are many and
    short, and each may be given again: straight to the workers where they can be reached from here, else by
    ``Client.run``, which takes longer. Workers outlive whoever calls them, so what they hold has a lease.
    """

    def __init__(self, client: Client, deadline: float) -> None:
        self.client, self.deadline, self.lease = client, deadline, LEASE
        self.threads: dict[str, int] = {}
        self.direct = client.direct_to_workers
        if self.direct is None:
            self.direct = client.sync(self._reached)

    async def _reached(self) -> bool:
        """Tell whether all workers can be reached from here."""

        async def identities() -> None:
            addresses = await self.client.scheduler.ncores()
            await asyncio.gather(*(self.client.rpc(address).identity() for address in addresses))

        try:
            await asyncio.wait_for(identities(), REACH)
        except (OSError, *OVER):
            return False
        return True

    def workers(self) -> list[str]:
        """Give the addresses of the workers that are alive."""
        # Not by scheduler_info, of which the client itself overwrites the workers now and then.
        try:
            self.threads = self.client.sync(self.client.scheduler.ncores, callback_timeout=self.deadline)
            return list(self.threads)
        except (OSError, *OVER) as error:
            raise RuntimeError(
                f"the scheduler of the cluster has not answered for deadline={self.deadline:g} seconds or is gone "
                f"({type(error).__name__}); see whether it runs, and fit again."
            ) from error

    def call(self, calls: list[Call], deadline: float) -> list[Any]:
        """Call functions on workers."""
        messages = [dumps((call.function, *call.args)) for call in calls] if self.direct else [b""] * len(calls)

        async def one(call: Call, message: bytes) -> Any:
            try:
                return await asyncio.wait_for(self._answer(call, message), deadline)
            except OVER:
                return Lost(SILENT)
            except Exception as error:
                return error

        async def every() -> list[Any]:
            return await asyncio.gather(*map(one, calls, messages))

        results = self.client.sync(every)
        return [self._unwrapped(result, call.owner) for result, call in zip(results, calls, strict=True)]

    async def _answer(self, call: Call, message: bytes) -> Any:
        """Give what a worker answers, or the error that there is instead."""
        if not self.direct:
            answers = await self.client._run(
                _called, call.function, *call.args, workers=[call.owner], on_error="return"
            )
            return answers.get(call.owner, Lost("it is gone"))
        response = await self.client.rpc(call.owner).run(function=dumps(_called), args=message, kwargs=dumps({}))
        return response["result"] if response["status"] == "OK" else clean_exception(**response)[1]

    def _unwrapped(self, result: Any, owner: str) -> Any:
        """Give what a function has found, or that its worker is lost; raise what it has raised.

        An error on the way there means a lost worker, and so does any error of one that is ending. What else there is
        says that the worker cannot do what it shall.
        """
        if isinstance(result, Lost):
            return result
        if isinstance(result, BaseException):
            if isinstance(result, (OSError, CancelledError)) or owner not in self.workers():
                return Lost(type(result).__name__)
            raise result
        done, found = result
        if not done:
            raise found
        return found

    def load(self, calls: list[Call], deadline: float) -> list[Any]:
        """Load shards by tasks."""
        tasks = [self._begun(call) for call in calls]
        given_up = awaited(self.client, tasks, deadline, lambda: self._gone(calls))
        return [
            self._lost(task, given_up[at]) if at in given_up else self._result(task, calls[at].owner, deadline)
            for at, task in enumerate(tasks)
        ]

    def _gone(self, calls: list[Call]) -> set[int]:
        """Give the numbers of the calls whose workers are gone."""
        alive = set(self.workers())
        return {at for at, call in enumerate(calls) if call.owner not in alive}

    def _begun(self, call: Call) -> Future:
        about, recipe, *more = call.args
        if isinstance(about, About):
            # A phase is one call, which may use all threads of a worker; Dask tells others to use one for each task.
            about = replace(about, threads=self.threads.get(call.owner))
        if hasattr(recipe, "__dask_graph__"):
            recipe = self.client.compute(recipe, workers=[call.owner], allow_other_workers=True)
        return self.client.submit(call.function, about, recipe, *more, workers=[call.owner], pure=False)

    @staticmethod
    def _lost(task: Future, why: str) -> Lost:
        task.cancel(force=True)
        return Lost(why)

    def _result(self, task: Future, owner: str, deadline: float) -> Any:
        """Give what a task that is done has found. Its worker may be gone with it, and then it is not done any more."""
        end = time.monotonic() + deadline
        try:
            while True:
                try:
                    return task.result(timeout=LOOK)
                except OVER:
                    if owner not in self.workers():
                        return self._lost(task, "it is gone")
                    if time.monotonic() > end:
                        return self._lost(task, SILENT)
        except LOST as error:
            return Lost(type(error).__name__)
        finally:
            task.release()

    def close(self) -> None:
        """Leave the cluster to its owner."""
