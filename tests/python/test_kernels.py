"""The kernels for cards compile by the NVRTC that comes as a wheel, which needs neither a driver nor a card."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

KINDS = ("75", "80", "86", "89", "90")


def nvrtc() -> Path | None:
    """Give the folder of NVRTC, where the wheel is installed."""
    found = importlib.util.find_spec("nvidia")
    places = list(found.submodule_search_locations or []) if found else []
    folders = [library.parent for place in places for library in Path(place).glob("*/lib/libnvrtc.so.*")]
    return folders[0] if folders else None


def test_every_kernel_compiles() -> None:
    """For every kind of card that kernels are written for."""
    folder = nvrtc()
    if folder is None:
        pytest.skip("no wheel nvidia-cuda-nvrtc is to be had here, so no kernel is compiled")
    path = os.environ | {"LD_LIBRARY_PATH": str(folder)}
    made = subprocess.run([os.environ["EMMF"], "device", "--compile", *KINDS], env=path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert {line.split(":")[0] for line in made.stdout.splitlines()} == {f"sm_{kind}" for kind in KINDS}


def test_a_missing_library_is_named_in_a_sentence() -> None:
    """Where there is no card, the program says what is missing and ends with 2."""
    said = subprocess.run([os.environ["EMMF"], "device"], capture_output=True, text=True, check=False)
    if said.returncode == 0:
        pytest.skip("there is a card here")
    assert said.returncode == 2
    assert "cuda:0 cannot be used" in said.stderr
    assert "panicked" not in said.stderr
