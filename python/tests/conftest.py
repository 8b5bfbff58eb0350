"""Common to all tests: one thread a fit, unless a test says otherwise."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np
import pytest

import emmf

NAMES = sorted(estimator.__name__ for estimator in emmf.ESTIMATORS.values())


@pytest.fixture(scope="session")
def X():
    """Samples on rays, and outliers."""
    return emmf.datasets.make_rays(n_outliers=8, random_state=1).X


@pytest.fixture(params=NAMES)
def Estimator(request):
    """Every estimator."""
    return getattr(emmf, request.param)


@pytest.fixture
def rng():
    return np.random.default_rng(0)
