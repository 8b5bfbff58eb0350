"""Check an installed wheel: its size, its licences, and a fit. ``python check_wheel.py FILE.whl``."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import numpy as np

import emmf

# The module and the program, packed.
LIMIT = 20_000_000


def main() -> None:
    """Check the wheel of this name."""
    wheel = Path(sys.argv[1])
    size = wheel.stat().st_size
    if size > LIMIT:
        sys.exit(f"{wheel} has {size / 1e6:.1f} MB, more than {LIMIT / 1e6:.0f}")
    if "abi3" not in wheel.name or "site-packages" not in emmf.__file__:
        sys.exit(f"{wheel} is not for all versions of Python, or {emmf.__file__} is not from it")
    licences(wheel)
    X, _, outlier = emmf.datasets.make_rays()
    model = emmf.EMMF(3, init="trimmed").fit(X)
    if not np.array_equal(model.outliers_ & outlier, outlier):
        sys.exit("a fit does not find the outliers")
    print(f"{wheel}: {size / 1e6:.1f} MB, Python {sys.version.split()[0]}, {len(emmf.ESTIMATORS)} estimators: good")


def licences(wheel: Path) -> None:
    """End with a complaint unless the wheel holds the text of both licences."""
    here = Path(__file__).parents[1]
    with zipfile.ZipFile(wheel) as archive:
        held = {name.rpartition("/")[2]: name for name in archive.namelist() if ".dist-info/licenses/" in name}
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            if name not in held or archive.read(held[name]) != (here / name).read_bytes():
                sys.exit(f"{wheel} does not hold {name}")


if __name__ == "__main__":
    main()
