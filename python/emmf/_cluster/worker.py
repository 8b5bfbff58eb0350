"""What runs on the workers: they hold shards and do what they are told.

Every function may be called again with the same arguments, on any worker: what is done already is answered from memory,
and what is not held here is said to be missing.
"""

from __future__ import annotations

import gc
import os
import threading
import time
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


@dataclass
class Held:
    """A shard with what it has done."""

    shard: Any
    done: int
    """The number of the last orders."""
    answer: bytes = b""
    touched: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)


_HELD: dict[tuple[str, int], Held] = {}
# Seconds after which nobody is thought to ask for a shard any more: whoever drove its fit was lost, too.
IDLE = 3600.0


def threads() -> int:
    """Give the threads that a shard may work with: those that the engine gives this worker."""
    limit = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(int(limit), cores) if limit.isdigit() and int(limit) > 0 else cores


def load(about: About, recipe: Any, wanted: Any, history: bytes = b"", done: int = -1) -> Any:
    """Hold a shard that has done what others have done; give the wanted ones of its samples, by their numbers in it."""
    _forget()
    rows = read(recipe)
    some = _some(rows, wanted, about.single)
    weights = about.weights
    if isinstance(rows, InFile):
        told = (about.place, about.rows_per_leaf, about.unit, threads())
        shard = _emmf.Shard.in_file(rows.path, (rows.first, about.single), told, weights)
    else:
        rows = of_type(rows, about.single)
        told = (about.place, about.rows_per_leaf, about.unit, threads())
        shard = _emmf.Shard(borrowed(rows), told, weights)
    del rows
    if about.screen is not None:
        shard = shard.with_weights(_counts(shard, about.screen, about.place[2], weights))
    if history:
        shard.obey(history)
    _HELD[about.fit, about.at] = Held(shard, done)
    gc.collect()
    return some


def screen(fit: str, ats: list[int], model: Any, counts: dict[int, int]) -> tuple[list[tuple[int, int]], list[int]]:
    """Let outliers by this model have no part; give how many there are in each shard, and what is missing here."""
    found, missing = [], []
    for at in ats:
        held = _HELD.get((fit, at))
        if held is None:
            missing.append(at)
            continue
        weights = _counts(held.shard, model, counts[at], None)
        _HELD[fit, at] = Held(held.shard.with_weights(weights), -1)
        found.append((at, int((weights == 0).sum())))
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
            held.touched = time.monotonic()
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


def drop(fit: str) -> None:
    """Hold nothing of a fit any more."""
    for key in [key for key in _HELD if key[0] == fit]:
        del _HELD[key]


def _forget() -> None:
    for key in [key for key, held in _HELD.items() if time.monotonic() - held.touched > IDLE]:
        del _HELD[key]


def _counts(shard: Any, model: Any, count: int, weights: Any) -> Any:
    usual = shard.scores(model) <= _emmf.THRESHOLD
    return np.where(usual, np.ones(count) if weights is None else weights, 0.0)


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
