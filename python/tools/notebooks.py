"""Run the notebooks of python/examples and keep their outputs: ``make notebooks``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

EXAMPLES = Path(__file__).parents[1] / "examples"


def executed(path: Path) -> Any:
    """Return the notebook with fresh outputs, and nothing in it that changes from run to run."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as place:
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute(cwd=place)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def main() -> None:
    """Run those that are named, or all."""
    named = [EXAMPLES / f"{name}.ipynb" for name in sys.argv[1:]]
    for path in named or sorted(EXAMPLES.glob("*.ipynb")):
        nbformat.write(executed(path), path)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
