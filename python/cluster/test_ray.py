"""The same fits on Ray, by the same driver."""

import os
import signal

import numpy as np
import pytest
from clusters import ALONE as SHORT

import emmf

ray = pytest.importorskip("ray", reason="ray is not installed: emmf.ray is not tested")

import emmf.ray  # noqa: E402

ALONE = SHORT | {"max_iter": 12}


@pytest.fixture(scope="module", autouse=True)
def started():
    ray.init(
        num_cpus=3, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"OMP_NUM_THREADS": "1"}}
    )
    yield
    ray.shutdown()


@pytest.mark.parametrize("workers", [1, 3])
def test_as_on_one_machine(X, tmp_path, workers):
    alone = emmf.EMMF(3, **ALONE).fit(X)
    np.save(tmp_path / "x.npy", X)
    for given in (X, str(tmp_path / "x.npy")):
        there = emmf.ray.EMMF(3, n_workers=workers, **ALONE).fit(given)
        assert np.array_equal(alone.components_, there.components_)
        assert np.array_equal(alone.labels_, there.labels_)


@pytest.mark.parametrize("iterations", [(3,), (2, 7)])
def test_a_worker_may_die(X, iterations):
    from emmf.ray import RayEngine

    alone = emmf.EMMF(3, **ALONE).fit(X)
    engines = []
    begin = RayEngine.__init__

    def watched(self, workers):
        begin(self, workers)
        engines.append(self)

    def kill(step):
        if step.iteration in iterations:
            actor = next(iter(engines[-1].actors.values()))
            os.kill(ray.get(actor.call.remote(os.getpid)), signal.SIGKILL)

    RayEngine.__init__ = watched
    try:
        there = emmf.ray.EMMF(3, n_workers=2, callback=kill, **ALONE).fit(X)
    finally:
        RayEngine.__init__ = begin
    assert np.array_equal(alone.components_, there.components_)
    assert len(there.lost_workers_) >= 1


def test_mistakes_are_named(X):
    bad = X.copy()
    bad[777, 3] = -1
    with pytest.raises(ValueError, match="sample 777, feature 3"):
        emmf.ray.EMMF(3, n_workers=2, **ALONE).fit(bad)
