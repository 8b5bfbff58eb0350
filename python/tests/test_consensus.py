"""What restarts agree on."""

import pickle

import numpy as np
import pytest

import emmf


@pytest.fixture(scope="module")
def X():
    return emmf.datasets.make_rays(n_outliers=6).X


def test_a_consensus_says_how_stable_components_are(X):
    model = emmf.EMMF(3, restarts=5, consensus=True, init="random", max_iter=60).fit(X)
    found = model.consensus_
    assert found["stability"].shape == (3,)
    assert found["distances"].shape == found["weights"].shape == (5,)
    assert found["weights"].sum() == pytest.approx(1)
    assert set(found["set_aside"]) == set(np.flatnonzero(found["weights"] == 0))
    assert set(found["unstable"]) == set(np.flatnonzero(found["stability"] < 0.9))
    assert np.array_equal(model.transform(X), model.coefficients_)


def test_only_a_consensus_has_one(X):
    model = emmf.EMMF(3, restarts=3, consensus=True, max_iter=5).fit(X)
    model.set_params(consensus=False).fit(X)
    assert not hasattr(model, "consensus_")


def test_a_consensus_is_kept_and_shown(X, tmp_path):
    model = emmf.EMMF(3, restarts=3, consensus=True, init="random", max_iter=20).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.consensus_["stability"], model.consensus_["stability"])
    again.report(tmp_path / "page.html", X)
    assert '"consensus":{"stability"' in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_what_has_no_consensus_is_refused(X):
    with pytest.raises(ValueError, match=r"restarts is 1.*at least 2 with consensus"):
        emmf.EMMF(3, consensus=True).fit(X)
    with pytest.raises(ValueError, match=r"consensus.*graph"):
        emmf.GraphEMMF(3, restarts=2, consensus=True).fit(X)
