"""The same fits on Ray, by the same driver; what becomes of workers that die is in ``test_kills.py``."""

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import ALONE as SHORT
from clusters import same
from engines import ray_started

import emmf

pytest.importorskip("ray", reason="ray is not installed: emmf.ray is not tested")

import emmf.ray
from emmf._cluster import estimators
from emmf._cluster.driver import Call, Lost

ALONE = SHORT | {"max_iter": 12}


@pytest.fixture(scope="module", autouse=True)
def started():
    with ray_started():
        yield


@pytest.mark.parametrize("workers", [1, 3])
def test_as_on_one_machine(X, tmp_path, workers):
    alone = emmf.EMMF(3, **ALONE).fit(X)
    np.save(tmp_path / "x.npy", X)
    for given in (X, str(tmp_path / "x.npy"), f"file://{tmp_path}/x.npy"):
        there = emmf.ray.EMMF(3, n_workers=workers, **ALONE).fit(given)
        same(alone, there)


@pytest.mark.parametrize("sparse", [False, True])
def test_results_for_each_sample(X, monkeypatch, sparse):
    """Also where there are too many samples to fetch the labels of all."""
    monkeypatch.setattr(estimators, "SOME", 500)
    weights = 1.0 + np.arange(len(X)) % 3
    rows = sp.csr_array(np.where(X > 0.2, X, 0)) if sparse else X
    alone = emmf.EMMF(3, **ALONE).fit(rows, sample_weight=weights)
    there = emmf.ray.EMMF(3, n_workers=2, **ALONE).fit(rows, sample_weight=weights)
    assert np.array_equal(alone.components_, there.components_)
    for name in ("residuals_", "coefficients_"):
        assert np.array_equal(getattr(there, name), getattr(alone, name)), name
    assert np.array_equal(there.labels_, there.predict(rows))
    assert there.outlier_scores_.shape == (len(X),)


def test_what_ray_says_of_lost_actors(X):
    engine = emmf.ray.RayEngine(2)
    try:
        first, second = engine.workers()

        def end():
            import os

            os._exit(1)

        found = engine.call([Call(first, end, ()), Call(second, len, ([1],)), Call("nobody", len, ([1],))], 60)
        assert isinstance(found[0], Lost)
        assert found[1] == 1
        assert isinstance(found[2], Lost)
        assert first not in engine.workers()
        assert len(engine.workers()) == 2
        with pytest.raises(ZeroDivisionError):
            engine.call([Call(second, divmod, (1, 0))], 60)
    finally:
        engine.close()
    assert engine.workers() == []


def test_mistakes_are_named(X):
    bad = X.copy()
    bad[777, 3] = -1
    with pytest.raises(ValueError, match="sample 777, feature 3"):
        emmf.ray.EMMF(3, n_workers=2, **ALONE).fit(bad)
    with pytest.raises(ValueError, match="one memory"):
        emmf.ray.EMMF(3, n_workers=2, restarts=2, consensus=True).fit(X)
