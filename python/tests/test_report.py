"""The page of a fit, and what a notebook shows of it."""

import copy
import json
import pickle
import re

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

import emmf
from emmf import EMMF, NMF, DeepEMMF, GraphEMMF, datasets


@pytest.fixture(scope="module")
def shapes():
    return datasets.load_shapes(n_samples=60, n_outliers=4)


def test_page(shapes, tmp_path):
    model = GraphEMMF(5).fit(shapes.data)
    names = [*shapes.target_names, "outlier"]
    truth = [names[label] for label in shapes.target]
    about = {"image_shape": shapes.image_shape, "title": "Five <shapes>"}
    model.report(tmp_path / "page.html", shapes.data, truth, **about)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n") or page.rstrip().endswith("</html>")
    assert "Five &lt;shapes&gt;" in page
    assert "g-emmf" in page
    assert 'src="http' not in page
    # Also after a detour.
    pickle.loads(pickle.dumps(model)).report(tmp_path / "again.html", shapes.data, truth, **about)
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("kind", [np.float32, csr_array])
def test_several_fits_of_any_storage(shapes, tmp_path, kind):
    X = shapes.data.astype(kind) if kind is np.float32 else kind(shapes.data)
    models = [NMF(5).fit(X), EMMF(5, max_iter=20).fit(X)]
    emmf.report(models, tmp_path / "both.html", X, names=[f"image {at}" for at in range(64)])
    page = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "NMF(5), EMMF(5)" in page
    assert "image 63" in page


def test_page_of_layers(shapes, tmp_path):
    model = DeepEMMF(layers=(9, 3), max_iter=20).fit(shapes.data)
    model = pickle.loads(pickle.dumps(model))
    model.report(tmp_path / "page.html", shapes.data, image_shape=shapes.image_shape)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    run = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', text, re.DOTALL)[1])["runs"][0]
    assert run["tree"]["layers"] == 2
    assert sum(node["size"] for node in run["tree"]["nodes"] if node["layer"] == 2) == len(shapes.data)
    # Clusters are the nodes of the last layer, and so are the centroids beside them.
    assert [centroid["cluster"] for centroid in run["sketch"]["centroids"]] == [0, 1, 2]
    assert run["sketch"]["centroids"] == run["sketch"]["layers"][1]
    assert len(run["sketch"]["layers"][0]) == 9


def test_a_fit_leaves_nothing_of_the_one_before(shapes, tmp_path):
    model = DeepEMMF(5, layers=(9, 3), max_iter=5).fit(shapes.data)
    assert model.tree_["layers"] == 2
    model.set_params(layers=None).fit(shapes.data)
    for name in ("tree_", "newick_", "linkage_", "layer_labels_", "layer_components_", "layer_shares_"):
        assert not hasattr(model, name)
    learned = EMMF(5, max_iter=5).fit(shapes.data)
    for _ in range(2):
        learned.partial_fit(shapes.data)
        with pytest.raises(ValueError, match="knows nothing about its training samples"):
            learned.report(tmp_path / "page.html", shapes.data)
    for layers in ("auto", (9, 3)):
        with pytest.raises(ValueError, match="partial_fit learns one layer"):
            DeepEMMF(layers=layers).partial_fit(shapes.data)


def test_what_makes_no_page(shapes, tmp_path):
    path = tmp_path / "page.html"
    model = EMMF(5, max_iter=5).fit(shapes.data)
    with pytest.raises(ValueError, match="not fitted yet"):
        EMMF(5).report(path, shapes.data)
    with pytest.raises(ValueError, match="models is empty"):
        emmf.report([], path, shapes.data)
    with pytest.raises(ValueError, match="X is 63x256, but must be 64x256"):
        model.report(path, shapes.data[1:])
    with pytest.raises(ValueError, match="y has 3 entries for 64 samples"):
        model.report(path, shapes.data, [1, 2, 3])
    with pytest.raises(ValueError, match="256 features"):
        model.report(path, shapes.data, image_shape=(8, 8))
    with pytest.raises(FileNotFoundError):
        model.report(tmp_path / "nowhere" / "page.html", shapes.data)
    model.save(tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match="knows nothing about its training samples"):
        emmf.load_model(tmp_path / "model.safetensors").report(path, shapes.data)
    assert not path.exists()


def test_a_page_of_samples_that_are_still_there(shapes, tmp_path):
    model = EMMF(5, max_iter=5).fit(shapes.data)
    model.report(tmp_path / "page.html")
    model.report(tmp_path / "again.html", shapes.data)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == (tmp_path / "again.html").read_text(encoding="utf-8")
    emmf.report([model, NMF(5, max_iter=5).fit(shapes.data)], tmp_path / "both.html")
    frame = pytest.importorskip("pandas").DataFrame(shapes.data)
    EMMF(5, max_iter=5).fit(frame).report(tmp_path / "frame.html")


def test_samples_that_are_gone_are_asked_for(shapes, tmp_path):
    path = tmp_path / "page.html"
    X = shapes.data.copy()
    model = EMMF(5, max_iter=5).fit(X)
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    other = EMMF(5, max_iter=5).fit(shapes.data)
    with pytest.raises(ValueError, match="not fitted to the same object"):
        emmf.report([model, other], path)
    del X
    listed = EMMF(5, max_iter=5).fit(shapes.data.tolist())
    for each in (model, *copies, listed):
        with pytest.raises(ValueError, match=r"not in memory any more.* give them again: report\(\.\.\., X\)"):
            each.report(path)
    other.partial_fit(shapes.data)
    with pytest.raises(ValueError, match="knows nothing about its training samples"):
        other.report(path)
    assert not path.exists()


def test_notebook(shapes):
    model = EMMF(5, max_iter=5)
    assert "samples are outliers" not in model._repr_mimebundle_()["text/html"]
    model.fit(shapes.data)
    html = model._repr_mimebundle_()["text/html"]
    assert model._repr_html_().count("<tbody>") == html.count("<tbody>")
    sizes = [int(size) for size in re.findall(r"<td>\d</td><td>(\d+)</td>", html)]
    assert sizes == list(np.bincount(model.labels_, minlength=5))
    assert f"{model.outliers_.sum()} of 64 samples are outliers" in html
    assert "samples are outliers" not in clone(model)._repr_mimebundle_()["text/html"]


def test_names_in_a_notebook(shapes):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(shapes.data[:, :40], columns=[f"<b>{at}" for at in range(40)])
    html = EMMF(2, max_iter=3).fit(frame + 0.01)._repr_mimebundle_()["text/html"]
    assert "&lt;b&gt;" in html.split("top features")[1]
    assert "<b>" not in html.split("top features")[1]


def shown_clusters(model):
    """Give the clusters of the table in a notebook, with their top features."""
    html = model._repr_mimebundle_()["text/html"].split("<th>cluster</th>")[1]
    return re.findall(r"<tr><td>(\d+)</td>.*?left'>([^<]*)</td></tr>", html)


def test_clusters_that_are_no_centroids_in_a_notebook(shapes):
    model = DeepEMMF(layers=(9, 3), max_iter=5).fit(shapes.data)
    rows = shown_clusters(model)
    assert [int(cluster) for cluster, _ in rows] == [0, 1, 2]
    for cluster, top in rows:
        assert top.startswith(f"x{model.layer_components_[1][int(cluster)].argmax()}")
    model = EMMF(5, n_clusters=3, label_rule="kmeans", max_iter=5).fit(shapes.data)
    assert shown_clusters(model) == [("0", ""), ("1", ""), ("2", "")]
