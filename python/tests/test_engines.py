"""Packages of others that drive our estimators, or that we run on. `make cluster` installs them."""

import os
import signal

import numpy as np
import pytest

import emmf

pytest.importorskip("dask.array", reason="dask is not installed: nothing of a cluster is tested")
pytest.importorskip("distributed", reason="distributed is not installed: nothing of a cluster is tested")

from clusters import ALONE, lazy, rays, same, workers


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


def test_ray_fits_as_one_machine_also_if_an_actor_dies():
    ray = pytest.importorskip("ray", reason="ray is not installed: emmf.ray is not tested")
    import emmf.ray

    X = rays()
    alone = emmf.EMMF(3, **ALONE).fit(X)
    environment = {"env_vars": {"OMP_NUM_THREADS": "1"}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    engines = []

    class Watched(emmf.ray.EMMF):
        def _engine(self):
            engines.append(super()._engine())
            return engines[-1]

    def kill(step):
        if step.iteration == 3:
            actor = next(iter(engines[-1].actors.values()))
            os.kill(ray.get(actor.call.remote(os.getpid)), signal.SIGKILL)

    try:
        there = Watched(3, n_workers=2, callback=kill, **ALONE).fit(X)
        same(alone, there)
        assert there.lost_workers_ == ["worker-0"]
    finally:
        ray.shutdown()
