"""Model files: to a file and back, and between Python and the program."""

import json
import os
import subprocess

import numpy as np
import pytest

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
