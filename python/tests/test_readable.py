"""From the factors back to the units and the names of the data."""

import csv
import os
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from emmf import EMMF, NMF, load_model
from emmf._arrays import borrowed

PROGRAM = os.environ.get("EMMF")
RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(RNG.random((60, 3)) @ RNG.random((3, 8)) * 20 + 1).astype(float)

SAME_FOR_ALL = [None, "max", "tfidf", "log1p", "min-max", "shift", ["log1p", "min-max"], ["max", "tfidf"]]
OWN_FACTOR = ["unit", "l1", "counts", "clip", ["counts", "log1p"], ["log1p", "unit"], ["l1", "min-max"]]


def prepared(model, X):
    """The samples after the preprocessing: what is left of them plus what the model says."""
    return model.explain(X) + model.inverse_transform(model.transform(X))


@pytest.mark.parametrize("normalize", SAME_FOR_ALL + OWN_FACTOR, ids=str)
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_are_in_the_units_of_the_data(normalize, storage, dtype):
    X = storage(COUNTS.astype(dtype))
    if storage is sp.csr_array and "min-max" in np.atleast_1d(normalize):
        pytest.skip("min-max needs dense data where no feature is ever 0")
    model = NMF(3, normalize=normalize, random_state=0, max_iter=30).fit(X)
    like = X if normalize in OWN_FACTOR else None
    # What the preprocessing made of the samples becomes the samples again.
    values = np.ascontiguousarray(prepared(model, X), dtype=dtype)
    back = model._model.undo(values, None if like is None else given(model, like))
    close = 1e-3 if dtype == np.float32 else 1e-9
    assert np.allclose(back, COUNTS, rtol=close, atol=close)
    rebuilt = model.inverse_transform(model.coefficients_, original=True, like=like)
    assert rebuilt.dtype == dtype
    assert rebuilt.shape == X.shape
    assert np.corrcoef(rebuilt.ravel(), COUNTS.ravel())[0, 1] > 0.8
    if normalize is None:
        assert np.array_equal(rebuilt, model.inverse_transform(model.coefficients_))


def given(model, X):
    """Samples as the model takes them."""
    return borrowed(model._validated(X, [model.components_.dtype], reset=False))


@pytest.mark.parametrize("normalize", OWN_FACTOR, ids=str)
def test_a_factor_of_every_sample_needs_the_samples(normalize):
    model = EMMF(3, normalize=normalize, max_iter=5).fit(COUNTS)
    with pytest.raises(ValueError, match="give the samples that the coefficients are of with like=X"):
        model.inverse_transform(model.coefficients_, original=True)
    with pytest.raises(ValueError, match="like is only used with original=True"):
        model.inverse_transform(model.coefficients_, like=COUNTS)
    with pytest.raises(ValueError, match="60x8"):
        model.inverse_transform(model.coefficients_[:5], original=True, like=COUNTS)


def test_new_samples_and_models_from_files(tmp_path):
    model = NMF(3, normalize=["counts", "log1p"], random_state=0).fit(COUNTS[:40])
    model.save(tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors")
    V = model.transform(COUNTS[40:])
    new, other = (each.inverse_transform(V, original=True, like=COUNTS[40:]) for each in (model, again))
    assert np.array_equal(new, other)
    assert np.corrcoef(new.ravel(), COUNTS[40:].ravel())[0, 1] > 0.8


def test_main_features_are_a_table():
    table = pd.DataFrame(COUNTS, columns=[f"gene_{j}" for j in range(8)])
    model = NMF(3, random_state=0).fit(table)
    top = pd.DataFrame(model.main_features(4))
    assert list(top.columns) == ["centroid", "rank", "feature", "value", "share"]
    assert pl.DataFrame(model.main_features(4)).shape == top.shape
    shares = model.components_ / model.components_.sum(axis=0)
    for centroid, rows in top.groupby("centroid"):
        order = [int(name.removeprefix("gene_")) for name in rows["feature"]]
        assert list(rows["rank"]) == list(range(1, len(rows) + 1))
        assert len(rows) <= 4
        assert np.array_equal(rows["value"], model.components_[centroid][order])
        assert np.allclose(rows["share"], shares[centroid][order])
        assert order == list(np.argsort(-model.components_[centroid], kind="stable")[: len(order)])
    numbered = NMF(3, random_state=0).fit(COUNTS).main_features(4)
    assert numbered["feature"].dtype.kind == "i"
    with pytest.raises(ValueError, match="n_features is 0"):
        model.main_features(0)


@pytest.mark.skipif(PROGRAM is None, reason="EMMF names no program")
def test_main_features_are_those_of_the_program(tmp_path):
    pd.DataFrame(COUNTS, columns=[f"gene_{j}" for j in range(8)]).to_csv(tmp_path / "x.csv", index=False)
    subprocess.run([PROGRAM, "fit", "x.csv", "-k", "3", "--max-iter", "20", "--out", "r"], cwd=tmp_path, check=True)
    with open(tmp_path / "r" / "features.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    top = load_model(tmp_path / "r" / "model.safetensors").main_features(20)
    assert [row["feature"] for row in rows] == list(top["feature"])
    assert np.allclose([float(row["value"]) for row in rows], top["value"])
    assert np.allclose([float(row["share"]) for row in rows], top["share"])
