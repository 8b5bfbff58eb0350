"""scikit-learn's own checks of its conventions, on every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import emmf
from emmf.outlier import OutlierDetector, PyODDetector

# Enough iterations to see everything, few enough that rounding does not grow into a difference. Where the checks give
# negative numbers to clusterers and detectors, "shift" makes them nonnegative.
QUICK = {"max_iter": 15, "init": "nndsvd", "normalize": "shift"}


def every_estimator():
    yield from (estimator(2, **QUICK) for estimator in emmf.ESTIMATORS.values())
    yield from (detector(emmf.EMMF(1, **QUICK)) for detector in (OutlierDetector, PyODDetector))
    # As they come, but for the clusters of negative numbers.
    yield from (emmf.EMMF(2, max_iter=15), emmf.NMF(2, max_iter=15, missing="nan"))


@parametrize_with_checks(list(every_estimator()))
def test_conventions(estimator, check):
    check(estimator)
