"""The package itself: examples, types, style, the tutorial."""

import doctest
import importlib.util
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import emmf

ROOT = Path(__file__).parent.parent


def modules():
    yield "emmf"
    # An engine may not be installed.
    left_out = {"_emmf"} | {engine for engine in ("dask", "ray") if importlib.util.find_spec(engine) is None}
    yield from (f"emmf.{found.name}" for found in pkgutil.iter_modules(emmf.__path__) if found.name not in left_out)


@pytest.mark.parametrize("name", list(modules()))
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_example_of_every_estimator(Estimator):
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder(recurse=False).find(Estimator, Estimator.__name__, module=False):
        runner.run(test)
    assert runner.summarize(verbose=False).attempted > 4
    assert runner.summarize(verbose=False).failed == 0


def test_letters_of_formulas_are_no_capitals():
    assert "    λ: weight of the graph" in emmf.GraphEMMF.__doc__
    assert "    σ; default: 2σ²" in emmf.CIMNMF.__doc__
    assert "    True: the variant whose objective never rises" in emmf.GraphEMMF.__doc__
    for made in emmf.ESTIMATORS.values():
        assert not re.search("^    [Α-Ω](:|;| of| for)", made.__doc__, re.MULTILINE)


def test_everything_public_has_a_docstring():
    for name in modules():
        module = importlib.import_module(name)
        assert module.__doc__, name
        for public in getattr(module, "__all__", []):
            assert getattr(getattr(module, public), "__doc__", None), f"{name}.{public}"


def command(*arguments, cwd=ROOT):
    done = subprocess.run([sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_of_a_program_that_uses_it(tmp_path):
    # From elsewhere: the installed package is to be seen, not its sources.
    sample = Path(__file__).parent / "typed_sample.py"
    command("mypy", "--strict", "--cache-dir", tmp_path / "cache", sample, cwd=tmp_path)


def test_stubs_are_those_of_the_registry():
    command("tools.stubs", "--check")


def test_style():
    command("ruff", "check", ".")
    command("ruff", "format", "--check", ".")


class Said:
    """What a notebook printed."""

    def __init__(self, text):
        self.text = text

    def numbers(self, line):
        """Give the numbers of the first line that matches."""
        return [float(number) for number in re.findall(r"(?<!\w)-?\d+(?:\.\d+)?", re.search(line, self.text)[0])]


def digits(said):
    ours, theirs = said.numbers("ROC AUC.*")
    assert ours > max(theirs, 0.99)
    assert said.numbers("GraphEMMF: accuracy.*") > said.numbers("NMF: accuracy.*")
    before, noisy = said.numbers("score before.*")
    assert before < 3.5 < noisy


def texts(said):
    assert said.numbers("k-means: accuracy.*") >= said.numbers("GraphEMMF: accuracy.*") > [0.95]
    found, others, wrong, reviews = said.numbers("marked.*")
    assert (found, others, reviews) == (15, 15, 300)
    assert wrong <= 3


def cells(said):
    assert said.numbers("accuracy.*") > [0.95]
    found, broken, wrong, _ = said.numbers("marked.*")
    assert found == broken == 15
    assert wrong <= 3
    for kind, gene in [("platelet", "PPBP"), ("monocyte", "LYZ"), ("NK cell", "GNLY"), ("B cell", "CD79A")]:
        assert gene in re.search(rf"{kind}: .*", said.text)[0]
    assert said.numbers("chosen: .*")[0] == 5


def images(said):
    found, others, wrong, _ = said.numbers("marked.*")
    assert found == others == 15
    assert wrong <= 3
    ours, theirs = said.numbers("GraphEMMF with junk:.*"), said.numbers("NMF with junk:.*")
    assert min(ours[:3]) > 0.95 > ours[3] > theirs[3]
    assert max(theirs[1:]) < 0.8
    scores = said.numbers("score without.*")[3:]
    assert scores == sorted(scores)
    assert scores[-1] < 3.5


# What the texts of the notebooks say follows from what their cells print.
NOTEBOOKS = {"digits": digits, "texts": texts, "cells": cells, "images": images}


def test_every_notebook_is_tried():
    assert {path.stem for path in (ROOT / "examples").glob("*.ipynb")} == NOTEBOOKS.keys()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook(name, tmp_path, monkeypatch):
    # Pictures go into the notebook.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    stored = nbformat.read(ROOT / "examples" / f"{name}.ipynb", as_version=4)
    notebook = nbformat.read(ROOT / "examples" / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(tmp_path))
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 2
    for fresh, kept in zip(notebook.cells, stored.cells, strict=True):
        assert len(kept.get("outputs", [])) == len(fresh.get("outputs", [])), fresh.source
    for each in (notebook, stored):
        shown = [output for cell in each.cells for output in cell.get("outputs", [])]
        NOTEBOOKS[name](Said("".join(output.get("text", "") for output in shown)))
