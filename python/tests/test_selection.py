"""Features that vary most."""

import os
import subprocess

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from emmf import EMMF, TopFeatures

PROGRAM = os.environ.get("EMMF")
RNG = np.random.default_rng(0)
# Noise, but for ten features in which two groups differ.
TELLING = np.sort(RNG.choice(200, 10, replace=False))
RATES = np.full((80, 200), 5.0)
RATES[:40, TELLING[:5]] = RATES[40:, TELLING[5:]] = 40
COUNTS = RNG.poisson(RATES).astype(float)


@parametrize_with_checks([TopFeatures(2)])
def test_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_features_that_tell_are_found(storage, dtype):
    X = storage(COUNTS.astype(dtype))
    selector = TopFeatures(10).fit(X)
    assert np.array_equal(selector.features_, TELLING)
    kept = selector.transform(X)
    assert kept.dtype == dtype
    assert np.array_equal(kept.toarray() if sp.issparse(kept) else kept, COUNTS[:, TELLING])
    assert TopFeatures(500).fit_transform(X).shape == X.shape


def test_names_stay_with_the_features():
    table = pd.DataFrame(COUNTS, columns=[f"gene_{j}" for j in range(200)])
    model = make_pipeline(TopFeatures(10).set_output(transform="pandas"), EMMF(2, max_iter=20)).fit(table)
    assert list(model[-1].feature_names_in_) == [f"gene_{j}" for j in TELLING]
    assert set(model[-1].main_features()["feature"]) <= {f"gene_{j}" for j in TELLING}
    cells = anndata.AnnData(sp.csr_matrix(COUNTS))
    assert cells[:, TopFeatures(10).fit(cells).get_support()].shape == (80, 10)
    with pytest.raises(ValueError, match="n_features is 0"):
        TopFeatures(0).fit(COUNTS)


@pytest.mark.skipif(PROGRAM is None, reason="EMMF names no program")
def test_the_program_keeps_the_same(tmp_path):
    table = pd.DataFrame(COUNTS, columns=[f"gene_{j}" for j in range(200)])
    table.to_csv(tmp_path / "x.csv", index=False)
    words = ["fit", "x.csv", "-k", "2", "--max-iter", "5", "--top-features", "10", "--out", "r"]
    subprocess.run([PROGRAM, *words], cwd=tmp_path, check=True)
    centroids = pd.read_csv(tmp_path / "r" / "centroids.csv")
    assert list(centroids["feature"]) == list(TopFeatures(10).fit(table).get_feature_names_out())
