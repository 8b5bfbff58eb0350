"""The build backend: maturin for the compiled module, and the program ``emmf`` beside it.

maturin takes what lies in ``emmf.data/scripts`` into the wheel, so the program is built and put there first.
EMMF_PROGRAM names one that is built already.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import maturin
from maturin import (  # noqa: F401 — hooks that need nothing else
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

Settings = dict[str, Any] | None
NAME = "emmf.exe" if sys.platform == "win32" else "emmf"


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build the program, then the wheel with it."""
    put_program()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel that leads here; the program is the one of this moment."""
    put_program()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Refuse: the archive also holds all crates, which `make dist` puts together."""
    raise RuntimeError("the source archive is made by `make dist` (release/dist.py), with every crate that it needs")


def put_program() -> None:
    """Put the program where maturin looks for it."""
    folder = Path.cwd() / "emmf.data" / "scripts"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(os.environ.get("EMMF_PROGRAM") or built(), folder / NAME)


def built() -> Path:
    """Build the program from the workspace around us."""
    here = Path.cwd().resolve()
    root = next(place for place in [here, *here.parents] if (place / "Cargo.lock").exists())
    target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target")).resolve()
    command = ["cargo", "build", "--release", "--locked", "--package", "emmf-cli", "--target-dir", str(target)]
    subprocess.run(command, cwd=root, check=True)
    return target / "release" / NAME
