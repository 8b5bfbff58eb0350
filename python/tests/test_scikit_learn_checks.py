"""scikit-learn's own checks of its conventions, on every estimator."""

import inspect

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import emmf
from emmf.outlier import OutlierDetector, PyODDetector

# A start that is the same for weighted and repeated samples, and so few iterations, all of which are made, that
# rounding does not grow into a difference. Where the checks give negative numbers to clusterers and detectors, "shift"
# makes them nonnegative.
QUICK = {"max_iter": 3, "init": "nndsvd", "tol": 0}
ANY_SIGN = {**QUICK, "normalize": ["shift", "max"]}


# As published the one does not find the blobs; the other finds them late.
OTHERS = {"RMNMF": {"stable": True, "lam": 1.0, "max_iter": 15}, "NMFDiv": {"max_iter": 60}}


def quick(estimator):
    if estimator._entry["graph"] in ("needed", "learned"):
        return estimator(3, **{**ANY_SIGN, "init": "kmeans", **OTHERS.get(estimator.__name__, {})})
    # Three centroids in the plane of the blobs would leave one of their clusters empty.
    return estimator(2, **{**ANY_SIGN, "max_iter": 15, **OTHERS.get(estimator.__name__, {})})


def every_estimator():
    yield from map(quick, emmf.ESTIMATORS.values())
    # There must be outliers, also where there are none.
    yield from (detector(emmf.EMMF(1, **ANY_SIGN), contamination=0.1) for detector in (OutlierDetector, PyODDetector))
    yield from (emmf.EMMF(3, **QUICK), emmf.NMF(3, **QUICK, missing="nan"))


def expected_to_fail(estimator):
    """What scikit-learn's own NMF could not do either, and weights beside a graph."""
    if get_tags(estimator).input_tags.positive_only:
        return {"check_clustering": "it gives negative numbers"}
    if isinstance(estimator, emmf.GraphEMMF):
        checks = [f"check_sample_weight_equivalence_on_{storage}_data" for storage in ("dense", "sparse")]
        return dict.fromkeys(checks, "the graph counts each sample once")
    return {}


@parametrize_with_checks(list(every_estimator()), expected_failed_checks=expected_to_fail)
def test_conventions(estimator, check):
    check(estimator)


# What docs/from-sklearn.md lists: negative numbers, and k-means starts that depend on the order of the samples.
NEGATIVE = {"check_clustering"}
WEIGHTS = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}


@pytest.mark.parametrize("estimator", emmf.ESTIMATORS.values(), ids=emmf.ESTIMATORS)
def test_conventions_with_default_parameters(estimator):
    found = check_estimator(estimator(), on_fail=None, on_skip=None)
    failed = {each["check_name"]: repr(each["exception"]) for each in found if each["status"] == "failed"}
    counts_weights = "sample_weight" in inspect.signature(estimator.fit).parameters
    assert set(failed) <= NEGATIVE | (WEIGHTS if counts_weights else set()), failed
    assert set(failed) >= NEGATIVE
    assert "Negative values in data" in failed["check_clustering"]
