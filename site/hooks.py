"""Pages of the site that are made, not written: the command line from the program's help, and the Python API."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
import api

EMMF = os.environ.get("EMMF", str(Path(__file__).parents[1] / "target" / "debug" / "emmf"))
# Whoever searches a word wants what explains it first, then the reference.
REFERENCE = "---\nsearch:\n  boost: 0.2\n---\n\n"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made."""
    for name, content in {"command-line.md": command_line(), **api.pages()}.items():
        files.append(File.generated(config, name, content=REFERENCE + content))
    style = (Path(__file__).parent / "site.css").read_text(encoding="utf-8")
    files.append(File.generated(config, "site.css", content=style))
    return files


def command_line() -> str:
    """Return the page of all commands, as the program itself explains them."""
    page = ["# Command line", "", "What `emmf --help` and `emmf COMMAND --help` print.", ""]

    def describe(words: list[str]) -> None:
        text = help_of(words)
        page.extend([f"{'#' * (len(words) + 2)} `{' '.join(['emmf', *words])}`", "", "```text", text, "```", ""])
        for name in commands(text):
            describe([*words, name])

    describe([])
    return "\n".join(page)


def help_of(words: list[str]) -> str:
    """Return what ``emmf WORDS --help`` prints."""
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run([EMMF, *words, "--help"], env=env, check=True, capture_output=True, text=True)
    return done.stdout.rstrip()


def commands(text: str) -> list[str]:
    """Return the names under ``Commands:``, without ``help``."""
    listed = re.search(r"^Commands:\n(.*?)(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    names = re.findall(r"^  (\S+)", listed[1], re.MULTILINE) if listed else []
    return [name for name in names if name != "help"]
