"""What the other scripts here know of the project: its version, its crates, and how commands are run."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "target" / "dist"
# What wheels and programs for Linux run on: anything since 2014.
GLIBC = "2.17"
# Every package holds their text, so they lie in the folder of each.
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Run a command, and end with its words if it fails."""
    print("+", *command, flush=True)
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**os.environ, **(env or {})})
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}")


def said(*command: str | Path, cwd: Path = ROOT) -> str:
    """Return what a command prints."""
    return subprocess.run([str(word) for word in command], cwd=cwd, check=True, capture_output=True, text=True).stdout


def manifest() -> dict[str, Any]:
    """Return the manifest of the workspace."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))


def project_table() -> dict[str, Any]:
    """Return the metadata of the Python package."""
    return dict(tomllib.loads((ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8"))["project"])


def version() -> str:
    """Return the version of everything."""
    return str(manifest()["workspace"]["package"]["version"])


def metadata() -> dict[str, Any]:
    """Return what cargo knows of all crates, ours and others."""
    return dict(json.loads(said("cargo", "metadata", "--format-version", "1", "--locked")))


def published() -> list[str]:
    """Return the names of the crates that are published."""
    packages = {package["id"]: package for package in metadata()["packages"]}
    members = [packages[member] for member in metadata()["workspace_members"]]
    return sorted(package["name"] for package in members if package["publish"] != [])


def changed_at() -> int:
    """Return when the last commit was made: the time of everything that is written."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or said("git", "log", "-1", "--format=%ct"))


def target() -> str:
    """Return the Rust target of this machine."""
    line = next(line for line in said("rustc", "-vV").splitlines() if line.startswith("host: "))
    return line.removeprefix("host: ")


def is_linux() -> bool:
    """Return whether this is Linux, where programs are linked against an old glibc."""
    return platform.system() == "Linux"


def build_environment() -> dict[str, str]:
    """Return variables that keep paths of this machine out of what is built, and make it the same twice."""
    cargo_home = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    remap = [f"--remap-path-prefix={cargo_home}=/cargo", f"--remap-path-prefix={ROOT}=/emmf"]
    return {
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(remap),
        "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_RELEASE_STRIP": "symbols",
        "SOURCE_DATE_EPOCH": str(changed_at()),
        "CFLAGS": f"-ffile-prefix-map={cargo_home}=/cargo",
    }
