"""Layers: the tree, and samples on every layer."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import dendrogram, fcluster, is_valid_linkage
from sklearn.base import clone

import emmf
from emmf import plot


@pytest.fixture(scope="module")
def X():
    return emmf.datasets.make_rays(n_outliers=6).X


@pytest.fixture(scope="module")
def model(X):
    return emmf.DeepEMMF(layers=(6, 3), max_iter=60).fit(X)


def test_one_layer_is_emmf(X):
    flat, deep = emmf.EMMF(3, max_iter=30).fit(X), emmf.DeepEMMF(3, max_iter=30).fit(X)
    assert np.array_equal(flat.components_, deep.components_)
    assert np.array_equal(flat.labels_, deep.labels_)
    assert not hasattr(deep, "tree_")


def test_the_tree_goes_together(model, X):
    nodes = {(node["layer"], node["node"]): node for node in model.tree_["nodes"]}
    assert sum(node["share"] for (layer, _), node in nodes.items() if layer == 2) == pytest.approx(1)
    for (layer, number), node in nodes.items():
        assert np.array_equal(node["members"], np.flatnonzero(model.layer_labels_[layer - 1] == number))
        if layer == 2:
            children = sorted(member for child in node["children"] for member in nodes[1, child]["members"])
            assert children == node["members"]
    assert model.newick_.startswith("(")
    assert model.newick_.endswith(";")
    assert np.array_equal(model.layer_labels_[-1], model.labels_)
    assert model.layer_components_[1].shape == (3, X.shape[1])
    assert np.allclose(model.layer_shares_[0].sum(1), 1)
    assert ((model.layer_certainty_[0] >= 0) & (model.layer_certainty_[0] <= 1)).all()


def test_the_linkage_is_one_of_scipy(model):
    leaves = sum(node["layer"] == 1 for node in model.tree_["nodes"])
    assert is_valid_linkage(model.linkage_)
    assert len(dendrogram(model.linkage_, no_plot=True)["leaves"]) == leaves
    roots = sum(node["layer"] == 2 for node in model.tree_["nodes"])
    assert fcluster(model.linkage_, 1.5, "distance").max() == roots


def test_new_samples_on_every_layer(model, X, tmp_path):
    first, second = model.transform_layers(X)
    assert np.array_equal(first, model.transform(X))
    assert np.allclose(second, first @ model.layer_shares_[0])
    assert np.array_equal(model.predict(X), model.predict(X, layer=2))
    assert model.predict(X, layer=1).max() < 6
    with pytest.raises(ValueError, match="layer is 3, but must be from 1 to 2"):
        model.predict(X, layer=3)
    model.save(tmp_path / "deep.safetensors")
    again = emmf.load_model(tmp_path / "deep.safetensors")
    assert again.layers == (6, 3)
    assert np.array_equal(again.predict(X, layer=1), model.predict(X, layer=1))
    assert np.array_equal(again.transform_layers(X)[1], second)


def test_layers_of_other_losses_and_without_a_merge(X):
    for Estimator in (emmf.L21NMF, emmf.EMMF):
        model = Estimator(layers=[5, 2], merge=False, max_iter=10).fit(X)
        assert (np.diff(model.objective_history_) <= 1e-9).all()
        assert (model.layer_shares_[0] > 0).any(axis=1).all()


def test_widths_are_chosen_and_checked(X):
    chosen = clone(emmf.DeepEMMF(layers="auto", max_iter=5)).fit(X)
    widths = [len(components) for components in chosen.layer_components_]
    assert widths == sorted(widths, reverse=True)
    for wrong in ((), (3, 0), (2.5, 1)):
        with pytest.raises(ValueError, match="layers is"):
            emmf.DeepEMMF(layers=wrong).fit(X)
    with pytest.raises(ValueError, match="5 is not below 3"):
        emmf.DeepEMMF(layers=(3, 5)).fit(X)


def test_the_tree_is_drawn(model):
    ax = plot.tree(model)
    assert len(ax.get_xticks()) == sum(node["layer"] == 1 for node in model.tree_["nodes"])
