"""Workers that die at any time: the fit ends with the same bits, or says who was lost. Long: for ``make cluster``."""

import os
import signal
import threading

import numpy as np
import pytest
from clusters import ALONE as SHORT
from clusters import lazy, same, workers

import emmf
import emmf.dask
from emmf._cluster import driver, worker
from emmf.dask import DaskEngine

ALONE = SHORT | {"max_iter": 12}


def living(client):
    # Another one may have been killed just now.
    found = client.run(os.getpid, on_error="return")
    return [pid for _, pid in sorted(found.items()) if isinstance(pid, int)]


def kill(client, which=0):
    pids = living(client)
    if pids:
        os.kill(pids[which % len(pids)], signal.SIGKILL)


@pytest.fixture
def after(client, monkeypatch):
    """Kill a worker just before the order of this number, of those that have this function."""

    def arrange(numbers, function):
        client.wait_for_workers(3, timeout=120)
        seen = [0]
        call = DaskEngine.call

        def watched(self, calls, deadline):
            if calls and calls[0].function is function:
                seen[0] += 1
                if seen[0] in numbers:
                    threading.Thread(target=kill, args=(client, seen[0])).start()
            return call(self, calls, deadline)

        monkeypatch.setattr(DaskEngine, "call", watched)
        return seen

    return arrange


# The start has some thirty orders, an iteration three; the last ones end the fit.
@pytest.mark.parametrize("numbers", [(1,), (2,), (9,), (20,), (30,), (36,), (37,), (38,), (10, 30, 45)])
@pytest.mark.parametrize("solver", ["mu", "hals"])
def test_killed_at_an_order(client, X, after, numbers, solver):
    alone = emmf.EMMF(3, solver=solver, **ALONE).fit(X)
    after(numbers, worker.phase)
    there = emmf.dask.EMMF(3, client=client, solver=solver, shards=6, **ALONE).fit(lazy(X))
    same(alone, there)


def test_killed_at_every_end(client, X, after):
    alone = emmf.EMMF(3, **ALONE).fit(X)
    seen = after((), worker.phase)
    emmf.dask.EMMF(3, client=client, **ALONE).fit(lazy(X))
    last = seen[0]
    for number in range(last - 4, last + 1):
        after((number,), worker.phase)
        there = emmf.dask.EMMF(3, client=client, **ALONE).fit(lazy(X))
        assert np.array_equal(alone.components_, there.components_), number


def test_killed_while_loading(client, X):
    client.wait_for_workers(3, timeout=120)
    alone = emmf.EMMF(3, **ALONE).fit(X)

    def slow(block):
        import time

        time.sleep(0.5)
        return block

    threading.Timer(1.0, kill, args=(client,)).start()
    there = emmf.dask.EMMF(3, client=client, shards=6, **ALONE).fit(lazy(X, 100).map_blocks(slow, dtype=X.dtype))
    assert np.array_equal(alone.components_, there.components_)


def test_killed_while_screening(client, X, after):
    junk = np.zeros((40, X.shape[1]))
    junk[np.arange(40), np.arange(40) % X.shape[1]] = 50
    both = lazy(np.concatenate([X, junk]))
    params = {"outliers": "set-aside", "max_iter": 12}
    one = emmf.dask.EMMF(3, client=client, **params).fit(both)
    for function in (worker.screen, worker.phase):
        after((1,), function)
        other = emmf.dask.EMMF(3, client=client, **params).fit(both)
        assert np.array_equal(one.components_, other.components_)
        assert one.n_set_aside_ == other.n_set_aside_


def test_a_shard_that_kills_its_workers_is_named(client, X, after, monkeypatch):
    after(range(1, 1000), worker.phase)
    monkeypatch.setattr(driver, "MOST_LOSSES", 2)
    with pytest.raises(RuntimeError, match=r"shard \d+ \(samples \d+ to \d+\) was lost|no worker left"):
        emmf.dask.EMMF(3, client=client, shards=1, **ALONE).fit(lazy(X))


def test_all_workers_may_die_at_once(client, X):
    """Whoever holds nothing any more waits for those that come back."""
    client.wait_for_workers(3, timeout=120)
    alone = emmf.EMMF(3, **ALONE).fit(X)

    def kill_all(step):
        if step.iteration == 3:
            for pid in living(client):
                os.kill(pid, signal.SIGKILL)

    there = emmf.dask.EMMF(3, client=client, callback=kill_all, **ALONE).fit(lazy(X))
    same(alone, there)
    assert there.lost_workers_


def test_seven_workers(X):
    alone = emmf.EMMF(3, **ALONE).fit(X)
    with workers(7) as client:
        same(alone, emmf.dask.EMMF(3, client=client, **ALONE).fit(lazy(X)))


def test_a_worker_may_join(client, X):
    client.wait_for_workers(3, timeout=120)
    alone = emmf.EMMF(3, **ALONE).fit(X)
    cluster = client.cluster
    grown = threading.Timer(0.5, cluster.scale, args=(4,))
    grown.start()
    there = emmf.dask.EMMF(3, client=client, **ALONE).fit(lazy(X))
    assert np.array_equal(alone.components_, there.components_)
    cluster.scale(3)


def test_deadline_gives_a_silent_worker_up(client, X):
    client.wait_for_workers(3, timeout=120)
    alone = emmf.EMMF(3, **ALONE).fit(X)
    stopped = []

    def stop(step):
        if step.iteration == 3:
            stopped.append(next(iter(client.run(os.getpid).values())))
            os.kill(stopped[0], signal.SIGSTOP)

    try:
        there = emmf.dask.EMMF(3, client=client, callback=stop, deadline=8, **ALONE).fit(lazy(X))
    finally:
        os.kill(stopped[0], signal.SIGCONT)
    assert np.array_equal(alone.components_, there.components_)
    assert len(there.lost_workers_) >= 1
