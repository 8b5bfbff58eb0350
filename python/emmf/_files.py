"""Models in files, the same as the program ``emmf`` writes and reads."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path

from . import _emmf
from ._base import MatrixFactorization
from ._estimators import ESTIMATORS


def load_model(path: str | PathLike[str]) -> MatrixFactorization:
    """Read the model of ``emmf fit --out`` or of the ``save`` of an estimator.

    Parameters
    ----------
    path : str or path-like
        The folder of a fit, or the file in it, usually ``model.safetensors``.

    Returns
    -------
    estimator : MatrixFactorization
        The estimator of the model's method, with its parameters and, if the file has them, the names of the
        features, ready for new samples. What is only known about the training samples (``labels_``, ``residuals_``, …)
        is not in the file, nor are ``n_jobs`` and ``device``.

    Examples
    --------
    >>> import os, tempfile
    >>> import emmf
    >>> X = emmf.datasets.make_rays(random_state=0).X
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> emmf.EMMF(3, max_iter=20).fit(X).save(path)
    >>> model = emmf.load_model(path)
    >>> model.n_components, model.transform(X).shape
    (3, (160, 3))
    """
    path = Path(path)
    model = _emmf.Model.load(path / "model.safetensors" if path.is_dir() else path)
    return ESTIMATORS[json.loads(model.spec)["method"]]._of_model(model)
