"""The commands of docs/guide.md, in their order."""

import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
EMMF = pathlib.Path(os.environ["EMMF"])
DATA = pathlib.Path(os.environ.get("EMMF_DATA", ROOT.parent / "shared" / "data"))
BLOCK = re.compile(r"(?:<!-- needs (\S+) -->\n)?```sh\n(.*?)```", re.DOTALL)
BLOCKS = BLOCK.findall((ROOT / "docs" / "guide.md").read_text(encoding="utf-8"))
CROSS, RING, BARS = np.eye(12) + np.eye(12)[::-1], np.pad(np.zeros((6, 6)), 3, constant_values=1), np.tile([[1.0], [0]], (6, 12))


def shapes(folder):
    """Three kinds of images, 12x12, as PGM."""
    rng = np.random.default_rng(0)
    for name, shape in (("bars", BARS), ("cross", CROSS), ("ring", RING)):
        (folder / name).mkdir(parents=True)
        for at in range(20):
            noisy = np.clip(200 * np.clip(shape, 0, 1) * rng.uniform(0.6, 1) + rng.uniform(0, 30, shape.shape), 0, 255)
            (folder / name / f"{at:02}.pgm").write_bytes(b"P5\n12 12\n255\n" + noisy.astype(np.uint8).tobytes())


def reviews(path):
    rng = np.random.default_rng(0)
    words = ["soup fresh tasty waiter spicy dessert menu".split(), "screen battery keyboard fast laptop charger pixels".split()]
    lines = [f'"{" ".join(rng.choice(words[i % 2], 8))}, {rng.choice(["good", "bad", "so"])}",{"food" if i % 2 == 0 else "tech"}' for i in range(40)]
    path.write_text("review,class\n" + "\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guide")
    shapes(folder / "shapes")
    reviews(folder / "reviews.csv")
    for file in DATA.glob("*.mat"):
        (folder / file.name).symlink_to(file.resolve())
    return folder


@pytest.mark.parametrize("at", range(len(BLOCKS)))
def test_the_guide(place, at):
    needs, commands = BLOCKS[at]
    if needs and not (place / needs).exists():
        said = f"SKIPPED: no {needs} in {DATA}; set EMMF_DATA"
        expected = "EMMF_DATA" in os.environ or DATA.is_dir()
        assert not (expected and "CI" in os.environ), said
        pytest.skip(said)
    env = {**os.environ, "PATH": f"{EMMF.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=place, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for name in re.findall(r"--(?:out|imputed) (\S+)", commands):
        assert (place / name).exists(), name
