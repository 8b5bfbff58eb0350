"""From the files that people have, made by their own tools, to a page and tables, without more than `emmf fit -h`."""

import csv
import gzip
import json
import os
import subprocess
from pathlib import Path

import anndata
import jsonschema
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

EMMF = os.environ["EMMF"]
RNG = np.random.default_rng(0)
KINDS = np.repeat(["a", "b", "c"], 20)
X = np.round(np.repeat(RNG.random((3, 6)) * 10, 20, axis=0) + RNG.random((60, 6)), 3)
NAMES = [f"S{i:03}" for i in range(60)]
GENES = [f"gene_{j}" for j in range(6)]
TABLE = pd.DataFrame(X, columns=GENES, index=NAMES)
WORDS = {"a": ["soup", "waiter", "dinner", "wine"], "b": ["laptop", "screen", "keyboard", "disk"], "c": ["goal", "team", "match", "league"]}
FIT = ["-k", "3", "--max-iter", "20"]


def emmf(*args, code=0, **kwargs):
    done = subprocess.run([EMMF, *map(str, args)], capture_output=True, text=True, **kwargs)
    assert done.returncode == code, done.stderr
    return done


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def cells(path, kind=scipy.sparse.csr_matrix):
    data = anndata.AnnData(kind(X.astype(np.float32)), obs=pd.DataFrame({"cell_type": KINDS}, index=NAMES), var=pd.DataFrame(index=GENES))
    data.layers["twice"] = data.X * 2
    data.obsm["X_pca"] = X[:, :2]
    data.raw = data
    data.write_h5ad(path)


def reviews(path):
    texts = [" ".join(["the", *RNG.choice(WORDS[kind], 6), "was", "really", f"nice{i % 4}"]) for i, kind in enumerate(KINDS)]
    pd.DataFrame({"id": NAMES, "review": texts, "stars": RNG.integers(1, 5, 60)}).to_json(path, orient="records", lines=True)


def german(path):
    TABLE.assign(Art=KINDS).to_csv(path, sep=";", decimal=",", index_label="Probe", compression="gzip")


def export(path):
    table = TABLE.assign(species=KINDS, paid=RNG.random(60) > 0.5)
    table.index = 100_000 + 37 * np.arange(60)
    table.to_excel(path, sheet_name="customers", index_label="customer")


def measured(path):
    TABLE.assign(species=pd.Categorical(KINDS)).rename_axis("sample").reset_index().to_feather(path)


def store(path):
    cells(path.with_suffix(".h5ad"))
    anndata.read_h5ad(path.with_suffix(".h5ad")).write_zarr(path)


# What each person has, what they type, and what their first sample is called.
PEOPLE = {
    "cells.h5ad": (cells, ["--labels", "cell_type"], "S000"),
    "reviews.jsonl": (reviews, ["--text", "review"], "S000"),
    "german.csv.gz": (german, [], "S000"),
    "export.xlsx": (export, ["--labels", "species"], "100000"),
    "measured.feather": (measured, ["--labels", "species"], "S000"),
    "cells.zarr": (store, ["--labels", "cell_type"], "S000"),
}


@pytest.mark.parametrize("name", PEOPLE)
def test_from_a_file_to_a_page_and_tables(tmp_path, name):
    make, options, first = PEOPLE[name]
    make(tmp_path / name)
    said = emmf("fit", name, "-k", "3", "--out", "result", "--report", *options, cwd=tmp_path)
    result = tmp_path / "result"
    samples, coefficients = rows(result / "samples.csv"), rows(result / "coefficients.csv")
    assert len(samples) == 60 and samples[0]["name"] == coefficients[0]["name"] == first, said.stderr
    clusters = [{row["label"] for row in samples[at : at + 20]} for at in (0, 20, 40)]
    assert all(len(found) == 1 for found in clusters) and len(set.union(*clusters)) == 3
    centroids = {row["feature"] for row in rows(result / "centroids.csv")}
    assert ("soup" if "reviews" in name else "gene_3") in centroids
    assert {row["feature"] for row in rows(result / "features.csv")} <= centroids
    page = (result / "report.html").read_text()
    assert page.count("http://") + page.count("https://") == page.count("http://www.w3.org") and samples[7]["name"] in page
    # What comes later is read as the fit read its own.
    again = rows_of(emmf("transform", "result", name, "--out", "-", cwd=tmp_path).stdout)
    assert [row["name"] for row in again] == [row["name"] for row in samples]
    found = json.loads(emmf("explain", "result", name, "--name", samples[7]["name"], "--json", cwd=tmp_path).stdout)
    assert found["row"] == 7
    if name.endswith("h5ad"):
        written = anndata.read_h5ad(result / "result.h5ad")
        assert list(written.obs["emmf_label"]) == [row["label"] for row in samples]


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize(
    "options, known",
    [
        ([], range(6)),
        (["--top-features", "3"], None),
        (["--drop", "gene_1,gene_4"], [0, 2, 3, 5]),
        (["--variable", "raw"], range(6)),
        (["--variable", "obsm/X_pca", "--normalize", "shift"], []),
    ],
)
def test_h5ad_comes_back_with_centroids_where_their_genes_are(tmp_path, options, known):
    cells(tmp_path / "x.h5ad")
    emmf("fit", "x.h5ad", *FIT, *options, "--out", "result", cwd=tmp_path)
    found = anndata.read_h5ad(tmp_path / "result" / "result.h5ad")
    centroids = {row["feature"]: [float(row[f"u{k}"]) for k in range(3)] for row in rows(tmp_path / "result" / "centroids.csv")}
    assert found.obsm["X_emmf"].shape == (60, 3)
    if known == []:
        assert "emmf" not in found.varm and found.uns["emmf_centroids"].shape == (2, 3)
        assert list(found.uns["emmf_features"]) == list(centroids)
        return
    assert found.varm["emmf"].shape == (6, 3)
    assert known is None or set(centroids) == {GENES[j] for j in known}
    for gene, row in zip(found.var_names, found.varm["emmf"]):
        assert row == pytest.approx(centroids[gene]) if gene in centroids else np.isnan(row).all()


def test_h5ad_is_known_by_its_content(tmp_path):
    cells(tmp_path / "x.h5ad", kind=np.asarray)
    packed = tmp_path / "x.h5ad.gz"
    packed.write_bytes(gzip.compress((tmp_path / "x.h5ad").read_bytes()))
    (tmp_path / "cells.dat").write_bytes((tmp_path / "x.h5ad").read_bytes())
    for name in ("x.h5ad.gz", "cells.dat"):
        emmf("fit", name, *FIT, "--out", "result", "--write", "h5ad", cwd=tmp_path)
        assert anndata.read_h5ad(tmp_path / "result" / "result.h5ad").varm["emmf"].shape == (6, 3)
    TABLE.to_csv(tmp_path / "x.csv")
    assert "is not one" in emmf("fit", "x.csv", *FIT, "--out", "o", "--write", "h5ad", code=2, cwd=tmp_path).stderr


def test_new_cells_come_back_as_h5ad(tmp_path):
    cells(tmp_path / "x.h5ad")
    emmf("fit", "x.h5ad", *FIT, "--out", "result", "--columns", "gene_0,gene_2,gene_5", cwd=tmp_path)
    anndata.read_h5ad(tmp_path / "x.h5ad")[30:].copy().write_h5ad(tmp_path / "new.h5ad")
    emmf("transform", "result", "new.h5ad", "--out", "coded.h5ad", cwd=tmp_path)
    emmf("transform", "result", "new.h5ad", "--out", "coded.csv", cwd=tmp_path)
    found, table = anndata.read_h5ad(tmp_path / "coded.h5ad"), rows(tmp_path / "coded.csv")
    assert list(found.obs_names) == NAMES[30:] == [row["name"] for row in table]
    assert list(found.obs["emmf_label"].astype(str)) == [row["label"] for row in table]
    assert found.obsm["X_emmf"] == pytest.approx(np.array([[float(row[f"v{k}"]) for k in range(3)] for row in table]))
    assert np.isnan(found.varm["emmf"]).all(axis=1).tolist() == [False, True, False, True, True, False]
    TABLE.to_csv(tmp_path / "x.csv")
    emmf("fit", "x.csv", *FIT, "--out", "of_table", cwd=tmp_path)
    said = emmf("transform", "of_table", "x.csv", "--out", "coded2.h5ad", code=2, cwd=tmp_path).stderr
    assert "x.csv is not one" in said and not (tmp_path / "coded2.h5ad").exists()


def test_another_sheet_holds_the_numbers(tmp_path):
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        pd.DataFrame({"note": ["made on Monday"]}).to_excel(book, sheet_name="Cover", index=False)
        TABLE.to_excel(book, sheet_name="Measured")
    said = emmf("fit", tmp_path / "x.xlsx", *FIT, code=2).stderr
    assert "sheet 'Cover' holds no numbers" in said and "'Measured'" in said and "--variable NAME" in said
    emmf("fit", tmp_path / "x.xlsx", *FIT, "--variable", "Measured")


def test_json_as_pandas_writes_it_by_default(tmp_path):
    TABLE.to_json(tmp_path / "x.json")
    assert "a JSON object of columns cannot be read" in emmf("fit", tmp_path / "x.json", *FIT, code=2).stderr


def test_columns_called_like_cells_look_transposed(tmp_path):
    barcodes = ["".join(RNG.choice(list("ACGT"), 16)) + "-1" for _ in NAMES]
    TABLE.set_axis(barcodes).T.to_csv(tmp_path / "x.csv")
    said = emmf("fit", tmp_path / "x.csv", "-k", "2").stderr
    assert "called like cells" in said and "--transpose" in said
    assert "called like cells" not in emmf("fit", tmp_path / "x.csv", *FIT, "--transpose").stderr


def test_a_stream_is_continued_in_its_folder(tmp_path):
    TABLE.to_csv(tmp_path / "x.csv", index=False)
    emmf("fit", "x.csv", "-k", "2", "--batch", "30", "--out", "live", cwd=tmp_path)
    emmf("fit", "x.csv", "--update", "live", cwd=tmp_path)


@pytest.mark.parametrize("gap", ["NA", "n/a", "#N/A", "null", "NULL", "None", "NaN", "-", "?"])
@pytest.mark.parametrize("name", ["x.csv", "x.xlsx", "x.jsonl"])
def test_gaps_as_people_write_them(tmp_path, gap, name):
    table = TABLE.astype(object)
    table.iloc[3, 2] = gap
    path = tmp_path / name
    if name == "x.csv":
        table.to_csv(path)
    elif name == "x.xlsx":
        table.to_excel(path)
    else:
        table.reset_index(names="id").to_json(path, orient="records", lines=True)
    assert "--missing nan" in emmf("fit", path, *FIT, code=2).stderr
    emmf("fit", path, *FIT, "--missing", "nan")


def test_decimal_commas_between_quotes(tmp_path):
    """The first line of data is to blame, not the line of names above it."""
    TABLE.to_csv(tmp_path / "x.csv", decimal=",", index=False)
    said = emmf("fit", tmp_path / "x.csv", *FIT, code=2).stderr
    assert "line 2, column 1 ('gene_0')" in said and "--decimal ," in said
    emmf("fit", tmp_path / "x.csv", *FIT, "--decimal", ",")


def test_true_and_false_are_numbers_everywhere(tmp_path):
    table = pd.DataFrame({"a": X[:, 0] > X[:, 0].mean(), "b": X[:, 1], "c": X[:, 2]})
    table.to_csv(tmp_path / "x.csv", index=False)
    table.to_excel(tmp_path / "x.xlsx", index=False)
    table.to_json(tmp_path / "x.jsonl", orient="records", lines=True)
    found = [json.loads(emmf("fit", tmp_path / name, *FIT, "--json").stdout) for name in ("x.csv", "x.xlsx", "x.jsonl")]
    assert [one["d"] for one in found] == [3, 3, 3]
    assert [one["objective"] for one in found] == pytest.approx([found[0]["objective"]] * 3)


@pytest.mark.parametrize("name", ["x.csv", "x.xlsx", "x.parquet"])
def test_numbers_that_tell_customers_apart_are_names(tmp_path, name):
    def fit(column, values, *options):
        table = TABLE.reset_index(drop=True)
        table.insert(0, column, values)
        write = {"x.csv": table.to_csv, "x.xlsx": table.to_excel, "x.parquet": table.to_parquet}[name]
        write(tmp_path / name, index=False)
        done = emmf("fit", tmp_path / name, *FIT, "--json", *options)
        return json.loads(done.stdout)["d"], done.stderr

    rising = 100_000 + 37 * np.arange(60)
    shuffled = RNG.permutation(rising)
    for column in ("customer", "CustomerID", "order_id", "key"):
        for values in (rising, shuffled):
            d, said = fit(column, values)
            assert d == 6 and f"column '{column}' is taken as the names" in said and "--columns" in said
    # A name that says nothing: it stays, and this is said.
    d, said = fit("time", rising)
    assert d == 7 and "column 'time' rises" in said and "--drop 'time'" in said
    assert fit("time", shuffled) == (7, "")
    assert fit("time", rising, "--drop", "time") == (6, "")


@pytest.mark.parametrize("name", ["x.csv", "x.xlsx", "x.parquet", "x.jsonl"])
def test_other_texts_that_differ_may_be_names(tmp_path, name):
    table = TABLE.reset_index(drop=True).assign(email=NAMES, kind=KINDS)
    path = tmp_path / name
    write = {"x.csv": table.to_csv, "x.xlsx": table.to_excel, "x.parquet": table.to_parquet}.get(name)
    table.to_json(path, orient="records", lines=True) if write is None else write(path, index=False)
    said = emmf("fit", path, *FIT).stderr
    about = {word: line for line in said.splitlines() for word in ("email", "kind") if f"'{word}'" in line}
    assert "--id 'email'" in about["email"] and "--labels" not in about["email"]
    assert "--labels 'kind'" in about["kind"]


def test_texts_alone_have_words_to_count(tmp_path):
    pd.DataFrame({"id": NAMES, "review": [f"a text about {kind}" for kind in KINDS]}).to_csv(tmp_path / "x.csv", index=False)
    assert "--text review counts its words" in emmf("fit", tmp_path / "x.csv", *FIT, code=2).stderr


def test_options_that_mean_nothing_are_refused(tmp_path):
    TABLE.to_excel(tmp_path / "x.xlsx")
    TABLE.to_json(tmp_path / "x.jsonl", orient="records", lines=True)
    np.savez(tmp_path / "x.npz", X=X)
    for name, option, value in [("x.xlsx", "--separator", ";"), ("x.jsonl", "--decimal", ","), ("x.jsonl", "--header", "true")]:
        said = emmf("fit", tmp_path / name, *FIT, option, value, code=2).stderr
        assert f"{option} is only for" in said and "leave it out" in said
    assert "there is no variable with the names named 'nothere'" in emmf("fit", tmp_path / "x.npz", *FIT, "--id", "nothere", code=2).stderr
    for options in (["--ngrams", "2"], ["--stop-words", "de"], ["--resize", "2x3"]):
        assert options[0] in emmf("fit", tmp_path / "x.xlsx", *FIT, *options, code=2).stderr
    reviews(tmp_path / "r.jsonl")
    said = emmf("fit", tmp_path / "r.jsonl", *FIT, "--text", "review", "--stop-words", "xx", code=2).stderr
    assert "no list of stop words named 'xx'" in said and "variables" not in said
    anndata.AnnData(X).write_h5ad(tmp_path / "x.h5ad")
    said = emmf("fit", tmp_path / "x.h5ad", *FIT, "--variable", "raw", code=2).stderr
    assert "there is no layer named 'raw'" in said and "variables" not in said


def test_names_are_quoted_alike(tmp_path):
    table = TABLE.rename(columns={"gene_0": 'say "x", y'}, index={"S000": "Smith, J."})
    table.to_csv(tmp_path / "x.csv", index_label="id")
    emmf("fit", "x.csv", *FIT, "--out", "result", cwd=tmp_path)
    result = tmp_path / "result"
    for one, other, column in (("samples.csv", "coefficients.csv", "name"), ("features.csv", "centroids.csv", "feature")):
        assert {row[column] for row in rows(result / one)} == {row[column] for row in rows(result / other)}
        quoted = [{field for field in ('"Smith, J."', '"say ""x"", y"', '"S001"', '"gene_1"') if field in (result / name).read_text()} for name in (one, other)]
        assert quoted[0] == quoted[1] and len(quoted[0]) == 1


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("size, sizes", [(20, [20, 20, 20]), (25, [25, 25, 10]), (59, [59, 1]), (60, [60]), (80, [60])])
def test_batches_have_their_size(tmp_path, header, size, sizes):
    text = TABLE.to_csv(index=False, header=header)
    learn = ["fit", "-", "-k", "2", "--batch", size, "--json", "--quiet", "--out", tmp_path / "result"]
    lines = [json.loads(line) for line in emmf(*learn, input=text).stdout.splitlines()]
    assert [line["samples"] for line in lines] == sizes
    assert [line["first"] for line in lines] == [sum(sizes[:at]) for at in range(len(sizes))]
    schema = json.loads((Path(__file__).parents[2] / "docs" / "json.schema.json").read_text(encoding="utf-8"))
    for line in lines:
        jsonschema.validate(line, {**schema, "anyOf": [{"$ref": "#/$defs/batch"}]})


def test_options_of_other_programs_are_known(tmp_path):
    TABLE.to_csv(tmp_path / "x.csv")
    for typed, tip in [
        (["--alpha-w", "0.1"], "--param alpha-w=VALUE"),
        (["--alpha_W=0.1"], "--param alpha-w=VALUE"),
        (["--beta-loss", "kullback-leibler"], "--method nmf-div"),
        (["--init", "custom"], "--start FILE"),
        (["--n_components", "3"], "'-k' here"),
        (["--random-state", "3"], "'--seed' here"),
        (["--jobs", "3"], "'--threads' here"),
    ]:
        assert tip in emmf("fit", tmp_path / "x.csv", *FIT, *typed, code=2).stderr
    emmf("fit", tmp_path / "x.csv", *FIT, "--method", "nmf", "--param", "alpha_w=0.001")


def test_a_file_that_is_not_there_is_said_in_words(tmp_path):
    said = emmf("fit", tmp_path / "x.csv", *FIT, code=2).stderr
    assert "No such file or directory; check its name" in said and "os error" not in said
