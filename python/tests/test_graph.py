"""Graphs over the samples, and the methods that follow them."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import kneighbors_graph

import emmf
from emmf import GraphEMMF
from emmf.graph import knn_graph

FOLLOWING = [each for each in emmf.ESTIMATORS.values() if each._entry["graph"] in ("optional", "needed")]


def test_nearest_neighbours_are_those_of_scikit_learn(rng):
    X = rng.random((120, 9))
    theirs = kneighbors_graph(X, 4).toarray()
    ours = knn_graph(X, 4)
    assert isinstance(ours, sp.csr_array)
    assert np.array_equal(ours.toarray(), np.maximum(theirs, theirs.T))
    assert np.array_equal(knn_graph(sp.csr_matrix(X), 4).toarray(), ours.toarray())
    heat, cosine = (knn_graph(X, 4, graph_weights=name).toarray() for name in ("heat", "cosine"))
    for weights in (heat, cosine, knn_graph(X, 4, adaptive=True).toarray()):
        assert np.array_equal(weights, weights.T)
        assert 0 <= weights.min() < weights.max() <= 1
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert np.allclose(cosine[ours.toarray() > 0], (unit @ unit.T)[ours.toarray() > 0])
    assert np.array_equal(knn_graph(X, 4, normalize="unit").toarray(), knn_graph(unit, 4).toarray())


@pytest.mark.parametrize("Estimator", FOLLOWING, ids=lambda each: each.__name__)
def test_the_graph_of_the_caller_is_the_same(Estimator, X):
    made = Estimator(3, graph="knn", n_neighbors=4, max_iter=8).fit(X)
    given = Estimator(3, graph="custom", max_iter=8)
    for S in (knn_graph(X, 4), knn_graph(X, 4).toarray(), knn_graph(X, 4).tocoo()):
        assert np.array_equal(given.fit(X, S=S).components_, made.components_)
    with pytest.raises(ValueError, match=r'graph="custom" needs S'):
        given.fit(X)
    with pytest.raises(ValueError, match=r'only used with graph="custom"'):
        Estimator(3, graph="knn").fit(X, S=knn_graph(X))
    with pytest.raises(ValueError, match="symmetric"):
        given.fit(X, S=np.triu(np.ones((len(X), len(X))), 1))
    with pytest.raises(ValueError, match="the given graph is 5x5"):
        given.fit(X, S=np.ones((5, 5)))


def test_clusters_follow_the_graph():
    X, labels, _ = emmf.datasets.make_rays(3, n_outliers=0, noise=0.3)
    model = GraphEMMF(3, normalize="unit", n_neighbors=8, random_state=1).fit(X)
    assert emmf.metrics.accuracy(labels, model.labels_) > 0.95
    weak, strong = (GraphEMMF(3, lam=lam, max_iter=50).fit(X) for lam in (1e-6, 1e4))
    assert not np.allclose(weak.coefficients_, strong.coefficients_)
    history = GraphEMMF(3, monotone=True, max_iter=50).fit(X).objective_history_
    assert (np.diff(history) <= 1e-9 * np.abs(history[:-1])).all()


def test_sample_weights_count_in_the_loss_only(X, rng):
    weight = rng.integers(1, 4, len(X)).astype(float)
    model = GraphEMMF(3, graph="knn", init="kmeans", outliers="keep", lam=10.0, max_iter=20, polish=False)
    r = model.fit(X, sample_weight=weight).residuals_
    loss = -(weight * r * np.log(r / (weight @ r))).sum()
    assert model.extras_["loss"] == pytest.approx(loss)
    assert model.objective_ == pytest.approx(loss + 10 * model.extras_["graph_misfit"])
    S = knn_graph(X).toarray()
    S /= np.sqrt(np.outer(S.sum(axis=0), S.sum(axis=0)))
    V = model.coefficients_
    assert model.extras_["graph_misfit"] == pytest.approx(((S - V @ V.T) ** 2).sum())
    once = model.fit(X, sample_weight=np.ones(len(X))).components_
    assert np.array_equal(once, model.fit(X).components_)


def test_a_graph_beside_another_loss(X):
    plain = emmf.L21NMF(3, max_iter=20).fit(X)
    following = emmf.L21NMF(3, max_iter=20, graph="knn", lam=10.0).fit(X)
    assert not np.allclose(plain.components_, following.components_)
    with pytest.raises(ValueError, match=r"lam|params"):
        emmf.L21NMF(3, lam=10.0).fit(X)
    with pytest.raises(ValueError, match="graph"):
        emmf.EMMF(3, graph="knn", missing="nan").fit(X)


def test_files_keep_the_graph(X, tmp_path):
    model = GraphEMMF(3, graph="knn", graph_weights="heat", n_neighbors=7, lam=2.0, monotone=True, max_iter=5).fit(X)
    model.save(tmp_path / "model.safetensors")
    again = emmf.load_model(tmp_path / "model.safetensors")
    same = {"graph": "knn", "graph_weights": "heat", "n_neighbors": 7, "lam": 2.0, "monotone": True}
    assert same.items() <= again.get_params().items()
    assert json.loads(model._model.spec)["method"] == "g-emmf"
    assert np.array_equal(again.transform(X), model.transform(X))
