"""Samples larger than the memory of the workers, and other people's loops over batches."""

import numpy as np
import pytest
from clusters import lazy, rays, workers

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
    with workers(2, memory_limit=MEMORY, local_directory=str(spilled)) as client:
        params = {"init": "kmeans-parallel", "max_iter": 3, "init_restarts": 1}
        model = emmf.dask.EMMF(5, client=client, in_place=True, **params).fit(tmp_path / "x.npy")
        assert model.lost_workers_ == []
        spills = [file for file in spilled.rglob("storage/*") if file.is_file()]
        assert spills == []
    assert model.n_iter_ == 3
    assert -model.score(np.asarray(X[:1000])) < 0.5


@pytest.fixture
def by_hand():
    """Shuffled samples, and an estimator that saw them in three batches."""
    X, model = rays(600), emmf.EMMF(3)
    for batch in np.array_split(X, 3):
        model.partial_fit(batch)
    return X, model


def test_incremental_of_dask_ml_takes_it(by_hand):
    wrappers = pytest.importorskip("dask_ml.wrappers", reason="dask-ml is not installed: its Incremental is not tested")
    X, model = by_hand
    with workers(1, processes=False) as client, client.as_current():
        found = wrappers.Incremental(emmf.EMMF(3), shuffle_blocks=False).fit(lazy(X, 200))
    assert np.array_equal(found.estimator_.components_, model.components_)


def test_lazy_signals_of_hyperspy_take_it(by_hand):
    hs = pytest.importorskip("hyperspy.api", reason="HyperSpy is not installed: its lazy signals are not tested")
    X, model = by_hand
    signal = hs.signals.Signal1D(lazy(X, 200).reshape(3, 200, -1)).as_lazy()
    signal.decomposition(algorithm=emmf.EMMF(3), output_dimension=3, num_chunks=1)
    assert np.allclose(signal.get_decomposition_factors().data, model.components_)
