"""What outliers are looked for in: tables that have some, sets to which some are added, and samples that have none."""

import os
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("EMMF_DATA", ROOT.parent / "shared" / "data"))
SETS = ["yale", "movement", "jaffe", "umist", "mfeat", "ba", "coil20", "digits", "msra25", "mecs"]
MORE = ["digits", "msra25", "mecs"]


def load(name):
    folder = DATA / "more" if name in MORE else DATA
    held = scipy.io.loadmat(folder / f"{name}.mat")
    x, y = held["X"], held["y"].ravel()
    x = (x.toarray() if sp.issparse(x) else x).astype(float)
    return x - min(x.min(), 0), len(np.unique(y))


def tables():
    """Every table, with its outliers."""
    for path in sorted((DATA / "outliers").glob("*.npz"), key=lambda path: int(path.stem.split("_")[0])):
        held = np.load(path, allow_pickle=True)
        x, bad = held["X"].astype(float), held["y"].ravel().astype(bool)
        yield path.stem.split("_", 1)[1], (x - x.min(0)) / np.maximum(x.max(0) - x.min(0), 1e-12), bad


def kinds(x, other):
    """Every kind of outlier in or beside the samples: name, samples, which are outliers."""
    random = np.random.default_rng(0)
    (n, d), top = x.shape, x.max()

    def beside(more):
        return np.vstack([x, more]), np.r_[np.zeros(n, bool), np.ones(len(more), bool)]

    def instead(count, change):
        bad = np.zeros(n, bool)
        bad[random.choice(n, count, replace=False)] = True
        changed = x.copy()
        for i in np.flatnonzero(bad):
            change(changed[i])
        return changed, bad

    def block(row):
        at = random.integers(0, d - d // 4 + 1)
        row[at : at + d // 4] = top * random.integers(0, 2)

    def salt(row):
        row[random.choice(d, d // 4, replace=False)] = top * random.integers(0, 2, d // 4)

    def longer(row):
        row *= 100

    yield "huge, n/10", *beside(random.uniform(0, 10 * top, (n // 10, d)))
    yield "huge, n/3", *beside(random.uniform(0, 10 * top, (n // 3, d)))
    yield "scattered, n/5", *beside(random.uniform(0, top, (n // 5, d)))
    drawn = other[random.choice(len(other), min(n // 5, len(other)), replace=False)]
    drawn = drawn[:, (np.arange(d) * drawn.shape[1]) // d]
    yield "another set, n/5", *beside(drawn * (top / drawn.max()))
    yield "block destroyed, n/5", *instead(n // 5, block)
    yield "salt and pepper, n/5", *instead(n // 5, salt)
    yield "length ×100, n/10", *instead(n // 10, longer)
    copies = random.uniform(0, top, d) * random.normal(1, 0.01, (max(n // 20, 5), d))
    yield "near-copies of one, n/20", *beside(np.clip(copies, 0, None))


def clean():
    """Samples that were made without outliers."""
    random = np.random.default_rng(0)
    yield "exact, rank 3", random.random((200, 3)) @ random.random((3, 20)), 3
    yield "k = d", random.random((3000, 5)), 5
    yield "k > d", random.random((3000, 5)), 10
    yield "counts", random.poisson(2, (1000, 30)).astype(float), 5
    yield "binary", (random.random((1000, 40)) < 0.3).astype(float), 8
    yield "heavy tails", random.pareto(2, (2000, 20)), 5
    yield "lognormal lengths", random.lognormal(0, 1, (2000, 1)) * random.random((2000, 20)), 5
    for i in range(6):
        centres = random.random((20, 100)) * (random.random((20, 100)) < 0.3)
        noise = random.normal(0, 0.03, (6000, 100))
        yield f"20 clusters, {i}", np.abs(centres[random.integers(0, 20, 6000)] + noise), 20
    yield "a numeric id column", np.column_stack([np.arange(200), random.random((200, 10))]), 3
