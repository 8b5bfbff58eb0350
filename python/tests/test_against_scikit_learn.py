"""From the same start the multiplicative solver of scikit-learn takes the same way; the measures agree."""

import numpy as np
import pytest
from sklearn import metrics as theirs
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF

import emmf
from emmf import metrics

LOSSES = [
    (emmf.NMF, {}, "frobenius"),
    (emmf.NMFDiv, {}, "kullback-leibler"),
    (emmf.BetaNMF, {"beta": 0.5}, 0.5),
    (emmf.BetaNMF, {"beta": 1.5}, 1.5),
    (emmf.BetaNMF, {"beta": 3.0}, 3.0),
]


@pytest.mark.parametrize(("Ours", "options", "loss"), LOSSES)
@pytest.mark.parametrize("data", ["digits", "uniform", "counts"])
def test_same_objective_from_the_same_start(Ours, options, loss, data, rng):
    makers = {
        "digits": lambda: load_digits().data[:600],
        "uniform": lambda: rng.random((80, 33)),
        "counts": lambda: rng.poisson(1.5, (120, 40)).astype(float),
    }
    # Below 1e-7 scikit-learn takes approximations for 1e-7, which counts where an entry is 0 and beta is small.
    x = makers[data]() + (0.1 if options else 0.0)
    W, H = rng.random((len(x), 7)) + 0.1, rng.random((7, x.shape[1])) + 0.1
    ours = Ours(7, init="custom", max_iter=50, exponent=1.0, **options).fit(x, W=W, H=H)
    for iterations in (1, 50):
        # It moves its first factor first, we move U: so it gets the transpose.
        model = NMF(7, init="custom", solver="mu", beta_loss=loss, tol=0, max_iter=iterations)
        model.fit_transform(np.ascontiguousarray(x.T), W=H.T.copy(), H=np.ascontiguousarray(W.T))
        wanted = model.reconstruction_err_**2 / (1 if loss == "frobenius" else 2)
        assert abs(ours.objective_history_[iterations - 1] - wanted) <= 1e-8 * wanted


def test_itakura_saito_from_the_same_start(rng):
    x, W, H = rng.random((60, 25)) + 0.01, rng.random((60, 4)) + 0.1, rng.random((4, 25)) + 0.1
    ours = emmf.BetaNMF(4, beta=0.0, init="custom", max_iter=30).fit(x, W=W, H=H)
    model = NMF(4, init="custom", solver="mu", beta_loss="itakura-saito", tol=0, max_iter=30)
    model.fit_transform(np.ascontiguousarray(x.T), W=H.T.copy(), H=np.ascontiguousarray(W.T))
    wanted = model.reconstruction_err_**2 / 2
    assert abs(ours.objective_history_[-1] - wanted) <= 1e-8 * wanted


def objective(x, W, H, alpha_W=0.0, alpha_H=0.0, l1_ratio=0.0):
    """What scikit-learn says that its NMF minimises."""
    part = lambda a: l1_ratio * a.sum() + 0.5 * (1 - l1_ratio) * (a**2).sum()  # noqa: E731
    n, d = x.shape
    return 0.5 * ((x - W @ H) ** 2).sum() + alpha_W * d * part(W) + alpha_H * n * part(H)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
def test_penalties_are_those_of_scikit_learn(l1_ratio, rng):
    x = rng.random((80, 33))
    W, H = rng.random((80, 5)) + 0.1, rng.random((5, 33)) + 0.1
    penalties = {"alpha_W": 0.02, "alpha_H": 0.01, "l1_ratio": l1_ratio}
    ours = emmf.NMF(5, solver="mu", init="custom", max_iter=20, polish=False, **penalties).fit(x, W=W, H=H)
    assert ours.objective_ == pytest.approx(2 * objective(x, ours.coefficients_, ours.components_, **penalties))
    # From the same start the same way; it moves its first factor first, so it gets the transpose.
    model = NMF(5, init="custom", solver="mu", tol=0, max_iter=20, alpha_W=0.01, alpha_H=0.02, l1_ratio=l1_ratio)
    U = model.fit_transform(np.ascontiguousarray(x.T), W=H.T.copy(), H=np.ascontiguousarray(W.T))
    wanted = objective(x, model.components_.T, U.T, **penalties)
    assert ours.objective_ == pytest.approx(2 * wanted, rel=1e-8)
    # Both end as low by coordinate descent.
    descended = emmf.NMF(5, tol=1e-9, max_iter=3000, **penalties).fit(x)
    best = NMF(5, init="nndsvda", tol=1e-9, max_iter=3000, **penalties)
    theirs = objective(x, best.fit_transform(x), best.components_, **penalties)
    assert descended.objective_ / 2 <= 1.01 * theirs
    np.testing.assert_allclose(descended.transform(x), descended.coefficients_)


def test_penalties_of_the_divergence(rng):
    x = rng.poisson(1.5, (70, 30)).astype(float)
    W, H = rng.random((70, 4)) + 0.1, rng.random((4, 30)) + 0.1
    penalties = {"l1_ratio": 1.0, "init": "custom", "max_iter": 30}
    ours = emmf.NMFDiv(4, alpha_W=0.02, alpha_H=0.01, polish=False, **penalties).fit(x, W=W, H=H)
    model = NMF(4, solver="mu", beta_loss="kullback-leibler", tol=0, alpha_W=0.01, alpha_H=0.02, **penalties)
    U = model.fit_transform(np.ascontiguousarray(x.T), W=H.T.copy(), H=np.ascontiguousarray(W.T))
    wanted = model.reconstruction_err_**2 / 2 + 0.02 * 30 * model.components_.sum() + 0.01 * 70 * U.sum()
    assert ours.objective_ == pytest.approx(wanted, rel=1e-8)


def test_starts_of_scikit_learn(rng):
    x = rng.random((50, 20))
    fit = lambda init, seed=0: emmf.NMF(4, init=init, random_state=seed, max_iter=3).fit(x)  # noqa: E731
    np.testing.assert_array_equal(fit("nndsvda").components_, fit("nndsvd").components_)
    filled = fit("nndsvdar").components_
    assert not np.array_equal(filled, fit("nndsvd").components_)
    assert not np.array_equal(filled, fit("nndsvdar", 1).components_)


def test_as_many_components_as_features(rng):
    x = rng.random((30, 6))
    assert emmf.NMF(None, max_iter=2).fit(x).n_components_ == NMF(None, max_iter=2).fit(x).n_components_ == 6
    assert emmf.NMF(None).partial_fit(x).components_.shape == (6, 6)
    with pytest.raises(ValueError, match="n_samples=5 should be >= n_components=6"):
        emmf.NMF(None).fit(x[:5])


def test_beta_loss_is_found(rng):
    with pytest.raises(TypeError, match="BetaNMF"):
        emmf.NMF(3, beta_loss="itakura-saito")


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


def test_coordinate_descent_by_either_name():
    X = np.random.default_rng(0).random((30, 8))
    one, other = (emmf.EMMF(3, solver=solver, max_iter=10).fit(X) for solver in ("cd", "hals"))
    np.testing.assert_array_equal(one.components_, other.components_)
    assert one.get_params()["solver"] == "cd"
