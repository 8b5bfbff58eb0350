"""Every command and snippet of README.md and docs/, in the order of its page, as written.

A block is run unless a comment above it says why not, ``<!-- not run: REASON -->``, or which data it needs and there are none,
``<!-- needs FILE -->``.
"""

import os
import pathlib
import re
import subprocess
from typing import NamedTuple

import pytest

ROOT = pathlib.Path(__file__).parents[2]
EMMF = pathlib.Path(os.environ["EMMF"])
DATA = pathlib.Path(os.environ.get("EMMF_DATA", ROOT.parent / "shared" / "data"))
# What a fit of a stream says after each batch.
REMARK = re.compile(r"batch \d+: ")
FENCE = re.compile(r"(?:<!-- (needs|not run:) ([^\n]+) -->\n)?```(\w*)\n(.*?)```", re.DOTALL)


class Block(NamedTuple):
    """Some lines to run."""

    page: str
    at: int
    mark: str
    why: str
    language: str
    lines: str


def blocks():
    for page in ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]:
        found = FENCE.findall((ROOT / page).read_text(encoding="utf-8"))
        yield from (Block(page, at, *block) for at, block in enumerate(found))


BLOCKS = [block for block in blocks() if block.language in ("sh", "python")]
RUN = [block for block in BLOCKS if block.mark != "not run:"]


class Page:
    """What the blocks of a page share: a folder, and the names of Python."""

    def __init__(self, folder):
        self.folder = folder
        self.names = {"__name__": "page"}
        for file in DATA.glob("*.mat"):
            (folder / file.name).symlink_to(file.resolve())


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    made = {}

    def page(name):
        if name not in made:
            made[name] = Page(tmp_path_factory.mktemp(pathlib.Path(name).stem))
        return made[name]

    return page


@pytest.mark.parametrize("block", RUN, ids=lambda block: f"{block.page}:{block.at}")
def test_block(pages, block, monkeypatch):
    page = pages(block.page)
    if block.mark == "needs" and not (page.folder / block.why).exists():
        said = f"SKIPPED: no {block.why} in {DATA}; set EMMF_DATA"
        expected = os.environ.get("CI") and not os.environ.get("EMMF_NO_DATA")
        assert not expected, f"{said}, or EMMF_NO_DATA=1 where there are none"
        pytest.skip(said)
    monkeypatch.chdir(page.folder)
    if block.language == "python":
        monkeypatch.setenv("MPLBACKEND", "agg")
        exec(compile(block.lines, f"{block.page}, block {block.at}", "exec"), page.names)
        return
    env = {**os.environ, "PATH": f"{EMMF.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", block.lines], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    complaints = [line for line in done.stderr.splitlines() if not REMARK.match(line)]
    assert complaints == []
    for name in re.findall(r"--(?:out|imputed) (\S+)", block.lines):
        assert name == "-" or (page.folder / name).exists(), name


def test_what_is_not_run_has_a_reason():
    left_out = [block for block in BLOCKS if block.mark == "not run:"]
    assert all(len(block.why) > 5 for block in left_out)
    assert len(left_out) < len(RUN) / 4, [f"{block.page}: {block.why}" for block in left_out]


def test_commands_stand_in_fences():
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        bare = re.findall(r"^    (?:emmf|pip|cargo) .*$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert bare == [], path.name
