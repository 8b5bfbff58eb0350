"""Nothing that is no array of numbers becomes one without a word."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import emmf
from emmf import EMMF, datasets, metrics
from emmf.graph import knn_graph
from emmf.outlier import OutlierDetector, PyODDetector

DAYS = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
MASKED = "masked array in which 1 of"


@pytest.fixture(scope="module")
def x():
    return datasets.make_rays(2, n_features=4, n_samples=12, n_outliers=0).X


@pytest.fixture(scope="module")
def masked(x):
    mask = np.zeros(x.shape, dtype=bool)
    mask[3, 1] = True
    return np.ma.array(x, mask=mask)


def test_promise_05_a_mask_is_refused_where_nothing_may_be_missing(Estimator, x, masked):
    model = Estimator(2, max_iter=3)
    for call in (model.fit, model.fit_transform, model.fit_predict):
        with pytest.raises(ValueError, match=MASKED):
            call(masked)
    model.fit(x)
    for call in (model.transform, model.predict, model.score_samples, model.score, model.explain):
        with pytest.raises(ValueError, match=MASKED):
            call(masked)
    with pytest.raises(ValueError, match=MASKED):
        model.fit(list(masked))
    with pytest.raises(ValueError, match=MASKED):
        model.inverse_transform(np.ma.array(np.ones((1, 2)), mask=[[True, False]]))


def test_promise_05_masked_values_are_missing_values(x, masked):
    gaps = masked.filled(np.nan)
    wanted = EMMF(2, missing="nan", max_iter=5).fit(gaps)
    for given in (masked, list(masked), np.ma.array(masked, copy=True, hard_mask=True)):
        model = EMMF(2, missing="nan", max_iter=5).fit(given)
        assert np.array_equal(model.components_, wanted.components_)
        assert np.array_equal(model.imputed_, wanted.imputed_)
        assert np.array_equal(model.transform(given), wanted.transform(gaps))
        assert np.array_equal(model.impute(given), wanted.impute(gaps))
    counts = np.ma.array(np.round(10 * x).astype(int), mask=masked.mask)
    model = EMMF(2, missing="nan", max_iter=5).fit(counts)
    assert np.array_equal(
        model.components_,
        EMMF(2, missing="nan", max_iter=5).fit(counts.astype(float).filled(np.nan)).components_,
    )
    assert EMMF(2, missing="nan", max_iter=5).fit(masked.astype(np.float32)).components_.dtype == np.float32


def test_promise_05_a_mask_that_hides_nothing_is_none(x):
    assert np.array_equal(EMMF(2, max_iter=5).fit(np.ma.array(x)).components_, EMMF(2, max_iter=5).fit(x).components_)


def test_promise_05_masks_of_everything_else(x, masked):
    weights = np.ma.array(np.ones(12), mask=np.arange(12) == 3)
    square = np.ma.array(np.ones((12, 12)), mask=np.eye(12) * (np.arange(12) == 3))
    calls = [
        lambda: EMMF(2, max_iter=3).fit(x, sample_weight=weights),
        lambda: EMMF(2, max_iter=3, graph="custom").fit(x, S=square),
        lambda: EMMF(2, max_iter=3, init="custom").fit(x, W=masked[:, :2], H=np.ones((2, 4))),
        lambda: knn_graph(masked),
        lambda: OutlierDetector(EMMF(2, max_iter=3)).fit(masked),
        lambda: OutlierDetector(EMMF(2, max_iter=3)).fit(x).predict(masked),
        lambda: PyODDetector(EMMF(2, max_iter=3)).fit(x).decision_function(masked),
        lambda: datasets.add_outliers(masked, 1),
        lambda: datasets.add_block_noise(masked, (2, 2), [0], 1),
        lambda: datasets.add_block_noise(x, (2, 2), np.ma.array([0, 1], mask=[False, True]), 1),
        lambda: metrics.accuracy(weights, np.ones(12)),
        lambda: metrics.nmi(np.ones(12), weights),
        lambda: metrics.roc_auc(np.arange(12) > 6, weights),
        lambda: metrics.precision_at(np.ma.array(np.arange(12) > 6, mask=weights.mask), np.arange(12.0), 2),
        lambda: metrics.outlier_effect(weights),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=MASKED):
            call()


NOT_NUMBERS = {
    "dates": (np.array([DAYS, DAYS], dtype="datetime64[D]"), "X holds dates"),
    "durations": (np.array([[1, 2], [3, 4]], dtype="timedelta64[s]"), "X holds durations"),
    "dates among objects": (np.array([[np.datetime64("2020-01-01"), 1.0], [2.0, 3.0]], dtype=object), "holds dates"),
    "text": (np.array([["1", "2"], ["3", "4"]]), "X holds text"),
    "bytes": (np.array([[b"1", b"2"], [b"3", b"4"]]), "X holds text"),
    "text among objects": (np.array([["1", 2.0], [3.0, 4.0]], dtype=object), "X holds text"),
    "text in lists": ([["1", "2"], ["3", "4"]], "X holds text"),
    "complex": (np.array([[1j, 2], [3, 4]]), "Complex data not supported"),
    "fields": (np.array([[(1.0,), (2.0,)]], dtype=[("a", float)]), "fields with names"),
    "pandas, dates": (pd.DataFrame({"a": [1.0, 2.0], "b": pd.to_datetime(DAYS)}), "column 'b' of X holds dates"),
    "pandas, dates alone": (pd.DataFrame({"b": pd.to_datetime(DAYS)}), "column 'b' of X holds dates"),
    "pandas, text": (
        pd.DataFrame({"a": [1.0, 2.0], "b": ["1", "2"]}),
        "column 'b' of X holds text; leave it out, make it the index",
    ),
    "pandas, categories": (pd.DataFrame({"a": pd.Categorical(["1", "2"])}), "column 'a' of X holds text"),
    "polars, dates": (pl.DataFrame({"a": [1.0, 2.0], "b": DAYS}), "column 'b' of X holds dates"),
    "polars, text": (pl.DataFrame({"a": [1.0, 2.0], "b": ["1", "2"]}), "column 'b' of X holds text"),
    "pyarrow, dates": (pa.table({"a": [1.0, 2.0], "b": DAYS}), "column 'b' of X holds dates"),
}


@pytest.mark.parametrize("kind", NOT_NUMBERS)
def test_promise_05_what_is_no_number_is_refused_by_its_name(kind):
    given, message = NOT_NUMBERS[kind]
    with pytest.raises(ValueError, match=message):
        EMMF(1, max_iter=1).fit(given)
    with pytest.raises(ValueError, match=message):
        knn_graph(given, n_neighbors=1)


UNKNOWN = {
    "None": np.array([[1.0, None], [3.0, 4.0]], dtype=object),
    "pandas Int64": pd.DataFrame({"a": pd.array([1, 3], dtype="Int64"), "b": pd.array([None, 4], dtype="Int64")}),
    "pandas boolean": pd.DataFrame({"a": [1.0, 3.0], "b": pd.array([None, True], dtype="boolean")}),
    "pandas of pyarrow": pd.DataFrame({"a": [1.0, 3.0], "b": pd.array([None, 4], dtype="int64[pyarrow]")}),
    "polars": pl.DataFrame({"a": [1.0, 3.0], "b": [None, 4]}),
    "pyarrow": pa.table({"a": [1.0, 3.0], "b": [None, 4]}),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_promise_05_values_that_are_not_there_are_refused_or_missing(kind):
    with pytest.raises(ValueError, match="NaN"):
        EMMF(1, max_iter=1).fit(UNKNOWN[kind])
    model = EMMF(1, max_iter=1, missing="nan").fit(UNKNOWN[kind])
    assert np.isfinite(model.imputed_).all()


def test_promise_05_weights_flags_and_rows_are_what_they_say(x):
    with pytest.raises(ValueError, match="sample_weight holds text"):
        EMMF(2, max_iter=3).fit(x, sample_weight=["1"] * 12)
    for outlier in (["yes", "no", "no"], [-1, 1, 1], [0.5, 0, 1], [np.nan, 0, 1]):
        with pytest.raises(ValueError, match="outlier"):
            metrics.roc_auc(outlier, [1.0, 2.0, 3.0])
    assert metrics.roc_auc([0, 0, 1], [1.0, 2.0, 3.0]) == metrics.roc_auc([False, False, True], [1, 2, 3]) == 1.0
    with pytest.raises(ValueError, match="Complex"):
        metrics.outlier_effect([1j, 2.0])
    for rows in ([0.5], [True, False], ["0"]):
        with pytest.raises(ValueError, match="rows"):
            datasets.add_block_noise(x, (2, 2), rows, 1)


def test_promise_05_arrays_that_change_while_they_are_used(x):
    s = sp.csr_array(x)

    def change(step):
        s.indices[:] = 10**6

    with pytest.raises(RuntimeError, match="the arrays changed while they were in use"):
        EMMF(2, max_iter=50, callback=change, outliers="keep").fit(s)
    assert emmf.EMMF(2, max_iter=3).fit(x).labels_.shape == (12,)
