"""Write the stubs of ``emmf``, ``emmf.dask`` and ``emmf.ray``, which tell type checkers what the estimators take.

``python -m tools.stubs`` writes them, ``--check`` fails where one is not up to date with the registry of methods.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from emmf._cluster.estimators import CLIENT, DEADLINE, IN_PLACE, SHARDS, WORKERS, spreads
from emmf._estimators import ESTIMATORS
from emmf._parameters import COMMON, STARTS, Parameter, of_method

FOLDER = Path(__file__).parent.parent / "emmf"
# Wider than a line.
INIT = next(each for each in COMMON if each.name == "init").type
TYPES = {
    INIT: "Start | None",
    'float, "same" or None': 'float | Literal["same"] | None',
    'int, "auto" or None': 'int | Literal["auto"] | None',
    'sequence of int, "auto" or None': 'Sequence[int] | Literal["auto"] | None',
    "str, list of str or None": "str | Sequence[str] | None",
    "int, RandomState instance or None": "int | RandomState | None",
    "callable or None": "Callable[[Step], Any] | None",
    "Client or None": "Any",
}
HEAD = '''"""Written by tools/stubs.py from the registry of methods; do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

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
from ._report import report as report
from ._selection import TopFeatures as TopFeatures

__version__: str
ESTIMATORS: dict[str, type[MatrixFactorization]]
'''
CLUSTER = '''"""Written by tools/stubs.py from the registry of methods; do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from numpy.random import RandomState

from . import Start
from ._cluster.estimators import OnCluster
from ._progress import Step

class Factorization(OnCluster):
    @property
    def labels_(self) -> Any: ...
    @property
    def residuals_(self) -> Any: ...
    @property
    def outlier_scores_(self) -> Any: ...
    @property
    def coefficients_(self) -> Any: ...
'''

ALIAS = "\nGEMMF = GraphEMMF\n"

# How factors start, as a type of its own.
STARTS_AS = "".join(["Start: TypeAlias = Literal[\n", *(f'    "{name}",\n' for name in STARTS), "]\n"])


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


def on_cluster(own: Parameter) -> str:
    """Write the file of an engine, whose estimators have a parameter of their own."""
    there = [each for each in ESTIMATORS.values() if spreads(each._entry)]
    more = [own, IN_PLACE, SHARDS, DEADLINE]
    classes = [stub(each.__name__, "Factorization", [*of_method(each._entry), *more]) for each in there]
    return CLUSTER + "".join(classes)


def texts() -> dict[Path, str]:
    """Write all files."""
    classes = [stub(each.__name__, each.__base__.__name__, of_method(each._entry)) for each in ESTIMATORS.values()]
    return {
        FOLDER / "__init__.pyi": HEAD + STARTS_AS + "".join(classes) + ALIAS,
        FOLDER / "dask.pyi": on_cluster(CLIENT),
        FOLDER / "ray.pyi": on_cluster(WORKERS),
    }


def main() -> None:
    """Write or check the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether it is up to date")
    check = parser.parse_args().check
    for file, text in texts().items():
        if not check:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            sys.exit(f"{file} is not up to date with the registry; run `python -m tools.stubs` in python/")


if __name__ == "__main__":
    main()
