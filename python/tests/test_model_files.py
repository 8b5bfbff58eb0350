"""Model files: to a file and back, and between Python and the program."""

import json
import os
import pickle
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import emmf

EMMF = os.environ.get("EMMF")
needs_program = pytest.mark.skipif(EMMF is None, reason="the variable EMMF does not name the program")


def run(*arguments):
    done = subprocess.run([EMMF, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_there_and_back(Estimator, X, tmp_path, dtype):
    X = X.astype(dtype)
    model = Estimator(3, max_iter=5, normalize=["max", "unit"], random_state=5).fit(X)
    model.save(tmp_path / "model.safetensors")
    again = emmf.load_model(str(tmp_path / "model.safetensors"))
    assert type(again) is Estimator
    assert np.array_equal(again.components_, model.components_)
    assert np.array_equal(again.transform(X), model.transform(X))
    assert np.array_equal(again.score_samples(X), model.score_samples(X))
    same = {"n_components": 3, "max_iter": 5, "normalize": ["max", "unit"], "random_state": 5}
    assert same.items() <= again.get_params().items()
    again.fit(X)
    assert np.array_equal(again.components_, model.components_)


def odd_values(param):
    """Give values of a parameter at the ends of what is allowed, and between them."""
    whole = param["whole"]
    low = param["above"] + 1 if whole else max(param["above"], 0) + 1e-9
    high = min(param["up_to"], 1e6 if whole else 1e300)
    values = [low, (low + high) / 2 if high < 1e6 else 3, high]
    if whole and (param["above"], param["up_to"]) == (-1, 1):
        return [False, True]
    return [int(value) if whole else float(value) for value in values]


def odd_parameters(Estimator):
    entry = Estimator._entry
    for param in entry["params"]:
        for value in odd_values(param):
            yield {emmf._parameters.own_name(param["name"]): value}
    names = Estimator().get_params()
    others = {
        "solver": ["hals"],
        "sweeps": [1],
        "exponent": [1e-3, 1.0],
        "missing": ["nan"],
        "outliers": ["keep", "set-aside"],
        "graph": ["knn", "adaptive"],
        "init": ["kmeans-parallel", "trimmed", "random", "nndsvd"],
        "normalize": ["unit", "max", "tfidf", "shift", "clip", ["tfidf", "clip"]],
        "random_state": [2**31 - 1, 2**63, None],
        "epsilon": [1e-150, 1e9],
        "tol": [0.999],
        "stop_by": ["objective", "coefficients"],
        "time_limit": [1e9],
        "label_rule": ["largest", "unit", "kmeans", "kmeans-raw", "components"],
        "polish": [False],
        "restarts": [2],
    }
    yield from ({name: value} for name in others if name in names for value in others[name])
    if "graph" in names:
        yield from ({"graph": "knn", "graph_weights": weights} for weights in ("heat", "cosine"))


@pytest.fixture(scope="module")
def small():
    return emmf.datasets.make_rays(3, n_features=6, n_samples=24, n_outliers=2).X


def test_promise_10_what_is_saved_is_read_back(Estimator, small, tmp_path):
    X, made = small, 0
    for parameters in odd_parameters(Estimator):
        model = Estimator(3, max_iter=3, n_jobs=1).set_params(**parameters)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(X).save(tmp_path / "model.safetensors")
        except ValueError:
            # A sentence instead of a model.
            continue
        made += 1
        for again in (emmf.load_model(tmp_path / "model.safetensors"), pickle.loads(pickle.dumps(model))):
            assert type(again) is Estimator, parameters
            assert np.array_equal(again.components_, model.components_), parameters
            for results in ("transform", "predict", "score_samples", "explain"):
                found, wanted = getattr(again, results)(X), getattr(model, results)(X)
                assert np.array_equal(found, wanted, equal_nan=True), (parameters, results)
            if parameters.get("random_state", 0) is not None:
                kept = {name: again.get_params()[name] for name in parameters if name != "normalize"}
                assert kept == {name: value for name, value in parameters.items() if name != "normalize"}
    assert made > 10


def test_promise_10_a_loaded_estimator_can_be_fitted_again(Estimator, small, tmp_path):
    X = small
    for param in Estimator._entry["params"]:
        name, value = emmf._parameters.own_name(param["name"]), odd_values(param)[1]
        model = Estimator(3, max_iter=3, **{name: value})
        try:
            model.fit(X).save(tmp_path / "model.safetensors")
        except ValueError:
            continue
        again = emmf.load_model(tmp_path / "model.safetensors")
        assert np.array_equal(again.fit(X).components_, model.components_), (name, value)


@needs_program
def test_a_model_of_the_program(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    out = tmp_path / "out"
    run(
        "fit",
        tmp_path / "x.npy",
        "-k",
        3,
        "--method",
        "hx-nmf",
        "--param",
        "scale=0.5",
        "--init",
        "trimmed",
        "--seed",
        4,
        "--max-iter",
        30,
        "--normalize",
        "unit",
        "--out",
        out,
    )
    model = emmf.load_model(out / "model.safetensors")
    assert isinstance(model, emmf.HxNMF)
    assert np.array_equal(emmf.load_model(out).components_, model.components_)
    assert (model.scale, model.init, model.random_state) == (0.5, "trimmed", 4)
    record = json.loads((out / "record.json").read_text())
    assert np.allclose(-model.score_samples(X), record["samples"]["score"], atol=1e-9)
    # The same parameters in Python: the same fit, to the last bit.
    again = emmf.HxNMF(3, scale=0.5, init="trimmed", random_state=4, max_iter=30, normalize="unit").fit(X)
    assert np.array_equal(again.components_, model.components_)
    assert np.array_equal(again.objective_history_, record["trace"])


@needs_program
def test_the_program_reads_our_models(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    model = emmf.EMMF(3, init="trimmed", max_iter=30).fit(X)
    model.save(tmp_path / "model.safetensors")
    run("transform", tmp_path / "model.safetensors", tmp_path / "x.npy", "--out", tmp_path / "coded.npy")
    assert np.array_equal(np.load(tmp_path / "coded.npy")[:, :3], model.transform(X))


def test_files_that_are_not_there_or_not_right(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing"):
        emmf.load_model(tmp_path / "nothing.safetensors")
    (tmp_path / "bad.safetensors").write_bytes(b"no model")
    with pytest.raises(ValueError, match=r"bad\.safetensors"):
        emmf.load_model(tmp_path / "bad.safetensors")
    with pytest.raises(FileNotFoundError):
        emmf.EMMF(1, max_iter=1).fit([[1.0, 2.0], [2.0, 1.0]]).save(tmp_path / "no" / "folder" / "model")


def test_promise_08_what_a_killed_save_left_is_removed_by_the_next(X, tmp_path):
    (tmp_path / ".emmf-dead.part").write_bytes(b"half")
    emmf.EMMF(2, max_iter=2).fit(X).save(tmp_path / "model.safetensors")
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]


def test_promise_07_load_model_completes_what_a_killed_program_had_begun(X, tmp_path):
    old, new = (emmf.EMMF(k, max_iter=2).fit(X) for k in (2, 3))
    old.save(tmp_path / "model.safetensors")
    new.save(tmp_path / "new")
    (tmp_path / "new").rename(tmp_path / ".emmf-new.part")
    (tmp_path / "old.npy").touch()
    journal = {"names": {".emmf-new.part": "model.safetensors"}, "removed": ["old.npy"]}
    (tmp_path / ".emmf-x.commit").write_text(json.dumps(journal))
    assert emmf.load_model(tmp_path / "model.safetensors").n_components == 3
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]
