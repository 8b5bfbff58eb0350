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


def test_tutorial(tmp_path, monkeypatch):
    # Pictures go into the notebook.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(ROOT / "examples" / "digits.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(tmp_path))
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 2
    stored = nbformat.read(ROOT / "examples" / "digits.ipynb", as_version=4)
    for fresh, kept in zip(notebook.cells, stored.cells, strict=True):
        assert len(kept.get("outputs", [])) == len(fresh.get("outputs", [])), fresh.source
    said = "".join(output.get("text", "") for output in outputs)

    def numbers(line):
        return [float(number) for number in re.findall(r"-?\d+\.\d+", re.search(line, said)[0])]

    # What the text says follows from the numbers.
    ours, theirs = numbers("ROC AUC.*")
    assert ours > max(theirs, 0.99)
    assert numbers("GraphEMMF: accuracy.*") > numbers("NMF: accuracy.*")
    before, noisy = numbers("score before.*")
    assert before < 3.5 < noisy
