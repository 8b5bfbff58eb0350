"""Samples larger than the memory of the workers, and other people's loops over batches."""

import numpy as np
import pytest
from distributed import Client, LocalCluster

import emmf
import emmf.dask

MEMORY = 600 << 20


def test_four_times_the_memory_of_a_worker(tmp_path):
    rows = 4 * MEMORY // (128 * 8)
    X = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", dtype=np.float64, shape=(rows, 128))
    rng = np.random.default_rng(0)
    centres = rng.random((5, 128)) ** 3
    for at in range(0, rows, 100_000):
        part = slice(at, min(at + 100_000, rows))
        X[part] = centres[np.arange(part.start, part.stop) % 5] + 0.1 * rng.random((part.stop - at, 128))
    X.flush()
    spilled = tmp_path / "spilled"
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            memory_limit=MEMORY,
            local_directory=str(spilled),
            dashboard_address=":0",
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        params = {"init": "kmeans-parallel", "max_iter": 3, "init_restarts": 1}
        model = emmf.dask.EMMF(5, client=client, in_place=True, **params).fit(tmp_path / "x.npy")
        assert model.lost_workers_ == []
        spills = [file for file in spilled.rglob("storage/*") if file.is_file()]
        assert spills == []
    assert model.n_iter_ == 3
    assert -model.score(np.asarray(X[:1000])) < 0.5


def test_incremental_of_dask_ml_takes_it():
    wrappers = pytest.importorskip("dask_ml.wrappers", reason="dask-ml is not installed: its Incremental is not tested")
    import dask.array as da

    X = emmf.datasets.make_rays(n_samples=600, n_outliers=0, random_state=0).X
    X = X[np.random.default_rng(0).permutation(len(X))]
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster, Client(cluster):
        found = wrappers.Incremental(emmf.EMMF(3)).fit(da.from_array(X, chunks=(200, -1)))
    by_hand = emmf.EMMF(3)
    for at in range(0, 600, 200):
        by_hand.partial_fit(X[at : at + 200])
    assert np.array_equal(found.estimator_.components_, by_hand.components_)
