"""What a cluster costs and what batches bring: the numbers of docs/scale.md. Prints tables; ONLY=online,iteration,efficiency,peers.

Needs the package with its module (`make cluster` builds it), dask, distributed and scikit-learn; gensim for `online`, dask-ml for `peers`.
Times are medians and mean something only beside each other.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from functools import partial

os.environ.setdefault("OMP_NUM_THREADS", "1")

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from scipy.optimize import nnls
from sklearn.decomposition import MiniBatchNMF

import emmf
import emmf.dask

SIZE = int(os.environ.get("SIZE", "1000000"))
ALONE = {"init": "kmeans-parallel", "outliers": "keep"}


def timed(work):
    """Give what some work returns, and the seconds that it took."""
    began = time.perf_counter()
    found = work()
    return found, time.perf_counter() - began


def samples(n, d, k, seed=0):
    """Make nonnegative samples of a few clusters, in single precision."""
    rng = np.random.default_rng(seed)
    centres = rng.random((k, d), dtype=np.float32) ** 3
    X = centres[rng.integers(0, k, n)] * (0.5 + rng.random((n, 1), dtype=np.float32))
    X += 0.1 * rng.random((n, d), dtype=np.float32)
    return X


def error(X, components):
    """Give the median residual of samples at some components, each coded exactly."""
    centroids = np.ascontiguousarray(components, dtype=np.float64).T
    return float(np.median([nnls(centroids, x)[1] for x in X]))


def online():
    """Compare batches with the fit of all, and with scikit-learn's, with and without junk."""
    print("\n| data | method | seconds | median residual of clean samples |\n|---|---|---|---|")
    X = samples(20_000, 64, 10).astype(np.float64)
    rng = np.random.default_rng(1)
    junk = X.copy()
    bad = rng.random(len(X)) < 0.2
    junk[bad] = 5 * rng.random((bad.sum(), 64))
    test = X[~bad][:500]
    for name, data in (("clean", X), ("20 % junk", junk)):
        ways = {
            "EMMF.partial_fit": lambda data=data: _batches(emmf.EMMF(10, max_iter=200), data),
            "EMMF.fit": lambda data=data: emmf.EMMF(10, max_iter=200, outliers="set-aside").fit(data),
            "MiniBatchNMF.partial_fit": lambda data=data: _batches(MiniBatchNMF(10, random_state=0), data),
        }
        ways |= _gensim(data)
        for way, work in ways.items():
            model, seconds = timed(work)
            components = model.components_ if hasattr(model, "components_") else model.get_topics()
            print(f"| {name} | {way} | {seconds:.2f} | {error(test, components):.4f} |", flush=True)


def _gensim(X, size=1000):
    """Give gensim's way, where it is installed. Its lists of entries are made beforehand."""
    try:
        from gensim.models.nmf import Nmf
    except ImportError:
        print("gensim is not installed")
        return {}
    names = {j: str(j) for j in range(X.shape[1])}
    batches = [[list(enumerate(row)) for row in X[at : at + size]] for at in range(0, len(X), size)]

    def work():
        model = Nmf(num_topics=10, id2word=names, normalize=False, random_state=0)
        for batch in batches:
            model.update(batch)
        return model

    return {"gensim Nmf.update": work}


def _batches(model, X, size=1000):
    for at in range(0, len(X), size):
        model.partial_fit(X[at : at + size])
    return model


def per_iteration(estimator, X, steps=25, rounds=3):
    """Give the median and the least milliseconds of an iteration of some fits to X, of each estimator in turn."""
    gaps = [[] for _ in estimator]
    for _ in range(rounds):
        for at, (make, samples) in enumerate(zip(estimator, X, strict=True)):
            stamps = []
            model = make(max_iter=steps, tol=0, polish=False, callback=lambda _, s=stamps: s.append(time.perf_counter()), **ALONE)
            model.fit(samples)
            gaps[at] += list(1000 * np.diff(stamps))
    return [(statistics.median(gap), min(gap)) for gap in gaps]


def iteration(client):
    """Measure what an iteration costs beside its work: on samples so few that there is none."""
    print("\nMilliseconds of an iteration, median (least):\n")
    print("| features × centroids | U | method | 2 workers | one machine |\n|---|---|---|---|---|")
    for d, k in ((100, 10), (1000, 50), (2500, 50), (5000, 50)):
        X = samples(400, d, k)
        lazy = da.from_array(X, chunks=(100, -1))
        for name in ("EMMF", "NMF"):
            makes = (partial(getattr(emmf.dask, name), k, client=client), partial(getattr(emmf, name), k))
            there, alone = (f"{median:.1f} ({least:.1f})" for median, least in per_iteration(makes, (lazy, X)))
            print(f"| {d} × {k} | {4 * d * k / 1e6:.2f} MB | {name} | {there} | {alone} |", flush=True)


def work_of(client, make, X, steps):
    """Give the seconds of work that iterations take, of all processes: however busy the machine is."""

    def worked():
        return time.process_time() + sum(client.run(time.process_time).values())

    stamps = []

    def stamp(step):
        # To ask takes work, too.
        if step.iteration in (1, steps):
            stamps.append(worked())

    make(max_iter=steps, tol=0, polish=False, callback=stamp, **ALONE).fit(X)
    return (stamps[1] - stamps[0]) / (steps - 1)


def efficiency(client):
    """Compare two workers with one process of two threads."""
    X = samples(SIZE, 256, 20)
    makes = (partial(emmf.dask.EMMF, 20, client=client), partial(emmf.EMMF, 20, n_jobs=2))
    with tempfile.TemporaryDirectory() as folder:
        np.save(path := os.path.join(folder, "x.npy"), X)
        there, alone = per_iteration(makes, (path, X), steps=6, rounds=2)
        work = [work_of(client, make, given, 21) for make, given in zip(makes, (path, X), strict=True)]
    print(f"\n{SIZE}×256, 20 centroids, milliseconds of an iteration, median (least):")
    print(f"2 workers {there[0]:.0f} ({there[1]:.0f}), one process with 2 threads {alone[0]:.0f} ({alone[1]:.0f}):")
    print(f"efficiency {alone[0] / there[0]:.2f} ({alone[1] / there[1]:.2f})")
    print(f"work of an iteration {1000 * work[0]:.0f} and {1000 * work[1]:.0f} ms: {work[1] / work[0]:.2f}", flush=True)


def peers(client):
    """Put estimators of dask-ml on the same cluster and samples beside it."""
    from dask_ml.cluster import KMeans
    from dask_ml.decomposition import PCA

    X = samples(SIZE // 4, 256, 20)
    lazy = da.from_array(X, chunks=(SIZE // 64, -1)).persist()
    print(f"\n| {SIZE // 4}×256 | seconds |\n|---|---|")
    ways = {
        "emmf.dask.EMMF(20), 20 iterations": lambda: emmf.dask.EMMF(20, client=client, max_iter=20, **ALONE).fit(lazy),
        "dask_ml KMeans(20), 20 iterations": lambda: KMeans(20, max_iter=20, tol=0, random_state=0).fit(lazy),
        "dask_ml PCA(20)": lambda: PCA(20, svd_solver="randomized", random_state=0).fit(lazy),
    }
    for name, work in ways.items():
        print(f"| {name} | {timed(work)[1]:.1f} |", flush=True)


if __name__ == "__main__":
    wanted = os.environ.get("ONLY", "online,iteration,efficiency,peers").split(",")
    if "online" in wanted:
        online()
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for section in (iteration, efficiency, peers):
            if section.__name__ in wanted:
                section(client)
