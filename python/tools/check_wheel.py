"""Check an installed wheel: its size, and a fit. ``python check_wheel.py FILE.whl``."""

from __future__ import annotations

import sys
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
    X, _, outlier = emmf.datasets.make_rays()
    model = emmf.EMMF(3, init="trimmed").fit(X)
    if not np.array_equal(model.outliers_ & outlier, outlier):
        sys.exit("a fit does not find the outliers")
    print(f"{wheel}: {size / 1e6:.1f} MB, Python {sys.version.split()[0]}, {len(emmf.ESTIMATORS)} estimators: good")


if __name__ == "__main__":
    main()
