"""The program and the package mark the same outliers; crates/emmf-cli compares the program with the library."""

import csv
import os
import subprocess

import numpy as np
import pytest

import emmf
from emmf.outlier import OutlierDetector, PyODDetector

EMMF = os.environ["EMMF"]


@pytest.fixture(scope="module")
def samples():
    """Rays, outliers, and two long samples that the centroids describe well: these are set aside with low scores."""
    X = emmf.datasets.make_rays(3, n_samples=120, n_features=12, n_outliers=2, random_state=1).X
    return np.vstack([X, [X[:120].mean(axis=0) * 8] * 2])


@pytest.mark.parametrize("share", [None, 0.05, 0.3])
def test_program_and_package_mark_the_same(samples, share, tmp_path):
    np.save(tmp_path / "x.npy", samples)
    option = [] if share is None else ["--contamination", str(share)]
    line = [EMMF, "fit", "x.npy", "-k", "3", "--method", "emmf", "--max-iter", "60", "--out", "result", *option]
    subprocess.run(line, cwd=tmp_path, check=True, capture_output=True)
    with open(tmp_path / "result" / "samples.csv") as file:
        marked = np.array([row["outlier"] == "yes" for row in csv.DictReader(file)])
    model = emmf.EMMF(3, max_iter=60)
    contamination = "auto" if share is None else share
    pyod = PyODDetector(model, contamination=contamination).fit(samples)
    aside = pyod.estimator_.set_aside_
    assert set(aside) >= {122, 123}
    assert (pyod.decision_scores_[122:] > 3.5).all()
    assert np.array_equal(pyod.labels_, marked)
    found = OutlierDetector(model, contamination=contamination).fit_predict(samples)
    assert np.array_equal(found == -1, marked)
    if share is None:
        assert np.array_equal(model.fit(samples).outliers_, marked)
    else:
        # Those set aside come on top of the share, where their scores are low.
        above = pyod.decision_scores_ > pyod.threshold_
        # Samples with the score of the cut are not above it.
        assert 0 <= round(share * len(samples)) - above.sum() <= (pyod.decision_scores_ == pyod.threshold_).sum()
        assert np.array_equal(marked, above | np.isin(np.arange(len(samples)), aside))
