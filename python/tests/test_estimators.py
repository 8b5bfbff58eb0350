"""The estimators as a user of scikit-learn expects them."""

import inspect
import json
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import emmf
from emmf import EMMF, _emmf
from emmf._parameters import GRAPH_PARAMS, PENALTY_PARAMS, own_name


def test_one_class_for_each_registered_method():
    names = [entry["name"] for entry in json.loads(_emmf.methods())]
    assert list(emmf.ESTIMATORS) == names
    assert len({estimator.__name__ for estimator in emmf.ESTIMATORS.values()}) == len(names)
    expected = {
        "emmf": "EMMF",
        "nmf": "NMF",
        "l21-nmf": "L21NMF",
        "hx-nmf": "HxNMF",
        "capped-nmf": "CappedNMF",
    }
    for name, class_name in expected.items():
        assert emmf.ESTIMATORS[name] is getattr(emmf, class_name)


def test_parameters_are_those_of_the_registry(Estimator):
    entry, defaults = Estimator._entry, Estimator().get_params()
    graph, penalties = entry["graph"] == "optional", entry["penalties"]
    for param in entry["params"] + (GRAPH_PARAMS if graph else []) + (PENALTY_PARAMS if penalties else []):
        assert defaults[own_name(param["name"])] == param["default"]
    assert ("solver" in defaults) == ("hals" in entry["solvers"])
    assert ("missing" in defaults) == entry["missing"]
    assert (defaults["max_iter"], defaults["tol"], defaults["init"]) == (500, None, None)
    kinds = [argument.kind for argument in inspect.signature(Estimator).parameters.values()]
    assert set(kinds[1:]) == {inspect.Parameter.KEYWORD_ONLY}


def test_what_a_fit_leaves(Estimator, X):
    model = Estimator(3, init="trimmed", max_iter=30).fit(X)
    n, d = X.shape
    assert model.components_.shape == (3, d)
    assert model.components_.min() >= 0
    assert model.labels_.shape == model.residuals_.shape == model.sample_weight_.shape == (n,)
    assert model.outlier_scores_.shape == (n,)
    assert model.outliers_.dtype == bool
    assert len(model.objective_history_) == model.n_iter_ <= 30
    assert model.n_features_in_ == d
    # With a graph coefficients follow the neighbours, but a sample is judged as a new one is.
    alone = model._entry["codes_alone"] or model._entry["name"] != "g-emmf"
    rebuilt = model.inverse_transform(model.coefficients_ if alone else model.transform(X))
    assert np.isclose(np.linalg.norm(X - rebuilt), model.reconstruction_err_)
    assert np.allclose(np.linalg.norm(X - rebuilt, axis=1), model.residuals_, atol=1e-6)
    assert np.allclose(model.explain(X), X - model.inverse_transform(model.transform(X)))
    if Estimator._entry["codes_alone"]:
        assert np.allclose(model.coefficients_, model.transform(X))
        assert np.allclose(-model.score_samples(X), model.outlier_scores_, atol=1e-6)
        assert model.score(X) == pytest.approx(-model.residuals_.mean())
    assert np.array_equal(np.sort(np.unique(model.fit_predict(X))), np.unique(model.labels_))


def test_transform_repeats_the_fit(Estimator, X):
    stored = [X, X.astype(np.float32)] + [sp.csr_matrix(X)] * ("sparse" in Estimator._entry["data"])
    for x in stored:
        model = Estimator(3, max_iter=40)
        fitted = model.fit_transform(x)
        coded = model.fit(x).transform(x)
        assert fitted.dtype == coded.dtype == x.dtype
        assert np.allclose(fitted, coded, rtol=1e-4 if x.dtype == np.float32 else 1e-8, atol=1e-6 * fitted.max())


def test_outliers_are_found():
    X, _, outlier = emmf.datasets.make_rays(4, n_outliers=12, random_state=3)
    model = EMMF(4, init="trimmed").fit(X)
    assert emmf.metrics.roc_auc(outlier, model.outlier_scores_) == 1.0
    assert model.outliers_[outlier].all()


def test_bad_parameters_have_messages_in_words_of_python(X):
    with pytest.raises(ValueError, match="n_components"):
        EMMF(0).fit(X)
    with pytest.raises(ValueError, match="n_samples=5 should be >= n_components=7"):
        EMMF(7).fit(X[:5])
    with pytest.raises(ValueError, match="'solver' parameter of EMMF"):
        EMMF(3, solver="newton").fit(X)
    with pytest.raises(ValueError, match="the step 'units'"):
        EMMF(3, normalize=["units"]).fit(X)
    with pytest.raises(ValueError, match=r'exponent is 0.5, but must be left out with solver="hals"'):
        EMMF(3, solver="hals", exponent=0.5).fit(X)
    with pytest.raises(ValueError, match="Negative values in data"):
        EMMF(3).fit(-X)
    with pytest.raises(ValueError, match="all entries are 1"):
        EMMF(3).fit(np.ones((10, 4)))
    with pytest.raises(NotFittedError):
        EMMF(3).transform(X)


def test_same_numbers_for_any_number_of_threads(Estimator, X):
    one, two = (Estimator(3, max_iter=10, n_jobs=n_jobs).fit(X) for n_jobs in (1, 2))
    assert np.array_equal(one.components_, two.components_)


def test_random_state(X):
    def components(random_state):
        return EMMF(3, init="random", max_iter=5, random_state=random_state).fit(X).components_

    assert np.array_equal(components(7), components(7))
    assert not np.array_equal(components(7), components(8))
    assert np.array_equal(components(np.random.RandomState(1)), components(np.random.RandomState(1)))
    np.random.seed(3)  # noqa: NPY002
    first = components(None)
    assert not np.array_equal(first, components(None))


def test_pickle_joblib_and_clone(Estimator, X, tmp_path):
    model = Estimator(3, max_iter=5).fit(X)
    joblib.dump(model, tmp_path / "model.joblib")
    for again in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(again.transform(X), model.transform(X))
        assert again.get_params() == model.get_params()
        assert np.array_equal(again.labels_, model.labels_)
    fresh = clone(model)
    assert not hasattr(fresh, "components_")
    assert fresh.get_params() == model.get_params()


def test_pipeline_and_grid_search(X):
    pipeline = make_pipeline(MaxAbsScaler(), EMMF(3, max_iter=20))
    assert pipeline.fit_transform(X).shape == (len(X), 3)
    search = GridSearchCV(pipeline, {"emmf__n_components": [1, 3]}, cv=3, n_jobs=2).fit(X)
    assert search.best_params_ == {"emmf__n_components": 3}
    assert search.best_estimator_.predict(X).shape == (len(X),)


@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_data_frames_in_and_out(X, library, frame):
    names = [f"f{j}" for j in range(X.shape[1])]
    table = frame(X, columns=names) if library == "pandas" else frame(X, schema=names)
    model = EMMF(3, max_iter=5).set_output(transform=library)
    found = model.fit_transform(table)
    assert isinstance(found, frame)
    assert list(found.columns) == list(model.get_feature_names_out()) == ["emmf0", "emmf1", "emmf2"]
    assert list(model.feature_names_in_) == names
    assert np.array_equal(found.to_numpy(), EMMF(3, max_iter=5).fit_transform(X))


def test_a_sample_weight_is_a_count(Estimator, X, rng):
    if not Estimator._entry["weights"]:
        with pytest.raises(TypeError, match="sample_weight"):
            Estimator(3).fit(X, sample_weight=np.ones(len(X)))
        return
    weight = rng.integers(0, 4, len(X))
    options = {"init": "nndsvd", "max_iter": 5}
    weighted = Estimator(3, **options).fit(X, sample_weight=weight)
    # A graph counts each sample once, however often the loss does.
    if Estimator._entry["graph"] != "needed":
        repeated = Estimator(3, **options).fit(np.repeat(X, weight, axis=0))
        assert np.allclose(weighted.components_, repeated.components_, rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match="sample_weight"):
        Estimator(3).fit(X, sample_weight=weight[:5])


def test_missing_values(Estimator, X, rng):
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    if not Estimator._entry["missing"]:
        with pytest.raises(ValueError, match="NaN"):
            Estimator(3).fit(gaps)
        return
    with pytest.raises(ValueError, match="NaN"):
        Estimator(3).fit(gaps)
    model = Estimator(3, init="trimmed", max_iter=60, missing="nan").fit(gaps)
    there = ~np.isnan(gaps)
    assert np.array_equal(model.imputed_[there], X[there])
    assert np.isfinite(model.imputed_).all()
    assert np.isfinite(model.impute(gaps)).all()
    assert np.isfinite(model.transform(gaps)).all()
    assert not hasattr(Estimator(3), "impute")


def test_missing_values_are_filled_in_well(rng):
    X = emmf.datasets.make_rays(n_outliers=0).X
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    filled = EMMF(3, missing="nan").fit(gaps).imputed_
    assert np.abs(filled - X).max() < 0.05


def test_convergence_warning(X):
    with pytest.warns(ConvergenceWarning, match="increase max_iter or tol"):
        model = EMMF(3, max_iter=3, tol=1e-9).fit(X)
    assert model.stop_reason_ == "max-iter"
    assert EMMF(3, tol=1e-3).fit(X).stop_reason_ == "converged"
    assert EMMF(3, time_limit=1e-9).fit(X).stop_reason_ == "time-limit"


def test_custom_start(X, rng):
    W, H = rng.random((len(X), 3)), rng.random((3, X.shape[1]))
    model = EMMF(3, init="custom", max_iter=3)
    first = model.fit(X, W=W, H=H).components_
    assert np.array_equal(first, model.fit(X, W=np.asfortranarray(W), H=np.asfortranarray(H)).components_)
    with pytest.raises(ValueError, match="needs both"):
        model.fit(X, W=W)
    with pytest.raises(ValueError, match='only used with init="custom"'):
        EMMF(3).fit(X, W=W, H=H)
    n, d = X.shape
    for start in ({"W": W.T, "H": H}, {"W": W, "H": H[:, 1:]}, {"W": W[:, 1:], "H": H[1:]}):
        with pytest.raises(ValueError, match=rf"W and H have the shapes .* but must have \({n}, 3\) and \(3, {d}\)"):
            model.fit(X, **start)


def test_extras():
    X = emmf.datasets.make_rays(n_outliers=0).X
    assert emmf.PNMF(3, max_iter=5).fit(X).extras_["u_variance"].shape == (X.shape[1], 3)
    assert "stop_reason_" in vars(emmf.GSNMF(3, convex=False).fit(X))


def test_repr_and_help(Estimator):
    assert repr(Estimator(4, max_iter=7)) == f"{Estimator.__name__}(max_iter=7, n_components=4)"
    for heading in ("Parameters", "Attributes", "Examples"):
        assert f"\n{heading}\n---" in Estimator.__doc__
    for name in Estimator().get_params():
        assert f"\n{name} : " in Estimator.__doc__
