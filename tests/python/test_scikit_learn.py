"""From the same start, the multiplicative solver of scikit-learn takes the same way."""

import json
import os
import subprocess

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF

EMMF = os.environ["EMMF"]
RNG = np.random.default_rng(0)
MATRICES = {
    "digits": load_digits().data[:600],
    "uniform": RNG.random((80, 33)),
    "counts": RNG.poisson(1.5, (120, 40)).astype(float),
}


def traced(path, method, start, folder, iterations):
    """The objective after every iteration."""
    options = ["--method", method, "--start", start, "--normalize", "none", "--exponent", "1"]
    run = [EMMF, "fit", path, "-k", "7", "--max-iter", str(iterations), "--json", "--out", folder, *options]
    done = subprocess.run(list(map(str, run)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "record.json").read_text())["trace"]


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize(("method", "loss"), [("nmf", "frobenius"), ("nmf-div", "kullback-leibler")])
def test_same_objective_from_the_same_start(tmp_path, name, method, loss):
    x = MATRICES[name]
    u, v = RNG.random((x.shape[1], 7)) + 0.1, RNG.random((x.shape[0], 7)) + 0.1
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "start.npz", U=u, V=v)
    trace = traced(tmp_path / "x.npy", method, tmp_path / "start.npz", tmp_path / "out", 50)
    assert len(trace) == 50
    for iterations in (1, 10, 50):
        # It moves its first factor first, we move U: so it gets the transpose.
        model = NMF(7, init="custom", solver="mu", beta_loss=loss, tol=0, max_iter=iterations)
        model.fit_transform(np.ascontiguousarray(x.T), W=u.copy(), H=np.ascontiguousarray(v.T))
        theirs = model.reconstruction_err_**2 / (1 if method == "nmf" else 2)
        assert abs(trace[iterations - 1] - theirs) <= 1e-8 * theirs


def test_a_start_that_does_not_fit(tmp_path):
    np.save(tmp_path / "x.npy", MATRICES["uniform"])
    np.savez(tmp_path / "start.npz", U=np.ones((4, 7)), V=np.ones((80, 7)))
    run = [EMMF, "fit", tmp_path / "x.npy", "-k", "7", "--start", tmp_path / "start.npz"]
    done = subprocess.run(list(map(str, run)), capture_output=True, text=True)
    assert done.returncode == 2
    assert "start.npz: the size of the given U is 4x7, but must be 33x7" in done.stderr
