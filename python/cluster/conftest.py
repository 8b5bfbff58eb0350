"""Common to the long tests of clusters; the rest is in ``engines.py`` and ``python/tests/clusters.py``."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from clusters import rays, workers
from engines import OnDask, ray_started


@pytest.fixture(scope="module")
def client():
    with workers(3) as client:
        yield client


@pytest.fixture(scope="module", params=["dask", "ray"])
def cluster(request):
    if request.param == "dask":
        yield OnDask(request.getfixturevalue("client"))
    else:
        with ray_started() as cluster:
            yield cluster


@pytest.fixture(scope="module")
def X():
    return rays()
