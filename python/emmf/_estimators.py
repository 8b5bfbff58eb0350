"""One class for each registered method, made from its entry in the registry."""

from __future__ import annotations

import json
from difflib import get_close_matches
from inspect import Parameter as Argument
from inspect import Signature
from typing import Any

from . import _emmf, _parameters
from ._base import MatrixFactorization, Unweighted
from ._docstrings import docstring

# Words of a method's name that are written otherwise than with a capital; whatever has nmf in it or ends in cf is all
# capitals.
WORDS = {"emmf": "EMMF", "g": "Graph", "deep": "Deep", "cim": "CIM", "rcim": "RCIM", "symnmf": "SymNMF"}

# What other packages call a parameter.
OTHER_NAMES = {
    "k": "n_components",
    "rank": "n_components",
    "seed": "random_state",
    "lambda": "lam",
    "labels": "label_rule",
    "neighbours": "n_neighbors",
}

# What scikit-learn's NMF has as a parameter, and this package as another estimator.
PENALISED = "penalties are parameters of NMF, NMFDiv and BetaNMF"
ELSEWHERE = {
    "beta_loss": "NMFDiv minimises the Kullback-Leibler divergence and BetaNMF(beta=...) any other",
    "shuffle": "the order of updates is fixed",
    **dict.fromkeys(("alpha_W", "alpha_H", "l1_ratio"), PENALISED),
}


def class_name(method: str) -> str:
    """Name of the estimator of a method.

    >>> class_name("capped-nmf"), class_name("g-emmf")
    ('CappedNMF', 'GraphEMMF')
    """
    word = lambda text: text.upper() if "nmf" in text or text.endswith("cf") else text.capitalize()  # noqa: E731
    return "".join(WORDS.get(text, word(text)) for text in method.split("-"))


def _hint(word: str, known: list[str]) -> str:
    """Say what is meant by a parameter that there is not."""
    alike = {each.lower(): each for each in [*ELSEWHERE, *known]}
    near = get_close_matches(OTHER_NAMES.get(word, word).lower(), alike, n=1, cutoff=0.5)
    if not near:
        return ""
    meant = alike[near[0]]
    return f"; did you mean {meant!r}?" if meant in known else f"; {ELSEWHERE[meant]}"


def make(
    entry: dict[str, Any],
    base: type[Any] | None = None,
    module: str = "emmf",
    more: list[_parameters.Parameter] | None = None,
) -> type[Any]:
    """Make the estimator of a method; of another base and module with more parameters, where these are given."""
    name, parameters = class_name(entry["name"]), [*_parameters.of_method(entry), *(more or [])]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        known = [parameter.name for parameter in parameters]
        for word in kwargs:
            if word not in known:
                raise TypeError(f"{name} has no parameter {word!r}{_hint(word, known)}")
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        for parameter in parameters:
            setattr(self, parameter.name, bound.arguments[parameter.name])

    first, *others = parameters
    arguments = [Argument("self", Argument.POSITIONAL_OR_KEYWORD)]
    arguments += [Argument(first.name, Argument.POSITIONAL_OR_KEYWORD, default=first.default)]
    arguments += [Argument(each.name, Argument.KEYWORD_ONLY, default=each.default) for each in others]
    signature = Signature(arguments)
    __init__.__signature__ = signature  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{name}.__init__"
    members = {
        "__init__": __init__,
        "__doc__": docstring(name, entry, parameters),
        "__module__": module,
        "_entry": entry,
        "_parameter_constraints": {each.name: each.allowed for each in parameters},
    }
    own = MatrixFactorization if entry["weights"] else Unweighted
    return type(name, (base or own,), members)


ESTIMATORS: dict[str, type[MatrixFactorization]] = {entry["name"]: make(entry) for entry in json.loads(_emmf.methods())}
