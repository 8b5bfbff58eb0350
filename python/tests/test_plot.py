"""Pictures: they are drawn, and show what they say."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA

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


def test_bars_of_centroids(fitted):
    _, model, _ = fitted
    axes = plot.centroids(model, features=4, names=[f"word {at}" for at in range(20)])
    for ax, component in zip(axes, model.components_, strict=True):
        widths = [bar.get_width() for bar in ax.patches]
        assert np.array_equal(widths, np.sort(component)[::-1][:4])
        assert ax.get_yticklabels()[0].get_text() == f"word {component.argmax()}"
        # The largest is on top.
        assert ax.get_ylim()[0] > ax.get_ylim()[1]
    with pytest.raises(ValueError, match="names has 2 entries for 20 features"):
        plot.centroids(model, names=["a", "b"])
    with pytest.raises(ValueError, match=r"image_shape is \(3, 3\), but centroids have 20 features"):
        plot.centroids(model, (3, 3))


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_embedding(fitted):
    X, model, _ = fitted
    ax = plot.embedding(model, X)
    *clusters, outliers = ax.collections
    assert len(outliers.get_offsets()) == model.outliers_.sum()
    good = model.labels_[~model.outliers_]
    assert [len(each.get_offsets()) for each in clusters] == list(np.bincount(good))
    named = [f"cluster {at} ({count})" for at, count in enumerate(np.bincount(good))]
    assert legend(ax) == [*named, f"outliers ({model.outliers_.sum()})"]
    assert ax.get_xlabel().startswith("first component (")
    assert ax.get_xlabel().endswith(" % of the variance)")
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2"]
    ax = plot.embedding(emmf.EMMF(1, max_iter=5).fit(X), X, labels=["a"] * len(X))
    assert not ax.texts
    assert legend(ax)[0].startswith("a (")


def drawn_points(ax):
    return np.vstack([each.get_offsets() for each in ax.collections])


@pytest.mark.parametrize("kind", [np.float32, np.float64, csr_array])
def test_samples_lie_along_their_own_principal_components(kind):
    X = emmf.datasets.load_shapes(n_samples=60, n_outliers=4).data
    X = X.astype(kind) if kind is not csr_array else kind(X)
    model = emmf.GraphEMMF(5).fit(X)
    ax = plot.embedding(model)
    dense = X.toarray() if kind is csr_array else X
    unit = dense / np.linalg.norm(dense, axis=1, keepdims=True)
    wanted = PCA(2).fit_transform(unit)
    found = drawn_points(ax)
    # A direction and its opposite are the same, and points come cluster by cluster.
    apart = [cdist(found, wanted * sign) for sign in itertools.product([1, -1], repeat=2)]
    assert min(max(each.min(axis=0).max(), each.min(axis=1).max()) for each in apart) < 0.01 * np.ptp(wanted)
    # Along a graph the coefficients of a cluster are nearly the same: they are drawn only where the samples are gone.
    del X, dense
    ax = plot.embedding(model)
    assert ax.get_xlabel().startswith("first component of the coefficients (")
    assert len(drawn_points(ax)) == len(found)


def test_missing_values_have_no_components():
    X = emmf.datasets.make_rays().X
    X[0, 0] = np.nan
    model = emmf.EMMF(3, missing="nan", max_iter=5).fit(X)
    assert plot.embedding(model).get_xlabel().startswith("first component of the coefficients (")


def test_training_samples_are_drawn_as_the_fit_saw_them(fitted):
    X, model, _ = fitted
    for given in (None, X):
        drawn = plot.embedding(model, given).collections[-1].get_offsets()
        assert len(drawn) == model.outliers_.sum()
    # Copies are new samples, whose coefficients are coded.
    assert plot.embedding(model, X.copy()).get_title() == plot.embedding(model).get_title()
    with pytest.raises(ValueError, match="labels has 3 entries"):
        plot.embedding(model, labels=[1, 2, 3])


def test_a_model_from_a_file_needs_samples(fitted, tmp_path):
    X, model, _ = fitted
    model.save(tmp_path / "model.safetensors")
    read = emmf.load_model(tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match="it comes from a file; give X"):
        plot.embedding(read)
    assert plot.embedding(read, X).get_title().startswith(f"{len(X)} samples, ")


@pytest.mark.parametrize("count", [3, 10, 11, 20, 21, 40])
def test_no_two_clusters_have_one_colour(count, fitted):
    X, model, _ = fitted
    ax = plot.embedding(model, X, labels=np.arange(len(X)) % count)
    colours = {tuple(each.get_facecolor()[0]) for each in ax.collections if len(each.get_offsets())}
    assert len(colours) == len([each for each in ax.collections if len(each.get_offsets())])
    assert (ax.get_legend() is None) == (count > 20)


def test_lambda_curve_and_given_axes():
    ax = plt.subplots()[1]
    assert plot.lambda_curve([1, 10], [0.3, 0.5], ax=ax) is ax
    assert ax.get_xscale() == "log"
