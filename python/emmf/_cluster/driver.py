"""Sends the orders of the library to the workers that hold the samples, and gathers what they answer.

A worker may be lost at any time. Its shards then go to others, which read their samples again and do what all shards
have done so far; the sums are the same bits as if nothing had happened. No wait is without an end.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from . import worker
from .worker import About

log = logging.getLogger("emmf")

# Workers with which a shard may be lost before it is said to be the shard's fault.
MOST_LOSSES = 5
# How often it is looked for workers, in seconds.
LOOK = 1.0
# Bytes of the past that a worker is told at a time.
PAST = 16 << 20
# Why shards go to other workers though theirs is there: it said nothing, or is another one of the same name.
SILENT = "deadline"
RESTARTED = "it does not hold them"


class Call(NamedTuple):
    """A function to be called on a worker."""

    owner: str
    function: Callable[..., Any]
    args: tuple[Any, ...]


@dataclass
class Lost:
    """A worker did not answer."""

    why: str


class Engine(Protocol):
    """What the driver wants of an engine. Several threads may use it at once if it has a lease."""

    lease: float | None
    """Seconds after which workers forget a fit of which they hear nothing; None where they end with the driver."""

    def workers(self) -> list[str]:
        """Give the names of the workers that are alive."""
        ...

    def call(self, calls: list[Call], deadline: float) -> list[Any]:
        """Call functions of :mod:`~emmf._cluster.worker` on workers and give what they return.

        That is :class:`Lost` where a worker is gone, or has not answered after so many seconds. What a function itself
        raises is raised.
        """
        ...

    def load(self, calls: list[Call], deadline: float) -> list[Any]:
        """Do the same where the second argument of each call is a recipe of the source, which may take long.

        The deadline is that of each shard: while some are done, the others are waited for.
        """
        ...

    def close(self) -> None:
        """End what was begun for the fit."""
        ...


class Driver:
    """The shards of a fit and who holds them."""

    def __init__(self, engine: Engine, source: Any, shards: int | None, deadline: float, unit: bool) -> None:
        self.engine, self.source, self.deadline = engine, source, deadline
        self.fit = uuid.uuid4().hex
        self.losses: Counter[int] = Counter()
        self.shunned: set[str] = set()
        self.lost_workers: list[str] = []
        self.missed: dict[str, str] = {}
        self.over = threading.Event()
        from .. import _emmf

        workers = self._workers()
        n, d = source.shape
        places, rows_per_leaf = _emmf.cut((n, d), source.sparse, shards or 4 * len(workers))
        self.places = places
        self.recipes = source.recipes(places)
        self.abouts = [
            About(self.fit, at, (n, first, count), rows_per_leaf, unit, source.single, lease=engine.lease)
            for at, (first, count) in enumerate(places)
        ]
        self.owner: dict[int, str] = {}
        self._assign(range(len(places)), workers)
        if engine.lease is not None:
            threading.Thread(target=self._keep, args=(engine.lease,), daemon=True).start()

    def _keep(self, lease: float) -> None:
        """Say again and again that the fit goes on."""
        while not self.over.wait(lease / 4):
            with suppress(Exception):
                calls = [Call(name, worker.keep, (self.fit, lease)) for name in self.engine.workers()]
                self.engine.call(calls, lease / 4)

    def _workers(self) -> list[str]:
        """Give the names of the workers that are alive; wait where there is none, since they may be restarted."""
        end = time.monotonic() + self.deadline
        while not (workers := sorted(set(self.engine.workers()) - self.shunned)):
            if time.monotonic() > end:
                raise RuntimeError(
                    "the cluster has no worker left that answers; start some, or raise deadline, and fit again."
                )
            time.sleep(LOOK)
        return workers

    def _assign(self, ats: Iterable[int], workers: list[str]) -> None:
        """Give shards to workers: at first neighbours to one, then what is lost to those that have the least."""
        ats, held = list(ats), Counter(self.owner.values())
        if not self.owner:
            for at in ats:
                self.owner[at] = workers[at * len(workers) // len(ats)]
            return
        for at in ats:
            held[self.owner.pop(at)] -= 1
        for at in ats:
            chance = lambda name, at=at: hashlib.sha256(f"{at} {name}".encode()).digest()  # noqa: E731
            self.owner[at] = min(workers, key=lambda name: (held[name], chance(name)))
            held[self.owner[at]] += 1

    def load(self, wanted: list[list[int]]) -> list[Any]:
        """Let workers read their shards; give the wanted samples of each, by their numbers in it."""
        return self._load(range(len(self.places)), lambda at: (wanted[at] or None,))

    def _load(self, ats: Iterable[int], more: Callable[[int], tuple[Any, ...]]) -> list[Any]:
        """Let each shard be loaded by its owner, again where the owner is lost."""
        order, found = list(ats), {}
        left = order
        while left:
            calls = [Call(self.owner[at], worker.load, (self.abouts[at], self.recipes[at], *more(at))) for at in left]
            results = dict(zip(left, self.engine.load(calls, self.deadline), strict=True))
            lost: dict[str, list[int]] = {}
            for at, result in results.items():
                if isinstance(result, Lost):
                    lost.setdefault(self.owner[at], []).append(at)
                else:
                    found[at] = result
            for owner, its in lost.items():
                self._lose(owner, its, results[its[0]].why)
            left = [at for at in left if at not in found]
        return [found[at] for at in order]

    def _lose(self, owner: str, ats: list[int], why: str) -> None:
        """Give shards to other workers."""
        if why == SILENT and owner in self.engine.workers():
            # It is there and does not answer: nothing more is asked of it.
            self.shunned.add(owner)
        for at in ats:
            self.losses[at] += 1
            if self.losses[at] > MOST_LOSSES:
                first, count = self.places[at]
                raise RuntimeError(
                    f"shard {at} (samples {first} to {first + count - 1}) was lost with {self.losses[at]} workers, the "
                    f"last of them {owner} ({why}); it may be too large for the memory of a worker: use more workers, "
                    f"more memory or more shards."
                )
        self.missed.setdefault(owner, why)
        log.warning("emmf: worker %s was lost (%s); its shards %s go to others", owner, why, ats)
        workers = self._workers()
        # It may be listed for a moment after its end.
        self._assign(ats, [name for name in workers if name != owner] or workers)

    def screen(self, model: Any) -> int:
        """Let outliers by a model have no part; give how many there are."""
        for about in self.abouts:
            about.screen = model
        aside: dict[int, int] = {}
        left = list(range(len(self.places)))
        while left:
            found, left = self._round(left, worker.screen, model)
            aside.update(found)
            self._restore(left)
        return sum(aside.values())

    def carry(self, number: int, orders: bytes, said: Any) -> list[bytes]:
        """Bring orders to all shards and back what they answer to the last, in the order of their samples."""
        answers: dict[int, bytes] = {}
        left = list(range(len(self.places)))
        while left:
            found, left = self._round(left, worker.phase, number, orders, self.source.single)
            answers.update(found)
            self._restore(left, said, number - 1)
        return [answers[at] for at in sorted(answers)]

    def _round(self, ats: list[int], function: Any, *args: Any) -> tuple[list[Any], list[int]]:
        """Call a function once for each worker with its shards; give what came back, and the shards to restore."""
        groups: dict[str, list[int]] = {}
        for at in ats:
            groups.setdefault(self.owner[at], []).append(at)
        calls = [Call(owner, function, (self.fit, group, *args)) for owner, group in groups.items()]
        found, missing = [], []
        for (owner, group), result in zip(groups.items(), self.engine.call(calls, self.deadline), strict=True):
            if isinstance(result, Lost):
                self._lose(owner, group, result.why)
                missing += group
                continue
            answers, behind = result
            found += answers
            if behind:
                self._lose(owner, behind, RESTARTED)
                missing += behind
        return found, missing

    def _restore(self, ats: list[int], said: Any = None, done: int = -1) -> None:
        """Let shards be read again, and repeat what the others have done; again where that is lost, too."""
        left = ats
        while left:
            self._load(left, lambda _: (None,))
            there, left = left, []
            for part in _parts(said):
                _, missing = self._round(there, worker.replay, *part, done)
                there = [at for at in there if at not in missing]
                left += missing

    def close(self) -> None:
        """Let the workers forget the fit; those that are lost have, and those that do not answer will some day."""
        self.over.set()
        alive: list[str] = []
        try:
            alive = self.engine.workers()
            self.engine.call([Call(name, worker.drop, (self.fit,)) for name in alive], min(self.deadline, 10.0))
        except Exception as error:
            log.warning("emmf: workers may still hold samples of a fit: %s", error)
        # By now it is known who did not answer for another reason than that he is gone.
        gone = {name for name, why in self.missed.items() if why == RESTARTED or name not in alive} | self.shunned
        self.lost_workers = [name for name in self.missed if name in gone]


def _parts(said: Any) -> Iterator[tuple[int, int, bytes]]:
    """Give what was said so far in parts: the number of the first order, of the one after the last, and the orders."""
    first, over = 0, said is None
    while not over:
        orders, after, over = said.part(first, PAST)
        yield first, after, orders
        first = after
