"""The same things to be done on any engine."""

import os
import signal
from contextlib import contextmanager

import pytest
from clusters import lazy

import emmf.dask


class OnDask:
    """Three workers of Dask."""

    name, engine = "dask", emmf.dask.DaskEngine

    def __init__(self, client):
        self.client = client

    def estimator(self, name="EMMF", **params):
        return getattr(emmf.dask, name)(3, client=self.client, **params)

    def given(self, X):
        return lazy(X)

    def ready(self):
        self.client.wait_for_workers(3, timeout=120)

    def living(self):
        # Another one may have been killed just now.
        found = self.client.run(os.getpid, on_error="return")
        return [pid for _, pid in sorted(found.items()) if isinstance(pid, int)]


class OnRay:
    """Three actors of Ray, anew for each fit."""

    name = "ray"

    def __init__(self, ray):
        from emmf.ray import RayEngine

        self.ray, self.engine, self.engines, self.pids = ray, RayEngine, [], {}

    @contextmanager
    def watched(self):
        """Ask every actor for its number, before anything else."""
        fill = self.engine._fill

        def filled(engine):
            fill(engine)
            if engine not in self.engines:
                self.engines.append(engine)
            for actor in engine.actors.values():
                if actor not in self.pids:
                    self.pids[actor] = actor.call.remote(os.getpid)

        self.engine._fill = filled
        try:
            yield self
        finally:
            self.engine._fill = fill

    def estimator(self, name="EMMF", **params):
        import emmf.ray

        return getattr(emmf.ray, name)(3, n_workers=3, **params)

    def given(self, X):
        return X

    def ready(self):
        """Actors are made when they are needed."""

    def living(self):
        return [self.ray.get(self.pids[actor]) for actor in self.engines[-1].actors.values()]


@contextmanager
def ray_started():
    ray = pytest.importorskip("ray", reason="ray is not installed: emmf.ray is not tested")
    environment = {"env_vars": {"OMP_NUM_THREADS": "1"}}
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    try:
        with OnRay(ray).watched() as cluster:
            yield cluster
    finally:
        ray.shutdown()


def kill(cluster, which=0):
    pids = cluster.living()
    if pids:
        os.kill(pids[which % len(pids)], signal.SIGKILL)
