"""The driver of fits on a cluster by itself: an engine in this process, whose workers are lost at any call."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import emmf
from emmf._cluster import driver, worker
from emmf._cluster.driver import RESTARTED, SILENT, Lost
from emmf._cluster.estimators import OnCluster, made
from emmf._cluster.sources import InMemory
from emmf._parameters import COUNT, Parameter
from emmf.datasets import make_rays

ALONE = {"init": "kmeans-parallel", "outliers": "keep", "max_iter": 6}


class Here:
    """Workers in this process; ``before`` is asked what becomes of each call."""

    lease = None

    def __init__(self, before=None):
        self.alive = ["a", "b", "c"]
        self.seen = []
        self.before = before or (lambda engine, call: None)

    def workers(self):
        return list(self.alive)

    def call(self, calls, deadline):
        return [self._one(call) for call in calls]

    load = call

    def _one(self, call):
        self.seen.append(call)
        lost = self.before(self, call)
        if lost is None and call.owner in self.alive:
            return call.function(*pickle.loads(pickle.dumps(call.args)))
        return lost or Lost("it is gone")

    def close(self):
        assert not worker._HELD

    def count(self, function):
        return [call for call in self.seen if call.function is function]


class HereFactorization(OnCluster):
    def _engine(self):
        return self.engine

    def _source(self, X):
        self._X = X
        return InMemory(X)


UNUSED = Parameter("unused", None, [COUNT, None], "int or None", "Not used.")
CLASSES = made(HereFactorization, __name__, UNUSED)
globals().update(CLASSES)


def fitted(X, before=None, name="EMMF", sample_weight=None, **params):
    model = CLASSES[name](3, **(ALONE | {"shards": 6} | params))
    model.engine = Here(before)
    return model.fit(X, sample_weight=sample_weight)


def same(one, other):
    assert np.array_equal(one.components_, other.components_)
    assert np.array_equal(one.objective_history_, other.objective_history_)
    assert np.array_equal(one.labels_, other.labels_)


@pytest.fixture(scope="module")
def X():
    X, _, _ = make_rays(n_samples=1200, n_features=10, n_outliers=0, noise=0.05, random_state=1)
    return X[np.random.default_rng(0).permutation(len(X))]


@pytest.fixture(scope="module")
def junk(X):
    """Samples of which the last are junk, and how often each counts."""
    bad = np.zeros((40, X.shape[1]))
    bad[np.arange(40), np.arange(40) % X.shape[1]] = 50
    both = np.concatenate([X, bad])
    return both, 1.0 + np.arange(len(both)) % 3


def end_of(name, function, at=1):
    """Let a worker end when this function is called on it for the so-manieth time."""
    seen = [0]

    def before(engine, call):
        if call.owner == name and call.function is function:
            seen[0] += 1
            if seen[0] == at and name in engine.alive:
                engine.alive.remove(name)

    return before


@pytest.mark.parametrize("name", ["EMMF", "NMF", "CappedNMF"])
def test_as_on_one_machine(X, name):
    params = {"solver": "hals", "tol": 0} if name == "NMF" else {}
    there = fitted(X, name=name, **params)
    same(getattr(emmf, name)(3, **(ALONE | params)).fit(X), there)
    assert there.lost_workers_ == []


@pytest.mark.parametrize("merge", [True, False])
def test_layers_as_on_one_machine(X, merge):
    params = {"layers": (6, 3), "merge": merge}
    alone = emmf.DeepEMMF(**(ALONE | params)).fit(X)
    there = fitted(X, end_of("b", worker.phase, 20), "DeepEMMF", **params)
    same(alone, there)
    assert (there.tree_, there.newick_, there.lost_workers_) == (alone.tree_, alone.newick_, ["b"])
    for one, other in zip(alone.layer_labels_, there.layer_labels_, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(alone.predict(X, layer=1), there.predict(X, layer=1))
    unit = {"normalize": "unit", "layers": (4, 2), "random_state": 1}
    assert np.array_equal(
        emmf.L21NMF(**(ALONE | unit)).fit(X).transform_layers(X)[1],
        fitted(X, name="L21NMF", **unit).transform_layers(X)[1],
    )
    assert len(fitted(X, name="DeepEMMF", layers="auto", merge=merge).tree_["nodes"]) > 3


@pytest.mark.parametrize("function", [worker.load, worker.phase])
@pytest.mark.parametrize("at", [1, 2, 11, 30, 40])
def test_a_worker_is_named_once_however_many_shards_it_held(X, function, at):
    there = fitted(X, end_of("b", function, at))
    same(emmf.EMMF(3, **ALONE).fit(X), there)
    assert there.lost_workers_ == ([] if function is worker.load and at > 2 else ["b"])


def test_the_past_is_told_in_parts_and_once_to_a_worker(X, monkeypatch):
    monkeypatch.setattr(driver, "PAST", 1000)
    there = fitted(X, end_of("b", worker.phase, 40))
    same(emmf.EMMF(3, **ALONE).fit(X), there)
    engine = there.engine
    assert all(len(call.args) == 3 for call in engine.count(worker.load))
    told = engine.count(worker.replay)
    assert {call.owner for call in told} == {"a", "c"}
    assert len(told) == len({(call.owner, call.args[2]) for call in told})
    assert len(told) > 4
    # No more than asked for, but for the last order.
    assert max(len(call.args[4]) for call in told) < 2000


def test_a_worker_that_is_lost_while_it_hears_of_the_past(X, monkeypatch):
    monkeypatch.setattr(driver, "PAST", 1000)
    first, second = end_of("b", worker.phase, 40), end_of("c", worker.replay, 2)
    there = fitted(X, lambda *args: (first(*args), second(*args))[0])
    same(emmf.EMMF(3, **ALONE).fit(X), there)
    assert sorted(there.lost_workers_) == ["b", "c"]


def test_a_false_alarm_is_no_lost_worker(X):
    alarm = iter([None] * 20 + [Lost("CommClosedError")])

    def before(engine, call):
        return next(alarm, None) if call.function is worker.phase else None

    there = fitted(X, before)
    same(emmf.EMMF(3, **ALONE).fit(X), there)
    assert there.lost_workers_ == []


@pytest.mark.parametrize("why", [SILENT, RESTARTED])
def test_a_worker_that_is_there_may_be_lost(X, why):
    seen = [0]

    def before(engine, call):
        if call.owner == "b" and call.function is worker.phase:
            seen[0] += 1
            if why == SILENT and seen[0] >= 20:
                return Lost(SILENT)
            if why == RESTARTED and seen[0] == 20:
                for at in call.args[1]:
                    del worker._HELD[call.args[0], at]
        return None

    there = fitted(X, before)
    same(emmf.EMMF(3, **ALONE).fit(X), there)
    assert there.lost_workers_ == ["b"]
    if why == SILENT:
        assert seen[0] == 20


@pytest.mark.parametrize("lost", [None, worker.load, worker.screen, worker.phase])
def test_weights_count_while_outliers_are_set_aside(junk, lost):
    X, weights = junk
    there = fitted(X, end_of("b", lost), outliers="set-aside", sample_weight=weights)
    assert there.n_set_aside_ == 40
    usual = np.arange(len(X)) < len(X) - 40
    alone = emmf.EMMF(3, **ALONE).fit(X, sample_weight=np.where(usual, weights, 0))
    assert np.array_equal(alone.components_, there.components_)
    assert not np.array_equal(there.components_, fitted(X, outliers="set-aside").components_)


def test_what_does_not_count_is_no_outlier(X):
    weights = (np.arange(len(X)) % 2).astype(float)
    assert fitted(X, outliers="set-aside", sample_weight=weights).n_set_aside_ < 10


def test_what_needs_all_samples_is_refused_before_they_are_read(X):
    for params in (
        {"consensus": True, "restarts": 2},
        {"graph": "custom", "layers": (6, 3)},
        {"missing": "nan"},
        {"init": "nndsvda"},
    ):
        name, value = next(iter(params.items()))
        with pytest.raises(ValueError, match=f"{name}=.*one memory") as raised:
            fitted(X, **params)
        assert repr(value) in str(raised.value)


def test_results_for_each_sample_and_copies(X):
    there, alone = fitted(X), emmf.EMMF(3, **ALONE).fit(X)
    for name in ("labels_", "residuals_", "outlier_scores_", "coefficients_"):
        assert np.array_equal(getattr(there, name), getattr(alone, name)), name
    del there.engine
    copy = pickle.loads(pickle.dumps(there))
    assert np.array_equal(copy.predict(X), alone.predict(X))
    with pytest.raises(AttributeError, match="not here"):
        _ = copy.residuals_


def test_a_lease_ends(X):
    about = worker.About("fit-with-a-lease", 0, (len(X), 0, len(X)), len(X), False, False, lease=600.0)
    worker.load(about, X, None)
    first = worker._ENDS[about.fit]
    worker.keep(about.fit, 0.1)
    assert first.finished.is_set()
    assert (about.fit, 0) in worker._HELD
    worker._ENDS[about.fit].join(60)
    assert (about.fit, 0) not in worker._HELD
    worker.keep(about.fit, 600.0)
    assert about.fit not in worker._ENDS


def test_rows_are_taken_when_they_are_sent(X):
    for given in (X, sp.csr_matrix(X)):
        source = InMemory(given)
        rows = pickle.loads(pickle.dumps(source.recipes([(0, 7), (7, 1193)])[1]))
        assert np.array_equal(rows.toarray() if source.sparse else rows, X[7:])
