"""Layers beside flat fits and other deep factorizations: `make deep`.

Fits every set with layers of 2k, 3k and 5k nodes under k, the true number of clusters, merged along the graph and without; runs the flat
methods and rivals of benches/clusters.py, Deep Semi-NMF and deep nsNMF; writes docs/deep.md. Data as there. Every run is kept in target/deep.csv as
soon as it ends; a second call goes on where the first one stopped. SEEDS says how many seeds, ONLY which sets, EMMF which program. Needs numpy,
scipy and scikit-learn.
"""

import os
from pathlib import Path

import clusters
import scipy.sparse as sp
from deep_rivals import deep_ns_nmf, deep_semi_nmf
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

ROOT = clusters.ROOT
RUNS = ROOT / "target" / "deep.csv"
PAGE = ROOT / "docs" / "deep.md"
clusters.PROGRAM = Path(os.environ.get("EMMF", clusters.PROGRAM))


def layers(widths, *options):
    return ["--layers", ",".join(map(str, widths)), *options]


def ours(k, n):
    """Fits by the program: their names, the number that -k gets or none, and options."""
    merged = {
        f"**layers {times}k, k**": layers((min(times * k, n // 2), k)) for times in (2, 3, 5) if min(times * k, n // 2) > k
    }
    free = {"layers 3k, k, `merge=0`": layers((min(3 * k, n // 2), k), "--param", "merge=0")}
    flat = {
        "`emmf`, largest coefficient": ["-k", k, "--method", "emmf", "--label-rule", "largest"],
        "`emmf`": ["-k", k, "--method", "emmf"],
        "`g-emmf` (the default)": ["-k", k],
        "`g-emmf` as published": ["-k", k, "--method", "g-emmf", "--as-published", "--normalize", "unit"],
    }
    return merged | free | flat


def on_rows(h, k, seed):
    """k-means on the rows of the last layer, as their authors do."""
    return KMeans(k, n_init=10, random_state=seed).fit_predict(h)


def rivals(x, k, seed):
    u = normalize(TfidfTransformer().fit_transform(x) if sp.issparse(x) else x)
    wide = min(3 * k, x.shape[0] // 2)
    chosen = clusters.rivals(x, k, seed)
    flat = {name: chosen[name] for name in ("spectral, k-means labels", "k-means, 10 runs")}
    if sp.issparse(u) or x.shape[0] > 5000:
        return flat
    return flat | {
        "Deep Semi-NMF 3k, k": lambda: on_rows(deep_semi_nmf(u, (wide, k), seed), k, seed),
        "deep nsNMF 3k, k": lambda: on_rows(deep_ns_nmf(u, (wide, k), seed), k, seed),
    }


def measure():
    def runs_of(_name, x, k, seed):
        fits = ours(k, x.shape[0]).items()
        runs = {method: lambda options=options: clusters.fitted(x, seed, options) for method, options in fits}
        return runs | clusters.timed(rivals(x, k, seed))

    return clusters.measured(RUNS, [*clusters.PAPER, *clusters.MORE], runs_of)


def page(rows):
    methods = list(dict.fromkeys(row["method"] for row in rows))
    ours = {row["set"] for row in rows if row["method"].startswith("**layers")}
    sets = [name for name in [*clusters.PAPER, *clusters.MORE] if name in ours]
    lines = [(ROOT / "benches" / "deep.md").read_text().rstrip(), ""]
    for field, title in [("acc", "Accuracy"), ("nmi", "NMI"), ("cpu", "CPU seconds")]:
        lines += [f"## {title}", "", *clusters.table(rows, (methods, sets), field), ""]
    counts = {name: len({row["seed"] for row in rows if row["set"] == name}) for name in sets}
    seeds = ", ".join(f"{name} {count}" for name, count in counts.items())
    left = [name for name in [*clusters.PAPER, *clusters.MORE] if name not in sets]
    if left:
        lines += [f"**This edition is not complete**: not yet run on {', '.join(left)}.", ""]
    lines += [f"Seeds per set, at most: {seeds}. – marks what was not run: numpy takes too long for it, or the data are sparse."]
    PAGE.write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    page(measure())
