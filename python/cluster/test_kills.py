"""Workers that die at any time: the fit ends with the same bits, or says who was lost. Long: for ``make cluster``."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import ALONE as SHORT
from clusters import lazy, same, workers
from engines import kill

import emmf
import emmf.dask
from emmf._cluster import driver, worker

ALONE = SHORT | {"max_iter": 12}


@pytest.fixture
def after(cluster, monkeypatch):
    """Kill a worker just before the order of this number, of those that have this function."""

    def arrange(numbers, function):
        cluster.ready()
        seen = [0]
        call = cluster.engine.call

        def watched(self, calls, deadline):
            if calls and calls[0].function is function:
                seen[0] += 1
                if seen[0] in numbers:
                    threading.Thread(target=kill, args=(cluster, seen[0])).start()
            return call(self, calls, deadline)

        monkeypatch.setattr(cluster.engine, "call", watched)
        return seen

    return arrange


# The start has some thirty orders, an iteration three; the last ones end the fit.
@pytest.mark.parametrize("numbers", [(1,), (2,), (9,), (20,), (30,), (36,), (37,), (38,), (10, 30, 45)])
@pytest.mark.parametrize("solver", ["mu", "hals"])
def test_killed_at_an_order(cluster, X, after, numbers, solver):
    alone = emmf.EMMF(3, solver=solver, **ALONE).fit(X)
    after(numbers, worker.phase)
    same(alone, cluster.estimator(solver=solver, shards=6, **ALONE).fit(cluster.given(X)))


def test_killed_at_every_end(cluster, X, after):
    alone = emmf.EMMF(3, **ALONE).fit(X)
    seen = after((), worker.phase)
    cluster.estimator(**ALONE).fit(cluster.given(X))
    last = seen[0]
    for number in range(last - 4, last + 1):
        after((number,), worker.phase)
        there = cluster.estimator(**ALONE).fit(cluster.given(X))
        assert np.array_equal(alone.components_, there.components_), number


def test_killed_while_loading(cluster, X, monkeypatch):
    cluster.ready()
    alone = emmf.EMMF(3, **ALONE).fit(X)
    load = cluster.engine.load

    def watched(self, calls, deadline):
        threading.Timer(0.1, kill, args=(cluster,)).start()
        monkeypatch.setattr(cluster.engine, "load", load)
        return load(self, calls, deadline)

    monkeypatch.setattr(cluster.engine, "load", watched)

    def slow(block):
        time.sleep(0.5)
        return block

    given = lazy(X, 100).map_blocks(slow, dtype=X.dtype) if cluster.name == "dask" else X
    there = cluster.estimator(shards=6, **ALONE).fit(given)
    assert np.array_equal(alone.components_, there.components_)


@pytest.mark.parametrize("sparse", [False, True])
def test_killed_while_screening(cluster, X, after, sparse):
    """With weights, which those that were lost and those that were not count alike."""
    junk = np.zeros((40, X.shape[1]))
    junk[np.arange(40), np.arange(40) % X.shape[1]] = 50
    both = np.concatenate([X, junk])
    weights = 1.0 + np.arange(len(both)) % 3
    usual = np.arange(len(both)) < len(X)
    rows = sp.csr_array(both) if sparse else both
    alone = emmf.EMMF(3, **ALONE).fit(rows, sample_weight=np.where(usual, weights, 0))
    given = lazy(both).map_blocks(sp.csr_array) if sparse and cluster.name == "dask" else cluster.given(rows)
    for function in (None, worker.screen, worker.phase):
        after((1,), function)
        there = cluster.estimator(**(ALONE | {"outliers": "set-aside"})).fit(given, sample_weight=weights)
        assert np.array_equal(alone.components_, there.components_), function
        assert there.n_set_aside_ == 40


def test_a_shard_that_kills_its_workers_is_named(cluster, X, after, monkeypatch):
    after(range(1, 1000), worker.phase)
    monkeypatch.setattr(driver, "MOST_LOSSES", 2)
    with pytest.raises(RuntimeError, match=r"shard \d+ \(samples \d+ to \d+\) was lost|no worker left"):
        cluster.estimator(shards=1, **ALONE).fit(cluster.given(X))


def test_all_workers_may_die_at_once(cluster, X):
    """Whoever holds nothing any more waits for those that come back."""
    cluster.ready()
    alone = emmf.EMMF(3, **ALONE).fit(X)

    def kill_all(step):
        if step.iteration == 3:
            for pid in cluster.living():
                os.kill(pid, signal.SIGKILL)

    there = cluster.estimator(callback=kill_all, **ALONE).fit(cluster.given(X))
    same(alone, there)
    assert len(set(there.lost_workers_)) == len(there.lost_workers_) == 3


def test_deadline_gives_a_silent_worker_up(cluster, X):
    cluster.ready()
    alone = emmf.EMMF(3, **ALONE).fit(X)
    stopped = []

    def stop(step):
        if step.iteration == 3:
            stopped.append(cluster.living()[0])
            os.kill(stopped[0], signal.SIGSTOP)

    try:
        there = cluster.estimator(callback=stop, deadline=8, **ALONE).fit(cluster.given(X))
    finally:
        try:
            os.kill(stopped[0], signal.SIGCONT)
        except ProcessLookupError:
            assert cluster.name == "ray"
    assert np.array_equal(alone.components_, there.components_)
    assert len(there.lost_workers_) == 1


def test_two_fits_at_once_one_of_which_loses_a_worker(cluster, X):
    cluster.ready()
    found = {}

    def fit(seed):
        params = ALONE | {"random_state": seed, "max_iter": 30}
        kill_one = (lambda step: step.iteration == 5 and kill(cluster)) if seed else None
        found[seed] = cluster.estimator(callback=kill_one, **params).fit(cluster.given(X))

    threads = [threading.Thread(target=fit, args=(seed,)) for seed in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    for seed in (0, 1):
        same(emmf.EMMF(3, **(ALONE | {"random_state": seed, "max_iter": 30})).fit(X), found[seed])


def test_time_limit_and_interrupt_keep_the_model(cluster, X):
    cluster.ready()
    params = ALONE | {"max_iter": 100_000}
    limited = cluster.estimator(time_limit=3, **params).fit(cluster.given(X))
    assert limited.stop_reason_ == "time-limit"
    begun = threading.Event()

    def interrupt():
        begun.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    params |= {"callback": lambda step: step.iteration > 2 and begun.set(), "time_limit": 120}
    model = cluster.estimator(**params)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(cluster.given(X))
    finally:
        signal.signal(signal.SIGINT, before)
    assert model.stop_reason_ == "cancelled"
    assert model.components_.shape == (3, 10)


def test_a_worker_that_takes_too_much_memory(X):
    """Its nanny ends it, whoever else took the memory."""
    alone = emmf.EMMF(3, **ALONE).fit(X)

    def hog():
        taken = bytearray(2 << 30)
        for at in range(0, len(taken), 4096):
            taken[at] = 1
        time.sleep(60)

    with workers(2, memory_limit="1GB") as client:
        first = sorted(client.nthreads())[0]

        def take(step):
            if step.iteration == 3:
                run = {"workers": [first], "on_error": "ignore"}
                threading.Thread(target=client.run, args=(hog,), kwargs=run, daemon=True).start()
                time.sleep(0.5)

        there = emmf.dask.EMMF(3, client=client, callback=take, **ALONE).fit(lazy(X))
    same(alone, there)
    assert there.lost_workers_ == [first]


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
