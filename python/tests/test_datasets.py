"""Made-up data."""

import csv
import os
import subprocess

import numpy as np
import pytest

from emmf import GraphEMMF, datasets, metrics

EMMF = os.environ.get("EMMF")


def test_rays():
    X, labels, outlier = datasets.make_rays(4, n_features=9, n_samples=40, n_outliers=3, random_state=5)
    assert X.shape == (43, 9)
    assert list(np.bincount(labels)) == [10, 10, 10, 10, 3]
    assert np.array_equal(outlier, labels == 4)
    assert np.array_equal(X, datasets.make_rays(4, n_features=9, n_samples=40, n_outliers=3, random_state=5).X)
    with pytest.raises(ValueError, match="classes is 0"):
        datasets.make_rays(0)


@pytest.mark.skipif(EMMF is None, reason="the variable EMMF does not name the program")
def test_the_same_as_of_the_program(tmp_path):
    shape = ["--samples", "150", "--features", "20", "--noise", "0.02", "--outliers", "0"]
    subprocess.run([EMMF, "synth", "rays", "-k", "3", "--seed", "7", *shape, "--out", tmp_path / "x.npz"], check=True)
    with np.load(tmp_path / "x.npz") as made:
        ours = datasets.make_rays(3, random_state=7, n_outliers=0)
        x = next(made[name] for name in made.files if made[name].ndim == 2)
        assert np.array_equal(x[: len(ours.X)], ours.X)


@pytest.mark.parametrize("kind", ["shapes", "cells", "spectra"])
def test_examples_have_a_truth_that_a_fit_finds(kind):
    made = getattr(datasets, f"load_{kind}")(random_state=3)
    assert made.data.shape == (315, len(made.get("feature_names", range(256))))
    classes = len(made.target_names)
    assert np.array_equal(made.outlier, made.target == classes)
    model = GraphEMMF(classes, normalize=["counts", "log1p"] if kind == "cells" else None).fit(made.data)
    good = ~made.outlier
    assert metrics.accuracy(made.target[good], model.labels_[good]) > 0.99
    assert metrics.roc_auc(made.outlier, model.outlier_scores_) > 0.99


@pytest.mark.skipif(EMMF is None, reason="the variable EMMF does not name the program")
@pytest.mark.parametrize("kind", ["shapes", "cells", "spectra", "texts"])
def test_examples_are_those_of_the_program(kind, tmp_path):
    amount = ["--samples", "40", "--outliers", "6", "--seed", "7"]
    subprocess.run([EMMF, "synth", kind, *amount, "--out", tmp_path / "x.csv"], check=True)
    with open(tmp_path / "x.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    made = getattr(datasets, f"load_{kind}")(n_samples=40, n_outliers=6, random_state=7)
    names = [*made.target_names, "outlier"]
    assert [row[-1] for row in rows] == [names[label] for label in made.target]
    if kind == "texts":
        assert [row[0] for row in rows] == made.data
    else:
        assert np.array_equal(np.array([row[:-1] for row in rows], dtype=float), made.data)
        assert header[:-1] == made.get("feature_names", header[:-1])
    with pytest.raises(ValueError, match="samples is 1"):
        getattr(datasets, f"load_{kind}")(n_samples=1)


def test_toy():
    assert datasets.make_toy().outlier.sum() == 3
    clean = datasets.make_toy(outliers=False).X
    assert np.allclose(clean[:, 1], clean[:, 0] / 2)


def test_outliers_and_block_noise(rng):
    X = rng.random((10, 12))
    more = datasets.add_outliers(X, 4, random_state=1)
    assert np.array_equal(more[:10], X)
    assert more[10:].max() > 5 * X.max()
    for column_major in (False, True):
        noisy = datasets.add_block_noise(X, (3, 4), [2, 7], 2, column_major=column_major)
        assert set(np.flatnonzero((noisy != X).any(axis=1))) == {2, 7}
        image = (noisy != X)[2].reshape((3, 4), order="F" if column_major else "C")
        assert image.sum() == 4
        assert np.ptp(np.argwhere(image), axis=0).tolist() == [1, 1]
    with pytest.raises(ValueError, match="less than the number of samples"):
        datasets.add_block_noise(X, (3, 4), [-1], 2)
    with pytest.raises(ValueError, match="block is 9"):
        datasets.add_block_noise(X, (3, 4), [1], 9)
