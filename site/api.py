"""The Python API as Markdown: docstrings of the living objects, since estimators are made from the registry."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from itertools import groupby

from numpydoc.docscrape import NumpyDocString
from stand_in import StandIn

import emmf

# Modules beside the estimators, in the order of the page.
MODULES = ["emmf.outlier", "emmf.datasets", "emmf.metrics", "emmf.graph", "emmf.plot"]
# The same estimators on clusters. Their engines need not be installed to read what they say.
ENGINES = ["emmf.dask", "emmf.ray"]
NEEDED = ("dask", "distributed", "ray")
ROLE = re.compile(r":\w+:`~?([^`]+)`")
TABLES = ["Parameters", "Attributes", "Returns", "Raises"]


def pages() -> dict[str, str]:
    """Return the pages by their names: an overview, one page an estimator, one page a module."""
    sys.meta_path.append(StandIn(name for name in NEEDED if importlib.util.find_spec(name) is None))
    made = {f"api/{name}.md": page(f"emmf.{name}", getattr(emmf, name)) for name in estimators()}
    made |= {page_of(name): module(name) for name in ["emmf", *MODULES]}
    made |= {page_of(name): engine(name) for name in ENGINES}
    made["python-api.md"] = overview()
    return made


def estimators() -> list[str]:
    """Return the names of all estimators."""
    return [made.__name__ for made in emmf.ESTIMATORS.values()]


def overview() -> str:
    """Return the list of everything public, each with its first line."""
    lines = ["# Python API", "", "| estimator | |", "|---|---|"]
    lines += [f"| [`{name}`](api/{name}.md) | {first_line(getattr(emmf, name))} |" for name in estimators()]
    lines += ["", "| module | |", "|---|---|"]
    about = {name: first_line(importlib.import_module(name)) for name in ["emmf", *MODULES, *ENGINES]}
    lines += [f"| [`{name}`]({page_of(name)}) | {line} |" for name, line in about.items()]
    return "\n".join([*lines, "", "How they work together: [Python](python.md).", ""])


def page_of(module: str) -> str:
    """Return the page of a module; some systems take api/emmf.md for that of the estimator EMMF."""
    return f"api/module-{module}.md"


def first_line(thing: object) -> str:
    """Return the first line of a docstring, fit for a cell of a table."""
    return cell((inspect.getdoc(thing) or "").split("\n\n")[0])


def page(name: str, made: type, level: str = "#") -> str:
    """Return what there is to say of an estimator: its docstring, and its methods."""
    lines = [f"{level} `{name}`", "", *described(made)]
    for method in sorted(set(dir(made))):
        found = inspect.getattr_static(made, method)
        is_ours = inspect.isfunction(found) and found.__module__.startswith("emmf")
        if is_ours and not method.startswith("_") and inspect.getdoc(found):
            lines += [f"{level}# `{method}{signature(found)}`", "", *described(found)]
    return "\n".join(lines)


def module(name: str) -> str:
    """Return the page of a module: everything that it calls public."""
    found = importlib.import_module(name)
    lines = [f"# `{name}`", "", *described(found)]
    for public in found.__all__:
        thing = getattr(found, public)
        if inspect.ismodule(thing) or public in estimators():
            continue
        lines += [f"## `{public}{signature(thing)}`", "", *described(thing)]
    return "\n".join(lines)


def engine(name: str) -> str:
    """Return the page of a module with the estimators of a cluster: all names, and one estimator in full."""
    found = importlib.import_module(name)
    lines = [f"# `{name}`", "", *described(found), "Estimators, each with the parameters of its namesake:", ""]
    lines += [", ".join(f"[`{public}`]({public}.md)" for public in found.__all__) + ". All are used like this one.", ""]
    return "\n".join([*lines, page(f"{name}.EMMF", found.EMMF, "##")])


def signature(thing: object) -> str:
    """Return the signature, without types and without ``self``."""
    try:
        found = inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    kept = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=kept, return_annotation=found.empty))


def described(thing: object) -> Iterator[str]:
    """Yield the lines of a docstring as Markdown."""
    parsed = NumpyDocString(inspect.getdoc(thing) or "")
    for text in (parsed["Summary"], parsed["Extended Summary"]):
        yield from (*with_code(text), "")
    for section in TABLES:
        if parsed[section]:
            yield from (f"**{section}**", "", "| | | |", "|---|---|---|")
            for item in parsed[section]:
                yield f"| {code(item.name)} | {cell(item.type)} | {cell(' '.join(item.desc))} |"
            yield ""
    if parsed["Notes"]:
        yield from (*map(plain, parsed["Notes"]), "")
    if parsed["Examples"]:
        yield from ("```python", *parsed["Examples"], "```", "")


def with_code(text: list[str]) -> Iterator[str]:
    """Yield lines as Markdown, those of a session with Python as code."""
    for is_session, lines in groupby(text, lambda line: line.startswith(">>>")):
        if is_session:
            yield from ("```python", *(line.replace("  # doctest: +SKIP", "") for line in lines), "```")
        else:
            yield from map(plain, lines)


def plain(text: str) -> str:
    """Turn the marks of reStructuredText into those of Markdown."""
    return ROLE.sub(r"`\1`", text).replace("``", "`")


def cell(text: str) -> str:
    """Return a text that fits into one cell of a table."""
    return plain(" ".join(text.split())).replace("|", "\\|")


def code(name: str) -> str:
    """Return a name as code, where there is one."""
    return f"`{name}`" if name else ""
