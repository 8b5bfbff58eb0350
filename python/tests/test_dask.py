"""The same fits on a cluster of Dask: any number of workers, any chunks, and workers that are lost."""

import math
import operator
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import emmf

dask = pytest.importorskip("dask", reason="dask is not installed: nothing of a cluster is tested")
da = pytest.importorskip("dask.array", reason="dask is not installed: nothing of a cluster is tested")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: nothing of a cluster is tested")

from clusters import ALONE, lazy, rays, same, workers  # noqa: E402

import emmf.dask  # noqa: E402
from emmf._cluster import worker  # noqa: E402
from emmf._cluster.driver import Call, Lost  # noqa: E402
from emmf._cluster.sources import of_files  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with workers(2) as client:
        yield client


@pytest.fixture(scope="module")
def X():
    return rays()


@pytest.mark.parametrize("name", ["EMMF", "NMF", "CappedNMF", "HuberNMF", "CIMNMF", "NMFDiv"])
def test_as_on_one_machine(client, X, name):
    params = ALONE | {"solver": "hals", "tol": 0} if name == "NMF" else ALONE
    alone = getattr(emmf, name)(3, **params).fit(X)
    there = getattr(emmf.dask, name)(3, client=client, **params).fit(lazy(X))
    same(alone, there)
    assert there.lost_workers_ == []


@pytest.mark.parametrize("name", ["EMMF", "NMFDiv"])
def test_random_starts(client, X, name):
    params = ALONE | {"init": "random", "random_state": 3}
    same(getattr(emmf, name)(3, **params).fit(X), getattr(emmf.dask, name)(3, client=client, **params).fit(lazy(X)))


@pytest.mark.parametrize(("name", "few", "more"), [("EMMF", 3, 0), ("NMF", 3, 1), ("HuberNMF", 1, 0), ("CIMNMF", 2, 0)])
def test_an_iteration_takes_few_messages(client, X, monkeypatch, name, few, more):
    """Of HALS one in three may be made anew without extrapolation, which takes as many."""
    seen = []
    call = emmf.dask.DaskEngine.call
    monkeypatch.setattr(emmf.dask.DaskEngine, "call", lambda *args: seen.append(args) or call(*args))
    counts = []
    params = ALONE | {"max_iter": 7, "tol": 0, "callback": lambda _: counts.append(len(seen))}
    getattr(emmf.dask, name)(3, client=client, **params).fit(lazy(X))
    each = np.diff(counts)
    assert each.min() == few
    assert each.sum() <= few * (1 + more / 3) * len(each)


@pytest.mark.parametrize("shards", [1, 7, 40])
def test_any_shards_and_chunks(client, X, shards):
    one = emmf.dask.EMMF(3, client=client, **ALONE).fit(lazy(X))
    same(one, emmf.dask.EMMF(3, client=client, shards=shards, **ALONE).fit(lazy(X, 100 + 37 * shards)))


@pytest.mark.parametrize("count", [1, 3, 7])
def test_any_number_of_workers(X, count):
    one = emmf.EMMF(3, **ALONE).fit(X)
    with workers(count, threads_per_worker=2, processes=False) as other:
        same(one, emmf.dask.EMMF(3, client=other, **ALONE).fit(lazy(X)))


def test_a_worker_uses_all_its_threads(X):
    seen = []
    with workers(1, threads_per_worker=2) as other:

        def look(_):
            seen.append(other.run(lambda: {held.about.threads for held in worker._HELD.values()}))

        emmf.dask.EMMF(3, client=other, callback=look, **ALONE).fit(lazy(X))
    assert all(threads == {2} for found in seen for threads in found.values())


def test_through_the_scheduler_where_workers_cannot_be_reached(client, X, monkeypatch):
    alone = emmf.EMMF(3, **ALONE).fit(X)
    monkeypatch.setattr(client, "direct_to_workers", False)
    with client.as_current():
        same(alone, emmf.dask.EMMF(3, **ALONE).fit(lazy(X)))


def test_results_are_lazy(client, X):
    model = emmf.dask.EMMF(3, client=client, **ALONE).fit(lazy(X))
    alone = emmf.EMMF(3, **ALONE).fit(X)
    for name in ("labels_", "residuals_", "outlier_scores_", "coefficients_"):
        found = getattr(model, name)
        assert isinstance(found, da.Array)
        assert found.chunks[0] == lazy(X).chunks[0]
        assert np.array_equal(found.compute(), getattr(alone, name)), name
    assert np.array_equal(model.transform(lazy(X)).compute(), alone.transform(X))
    assert np.array_equal(model.predict(lazy(X, 77)).compute(), alone.predict(X))
    assert np.array_equal(model.decision_function(X), 3.5 + alone.score_samples(X))
    assert clone(model).client is client
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), alone.predict(X))


def test_sparse_unit_and_single(client, X):
    rows = sp.csr_array(np.where(X > 0.2, X, 0))
    blocks = lazy(rows.toarray()).map_blocks(sp.csr_array)
    for params in (ALONE | {"normalize": "unit"}, ALONE | {"init": "kmeans"}):
        alone = emmf.EMMF(3, **params).fit(rows)
        for shards in (1, 5):
            same(alone, emmf.dask.EMMF(3, client=client, shards=shards, **params).fit(blocks))
    single = X.astype(np.float32)
    alone = emmf.EMMF(3, normalize="unit", **ALONE).fit(single)
    there = emmf.dask.EMMF(3, client=client, normalize="unit", **ALONE).fit(lazy(single))
    same(alone, there)
    assert np.array_equal(there.transform(X[:5] * 3), alone.transform(X[:5] * 3))


def test_frames_and_files(client, X, tmp_path):
    import dask.dataframe as dd
    import pandas as pd

    alone = emmf.EMMF(3, **ALONE).fit(X)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    there = emmf.dask.EMMF(3, client=client, **ALONE).fit(dd.from_pandas(frame, npartitions=4))
    same(alone, there)
    assert list(there.feature_names_in_) == list(frame.columns)
    assert np.array_equal(there.transform(dd.from_pandas(frame, npartitions=3)).compute(), alone.transform(X))
    np.save(tmp_path / "x.npy", X)
    for in_place in (False, True):
        same(alone, emmf.dask.EMMF(3, client=client, in_place=in_place, **ALONE).fit(tmp_path / "x.npy"))


def test_chunks_of_unknown_sizes(client, X):
    """Workers measure them, not this process, and not for ever."""
    alone = emmf.EMMF(3, **ALONE).fit(X)
    unknown = lazy(np.concatenate([X, np.zeros((7, 10))]))
    unknown = unknown[unknown.sum(axis=1) > 0]
    assert math.isnan(unknown.shape[0])
    there = emmf.dask.EMMF(3, client=client, **ALONE).fit(unknown)
    same(alone, there)
    assert there.transform(unknown).compute().shape == (len(X), 3)

    def late(block):
        time.sleep(2.5)
        return block

    slow = lazy(X, 300).map_blocks(late, dtype=X.dtype)
    with pytest.raises(RuntimeError, match="4 of 4 chunks"):
        emmf.dask.EMMF(3, client=client, deadline=1, **ALONE).fit(slow[lazy(X, 300)[:, 0] >= 0])


@pytest.fixture(params=["npy", "parquet", "h5ad", "h5ad-csr", "zarr", "zarr-array", "zarr-csr"])
def files(request, tmp_path, X):
    """Three files of the same samples, and the pattern of their names."""
    kind, _, of = request.param.partition("-")
    for part, rows in enumerate(np.array_split(X, 3)):
        path = tmp_path / f"part{part}.{kind}"
        if kind == "npy":
            np.save(path, rows)
        elif kind == "parquet":
            pd = pytest.importorskip("pandas")
            columns = [f"f{j}" for j in range(rows.shape[1])]
            pd.DataFrame(rows, columns=columns).to_parquet(path, row_group_size=150)
        elif of == "array":
            pytest.importorskip("zarr").save(path, rows)
        else:
            data = pytest.importorskip("anndata").AnnData(sp.csr_matrix(rows) if of else rows)
            data.write_zarr(path) if kind == "zarr" else data.write_h5ad(path)
    return str(tmp_path / f"part*.{kind}")


@pytest.mark.parametrize("before", ["", "file://"])
def test_workers_read_files(files, X, before):
    source = of_files(before + files)
    assert source.shape == X.shape
    for (first, count), recipe in zip(places := [(0, 77), (77, 800), (877, 323)], source.recipes(places), strict=True):
        rows = pickle.loads(pickle.dumps(recipe)).read()
        assert sp.issparse(rows) == source.sparse
        assert np.array_equal(rows.toarray() if source.sparse else rows, X[first : first + count])


def test_files_that_hold_no_samples_are_named(tmp_path, X):
    def refused(match, write, before="", **params):
        write()
        with pytest.raises(ValueError, match=match):
            of_files(f"{before}{path}", **params)

    path = tmp_path / "x.npy"
    refused("3 dimensions", lambda: np.save(path, X[None]))
    refused("complex", lambda: np.save(path, X * 1j))
    refused("text", lambda: np.save(path, X.astype(str)))
    refused("by its path", lambda: np.save(path, X), in_place=True, before="file://")
    refused("by columns", lambda: np.save(path, np.asfortranarray(X)), before="file://")
    refused("objects", lambda: np.save(path, X.astype(object)), before="file://")
    np.save(path, X)
    source = of_files(f"file://{path}")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match="ends before row 1198"):
        source.recipes([(1190, 10)])[0].read()
    (tmp_path / "x.csv").write_text("1,2")
    path = tmp_path / "x.csv"
    refused("not a file of type", lambda: None)
    anndata = pytest.importorskip("anndata")
    path = tmp_path / "x.h5ad"
    refused("CSR", lambda: anndata.AnnData(sp.csc_matrix(X)).write_h5ad(path))
    refused("one NPY file", lambda: anndata.AnnData(X).write_h5ad(path), in_place=True)
    h5py = pytest.importorskip("h5py")
    refused("holds no X", lambda: h5py.File(path, "w").close())


class OnCard:
    """Rows on a card, as CuPy has them: NumPy is refused, and ``get`` brings them here."""

    def __init__(self, rows):
        self.rows = rows

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __getitem__(self, at):
        return OnCard(self.rows[at])

    def get(self):
        return self.rows


@pytest.mark.parametrize("module", ["cupy", "cupyx.scipy.sparse"])
def test_chunks_on_a_card_are_brought_here(X, module, monkeypatch):
    monkeypatch.setattr(OnCard, "__module__", module)
    rows = sp.csr_matrix(X) if "sparse" in module else X
    fit = "fit-on-a-card"
    about = worker.About(fit, 0, (len(X), 0, len(X)), len(X), False, False)
    try:
        some = worker.load(about, OnCard(rows), [3, 5])
        assert np.array_equal(some.toarray() if "sparse" in module else some, X[[3, 5]])
    finally:
        worker.drop(fit)
    coded = emmf.dask._coded(OnCard(rows), emmf.EMMF(3, **ALONE).fit(X)._model, "v")
    assert coded.shape == (len(X), 3)


def test_outliers_number_of_clusters_and_weights(client, X):
    junk = np.zeros((40, X.shape[1]))
    junk[np.arange(40), np.arange(40) % X.shape[1]] = 50
    both = np.concatenate([X, junk])
    model = emmf.dask.EMMF(3, client=client, outliers="set-aside", max_iter=8).fit(lazy(both))
    assert model.n_set_aside_ >= 40
    assert (model.outlier_scores_.compute()[-40:] > 3.5).all()
    plain = emmf.EMMF(3, max_iter=8, init="kmeans-parallel").fit(X)
    assert -model.score(X) < -1.05 * plain.score(X)
    assert emmf.dask.EMMF("auto", client=client, max_iter=2).fit(lazy(X[:200])).n_components_ == 3
    weights = 1.0 + np.arange(len(X)) % 3
    alone = emmf.EMMF(3, **ALONE).fit(X, sample_weight=weights)
    there = emmf.dask.EMMF(3, client=client, **ALONE).fit(lazy(X), sample_weight=weights)
    assert np.array_equal(alone.components_, there.components_)


@pytest.mark.parametrize("when", ["start", "iteration"])
def test_a_worker_may_die(client, X, when):
    alone = emmf.EMMF(3, **ALONE).fit(X)
    client.wait_for_workers(2, timeout=60)
    killed = []

    def kill():
        address, pid = next(iter(client.run(os.getpid).items()))
        killed.append(address)
        os.kill(pid, signal.SIGKILL)

    def watch(step):
        if when == "iteration" and step.iteration == 3:
            kill()

    if when == "start":
        threading.Timer(0.3, kill).start()
    there = emmf.dask.EMMF(3, client=client, callback=watch, shards=6, **ALONE).fit(lazy(X))
    same(alone, there)
    client.wait_for_workers(2, timeout=60)


def test_a_worker_may_die_with_what_it_has_found(client):
    client.wait_for_workers(2, timeout=60)
    engine = emmf.dask.DaskEngine(client, 60)
    owner, pid = next(iter(client.run(os.getpid).items()))
    task = engine._begun(Call(owner, operator.add, (1, 2)))
    assert task.result(timeout=60) == 3
    os.kill(pid, signal.SIGKILL)
    while owner in engine.workers():
        time.sleep(0.05)
    assert isinstance(engine._result(task, owner, math.inf), Lost)
    client.wait_for_workers(2, timeout=60)


class Unreadable:
    """What cannot be made again on a worker."""

    def __reduce__(self):
        return int, ("no number",)


@pytest.mark.parametrize("direct", [True, False])
def test_only_errors_of_the_way_mean_a_lost_worker(client, direct):
    engine = emmf.dask.DaskEngine(client, 60)
    engine.direct = direct
    owner = engine.workers()[0]
    with pytest.raises(ValueError if direct else Exception, match="no number"):
        engine.call([Call(owner, operator.add, (Unreadable(), 1))], 60)
    with pytest.raises(FileNotFoundError):
        engine.call([Call(owner, open, ("no such file",))], 60)
    nobody = Call("tcp://127.0.0.1:9", operator.add, (1, 2))
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        found = engine.call([nobody, Call(owner, operator.add, (1, 2))], 60)
    assert isinstance(found[0], Lost)
    assert found[1] == 3


def test_shards_are_waited_for_while_others_are_done(client):
    engine = emmf.dask.DaskEngine(client, 60)
    owner = engine.workers()[0]

    def slowly(seconds, at):
        time.sleep(seconds)
        return at

    assert engine.load([Call(owner, slowly, (0.8, at)) for at in range(5)], 3.0) == [0, 1, 2, 3, 4]
    [lost] = engine.load([Call(owner, slowly, (4.0, 0))], 1.0)
    assert lost.why == "deadline"


def test_a_worker_that_holds_nothing(client, X):
    """Its end is nobody's loss."""
    alone = emmf.EMMF(3, **ALONE).fit(X)

    def kill_the_idle(step):
        if step.iteration == 3:
            held = client.run(lambda: (len(worker._HELD), os.getpid()))
            [pid] = [pid for count, pid in held.values() if count == 0]
            os.kill(pid, signal.SIGKILL)

    there = emmf.dask.EMMF(3, client=client, callback=kill_the_idle, shards=1, **ALONE).fit(lazy(X))
    same(alone, there)
    assert there.lost_workers_ == []
    client.wait_for_workers(2, timeout=60)


def test_all_workers_may_be_restarted(client, X):
    alone = emmf.EMMF(3, **ALONE).fit(X)
    before = set(client.nthreads())

    def restart(step):
        if step.iteration == 3:
            client.restart(timeout=60)

    there = emmf.dask.EMMF(3, client=client, callback=restart, **ALONE).fit(lazy(X))
    same(alone, there)
    assert set(there.lost_workers_) == before
    assert len(there.lost_workers_) == 2


DRIVER = """
import sys
import dask.array as da
import emmf._dask
from distributed import Client
from emmf.dask import EMMF
from emmf.datasets import make_rays

emmf._dask.LEASE = 4.0
client = Client(sys.argv[1])
X = da.from_array(make_rays(3, n_samples=1200).X, chunks=(250, -1))
say = lambda step: print("goes on", flush=True)
EMMF(3, client=client, init="kmeans-parallel", max_iter=10**9, tol=0, callback=say).fit(X)
"""


def test_workers_forget_a_driver_that_was_killed(client):
    client.wait_for_workers(2, timeout=60)
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, client.scheduler.address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )

    def held():
        return sum(client.run(lambda: len(worker._HELD)).values())

    def leases():
        return sorted(client.run(lambda: [id(timer) for timer in worker._ENDS.values()]).values())

    def until(there):
        end = time.monotonic() + 60
        while not there():
            assert time.monotonic() < end
            time.sleep(0.2)

    try:
        assert driver.stdout.readline() == b"goes on\n"
        first = leases()
        until(lambda: leases() != first)
        assert held() > 0
    finally:
        driver.kill()
        driver.communicate()
    until(lambda: held() == 0)


def test_two_fits_at_once(client, X):
    client.wait_for_workers(2, timeout=60)
    found = {}

    def fit(seed):
        params = ALONE | {"random_state": seed, "max_iter": 30}
        found[seed] = emmf.dask.EMMF(3, client=client, **params).fit(lazy(X))

    threads = [threading.Thread(target=fit, args=(seed,)) for seed in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for seed in (0, 1):
        same(emmf.EMMF(3, **(ALONE | {"random_state": seed, "max_iter": 30})).fit(X), found[seed])


def test_time_limit_and_interrupt_keep_the_model(client, X):
    params = ALONE | {"max_iter": 100_000}
    limited = emmf.dask.EMMF(3, client=client, time_limit=1.5, **params).fit(lazy(X))
    assert limited.stop_reason_ == "time-limit"
    assert limited.components_.shape == (3, 10)
    begun = threading.Event()

    def interrupt():
        begun.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    params |= {"callback": lambda step: step.iteration > 2 and begun.set(), "time_limit": 120}
    model = emmf.dask.EMMF(3, client=client, **params)
    # Whoever runs the tests in the background may have them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(lazy(X))
    finally:
        signal.signal(signal.SIGINT, before)
    assert model.stop_reason_ == "cancelled"
    assert model.components_.shape == (3, 10)


def test_mistakes_are_named(client, X):
    def refused(match, X=X, **params):
        with pytest.raises((ValueError, TypeError), match=match):
            emmf.dask.EMMF(3, client=client, **params).fit(X)

    refused("one machine")
    refused("normalize", lazy(X), normalize="tfidf")
    refused("one memory", lazy(X), graph="knn")
    bad = X.copy()
    bad[777, 3] = -1
    refused("sample 777, feature 3", lazy(bad))
    bad[777, 3] = np.nan
    refused("sample 777, feature 3", lazy(bad))
    with pytest.raises(FileNotFoundError, match="no file"):
        emmf.dask.EMMF(3, client=client).fit("nothing-*.npy")
    with pytest.raises(ValueError, match="median"):
        emmf.dask.L1NMF(3, client=client, median_sweeps=2).fit(lazy(X))
    assert not hasattr(emmf.dask, "GraphEMMF")
    assert not hasattr(emmf.dask, "PNMF")


def test_nothing_is_left_behind(client, X):
    client.wait_for_workers(2, timeout=60)
    emmf.dask.EMMF(3, client=client, **ALONE).fit(lazy(X))
    # The workers are told, and nobody waits for them: however long they take, they do it.
    while any(client.run(lambda: len(worker._HELD)).values()):
        time.sleep(0.05)
