"""The detectors in both dialects."""

import numpy as np
import pytest
from sklearn.base import is_outlier_detector

import emmf
from emmf import EMMF, metrics
from emmf.outlier import OutlierDetector, PyODDetector

X, _, OUTLIER = emmf.datasets.make_rays(3, n_samples=150, n_outliers=15, random_state=2)


def test_the_dialect_of_scikit_learn():
    detector = OutlierDetector(EMMF(3, init="trimmed"))
    assert is_outlier_detector(detector)
    found = detector.fit_predict(X)
    assert set(found) == {-1, 1}
    assert (found[OUTLIER] == -1).all()
    assert np.allclose(detector.decision_function(X), detector.score_samples(X) - detector.offset_)
    assert metrics.roc_auc(OUTLIER, -detector.score_samples(X)) == 1.0
    assert np.array_equal(detector.predict(X), found)
    assert detector.explain(X).shape == X.shape


def test_how_sure_a_prediction_is():
    detector = PyODDetector(EMMF(3, init="trimmed")).fit(X)
    found, confidence = detector.predict(X, return_confidence=True)
    assert np.array_equal(found, detector.predict(X))
    assert np.array_equal(confidence, detector.predict_confidence(X))
    assert ((confidence >= 0) & (confidence <= 1)).all()
    order = np.argsort(detector.decision_scores_)
    chance = np.where(found == 1, confidence, 1 - confidence)[order]
    assert (np.diff(chance) >= 0).all()
    assert chance[0] < 0.01 < 0.5 < chance[-1]
    careful, bold = (detector.predict_with_rejection(X, T) for T in (32, 1))
    assert set(careful) <= {-2, 0, 1}
    assert (careful == -2).sum() > (bold == -2).sum() > 0
    for kept in (careful, bold):
        assert np.array_equal(kept[kept != -2], found[kept != -2])
    with pytest.raises(ValueError, match="T is 0, but must be above 0"):
        detector.predict_with_rejection(X, 0)


def test_the_dialect_of_pyod():
    detector = PyODDetector(EMMF(3, init="trimmed")).fit(X)
    assert detector.labels_[OUTLIER].all()
    assert set(detector.labels_) == {0, 1}
    assert detector.threshold_ == 3.5
    assert np.array_equal(detector.labels_, detector.decision_scores_ > detector.threshold_)
    assert np.allclose(detector.decision_function(X), detector.decision_scores_, atol=1e-6)
    assert np.array_equal(detector.predict(X), detector.labels_)
    assert np.array_equal(detector.fit_predict(X), detector.labels_)
    for method in ("linear", "unify"):
        proba = detector.predict_proba(X, method=method)
        assert proba.shape == (len(X), 2)
        assert np.allclose(proba.sum(axis=1), 1)
        assert proba.min() >= 0
        assert proba[OUTLIER, 1].mean() > proba[~OUTLIER, 1].mean()
    with pytest.raises(ValueError, match="'linear' or 'unify'"):
        detector.predict_proba(X, method="quadratic")


@pytest.mark.parametrize("share", [0.05, 15 / 165, 0.3])
def test_contamination(share):
    count = round(share * len(X))
    kept = EMMF(3, outliers="keep")
    assert PyODDetector(kept, contamination=share).fit(X).labels_.sum() == count
    assert (OutlierDetector(kept, contamination=share).fit_predict(X) == -1).sum() == count
    # Those set aside, here the 15 worst, are outliers whatever the share.
    assert PyODDetector(EMMF(3), contamination=share).fit(X).labels_.sum() == max(count, 15)
    assert (OutlierDetector(EMMF(3), contamination=share).fit_predict(X) == -1).sum() == max(count, 15)
    with pytest.raises(ValueError, match="contamination"):
        PyODDetector(contamination=0.7).fit(X)


def test_data_of_any_sign_by_default(rng):
    # A plane with a few points far off it.
    plane = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 12))
    plane[:6] += 8 * rng.normal(size=(6, 12))
    scores = PyODDetector().fit(plane).decision_scores_
    assert metrics.roc_auc(np.arange(200) < 6, scores) > 0.9


def test_explain_names_the_feature(rng):
    x = emmf.datasets.make_rays(3, n_outliers=0).X
    x[7, 11] += 3
    assert np.abs(EMMF(3, init="trimmed").fit(x).explain(x)[7]).argmax() == 11
    model = EMMF(3, init="trimmed", normalize="unit").fit(x)
    assert np.allclose(np.linalg.norm(model.explain(x), axis=1), model.residuals_, atol=1e-6)
    assert np.abs(model.explain(x)[7]).argmax() == 11


def test_other_estimators_and_weights():
    detector = OutlierDetector(emmf.L21NMF(3, init="trimmed"))
    assert (detector.fit(X, sample_weight=np.ones(len(X))).predict(X)[OUTLIER] == -1).all()
    with pytest.raises(ValueError, match="estimator"):
        OutlierDetector("emmf").fit(X)


def test_parts_add_up_to_the_scores(rng):
    x = rng.random((120, 30))
    x[7] *= 40
    model = EMMF(3, max_iter=40).fit(x)
    found = model.outlier_parts(x)
    assert found.z.shape == found.parts.shape == (120, len(found.reasons))
    assert np.allclose(found.parts.sum(axis=1), model.outlier_scores_)
    assert found.reasons[found.parts[7].argmax()] == model.outlier_reasons_[7] == "length"
    assert np.allclose(PyODDetector(model).fit(x).outlier_parts(x).parts, found.parts)
    gaps = x.copy()
    gaps[3, 2] = np.nan
    alone = EMMF(3, max_iter=20, missing="nan").fit(gaps)
    found = alone.outlier_parts(gaps)
    assert np.isnan(found.z[:, 1:]).all()
    assert np.allclose(found.parts.sum(axis=1), alone.outlier_scores_)
