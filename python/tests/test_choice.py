"""The number of clusters, or of centroids, that is chosen."""

import numpy as np
import pytest
import scipy.sparse as sp

import emmf
from emmf import choose_k
from emmf.datasets import make_rays


@pytest.fixture(scope="module")
def rays():
    return make_rays(4, n_outliers=6, random_state=2)


@pytest.mark.filterwarnings("ignore:NMF made all 5 iterations")
@pytest.mark.parametrize("Estimator", emmf.ESTIMATORS.values(), ids=lambda each: each.__name__)
def test_every_estimator_chooses(Estimator, rays):
    model = Estimator("auto", max_iter=5).fit(rays.X[:240])
    assert model.n_components_ == model.choice_.k == len(model.components_)
    assert model.n_components == "auto"


def test_estimator_and_function_agree(rays):
    choice = choose_k(rays.X)
    model = emmf.EMMF("auto").fit(rays.X)
    assert model.choice_.k == choice.k == 4
    assert str(model.choice_) == str(choice) == choice.sentence
    assert emmf.metrics.accuracy(rays.labels[~rays.outlier], model.labels_[~rays.outlier]) > 0.95
    assert choice.low <= choice.k <= choice.high
    assert choice.ks.shape == choice.curve.shape == choice.spread.shape
    assert choose_k(sp.csr_array(rays.X), n_jobs=1).k == 4
    assert choose_k(rays.X.astype(np.float32)).k == 4


def test_clusters_by_the_graph_are_the_start():
    along = np.linspace(0, 1, 60)[None, :, None]
    first = (np.arange(12) * 7 % 30)[:, None, None]
    at = np.arange(30)[None, None, :]
    X = np.exp(-((at - first - 14 * along) ** 2) / 6) + 0.6 * np.exp(-((at - 29 + first - 5 * along) ** 2) / 6)
    X = X.reshape(720, 30) + 0.02 * ((np.arange(720)[:, None] * 31 + np.arange(30) * 17) % 13)
    choice = choose_k(X)
    assert "by the graph" in str(choice)
    assert choice.low <= choice.k <= choice.high
    assert len(choice.clusters) == 720
    assert set(choice.clusters) == set(range(choice.k))
    auto = emmf.GraphEMMF("auto", max_iter=1).fit(X)
    assert emmf.metrics.nmi(choice.clusters, auto.labels_) > 0.9
    named = emmf.GraphEMMF("auto", init="graph", max_iter=1).fit(X)
    assert named.n_components_ == choice.k


def test_a_rank(rng):
    X = np.maximum(rng.random((90, 3)) - 0.3, 0) @ np.maximum(rng.random((3, 25)) - 0.5, 0)
    choice = choose_k(X + 0.01 * rng.random(X.shape), what="rank", among=(1, 10))
    assert choice.k == 3
    assert "smallest rank" in str(choice)


def test_what_cannot_be_chosen_is_refused(rays):
    with pytest.raises(ValueError, match='what is \'ranks\', but must be "clusters" or "rank"'):
        choose_k(rays.X, what="ranks")
    with pytest.raises(ValueError, match="the smaller one first"):
        choose_k(rays.X, among=(9, 2))
    with pytest.raises(ValueError, match="3 samples are too few"):
        choose_k(rays.X[:3])
    with pytest.raises(ValueError, match="n_components is to be chosen"):
        emmf.EMMF("auto").fit(rays.X[:3])
    with pytest.raises(ValueError, match="'n_components' parameter of EMMF"):
        emmf.EMMF("automatic").fit(rays.X)
