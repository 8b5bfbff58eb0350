"""Write ``emmf/__init__.pyi``, which tells type checkers and editors what the estimators take.

``python -m tools.stubs`` writes it, ``--check`` fails where it is not up to date with the registry of methods.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from emmf._estimators import ESTIMATORS
from emmf._parameters import Parameter, of_method

FILE = Path(__file__).parent.parent / "emmf" / "__init__.pyi"
TYPES = {
    'int or "auto"': 'int | Literal["auto"]',
    "str, list of str or None": "str | Sequence[str] | None",
    "int, RandomState instance or None": "int | RandomState | None",
    "callable or None": "Callable[[Step], Any] | None",
}
HEAD = '''"""Written by tools/stubs.py from the registry of methods; do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from numpy.random import RandomState

from . import datasets as datasets
from . import graph as graph
from . import metrics as metrics
from . import outlier as outlier
from . import plot as plot
from ._base import MatrixFactorization as MatrixFactorization
from ._base import Unweighted
from ._choice import Choice as Choice
from ._choice import choose_k as choose_k
from ._files import load_model as load_model
from ._progress import Step as Step

__version__: str
ESTIMATORS: dict[str, type[MatrixFactorization]]
'''


def hint(parameter: Parameter) -> str:
    """Give the type of a parameter as type checkers write it."""
    if parameter.type in TYPES:
        return TYPES[parameter.type]
    literal = re.sub(r"\{(.*)\}", r"Literal[\1]", parameter.type)
    return literal.replace(" or ", " | ")


def stub(name: str, base: str, parameters: list[Parameter]) -> str:
    """Write the stub of a class."""
    first, *others = parameters
    lines = [f"\nclass {name}({base}):"]
    lines += [f"    {each.name}: {hint(each)}" for each in parameters]
    lines += [
        "    def __init__(",
        "        self,",
        f"        {first.name}: {hint(first)} = ...,",
        "        *,",
    ]
    lines += [f"        {each.name}: {hint(each)} = ...," for each in others]
    return "\n".join([*lines, "    ) -> None: ..."]) + "\n"


def text() -> str:
    """Write the whole file."""
    classes = [stub(each.__name__, each.__base__.__name__, of_method(each._entry)) for each in ESTIMATORS.values()]
    return HEAD + "".join(classes)


def main() -> None:
    """Write or check the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether it is up to date")
    if not parser.parse_args().check:
        FILE.write_text(text())
    elif FILE.read_text() != text():
        sys.exit(f"{FILE} is not up to date with the registry; run `python -m tools.stubs` in python/")


if __name__ == "__main__":
    main()
