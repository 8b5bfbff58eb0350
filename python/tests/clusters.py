"""Common to the tests of clusters: workers in processes of their own, samples, and what must be the same."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from emmf.datasets import make_rays

# On one machine and on a cluster the same.
ALONE = {"init": "kmeans-parallel", "outliers": "keep", "max_iter": 6}


@contextmanager
def workers(count: int, **given: Any) -> Iterator[Client]:
    """Begin a cluster of so many workers of one thread."""
    given = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50} | given
    # A worker that was killed comes back; a busy machine may need longer for that than the cluster waits by itself.
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
    with patient, LocalCluster(n_workers=count, **given) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


def rays(count: int = 1200) -> Any:
    """Make samples of three clusters in no order."""
    X, _, _ = make_rays(n_samples=count, n_features=10, n_outliers=0, noise=0.05, random_state=1)
    return X[np.random.default_rng(0).permutation(len(X))]


def lazy(X: Any, rows: int = 250) -> Any:
    """Make samples lazy, in chunks of so many."""
    return da.from_array(X, chunks=(rows, -1))


def same(one: Any, other: Any) -> None:
    """Compare two fits bit by bit."""
    assert np.array_equal(one.components_, other.components_)
    assert np.array_equal(one.objective_history_, other.objective_history_)
    assert np.array_equal(np.asarray(one.labels_), np.asarray(other.labels_))
