"""Files of NumPy, SciPy, Arrow and safetensors go in and come out right."""

import csv
import json
import os
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse
from safetensors import safe_open
from safetensors.numpy import load_file

EMMF = os.environ["EMMF"]
RNG = np.random.default_rng(0)
X = np.round(RNG.random((60, 7)) * (RNG.random((60, 7)) < 0.6), 3) + 0.001 * np.eye(60, 7)
Y = np.repeat([3, 1, 2], 20)


def emmf(*args, code=0):
    done = subprocess.run([EMMF, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def fit(path, *args):
    return json.loads(emmf("fit", path, "-k", 3, "--max-iter", 30, "--json", *args).stdout)


def write(kind, path):
    if kind == "csv":
        header = ",".join([*(f"f{j}" for j in range(7)), "class"])
        np.savetxt(path, np.column_stack([X, Y]), delimiter=",", header=header, comments="", fmt="%.6g")
    elif kind == "npy":
        np.save(path, np.asfortranarray(X))
    elif kind == "npz":
        np.savez_compressed(path, X=X, y=Y)
    elif kind == "mat":
        scipy.io.savemat(path, {"fea": X, "gnd": Y[:, None].astype(np.uint8)}, do_compression=True)
    elif kind == "sparse.mat":
        scipy.io.savemat(path, {"X": scipy.sparse.csc_array(X), "y": Y})
    elif kind == "csr.npz":
        scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(X))
    elif kind == "csc.npz":
        scipy.sparse.save_npz(path, scipy.sparse.csc_matrix(X))
    elif kind == "mtx":
        scipy.io.mmwrite(path, scipy.sparse.coo_matrix(X), precision=17)
    elif kind == "dense.mtx":
        scipy.io.mmwrite(path, X, precision=17)
    elif kind == "parquet":
        columns = {f"f{j}": X[:, j] for j in range(7)}
        pq.write_table(pa.table({**columns, "class": Y}), path)


KINDS = ["csv", "npy", "npz", "mat", "sparse.mat", "csr.npz", "csc.npz", "mtx", "dense.mtx", "parquet"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_same_fit(tmp_path, kind):
    reference = tmp_path / "reference.npy"
    np.save(reference, X)
    expected = fit(reference)
    path = tmp_path / f"data.{kind}"
    write(kind, path)
    found = fit(path)
    assert (found["n"], found["d"]) == X.shape
    assert found["objective"] == pytest.approx(expected["objective"], rel=1e-9)
    assert ("acc" in found) == (kind in {"csv", "npz", "mat", "sparse.mat", "parquet"})


def test_float32_stays_float32(tmp_path):
    np.save(tmp_path / "x.npy", X.astype(np.float32))
    assert fit(tmp_path / "x.npy", "--out", tmp_path / "out")["dtype"] == "f32"
    assert load_file(tmp_path / "out" / "model.safetensors")["U"].dtype == np.float32


def test_model_opens_in_python_and_transform_repeats_the_fit(tmp_path):
    write("npz", tmp_path / "x.npz")
    out = tmp_path / "out"
    found = fit(tmp_path / "x.npz", "--method", "emmf", "--normalize", "unit", "--out", out)
    with safe_open(out / "model.safetensors", framework="np") as model:
        u = model.get_tensor("U")
        spec = json.loads(model.metadata()["spec"])
    assert u.shape == (7, 3)
    assert (u >= 0).all()
    assert spec["method"] == "emmf"
    with open(out / "samples.csv", newline="") as file:
        samples = list(csv.DictReader(file))
    assert [int(row["row"]) for row in samples] == list(range(60))
    emmf("transform", out / "model.safetensors", tmp_path / "x.npz", "--out", tmp_path / "v.npy")
    coded = np.load(tmp_path / "v.npy")
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    residual = np.linalg.norm(unit - coded[:, :3] @ u.T, axis=1)
    assert coded[:, 4] == pytest.approx(residual, abs=1e-9)
    assert [float(row["residual"]) for row in samples] == pytest.approx(residual, abs=1e-9)
    record = json.loads((out / "record.json").read_text())
    assert record["iterations"] == found["iterations"] == len(record["trace"])


@pytest.mark.parametrize("kind", ["csv", "npy", "npz", "mat", "mtx", "parquet"])
def test_written_files_open_elsewhere(tmp_path, kind):
    path = tmp_path / f"rays.{kind}"
    emmf("synth", "rays", "--samples", 30, "--features", 5, "--outliers", 3, "--out", path)
    read = {
        "csv": lambda: np.genfromtxt(path, delimiter=",", skip_header=1)[:, :5],
        "npy": lambda: np.load(path),
        "npz": lambda: np.load(path)["X"],
        "mat": lambda: scipy.io.loadmat(path)["X"],
        "mtx": lambda: scipy.io.mmread(path),
        "parquet": lambda: np.column_stack([c.to_numpy() for c in pq.read_table(path).columns[:5]]),
    }[kind]()
    labels = tmp_path / "rays.labels.csv"
    assert labels.exists() == (kind in {"npy", "mtx"})
    if labels.exists():
        assert labels.read_text().split() == ["label", *(10 * ["0"]), *(10 * ["1"]), *(10 * ["2"]), *(3 * ["outlier"])]
    emmf("synth", "rays", "--samples", 30, "--features", 5, "--outliers", 3, "--out", tmp_path / "again.npy")
    assert read == pytest.approx(np.load(tmp_path / "again.npy"), rel=1e-12)


@pytest.mark.parametrize("kind", ["csv", "npz", "mat", "npy", "parquet"])
def test_labels_written_elsewhere_are_scored(tmp_path, kind):
    truth = tmp_path / f"y.{kind}"
    {
        "csv": lambda: np.savetxt(truth, Y, fmt="%d"),
        "npz": lambda: np.savez(truth, X=X, y=Y),
        "mat": lambda: scipy.io.savemat(truth, {"fea": X, "gnd": Y[:, None].astype(float)}),
        "npy": lambda: np.save(truth, np.array(["abc"[y - 1] for y in Y])),
        "parquet": lambda: pq.write_table(pa.table({"f": X[:, 0], "class": Y}), truth),
    }[kind]()
    np.savetxt(tmp_path / "predicted.txt", 7 - 2 * Y, fmt="%d")
    scores = json.loads(emmf("score", truth, tmp_path / "predicted.txt", "--json").stdout)
    assert scores["n"] == 60
    assert scores["acc"] == scores["purity"] == 1
    assert scores["nmi"] == pytest.approx(1)


def test_damage_is_told_and_nothing_is_left(tmp_path):
    np.save(tmp_path / "whole.npy", X)
    (tmp_path / "x.npy").write_bytes((tmp_path / "whole.npy").read_bytes()[:-8])
    done = emmf("fit", tmp_path / "x.npy", "-k", 2, "--out", tmp_path / "out", code=2)
    assert "x.npy" in done.stderr and "damaged or cut off" in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "out").exists()


def test_parquet_nulls_are_missing_values(tmp_path):
    columns = {f"f{j}": pa.array(X[:, j], mask=RNG.random(60) < 0.1) for j in range(6)}
    columns["count"] = pa.array([None if i % 9 == 4 else i % 4 for i in range(60)], pa.int64())
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    assert "--missing nan" in emmf("fit", tmp_path / "x.parquet", "-k", 3, code=2).stderr
    fit(tmp_path / "x.parquet", "--missing", "nan", "--normalize", "none", "--out", tmp_path / "out")
    imputed = np.load(tmp_path / "out" / "imputed.npy")
    given = np.column_stack([columns[name].to_numpy(zero_copy_only=False) for name in columns]).astype(float)
    assert imputed.shape == (60, 7) and np.isfinite(imputed).all()
    assert np.array_equal(imputed[~np.isnan(given)], given[~np.isnan(given)])
