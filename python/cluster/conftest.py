"""Common to the long tests of clusters: one thread a worker, and samples."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import distributed
import numpy as np
import pytest

from emmf.datasets import make_rays


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def X():
    X, _, _ = make_rays(n_samples=1200, n_features=10, n_outliers=0, noise=0.05, random_state=1)
    return X[np.random.default_rng(0).permutation(len(X))]
