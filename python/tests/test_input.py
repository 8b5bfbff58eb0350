"""Every kind of X that the package takes, and that none is copied without need."""

import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import emmf
from emmf import EMMF
from emmf._arrays import borrowed
from emmf.graph import knn_graph


def fitted(x):
    return EMMF(3, max_iter=10).fit(x)


def test_memory_orders_and_slices_without_a_copy(X):
    wide = np.zeros((2 * len(X), X.shape[1] + 5))
    wide[::2, 2:-3] = X
    layouts = {
        "C": X,
        "F": np.asfortranarray(X),
        "slice": wide[::2, 2:-3],
        "transposed slice": np.asfortranarray(wide)[::2, 2:-3],
        "read-only": np.frombuffer(X.tobytes()).reshape(X.shape),
    }
    for name, x in layouts.items():
        assert np.shares_memory(borrowed(x)[0], x), name
        assert np.array_equal(fitted(x).components_, fitted(X).components_), name


def test_backward_slices_are_copied(X):
    assert np.array_equal(fitted(X[::-1]).components_, fitted(np.ascontiguousarray(X[::-1])).components_)


def test_single_precision_stays(X):
    model = fitted(X.astype(np.float32))
    assert model.components_.dtype == model.transform(X).dtype == np.float32


def test_integers_lists_and_memory_maps(X, tmp_path):
    counts = np.round(X * 10).astype(np.int16)
    wanted = fitted(counts.astype(float)).components_
    np.save(tmp_path / "x.npy", counts.astype(float))
    for x in (counts, counts.tolist(), np.load(tmp_path / "x.npy", mmap_mode="r")):
        assert np.array_equal(fitted(x).components_, wanted)


@pytest.mark.parametrize("storage", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_matrix])
def test_sparse(X, storage):
    X = np.where(X > 0.1, X, 0)
    wanted = fitted(sp.csr_matrix(X))
    model = fitted(storage(X))
    assert np.array_equal(model.components_, wanted.components_)
    assert np.allclose(model.components_, fitted(X).components_, rtol=1e-8)
    assert np.allclose(model.explain(storage(X)), X - model.inverse_transform(model.transform(storage(X))))


def test_sparse_with_wide_positions_and_duplicates(X):
    X = np.where(X > 0.1, X, 0)
    x = sp.csr_array(X)
    wide = x.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert np.array_equal(fitted(wide).components_, fitted(x).components_)
    twice = sp.csr_array((np.repeat(x.data / 2, 2), np.repeat(x.indices, 2), x.indptr * 2), shape=x.shape)
    assert np.allclose(fitted(twice).components_, fitted(x).components_)
    assert twice.nnz == 2 * x.nnz, "the caller's matrix stays as it is"


PEAK = """
    import resource, sys
    import numpy as np
    from emmf import EMMF

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    # The same on few samples first: libraries and buffers that do not grow with X.
    X = np.ones((250_000, 1024), dtype=np.float32)
    X[:, :8] += (np.arange(250_000) % 7).astype(np.float32)[:, None]
    EMMF(4, init="random", max_iter=2).fit(X[:2000]).transform(X[:2000])
    before = peak()
    model = EMMF(4, init="random", max_iter=2).fit(X)
    model.transform(X[:50_000])
    print(X.nbytes, peak() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is counted in another unit elsewhere")
def test_a_gigabyte_is_not_copied():
    free = next(
        int(line.split()[1])
        for line in Path("/proc/meminfo").read_text().splitlines()
        if line.startswith("MemAvailable")
    )
    if free < 3_000_000:
        pytest.skip(f"only {free // 1000} MB of memory are free; 3 GB are needed")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(PEAK)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    size, more = map(int, done.stdout.split())
    assert size == 1_024_000_000
    assert more < 0.1 * size, f"{more / 1e6:.0f} MB more than before"


BAD = {
    np.nan: "Input X contains NaN: the value in sample 2, feature 1",
    np.inf: "Input X contains infinity or a value too large for its type: the value in sample 2, feature 1",
    -1.5: "Negative values in data: the value -1.5 in sample 2, feature 1",
}


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sp.csr_array])
def test_the_first_bad_value_is_named(X, value, storage):
    bad = X.copy()
    bad[2, 1] = bad[7, 0] = value
    model = fitted(X)
    for call in (model.transform, model.predict, model.explain, EMMF(3, max_iter=2).fit, knn_graph):
        with pytest.raises(ValueError, match=BAD[value]):
            call(storage(bad))


class Tensor:
    """What of a torch tensor is used, which is too large a package for these tests."""

    def __init__(self, values):
        self.values = values

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


Tensor.__module__ = "torch"


def test_containers_of_other_packages(X):
    anndata, xarray, pa = (pytest.importorskip(name) for name in ("anndata", "xarray", "pyarrow"))
    wanted = fitted(X)
    cells = anndata.AnnData(X)
    table = pa.table({f"g{j}": X[:, j] for j in range(X.shape[1])})
    for x in (cells, xarray.DataArray(X, dims=["cell", "gene"]), Tensor(X), table):
        model = fitted(x)
        assert np.array_equal(model.components_, wanted.components_), type(x)
        assert np.array_equal(model.predict(x), wanted.predict(X)), type(x)
    cells = anndata.AnnData(sp.csr_matrix(X))
    assert np.array_equal(fitted(cells).components_, fitted(sp.csr_matrix(X)).components_)
    with pytest.raises(ValueError, match="xarray Dataset, which may mean several arrays"):
        fitted(xarray.Dataset({"a": (("x", "y"), X)}))
    with pytest.raises(ValueError, match="AnnData without X"):
        fitted(anndata.AnnData(shape=(3, 4)))


class OnCard:
    """What of a CuPy array is used: NumPy refuses it, and ``get`` copies it from the card."""

    __cuda_array_interface__ = None

    def __init__(self, values):
        self.values = values

    def get(self):
        return self.values

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


def test_arrays_on_a_card(X):
    """Those of CuPy are copied from there, dense and sparse; what nobody knows how to copy is refused by its name."""
    dense, sparse = (
        type(name, (OnCard,), {"__module__": module}) for module, name in (("cupy", "ndarray"), ("cupyx.a", "spmatrix"))
    )
    csr = type("csr_matrix", (sparse,), {"__module__": "cupyx.a"})
    assert np.array_equal(fitted(dense(X)).components_, fitted(X).components_)
    assert np.array_equal(fitted(csr(sp.csr_matrix(X))).components_, fitted(sp.csr_matrix(X)).components_)
    other = type("GPUArray", (), {"__module__": "pycuda.gpuarray", "__cuda_array_interface__": None})
    with pytest.raises(TypeError, match="X is a pycuda GPUArray on a card; give a copy in this memory"):
        fitted(other())


def test_an_unknown_parameter_names_the_nearest():
    words = {"n_component": "n_components", "randomstate": "random_state", "k": "n_components", "labels": "label_rule"}
    for word, meant in words.items():
        with pytest.raises(TypeError, match=f"EMMF has no parameter '{word}'; did you mean '{meant}'"):
            EMMF(3, **{word: 1})
    with pytest.raises(TypeError, match="'neighbours'; did you mean 'n_neighbors'"):
        emmf.GraphEMMF(neighbours=5)
    with pytest.raises(TypeError, match="'alpha_W'; penalties are parameters of NMF, NMFDiv and BetaNMF"):
        EMMF(alpha_W=0.1)
    with pytest.raises(TypeError, match="'alpha_w'; penalties are parameters of NMF"):
        EMMF(alpha_w=0.1)
    with pytest.raises(TypeError, match="'alpha_w'; did you mean 'alpha_W'"):
        emmf.NMF(alpha_w=0.1)
    with pytest.raises(TypeError, match="'shuffle'; the order of updates is fixed"):
        emmf.NMF(shuffle=True)
    with pytest.raises(TypeError, match=r"EMMF has no parameter 'zzz'$"):
        EMMF(zzz=1)


def test_steps_for_counts(X):
    from sklearn.preprocessing import MinMaxScaler

    counts = np.round(X * 10)
    counts = counts[counts.sum(1) > 0]
    median = np.sort(counts.sum(1))[len(counts) // 2]
    depth = counts / counts.sum(1, keepdims=True) * median
    by_hand = {
        "l1": counts / counts.sum(1, keepdims=True),
        "log1p": np.log1p(counts),
        "min-max": MinMaxScaler().fit_transform(counts),
    }
    # Outliers are looked for before lengths are changed, and after that they would be others.
    options = {"max_iter": 5, "init": "random", "outliers": "keep"}
    for step, values in by_hand.items():
        model = EMMF(3, normalize=step, **options).fit(counts)
        wanted = EMMF(3, **options).fit(values)
        assert np.allclose(model.components_, wanted.components_, rtol=1e-6), step
        assert np.allclose(model.transform(counts), model.coefficients_), step
    model = EMMF(3, normalize=["counts", "log1p"], **options).fit(counts)
    wanted = EMMF(3, **options).fit(np.log1p(depth))
    assert np.allclose(model.components_, wanted.components_, rtol=1e-6)


def test_names_of_samples_are_kept(tmp_path):
    """A table, AnnData and xarray name their samples; the estimator, its page and a notebook say these names."""
    anndata, pd, xarray = (pytest.importorskip(name) for name in ("anndata", "pandas", "xarray"))
    rng = np.random.default_rng(0)
    rows = np.kron(np.eye(2), np.ones((10, 2))) + 0.1 * rng.random((20, 4))
    names, genes = [f"S{i:03}" for i in range(20)], list("abcd")
    cells = anndata.AnnData(rows, obs=pd.DataFrame(index=names), var=pd.DataFrame(index=genes))
    table = pd.DataFrame(rows, index=names, columns=genes)
    array = xarray.DataArray(rows, dims=["cell", "gene"], coords={"cell": names, "gene": genes})
    for x in (cells, table, array):
        model = emmf.EMMF(2, max_iter=5).fit(x)
        assert list(model.sample_names_) == names
        assert list(model.feature_names_in_) == genes
        assert "S00" in model._repr_mimebundle_()["text/html"]
        model.report(tmp_path / "page.html", x)
        assert '"S013"' in (tmp_path / "page.html").read_text()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.transform(x)
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(cells[:, ::-1])
    # What only counts is no name, and the next fit may be without.
    model.fit(table.reset_index(drop=True))
    assert not hasattr(model, "sample_names_")
    assert not hasattr(emmf.EMMF(2, max_iter=2).fit(anndata.AnnData(rows)), "feature_names_in_")


def test_names_that_are_looked_for():
    assert emmf.GEMMF is emmf.GraphEMMF
    assert {"plot", "GEMMF", "EMMF", "datasets"} <= set(dir(emmf))
