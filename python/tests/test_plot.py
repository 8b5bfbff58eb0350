"""Pictures: they are drawn, and show what they say."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import emmf
from emmf import plot


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    X = emmf.datasets.make_rays(n_outliers=6).X
    return X, emmf.EMMF(3, init="trimmed", max_iter=60).fit(X), emmf.NMF(3, max_iter=40).fit(X)


def test_convergence(fitted):
    _, model, other = fitted
    line = plot.convergence(model).get_lines()[0]
    assert np.array_equal(line.get_ydata(), model.objective_history_)
    ax = plot.convergence(model, other)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["EMMF", "NMF"]
    assert all(line.get_ydata()[0] == 1 for line in ax.get_lines())


def test_residuals(fitted):
    _, model, _ = fitted
    ax = plot.residuals(model)
    assert sum(bar.get_height() for bars in ax.containers for bar in bars) >= len(model.residuals_)
    assert f"outliers ({model.outliers_.sum()})" in [text.get_text() for text in ax.get_legend().get_texts()]
    cut = ax.get_lines()[0].get_xdata()[0]
    assert np.array_equal(model.outlier_scores_ > cut, model.outliers_)


def test_centroids(fitted):
    _, model, _ = fitted
    axes = plot.centroids(model, (4, 5), columns=2)
    assert len(axes) == 3
    assert np.array_equal(axes[1].images[0].get_array(), model.components_[1].reshape(4, 5))
    turned = plot.centroids(model, (4, 5), column_major=True)[0].images[0].get_array()
    assert np.array_equal(turned, model.components_[0].reshape(5, 4).T)


def test_embedding(fitted):
    X, model, _ = fitted
    ax = plot.embedding(model, X)
    normal, outliers = ax.collections
    assert len(outliers.get_offsets()) == model.outliers_.sum()
    assert len(normal.get_offsets()) + len(outliers.get_offsets()) == len(X)
    plot.embedding(emmf.EMMF(1, max_iter=5).fit(X), X, labels=["a"] * len(X))


def test_lambda_curve_and_given_axes():
    ax = plt.subplots()[1]
    assert plot.lambda_curve([1, 10], [0.3, 0.5], ax=ax) is ax
    assert ax.get_xscale() == "log"
