"""Names of features: kept in model files, and held against those of new samples."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from test_model_files import needs_program, run

import emmf
from emmf.outlier import OutlierDetector, PyODDetector


@pytest.fixture(scope="module")
def table():
    x = emmf.datasets.make_rays(2, n_features=4, n_samples=20, n_outliers=0).X
    return pd.DataFrame(x, columns=["width", "height", "ö", "x 4"])


@pytest.fixture
def loaded(table, tmp_path):
    """Give a fitted estimator, the same from its file, and the same from a pickle."""
    model = emmf.EMMF(2, max_iter=5).fit(table)
    model.save(tmp_path / "model.safetensors")
    return [model, emmf.load_model(tmp_path / "model.safetensors"), pickle.loads(pickle.dumps(model))]


def test_promise_04_names_are_in_the_file(table, loaded, tmp_path):
    for model in loaded:
        assert model.feature_names_in_.tolist() == table.columns.tolist()
        assert model.feature_names_in_.dtype == object
        # Also where the file of a loaded or unpickled estimator is written again.
        model.save(tmp_path / "again.safetensors")
        again = emmf.load_model(tmp_path / "again.safetensors")
        assert again.feature_names_in_.tolist() == table.columns.tolist()
        assert np.array_equal(again.transform(table), loaded[0].transform(table))


def test_promise_04_without_names_there_are_none(table, tmp_path):
    model = emmf.EMMF(2, max_iter=5).fit(table).fit(table.to_numpy())
    model.save(tmp_path / "model.safetensors")
    again = emmf.load_model(tmp_path / "model.safetensors")
    assert not hasattr(model, "feature_names_in_")
    assert not hasattr(again, "feature_names_in_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again.transform(table.to_numpy())


def test_promise_04_another_order_or_other_names_are_refused(table, loaded):
    turned, other = table[table.columns[::-1]], table.rename(columns={"height": "hight"})
    for model in [*loaded, *(kind(loaded[0]).fit(table).estimator_ for kind in (OutlierDetector, PyODDetector))]:
        for call in (model.transform, model.predict, model.score_samples, model.score, model.explain):
            with pytest.raises(ValueError, match="same order"):
                call(turned)
            with pytest.raises(ValueError, match=r"(?s)hight.*height"):
                call(other)
            with pytest.raises(ValueError, match="height"):
                call(table.drop(columns="height"))
        assert np.array_equal(model.transform(turned[model.feature_names_in_]), model.transform(table))
        with pytest.warns(UserWarning, match="feature names"):
            model.transform(table.to_numpy())


@needs_program
def test_promise_04_the_program_knows_our_names(table, loaded, tmp_path):
    table[table.columns[::-1]].assign(id=1.0).to_csv(tmp_path / "turned.csv", index=False)
    run("transform", tmp_path / "model.safetensors", tmp_path / "turned.csv", "--out", tmp_path / "coded.npy")
    found = np.load(tmp_path / "coded.npy")[:, :2]
    assert np.array_equal(found, loaded[0].transform(table))


@needs_program
def test_promise_04_we_know_the_names_of_the_program(table, tmp_path):
    table.to_csv(tmp_path / "x.csv", index=False)
    run("fit", tmp_path / "x.csv", "-k", 2, "--max-iter", 5, "--out", tmp_path / "out")
    model = emmf.load_model(tmp_path / "out" / "model.safetensors")
    assert model.feature_names_in_.tolist() == table.columns.tolist()
    with pytest.raises(ValueError, match="same order"):
        model.transform(table[table.columns[::-1]])
