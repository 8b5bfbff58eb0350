"""What a type checker is to understand of the package."""

import numpy as np
import numpy.typing as npt

import emmf
from emmf import EMMF, Step, datasets, load_model, metrics, plot
from emmf.outlier import OutlierDetector, PyODDetector

data = datasets.make_rays(3, n_outliers=5, random_state=0)


def stop(step: Step) -> bool:
    return step.objective < 1e-3


model: EMMF = EMMF(3, init="trimmed", tol=1e-4, callback=stop, random_state=1).fit(data.X)
V: npt.NDArray[np.floating] = model.transform(data.X)
labels: npt.NDArray[np.int64] = model.labels_
iterations: int = model.n_iter_
score: float = metrics.nmi(data.labels, labels, average_method="max")
scores: npt.NDArray[np.float64] = model.outlier_scores_
capped = emmf.CappedNMF(3, quantile=0.9, solver="hals").fit(data.X, sample_weight=np.ones(len(data.X)))
model.save("model.safetensors")
again: emmf.MatrixFactorization = load_model("model.safetensors")
found = OutlierDetector(model, contamination=0.1).fit_predict(data.X)
proba = PyODDetector(capped).fit(data.X).predict_proba(data.X)
plot.residuals(model, threshold=3.0)
