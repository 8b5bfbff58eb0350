"""Made-up data."""

import os
import subprocess

import numpy as np
import pytest

from emmf import datasets

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
