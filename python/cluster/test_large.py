"""Samples larger than the memory of the workers."""

import threading
from contextlib import contextmanager, suppress

import numpy as np
from clusters import workers
from distributed import wait

import emmf.dask

MEMORY = 600 << 20


@contextmanager
def watched(folder):
    """Look for spilled chunks all the time: they are deleted once they are read again."""
    found, over = set(), threading.Event()

    def look():
        while not over.wait(0.02):
            with suppress(OSError):
                found.update(str(file) for file in folder.rglob("storage/*") if file.is_file())

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield found
    finally:
        over.set()
        looking.join()


def test_spilled_chunks_are_seen(tmp_path):
    """Else the next test would show nothing."""
    limits = {"memory_limit": MEMORY, "local_directory": str(tmp_path)}
    with workers(1, **limits) as client, client.as_current(), watched(tmp_path) as spills:
        wait([client.submit(np.ones, 1 << 22, pure=False) for _ in range(16)], timeout=120)
    assert spills


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
        with watched(spilled) as spills:
            model = emmf.dask.EMMF(5, client=client, in_place=True, **params).fit(tmp_path / "x.npy")
        assert model.lost_workers_ == []
        assert spills == set()
    assert model.n_iter_ == 3
    assert -model.score(np.asarray(X[:1000])) < 0.5
