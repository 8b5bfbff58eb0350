"""Common to the long tests of clusters; the rest is in ``python/tests/clusters.py``."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from clusters import rays, workers


@pytest.fixture(scope="module")
def client():
    with workers(3) as client:
        yield client


@pytest.fixture(scope="module")
def X():
    return rays()
