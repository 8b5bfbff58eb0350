"""What runs on the workers: they hold shards and do what they are told.

Every function may be called again with the same arguments, on any worker: what is done already is answered from memory,
and what is not held here is said to be missing. Shards belong to the process, not to an engine: they are there while
the process is, and while their driver says from time to time that its fit goes on.
"""

from __future__ import annotations

import gc
import os
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _emmf
from .._arrays import borrowed
from .sources import InFile, read


@dataclass
class About:
    """What a worker is told about a shard beside its samples."""

    fit: str
    at: int
    place: tuple[int, int, int]
    """Samples of all shards, the first of this one, how many it has."""
    rows_per_leaf: int
    unit: bool
    single: bool
    weights: Any = None
    """How often each sample counts; None is once."""
    screen: Any = None
    """A model by which outliers are told, which have no part."""
    threads: int | None = None
    """Threads to work with, where the engine knows; they do not change the result."""
    lease: float | None = None
    """Seconds after which it is forgotten unless the fit is heard of; None where workers end with their driver."""


@dataclass
class Held:
    """A shard with what it has done."""

    about: About
    shard: Any
    done: int = -1
    """The number of the last orders."""
    past: int = 0
    """Orders of the past that it has repeated."""
    answer: bytes = b""
    lock: threading.Lock = field(default_factory=threading.Lock)


_HELD: dict[tuple[str, int], Held] = {}
# What forgets a fit when its lease is over.
_ENDS: dict[str, threading.Timer] = {}
_ENDING = threading.Lock()


def threads() -> int:
    """Give the threads that a shard may work with where the engine does not say."""
    limit = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(int(limit), cores) if limit.isdigit() and int(limit) > 0 else cores


def load(about: About, recipe: Any, wanted: Any) -> Any:
    """Hold a shard; give the wanted ones of its samples, by their numbers in it."""
    rows = read(recipe)
    some = _some(rows, wanted, about.single)
    told = (about.place, about.rows_per_leaf, about.unit, about.threads or threads())
    if isinstance(rows, InFile):
        shard = _emmf.Shard.in_file(rows.path, (rows.first, about.single), told, about.weights)
    else:
        shard = _emmf.Shard(borrowed(of_type(rows, about.single)), told, about.weights)
    del rows
    if about.screen is not None:
        shard = _without(shard, about, _outliers(shard, about.screen))
    _HELD[about.fit, about.at] = Held(about, shard)
    _extend(about.fit, about.lease)
    gc.collect()
    return some


def screen(fit: str, ats: list[int], model: Any) -> tuple[list[tuple[int, int]], list[int]]:
    """Let outliers by this model have no part; give how many there are in each shard, and what is missing here."""
    found, missing = [], []
    for at in ats:
        held = _HELD.get((fit, at))
        if held is None:
            missing.append(at)
            continue
        outliers = _outliers(held.shard, model)
        _HELD[fit, at] = Held(held.about, _without(held.shard, held.about, outliers))
        found.append((at, int(outliers.sum())))
    return found, missing


def replay(
    fit: str, ats: list[int], first: int, after: int, orders: bytes, done: int
) -> tuple[list[tuple[int, None]], list[int]]:
    """Let shards repeat the orders of the past from one to another, with which they have done as many messages."""
    found, missing = [], []
    for at in ats:
        held = _HELD.get((fit, at))
        if held is None:
            missing.append(at)
            continue
        with held.lock:
            if held.past == first:
                held.shard.obey(orders)
                held.past, held.done = after, done
            if held.past == after:
                found.append((at, None))
            else:
                missing.append(at)
    return found, missing


def phase(
    fit: str, ats: list[int], number: int, orders: bytes, single: bool
) -> tuple[list[tuple[int, bytes]], list[int]]:
    """Let shards obey orders; give their answers to the last, and which are missing or behind."""
    answers, missing = [], []
    for at in ats:
        held = _HELD.get((fit, at))
        if held is None:
            missing.append(at)
            continue
        with held.lock:
            if held.done == number - 1:
                held.answer, held.done = held.shard.obey(orders), number
            if held.done == number:
                answers.append((at, held.answer))
            else:
                missing.append(at)
    if len(answers) > 1:
        joined = _emmf.join([answer for _, answer in answers], single)
        if len(joined) < len(answers):
            answers = [(answers[0][0], answer) for answer in joined]
    return answers, missing


def keep(fit: str, lease: float) -> None:
    """Hold the shards of a fit for so many seconds from now, where there are any."""
    if fit in _ENDS:
        _extend(fit, lease)


def drop(fit: str) -> None:
    """Hold nothing of a fit any more."""
    _extend(fit, None)
    for key in [key for key in _HELD if key[0] == fit]:
        _HELD.pop(key, None)


def _extend(fit: str, lease: float | None) -> None:
    with _ENDING:
        if (before := _ENDS.pop(fit, None)) is not None:
            before.cancel()
        if lease is not None:
            _ENDS[fit] = threading.Timer(lease, drop, (fit,))
            _ENDS[fit].daemon = True
            _ENDS[fit].start()


def _outliers(shard: Any, model: Any) -> Any:
    return ~(shard.scores(model) <= _emmf.THRESHOLD)


def _without(shard: Any, about: About, outliers: Any) -> Any:
    """Give a shard in which outliers do not count, and all others as often as before."""
    weights = np.ones(len(outliers)) if about.weights is None else about.weights
    return shard.with_weights(np.where(outliers, 0.0, weights))


def of_type(rows: Any, single: bool) -> Any:
    """Give rows in the type of a fit, in memory that the library can borrow."""
    dtype = np.float32 if single else np.float64
    if type(rows).__module__.partition(".")[0] in ("cupy", "cupyx"):
        rows = rows.get()
    if sp.issparse(rows):
        rows = sp.csr_array(rows, dtype=dtype)
        # What comes in a message may lie anywhere in it.
        parts = (rows.data, rows.indices, rows.indptr)
        return sp.csr_array(tuple(np.require(part, requirements="CA") for part in parts), shape=rows.shape)
    return np.require(rows, dtype=dtype, requirements="CA")


def _some(rows: Any, wanted: Any, single: bool) -> Any:
    if wanted is None:
        return None
    some = rows.some(wanted) if isinstance(rows, InFile) else rows[wanted]
    return of_type(some, single)
