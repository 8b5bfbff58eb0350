"""Robust nonnegative matrix factorization: centroids, clusters and outlier scores from one fit.

One estimator for each method, with scikit-learn's conventions; :mod:`emmf.outlier` has detectors in the dialects
of scikit-learn and PyOD, :mod:`emmf.metrics`, :mod:`emmf.datasets` and :mod:`emmf.plot` what belongs around them.
"""

from importlib import import_module as _import_module

from . import datasets, graph, metrics, outlier
from ._base import MatrixFactorization
from ._choice import Choice, choose_k
from ._emmf import VERSION as _VERSION
from ._estimators import ESTIMATORS
from ._files import load_model
from ._progress import Step
from ._report import report
from ._selection import TopFeatures

__version__ = _VERSION
__all__ = [
    "Choice",
    "MatrixFactorization",
    "Step",
    "TopFeatures",
    "choose_k",
    "datasets",
    "graph",
    "load_model",
    "metrics",
    "outlier",
    "report",
]

for _estimator in ESTIMATORS.values():
    globals()[_estimator.__name__] = _estimator
    __all__.append(_estimator.__name__)

# What those who know the paper look for.
GEMMF = ESTIMATORS["g-emmf"]
__all__ += ["GEMMF"]


def __dir__() -> list[str]:
    return sorted({*globals(), "plot"})


def __getattr__(name: str) -> object:
    # Only when it is asked for: it needs matplotlib, which nothing else does.
    if name == "plot":
        return _import_module("emmf.plot")
    raise AttributeError(f"module 'emmf' has no attribute {name!r}")
