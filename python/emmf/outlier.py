"""Outlier detectors built on the estimators, with the conventions of scikit-learn and of PyOD.

Both score a sample by the sum of the two largest of a few robust scores: for its residual, its distance to other
samples, the part of it that their leading directions do not explain, and the rarity of its values.
The cut is 3.5 by default, unless ``contamination`` is given. Training samples that the fit set aside are outliers
whatever their scores; for new samples only the score is known.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import erf
from scipy.stats import binom
from sklearn.base import BaseEstimator, OutlierMixin, _fit_context, clone
from sklearn.utils import Bunch, ClassifierTags, get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from . import _emmf
from ._base import THRESHOLD, MatrixFactorization
from ._estimators import ESTIMATORS

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["OutlierDetector", "PyODDetector"]


class _Detector(BaseEstimator):
    """What the two dialects have in common."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [MatrixFactorization, None],
        "contamination": [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="right")],
    }

    def __init__(self, estimator: Any = None, *, contamination: Any = "auto") -> None:
        self.estimator = estimator
        self.contamination = contamination

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._chosen()).input_tags
        return tags

    def _chosen(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        # Outliers must not get centroids, and detectors are given numbers of any sign.
        return ESTIMATORS["emmf"](3, init="trimmed", normalize="shift")

    def _fit(self, X: Any, fit_params: dict[str, Any]) -> Any:
        """Fit, find the cut and tell which of the training samples are outliers."""
        self.estimator_ = clone(self._chosen()).fit(X, **fit_params)
        self.n_features_in_ = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        scores, aside = self.estimator_.outlier_scores_, self.estimator_.set_aside_
        is_auto = self.contamination == "auto"
        self._cut = THRESHOLD if is_auto else _emmf.threshold_for(scores, self.contamination)
        return _emmf.outliers(scores, aside, self._cut)

    def explain(self, X: Any) -> Any:
        """Show how far each feature of a sample is from the fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        residuals : ndarray of shape (n_samples, n_features)
            See ``explain`` of the estimators.
        """
        check_is_fitted(self)
        return self.estimator_.explain(X)

    def outlier_parts(self, X: Any) -> Bunch:
        """Show what every reason says of samples as outliers, and the part of the score that it makes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        found : Bunch
            See ``outlier_parts`` of the estimators.
        """
        check_is_fitted(self)
        return self.estimator_.outlier_parts(X)


class OutlierDetector(OutlierMixin, _Detector):
    """Outlier detection as in scikit-learn: lower scores are worse, ``predict`` gives -1 for outliers, otherwise 1.

    Parameters
    ----------
    estimator : MatrixFactorization or None, default=None
        An estimator of this package; None means ``EMMF(3, init="trimmed", normalize="shift")``.
    contamination : "auto" or float, default="auto"
        Share of the training samples whose scores make them outliers; "auto" cuts at a score of 3.5. Samples
        that the fit set aside are outliers in any case.

    Attributes
    ----------
    estimator_ : MatrixFactorization
        The fitted estimator.
    offset_ : float
        ``decision_function`` is ``score_samples`` minus this.
    outliers_ : ndarray of shape (n_samples,)
        Whether each training sample is an outlier: its score is beyond the cut, or it was set aside.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from emmf import EMMF
    >>> from emmf.datasets import make_rays
    >>> from emmf.outlier import OutlierDetector
    >>> X, labels, outlier = make_rays(n_outliers=5)
    >>> found = OutlierDetector(EMMF(3, init="trimmed")).fit_predict(X)
    >>> bool((found[outlier] == -1).all())
    True
    """

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Fit the estimator and find the cut.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : Ignored
            Not used.
        **fit_params : dict
            As for ``fit`` of the estimators.

        Returns
        -------
        self : object
            The fitted detector.
        """
        self.outliers_ = self._fit(X, fit_params)
        self.offset_ = -self._cut
        return self

    def score_samples(self, X: Any) -> Any:
        """Return the scores: the lower, the worse.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Minus the outlier scores.
        """
        check_is_fitted(self)
        return self.estimator_.score_samples(X)

    def decision_function(self, X: Any) -> Any:
        """Return the scores with the cut at 0: outliers are negative.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        decision : ndarray of shape (n_samples,)
            ``score_samples(X) - offset_``.
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Any:
        """Tell outliers from the others, by their scores alone.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        found : ndarray of shape (n_samples,)
            -1 for outliers, 1 for the others.
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit and tell the outliers among the training samples from the others.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : Ignored
            Not used.
        **fit_params : dict
            As for ``fit`` of the estimators.

        Returns
        -------
        found : ndarray of shape (n_samples,)
            -1 for outliers, 1 for the others: ``outliers_``.
        """
        return np.where(self.fit(X, y, **fit_params).outliers_, -1, 1)


class PyODDetector(_Detector):
    """Outlier detection as in PyOD: higher scores are worse, labels are 1 for outliers, otherwise 0.

    Parameters
    ----------
    estimator : MatrixFactorization or None, default=None
        An estimator of this package; None means ``EMMF(3, init="trimmed", normalize="shift")``.
    contamination : "auto" or float, default="auto"
        Share of the training samples whose scores make them outliers; "auto" cuts at a score of 3.5. Samples
        that the fit set aside are outliers in any case.

    Attributes
    ----------
    estimator_ : MatrixFactorization
        The fitted estimator.
    decision_scores_ : ndarray of shape (n_samples,)
        Scores of the training samples.
    threshold_ : float
        Scores above it are outliers.
    labels_ : ndarray of shape (n_samples,)
        1 for the outliers among the training samples, including those set aside, 0 for the others.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from emmf import EMMF
    >>> from emmf.datasets import make_rays
    >>> from emmf.outlier import PyODDetector
    >>> X, labels, outlier = make_rays(n_outliers=5)
    >>> detector = PyODDetector(EMMF(3, init="trimmed"), contamination=5 / 155).fit(X)
    >>> detector.labels_.nonzero()[0].tolist()
    [150, 151, 152, 153, 154]
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # ``predict_proba`` knows two classes.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Fit the estimator and find the cut.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : Ignored
            Not used.
        **fit_params : dict
            As for ``fit`` of the estimators.

        Returns
        -------
        self : object
            The fitted detector.
        """
        self.labels_ = self._fit(X, fit_params).astype(int)
        self.decision_scores_ = self.estimator_.outlier_scores_
        self.threshold_ = self._cut
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the scores: the higher, the worse.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The outlier scores.
        """
        check_is_fitted(self)
        return -self.estimator_.score_samples(X)

    def predict(self, X: Any, return_confidence: bool = False) -> Any:
        """Tell outliers from the others, by their scores alone.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        return_confidence : bool, default=False
            Whether to return ``predict_confidence`` as well.

        Returns
        -------
        found : ndarray of shape (n_samples,)
            1 for outliers, 0 for the others.
        confidence : ndarray of shape (n_samples,)
            With ``return_confidence``.
        """
        found, confidence = self._predict(X)
        return (found, confidence) if return_confidence else found

    def predict_confidence(self, X: Any) -> Any:
        """Return the chance that other training samples of the same kind would lead to the same prediction.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        confidence : ndarray of shape (n_samples,)
            In [0, 1] (Perini, Vercruyssen and Davis, ECML PKDD 2020).
        """
        return self._predict(X)[1]

    def predict_with_rejection(self, X: Any, T: float = 32) -> Any:
        """Tell outliers from the others, and reject predictions that could just as well be the opposite.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        T : float, default=32
            A prediction is kept if its confidence, rescaled from [1/2, 1] to [0, 1], is above 1 - 2 exp(-T): the higher
            T, the more are rejected.

        Returns
        -------
        found : ndarray of shape (n_samples,)
            1 for outliers, 0 for the others, -2 where the prediction is rejected (Perini and Davis, NeurIPS 2023).
        """
        if not T > 0:
            raise ValueError(f"T is {T!r}, but must be above 0.")
        found, confidence = self._predict(X)
        found[np.abs(2 * confidence - 1) <= 1 - 2 * np.exp(-T)] = -2
        return found

    def _predict(self, X: Any) -> Any:
        """Predictions, and how sure they are."""
        scores, known = self.decision_function(X), np.sort(self.decision_scores_)
        found = (scores > self.threshold_).astype(int)
        # The share of samples that score lower, as Laplace estimates it, and the chance that so few are above.
        lower = (1 + np.searchsorted(known, scores, side="right")) / (2 + len(known))
        is_outlier = binom.sf(len(known) - int(self.labels_.sum()), len(known), lower)
        return found, np.where(found == 1, is_outlier, 1 - is_outlier)

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit and return ``labels_``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : Ignored
            Not used.
        **fit_params : dict
            As for ``fit`` of the estimators.

        Returns
        -------
        found : ndarray of shape (n_samples,)
            1 for outliers, 0 for the others.
        """
        return self.fit(X, y, **fit_params).labels_

    def predict_proba(self, X: Any, method: str = "linear") -> Any:
        """Return the scores as something like probabilities.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        method : {"linear", "unify"}, default="linear"
            The range of the training scores mapped to [0, 1], or the normal distribution with their mean and spread
            (Kriegel et al., SDM 2011).

        Returns
        -------
        proba : ndarray of shape (n_samples, 2)
            Of being normal, of being an outlier.
        """
        if method not in ("linear", "unify"):
            raise ValueError(f"method is {method!r}, but must be 'linear' or 'unify'.")
        scores, known = self.decision_function(X), self.decision_scores_
        if method == "linear":
            outlier = (scores - known.min()) / max(np.ptp(known), np.finfo(float).tiny)
        else:
            outlier = erf((scores - known.mean()) / (max(known.std(), np.finfo(float).tiny) * np.sqrt(2)))
        outlier = np.clip(outlier, 0, 1)
        return np.column_stack([1 - outlier, outlier])
