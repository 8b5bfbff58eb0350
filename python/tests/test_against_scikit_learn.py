"""From the same start the multiplicative solver of scikit-learn takes the same way; the measures agree."""

import numpy as np
import pytest
from sklearn import metrics as theirs
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF

import emmf
from emmf import metrics

LOSSES = [(emmf.NMF, "frobenius"), (emmf.NMFDiv, "kullback-leibler")]


@pytest.mark.parametrize(("Ours", "loss"), LOSSES)
@pytest.mark.parametrize("data", ["digits", "uniform", "counts"])
def test_same_objective_from_the_same_start(Ours, loss, data, rng):
    makers = {
        "digits": lambda: load_digits().data[:600],
        "uniform": lambda: rng.random((80, 33)),
        "counts": lambda: rng.poisson(1.5, (120, 40)).astype(float),
    }
    x = makers[data]()
    W, H = rng.random((len(x), 7)) + 0.1, rng.random((7, x.shape[1])) + 0.1
    ours = Ours(7, init="custom", max_iter=50, exponent=1.0).fit(x, W=W, H=H)
    for iterations in (1, 50):
        # It moves its first factor first, we move U: so it gets the transpose.
        model = NMF(7, init="custom", solver="mu", beta_loss=loss, tol=0, max_iter=iterations)
        model.fit_transform(np.ascontiguousarray(x.T), W=H.T.copy(), H=np.ascontiguousarray(W.T))
        wanted = model.reconstruction_err_**2 / (1 if loss == "frobenius" else 2)
        assert abs(ours.objective_history_[iterations - 1] - wanted) <= 1e-8 * wanted


def test_frobenius_reconstruction_error_has_the_same_meaning(rng):
    x = rng.random((60, 20))
    ours = emmf.NMF(5, solver="hals", max_iter=500).fit(x)
    best = NMF(5, init="nndsvda", tol=1e-8, max_iter=2000).fit(x)
    assert ours.reconstruction_err_ == pytest.approx(best.reconstruction_err_, rel=0.02)


@pytest.mark.parametrize("seed", range(20))
def test_agreement_of_random_labels(seed):
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(0, rng.integers(1, 12), 200) for _ in range(2))
    assert metrics.ari(a, b) == pytest.approx(theirs.adjusted_rand_score(a, b), abs=1e-12)
    for average in ("geometric", "arithmetic", "max", "min"):
        wanted = theirs.normalized_mutual_info_score(a, b, average_method=average)
        assert metrics.nmi(a, b, average_method=average) == pytest.approx(wanted, abs=1e-12)
    table = theirs.cluster.contingency_matrix(a, b)
    assert metrics.purity(a, b) == pytest.approx(table.max(axis=0).sum() / 200)
    from scipy.optimize import linear_sum_assignment

    assert metrics.accuracy(a, b) == pytest.approx(table[linear_sum_assignment(-table)].sum() / 200)
    names = np.array(list("abcdefghijkl"))
    assert metrics.accuracy(names[a], names[b]) == metrics.accuracy(a, b)


@pytest.mark.parametrize("seed", range(5))
def test_rankings(seed):
    rng = np.random.default_rng(seed)
    outlier, scores = rng.random(100) < 0.2, rng.integers(0, 30, 100) / 10
    assert metrics.roc_auc(outlier, scores) == pytest.approx(theirs.roc_auc_score(outlier, scores))
    assert metrics.precision_at(outlier, scores + outlier * 10, outlier.sum()) == 1.0


def test_measures_refuse_nonsense():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        metrics.accuracy([0, 1], [0])
    with pytest.raises(ValueError, match="average_method is 'mean'"):
        metrics.nmi([0, 1], [0, 1], average_method="mean")
    with pytest.raises(ValueError, match="at least one of each"):
        metrics.roc_auc([True, True], [1.0, 2.0])
    with pytest.raises(ValueError, match="no outlier effect for 'huber-nmf'"):
        metrics.outlier_effect([1.0], method="huber-nmf")


def test_outlier_effect():
    residuals = np.array([1.0, 1.0, 1.0, 9.0])
    effect = {name: metrics.outlier_effect(residuals, method=name)[3] for name in ("nmf", "l21-nmf", "emmf")}
    assert effect["nmf"] == pytest.approx(81 / 84)
    assert effect["nmf"] > effect["l21-nmf"] > effect["emmf"]
