"""Learning batch by batch."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import emmf
from emmf import EMMF, NMF
from emmf.datasets import make_rays


def clean(n=600, seed=0):
    X, labels, _ = make_rays(n_samples=n, n_outliers=0, noise=0.1, random_state=seed)
    order = np.random.default_rng(seed).permutation(n)
    return X[order], labels[order]


def learned(estimator, X, size=100, epochs=1):
    for _ in range(epochs):
        for at in range(0, X.shape[0], size):
            estimator.partial_fit(X[at : at + size])
    return estimator


def test_batches_learn():
    X, labels = clean()
    model = learned(EMMF(3), X)
    assert model.n_samples_seen_ == 600
    assert emmf.metrics.accuracy(labels, model.predict(X)) > 0.95
    assert model.labels_.shape == model.residuals_.shape == model.outliers_.shape == (100,)
    assert model.drift_ < 0.1


def test_same_batches_same_bits():
    X, _ = clean()
    one, other = (learned(EMMF(3, half_life=200, n_jobs=jobs), X) for jobs in (1, 2))
    assert np.array_equal(one.components_, other.components_)


@pytest.mark.parametrize("estimator", [EMMF(3, outliers="keep"), NMF(3, outliers="keep", init="kmeans")])
def test_epochs_come_to_the_fit_of_all(estimator):
    X, _ = clean()
    whole = clone(estimator).set_params(solver="hals", max_iter=300).fit(X)
    batches = learned(clone(estimator), X, epochs=5)
    assert -batches.score(X) < -1.01 * whole.score(X)


def test_junk_has_no_part():
    X, _ = clean()
    model = learned(EMMF(3), X)
    before = model.components_.copy()
    junk = np.zeros((50, X.shape[1]))
    junk[np.arange(50), np.arange(50) % X.shape[1]] = 60
    model.partial_fit(junk)
    assert model.drift_ == 1
    assert model.outliers_.all()
    assert np.array_equal(model.components_, before)
    assert model.n_samples_seen_ == 650


def test_pickle_and_file_go_on(tmp_path):
    X, _ = clean()
    model = learned(EMMF(3, half_life=300), X[:300])
    model.save(tmp_path / "model.safetensors")
    loaded = emmf.load_model(tmp_path / "model.safetensors")
    copied = pickle.loads(pickle.dumps(model))
    assert loaded.half_life == 300
    for each in (model, loaded, copied):
        learned(each, X[300:])
    assert np.array_equal(model.components_, loaded.components_)
    assert np.array_equal(model.components_, copied.components_)
    assert loaded.n_samples_seen_ == 600


def test_sparse_and_single_precision():
    X, _ = clean()
    dense, sparse = learned(EMMF(3), X), learned(EMMF(3), sp.csr_array(X))
    assert np.allclose(dense.components_, sparse.components_, rtol=1e-6, atol=1e-9)
    assert learned(EMMF(3), X.astype(np.float32)).components_.dtype == np.float32


def test_weights_and_mistakes():
    X, _ = clean(200)
    model = EMMF(3).partial_fit(X, sample_weight=np.ones(200))
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :4])
    with pytest.raises(ValueError, match="half_life"):
        EMMF(3, half_life=-1).partial_fit(X)
    anew = EMMF(3).fit(X[:100]).partial_fit(X)
    assert np.array_equal(anew.components_, EMMF(3).partial_fit(X).components_)
    assert anew.n_samples_seen_ == 200
    assert not hasattr(emmf.GraphEMMF(3), "partial_fit")
    assert not hasattr(EMMF(3, graph="knn"), "partial_fit")
    assert not hasattr(EMMF(3, missing="nan"), "partial_fit")
