"""Files as people have them: made by pandas, openpyxl, anndata, h5py, SciPy and the usual packers, read by the program."""

import bz2
import csv
import gzip
import json
import os
import subprocess

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse
import zstandard

EMMF = os.environ["EMMF"]
RNG = np.random.default_rng(0)
Y = np.repeat(["setosa", "versi", "virgin"], 20)
CENTERS = RNG.random((3, 6)) * 10
X = np.round(np.repeat(CENTERS, 20, axis=0) + RNG.random((60, 6)), 4)
NAMES = [f"S{i:03}" for i in range(60)]
GENES = [f"gene_{j}" for j in range(6)]
TABLE = pd.DataFrame(X, columns=GENES, index=NAMES)
FIT = ["-k", "3", "--max-iter", "20", "--normalize", "unit"]


def emmf(*args, code=0):
    done = subprocess.run([EMMF, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def fit(path, *args):
    """The JSON of a fit, what was said beside it, and the samples."""
    out = path.parent / "result"
    done = emmf("fit", path, *FIT, "--json", "--out", out, *args)
    with open(out / "samples.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return json.loads(done.stdout), done.stderr, rows


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "x.npy"
    np.save(path, X)
    return fit(path)[0]["objective"]


def same(found, expected):
    result, said, rows = found
    assert (result["n"], result["d"]) == (60, 6), said
    assert result["objective"] == pytest.approx(expected, rel=1e-9)
    return said, rows


@pytest.mark.parametrize("ids", ["texts", "counted", "unnamed", "unnamed numbers"])
def test_a_first_column_of_names(tmp_path, expected, ids):
    path, table = tmp_path / "x.csv", TABLE.assign(species=Y)
    if ids == "counted":
        table.index = range(1, 61)
    if ids == "unnamed numbers":
        table = table.reset_index(drop=True)
    table.to_csv(path, index_label="" if "unnamed" in ids else "id")
    said, rows = same(fit(path, "--labels", "species"), expected)
    names = {"counted": "7", "unnamed numbers": None}.get(ids, "S006")
    assert rows[6].get("name") == names
    assert ("column 'id'" in said) == ("unnamed" not in ids)
    # Text that is neither names nor labels is left out, and this is said.
    said, _ = same(fit(path), expected)
    assert "column 'species' holds text and is left out" in said and "--labels" in said


def test_columns_are_chosen_and_dropped(tmp_path, expected):
    path = tmp_path / "x.csv"
    TABLE.assign(age=RNG.random(60), kind=Y).reset_index(names="id").to_csv(path, index=False)
    for options in (["--drop", "age,kind"], ["--columns", "gene_*"], ["--id", "id", "--columns", "gene_0,gene_?", "--labels", "kind"]):
        result = fit(path, *options)
        same(result, expected)
        assert result[2][1]["name"] == "S001"
    done = emmf("fit", path, *FIT, "--drop", "agee", code=2)
    assert "did you mean 'age'?" in done.stderr
    done = emmf("fit", path, *FIT, "--labels", "id", code=2)
    assert "different value for each of the 60 samples" in done.stderr and "--id id" in done.stderr


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
def test_packed_text(tmp_path, expected, ending):
    packed = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstandard.ZstdCompressor().compress}[ending]
    path = tmp_path / f"x.csv.{ending}"
    path.write_bytes(packed(TABLE.to_csv(index=False).encode()))
    same(fit(path), expected)
    path = tmp_path / f"x.npy.{ending}"
    np.save(tmp_path / "x.npy", X)
    path.write_bytes(packed((tmp_path / "x.npy").read_bytes()))
    same(fit(path), expected)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_german_tables(tmp_path, expected, encoding):
    path = tmp_path / "german.csv"
    TABLE.to_csv(path, sep=";", decimal=",", encoding=encoding, index_label="Probe")
    said, rows = same(fit(path), expected)
    assert "decimal comma" in said and rows[3]["name"] == "S003"
    TABLE.to_csv(path, sep="|", decimal=",", index=False)
    same(fit(path, "--decimal", ",", "--separator", "|"), expected)


def test_excel(tmp_path, expected):
    path = tmp_path / "export.xlsx"
    with pd.ExcelWriter(path) as book:
        TABLE.assign(species=Y, when=pd.Timestamp("2024-01-01")).to_excel(book, sheet_name="data", index_label="sample")
        pd.DataFrame({"note": ["x"]}).to_excel(book, sheet_name="notes", index=False)
    said, rows = same(fit(path, "--labels", "species"), expected)
    assert "sheet 'data'" in said and "'notes'" in said and "'when'" in said
    assert rows[59]["name"] == "S059"
    same(fit(path, "--variable", "data"), expected)
    assert "did you mean 'notes'?" in emmf("fit", path, *FIT, "--variable", "note", code=2).stderr


@pytest.mark.parametrize("lines", [True, False])
def test_json(tmp_path, expected, lines):
    path = tmp_path / ("x.jsonl" if lines else "x.json")
    TABLE.assign(species=Y).reset_index(names="id").to_json(path, orient="records", lines=lines)
    said, rows = same(fit(path, "--labels", "species"), expected)
    assert rows[5]["name"] == "S005" and "column 'id'" in said


@pytest.mark.parametrize("index", [True, False])
def test_parquet_with_texts(tmp_path, expected, index):
    path = tmp_path / "x.parquet"
    table = TABLE.assign(species=Y)
    (table if index else table.reset_index(names="id")).to_parquet(path)
    said, rows = same(fit(path), expected)
    assert rows[5]["name"] == "S005" and "'species'" in said
    same(fit(path, "--labels", "species"), expected)


def texts(kind, path):
    words = ["soup fresh tasty waiter spicy dessert", "screen battery keyboard fast laptop charger"]
    rows = [" ".join(RNG.choice(words[i % 2].split(), 6)) for i in range(40)]
    table = pd.DataFrame({"id": range(40), "review": rows, "topic": ["food", "tech"] * 20})
    write = {"jsonl": lambda: table.to_json(path, orient="records", lines=True), "parquet": lambda: table.to_parquet(path),
             "xlsx": lambda: table.to_excel(path, index=False), "csv": lambda: table.to_csv(path, index=False)}
    write[kind]()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx"])
def test_texts(tmp_path, kind):
    path = tmp_path / f"reviews.{kind}"
    texts(kind, path)
    done = emmf("fit", path, "--text", "review", "-k", 2, "--labels", "topic", "--method", "nmf", "--json", "--quiet")
    assert json.loads(done.stdout)["acc"] == 1.0


def counts():
    made = RNG.poisson(np.repeat(CENTERS, 20, axis=0)).astype(np.float32)
    return anndata.AnnData(scipy.sparse.csr_matrix(made), obs=pd.DataFrame({"cell_type": pd.Categorical(Y), "depth": made.sum(1)}, index=NAMES),
                           var=pd.DataFrame(index=GENES))


@pytest.mark.parametrize("layout", ["csr", "csc", "dense"])
def test_anndata(tmp_path, layout):
    cells = counts()
    cells.layers["double"] = cells.X * 2
    cells.X = {"csr": cells.X, "csc": cells.X.tocsc(), "dense": cells.X.toarray()}[layout]
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path, compression="gzip")
    result, said, rows = fit(path, "--labels", "cell_type", "--normalize", "counts,log1p")
    assert (result["n"], result["d"], result["dtype"]) == (60, 6, "f32")
    assert rows[8]["name"] == "S008" and "'double'" in said and "acc" in result
    # The file that was read comes back with the results where scanpy looks for them.
    back = anndata.read_h5ad(tmp_path / "result" / "result.h5ad")
    assert back.obsm["X_emmf"].shape == (60, 3) and back.varm["emmf"].shape == (6, 3)
    assert list(back.obs["emmf_label"].astype(int)) == [int(row["label"]) for row in rows]
    assert list(back.obs["emmf_outlier"]) == [row["outlier"] for row in rows]
    assert list(back.obs.columns[:2]) == ["cell_type", "depth"]
    assert np.allclose(back.obs["emmf_score"], [float(row["score"]) for row in rows])
    plain = cells.X if layout == "dense" else cells.X.toarray()
    assert np.array_equal(back.X if layout == "dense" else back.X.toarray(), plain)
    assert fit(path, "--variable", "double", "--write", "none")[0]["n"] == 60
    assert "cell_type" in emmf("fit", path, *FIT, "--labels", "cell_typ", code=2).stderr
    assert not (tmp_path / "result" / "centroids.csv").exists()


@pytest.mark.parametrize("layout", ["dense", "sparse", "plain", "nested"])
def test_hdf5(tmp_path, expected, layout):
    path = tmp_path / ("x.mat" if layout in ("dense", "sparse") else "x.h5")
    with h5py.File(path, "w", userblock_size=512 if layout in ("dense", "sparse") else 0) as file:
        if layout == "dense":
            file["X"] = X.T
            file["X"].attrs["MATLAB_class"] = np.bytes_("double")
            file["y"] = np.repeat([[1.0, 2.0, 3.0]], 20, axis=1)
            file["y"].attrs["MATLAB_class"] = np.bytes_("double")
        elif layout == "sparse":
            sparse = scipy.sparse.csc_array(X)
            group = file.create_group("X")
            group.attrs["MATLAB_sparse"] = np.uint64(60)
            group.attrs["MATLAB_class"] = np.bytes_("double")
            group["data"], group["ir"], group["jc"] = sparse.data, sparse.indices.astype("u8"), sparse.indptr.astype("u8")
        elif layout == "plain":
            file.create_dataset("data", data=X.astype("f8"), chunks=(16, 4), compression="gzip", shuffle=True)
            file["labels"] = [name.encode() for name in Y]
        else:
            file["deep/inside/matrix"] = X
            file["deep/other"] = np.arange(5)
    result, _, _ = found = fit(path, *(["--variable", "deep/inside/matrix"] if layout == "nested" else []))
    same(found, expected)
    assert ("acc" in result) == (layout in ("dense", "plain"))


def test_10x_folders_and_files(tmp_path):
    folder = tmp_path / "filtered_feature_bc_matrix"
    folder.mkdir()
    made = counts().X.toarray().astype(int)
    scipy.io.mmwrite(folder / "matrix.mtx", scipy.sparse.coo_matrix(made.T))
    plain = (folder / "matrix.mtx").read_bytes()
    (folder / "matrix.mtx").unlink()
    for name, content in (("matrix.mtx", plain), ("barcodes.tsv", "\n".join(NAMES).encode()),
                          ("features.tsv", "\n".join(f"ENSG{j}\t{gene}\tGene Expression" for j, gene in enumerate(GENES)).encode())):
        (folder / f"{name}.gz").write_bytes(gzip.compress(content))
    for path in (folder, folder / "matrix.mtx.gz"):
        out = tmp_path / "out"
        done = emmf("fit", path, *FIT, "--json", "--out", out)
        result = json.loads(done.stdout)
        assert (result["n"], result["d"]) == (60, 6) and "barcodes.tsv.gz" in done.stderr
        assert list(pd.read_csv(out / "centroids.csv")["feature"]) == GENES
        assert list(pd.read_csv(out / "coefficients.csv")["name"]) == NAMES
    path = tmp_path / "plain.mtx"
    path.write_bytes(plain)
    assert fit(path, "--transpose")[0]["n"] == 60
    path = tmp_path / "filtered.h5"
    sparse = scipy.sparse.csc_matrix(made.T)
    with h5py.File(path, "w") as file:
        matrix = file.create_group("matrix")
        matrix["data"], matrix["indices"], matrix["indptr"] = sparse.data, sparse.indices.astype("i8"), sparse.indptr.astype("i8")
        matrix["shape"] = np.array(sparse.shape, dtype="i4")
        matrix["barcodes"] = np.array(NAMES, dtype="S")
        matrix["features/name"] = np.array(GENES, dtype="S")
    found = fit(path)
    assert (found[0]["n"], found[0]["d"]) == (60, 6) and found[2][2]["name"] == "S002"
    assert found[0]["objective"] == pytest.approx(result["objective"])
    path = tmp_path / "cells.loom"
    with h5py.File(path, "w") as file:
        file["matrix"], file["row_attrs/Gene"], file["col_attrs/CellID"] = made.T, GENES, NAMES
    assert fit(path)[2][2]["name"] == "S002"


def test_tables_of_results(tmp_path):
    path = tmp_path / "x.csv"
    TABLE.to_csv(path, index_label="id")
    out = tmp_path / "result"
    fit(path, "--write", "csv,parquet,npy", "--method", "nmf")
    coefficients = pd.read_csv(out / "coefficients.csv", index_col="name")
    assert list(coefficients.columns) == ["v0", "v1", "v2", "label", "residual", "score"] and list(coefficients.index) == NAMES
    assert np.allclose(pd.read_parquet(out / "coefficients.parquet").set_index("name"), coefficients)
    assert np.allclose(np.load(out / "coefficients.npy"), coefficients[["v0", "v1", "v2"]])
    centroids = pd.read_csv(out / "centroids.csv", index_col="feature")
    assert np.allclose(np.load(out / "centroids.npy"), centroids) and list(centroids.index) == GENES
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert np.abs(unit - coefficients[["v0", "v1", "v2"]].to_numpy() @ centroids.to_numpy().T).max() < 0.2
    top = pd.read_csv(out / "features.csv")
    assert top.groupby("centroid")["value"].max().to_numpy() == pytest.approx(centroids.max().to_numpy())
    # New samples have the same columns, and the folder is all that is named.
    emmf("transform", out, path, "--out", tmp_path / "new.csv")
    new = pd.read_csv(tmp_path / "new.csv", index_col="name")
    assert list(new.columns) == list(coefficients.columns)
    assert np.allclose(new[["v0", "v1", "v2"]], coefficients[["v0", "v1", "v2"]])
    said = json.loads(emmf("explain", out, path, "--name", "S042", "--json").stdout)
    assert said["row"] == 42 and said["name"] == "S042"
    assert "did you mean 'S042'" in emmf("explain", out, path, "--name", "S42", code=2).stderr
    TABLE.assign(species=Y).to_csv(path, index_label="id")
    assert json.loads(emmf("score", path, out, "--labels", "species", "--json").stdout)["n"] == 60


@pytest.mark.parametrize("what", ["xls", "pickle", "ods", "xz", "zip", "feather", "zarr"])
def test_what_is_not_read_is_named(tmp_path, what):
    path = tmp_path / f"x.{what}"
    if what == "pickle":
        TABLE.to_pickle(path)
    elif what == "xls":
        path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    elif what == "feather":
        TABLE.reset_index().to_feather(path)
    elif what == "zarr":
        counts().write_zarr(path)
    elif what == "xz":
        TABLE.to_csv(path, compression="xz")
    else:
        import zipfile

        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("content.xml" if what == "ods" else "x.csv", "a,b\n1,2\n")
    named = {"xls": "old Excel", "pickle": "Python pickle", "ods": "OpenDocument", "xz": "xz", "zip": "zip archive",
             "feather": "Feather", "zarr": "zarr"}
    assert named[what] in emmf("fit", path, *FIT, code=2).stderr


def test_json_goes_by_its_schema(tmp_path):
    import pathlib

    import jsonschema

    text = (pathlib.Path(__file__).parents[2] / "docs" / "json.schema.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    path, out = tmp_path / "x.csv", tmp_path / "result"
    TABLE.assign(label=Y).to_csv(path, index_label="id")
    calls = [
        ("fit", ["fit", path, "-k", "3", "--out", out, "--quiet"]),
        ("fit", ["fit", path, "-k", "2..4", "--quiet"]),
        ("fit", ["fit", path, "-k", "3", "--method", "g-emmf", "--grid", "lambda=1,100", "--max-iter", "5", "--quiet"]),
        ("explain", ["explain", out, path, "--row", "3"]),
        ("score", ["score", path, out]),
        ("written", ["transform", out, path, "--out", tmp_path / "new.csv"]),
        ("written", ["report", out, "--out", tmp_path / "page.html"]),
        ("written", ["plot", out, "--kind", "residuals", "--out", tmp_path / "x.svg"]),
        ("written", ["synth", "rays", "--out", tmp_path / "rays.csv"]),
        ("written", ["bench", "fig-bound", "--out", tmp_path / "bench"]),
        ("demo", ["demo", "--out", tmp_path / "demo"]),
    ]
    for kind, call in calls:
        found = json.loads(emmf(*call, "--json").stdout)
        jsonschema.validate(found, {"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})
        known = schema["$defs"][kind]["properties"].keys()
        assert kind == "score" or found.keys() <= known, call
