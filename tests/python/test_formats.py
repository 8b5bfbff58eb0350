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
import pyarrow
import pytest
import scipy.io
import scipy.sparse
import zarr
import zstandard
from PIL import Image

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


@pytest.mark.parametrize("packing", ["lz4", "zstd", "uncompressed"])
def test_feather(tmp_path, expected, packing):
    path = tmp_path / "x.feather"
    TABLE.assign(species=pd.Categorical(Y)).reset_index(names="id").to_feather(path, compression=packing)
    said, rows = same(fit(path), expected)
    assert rows[5]["name"] == "S005" and "'species'" in said
    assert fit(path, "--labels", "species")[0]["acc"] == 1.0
    again = emmf("transform", tmp_path / "result", path, "--out", "-").stdout.splitlines()
    assert again[6].startswith("S005,")


@pytest.mark.parametrize("rows", [7, 1000])
@pytest.mark.parametrize("kind", ["file", "stream", "stream.gz"])
def test_arrow(tmp_path, expected, kind, rows):
    path = tmp_path / "x.arrow"
    # With pandas' index, which is a column of its own.
    table = pyarrow.Table.from_pandas(TABLE.assign(species=Y, depth=X.sum(1).astype("float32")))
    make = pyarrow.ipc.new_file if kind == "file" else pyarrow.ipc.new_stream
    with pyarrow.OSFile(str(path), "wb") as sink, make(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    if kind.endswith("gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    said, found = same(fit(path, "--drop", "depth"), expected)
    assert found[5]["name"] == "S005" and "'species'" in said


def test_gaps_of_a_feather_file(tmp_path):
    path = tmp_path / "x.feather"
    table = TABLE.reset_index(drop=True)
    table.loc[7, "gene_2"] = np.nan
    table.to_feather(path)
    said = emmf("fit", path, *FIT, code=2).stderr
    assert "column 'gene_2' has no value in row 8" in said and "--missing nan" in said
    assert fit(path, "--missing", "nan", "--method", "emmf")[0]["n"] == 60


PACKERS = {
    "none": None,
    "zstd": zarr.codecs.ZstdCodec(),
    "gzip": zarr.codecs.GzipCodec(),
    **{f"{name}-{shuffle}": zarr.codecs.BloscCodec(cname=name, shuffle=shuffle)
       for name in ("lz4", "lz4hc", "blosclz", "zlib", "zstd") for shuffle in ("noshuffle", "shuffle", "bitshuffle")},
}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1"])
def test_zarr_arrays(tmp_path, packer, dtype):
    # Large enough for several blocks of Blosc; random bits in some places and none in others.
    values = np.repeat(RNG.integers(0, 200, (1, 900)), 700, axis=0) + RNG.integers(0, 3, (700, 900))
    values[:, 300:600] = RNG.random((700, 300)) * (255 if dtype == "u1" else 1e6)
    values = values.astype(dtype)
    np.save(tmp_path / "x.npy", values)
    zarr.create_array(tmp_path / "x.zarr", data=values, chunks=(301, 500), compressors=PACKERS[packer])
    how = ["fit", "-k", "2", "--method", "nmf", "--init", "random", "--max-iter", "1", "--json"]
    want, found = (json.loads(emmf(*how, tmp_path / name).stdout) for name in ("x.npy", "x.zarr"))
    assert (found["objective"], found["dtype"]) == (want["objective"], want["dtype"])


@pytest.mark.parametrize("packer", ["default", "lz4", "zlib", "bz2", "blosc"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_zarr_groups_of_version_2(tmp_path, expected, packer, order):
    import numcodecs

    own = {"lz4": numcodecs.LZ4(), "zlib": numcodecs.Zlib(), "bz2": numcodecs.BZ2(), "blosc": numcodecs.Blosc()}
    how = {} if packer == "default" else {"compressors": own[packer]}
    group = zarr.create_group(tmp_path / "x.zarr", zarr_format=2)
    group.create_array("X", data=X, chunks=(25, 4), order=order, **how)
    group.create_array("y", data=Y)
    group.create_array("ids", data=np.array(NAMES), chunks=(50,))
    result, said, rows = fit(tmp_path / "x.zarr", "--id", "ids")
    same((result, said, rows), expected)
    assert result["acc"] == 1.0 and rows[5]["name"] == "S005"
    assert "'X', 'ids', 'y'" in emmf("fit", tmp_path / "x.zarr", *FIT, "--variable", "Z", code=2).stderr


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("zipped", [False, True])
def test_zarr_of_anndata(tmp_path, version, zipped):
    cells, path = counts(), tmp_path / ("cells.zarr.zip" if zipped else "cells.zarr")
    with anndata.settings.override(zarr_write_format=version):
        if zipped:
            with zarr.storage.ZipStore(path, mode="w") as store:
                cells.write_zarr(store)
        else:
            cells.write_zarr(path)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    how = ["--labels", "cell_type", "--normalize", "counts,log1p"]
    result, said, rows = fit(path, *how)
    want = fit(tmp_path / "cells.h5ad", *how)
    assert result["objective"] == want[0]["objective"] and rows == want[2]
    again = emmf("transform", tmp_path / "result", path, "--out", "-").stdout.splitlines()
    assert again[9].startswith("S008,")


def test_shards_of_zarr_are_refused_by_name(tmp_path):
    zarr.create_array(tmp_path / "x.zarr", data=X, chunks=(5, 3), shards=(30, 6))
    said = emmf("fit", tmp_path / "x.zarr", *FIT, code=2).stderr
    assert "the array (stored by sharding_indexed" in said and "zstd" in said


def test_images_in_colour(tmp_path):
    folder, colours = tmp_path / "images", ((200, 20, 20), (20, 200, 20), (20, 20, 200))
    pixels = np.empty((60, 4, 5, 3), np.uint8)
    for at in range(60):
        # As grey they are alike.
        pixels[at] = np.array(colours[at // 20]) + RNG.integers(0, 30, (4, 5, 3))
        (folder / "abc"[at // 20]).mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels[at]).save(folder / "abc"[at // 20] / f"{at:02}.png")
    grey, said, _ = fit(folder)
    assert grey["d"] == 20 and "--color" in said
    kept, said, rows = fit(folder, "--color", "--report")
    assert (kept["d"], kept["acc"]) == (60, 1.0) and said == ""
    np.save(tmp_path / "x.npy", pixels.reshape(60, -1) / 255)
    table = json.loads(emmf("fit", tmp_path / "x.npy", *FIT, "--image", "4x5x3", "--json").stdout)
    assert table["objective"] == pytest.approx(kept["objective"], rel=1e-5)
    record = json.loads((tmp_path / "result" / "record.json").read_text())
    assert record["sketch"]["colour"] and record["sketch"]["image"] == [4, 5]
    # New images are read as those of the fit, and a picture of each centroid has its colour.
    again = emmf("transform", tmp_path / "result", folder, "--out", "-").stdout.splitlines()[1:]
    assert [line.split(",")[4] for line in again] == [row["label"] for row in rows]
    emmf("plot", tmp_path / "result", "--kind", "centroids", "--out", tmp_path / "c.png")
    drawn = np.asarray(Image.open(tmp_path / "c.png").convert("RGB")).reshape(-1, 3).astype(int)
    for part in range(3):
        others = [other for other in range(3) if other != part]
        assert (drawn[:, part] > drawn[:, others].max(axis=1) + 100).sum() > 100
    said = emmf("explain", tmp_path / "result", folder, "--row", "0").stdout
    assert "red" in said or "green" in said or "blue" in said


def texts(kind, path):
    words = ["soup fresh tasty waiter spicy dessert", "screen battery keyboard fast laptop charger"]
    rows = [" ".join(RNG.choice(words[i % 2].split(), 6)) for i in range(40)]
    table = pd.DataFrame({"id": range(40), "review": rows, "topic": ["food", "tech"] * 20})
    write = {"jsonl": lambda: table.to_json(path, orient="records", lines=True), "parquet": lambda: table.to_parquet(path),
             "xlsx": lambda: table.to_excel(path, index=False), "feather": lambda: table.to_feather(path), "csv": lambda: table.to_csv(path, index=False)}
    write[kind]()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx", "feather"])
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


@pytest.mark.parametrize("what", ["xls", "pickle", "ods", "xz", "zip", "feather"])
def test_what_is_not_read_is_named(tmp_path, what):
    path = tmp_path / f"x.{what}"
    if what == "pickle":
        TABLE.to_pickle(path)
    elif what == "xls":
        path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    elif what == "feather":
        path.write_bytes(b"FEA1" + bytes(60) + b"FEA1")
    elif what == "xz":
        TABLE.to_csv(path, compression="xz")
    else:
        import zipfile

        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("content.xml" if what == "ods" else "x.csv", "a,b\n1,2\n")
    named = {"xls": "old Excel", "pickle": "Python pickle", "ods": "OpenDocument", "xz": "xz", "zip": "zip archive",
             "feather": "Feather file of version 1"}
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
        ("method", ["methods", "g-emmf"]),
        ("methods", ["methods"]),
    ]
    for kind, call in calls:
        found = json.loads(emmf(*call, "--json").stdout)
        jsonschema.validate(found, {"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})
        jsonschema.validate(found, schema)
        for each in found if kind == "methods" else [found]:
            known = schema["$defs"][kind.removesuffix("s")]["properties"].keys()
            assert kind == "score" or each.keys() <= known, call
