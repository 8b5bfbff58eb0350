"""Clusters by default beside what else people use: `make clusters`.

Fits every set with the program's defaults and the true number of clusters, runs the rivals on unit samples, and writes
docs/clusters.md. Data: the folder EMMF_DATA, else ../shared/data, with its folder `more`. Every run is kept in
target/clusters.csv as soon as it ends; a second call goes on where the first one stopped. SEEDS says how many seeds, ONLY which
sets. Needs numpy, scipy and scikit-learn; Leiden's communities need igraph and leidenalg and are left out without them.
"""

import csv
import os
import resource
import subprocess
import warnings
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import normalized_mutual_info_score
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import normalize

try:
    import igraph
    import leidenalg
except ImportError:
    igraph = None

warnings.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("EMMF_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = ROOT / "target" / "release" / "emmf"
RUNS = ROOT / "target" / "clusters.csv"
STEPS_RUNS = ROOT / "target" / "clusters-steps.csv"
PAGE = ROOT / "docs" / "clusters.md"
SEEDS = int(os.environ.get("SEEDS", "3"))
PAPER = {"yale": 0.456, "jaffe": 0.981, "movement": 0.478, "umist": 0.459, "ba": 0.480, "mfeat": 0.783, "coil20": 0.688, "coil100": 0.480}
MORE = ["digits", "mecs", "msra25", "reuters21578"]
OURS = {
    "**default**": [],
    "`emmf`": ["--method", "emmf"],
    "`emmf`, largest coefficient": ["--method", "emmf", "--label-rule", "largest"],
    "`emmf`, graph start": ["--method", "emmf", "--init", "graph"],
    "`g-emmf` as published": ["--method", "g-emmf", "--as-published", "--normalize", "unit"],
    "`nmf`": ["--method", "nmf"],
    "`nmf` as published": ["--method", "nmf", "--as-published", "--normalize", "unit"],
}
LEIDEN = "Leiden, its own number"
# How samples may be prepared before the default fit.
STEPS = ["none", "unit", "max", "min-max", "log1p", "counts,log1p", "tfidf,unit"]
FIELDS = ["set", "method", "seed", "acc", "nmi", "cpu"]


def blobs(random):
    """Ten clouds of different size and spread in 40 features."""
    sizes, centres = random.integers(30, 300, 10), random.uniform(0, 1, (10, 40))
    y = np.repeat(np.arange(10), sizes)
    return np.abs(centres[y] + random.normal(size=(len(y), 40)) * random.uniform(0.2, 0.5, 10)[y, None]), y


def rings(random):
    """Fifteen closed curves, as objects seen from all sides are: no cluster is near one point."""
    y, turn = np.repeat(np.arange(15), 60), np.tile(np.linspace(0, 2 * np.pi, 60, endpoint=False), 15)
    waves = np.stack([np.cos(turn), np.sin(turn), np.cos(2 * turn), np.sin(2 * turn)], axis=1)
    shapes, means = random.normal(0, 0.4, (15, 4, 100)), random.uniform(0.5, 1.5, (15, 100))
    x = means[y] + np.einsum("nw,nwd->nd", waves, shapes[y]) + random.normal(0, 0.15, (len(y), 100))
    return np.maximum(x, 0), y


def topics(random):
    """Counts of 2000 words in 1500 short texts, each of one of twelve topics and some of the others."""
    words, y = random.dirichlet(np.full(2000, 0.02), 12), random.integers(0, 12, 1500)
    mixed = 0.5 * np.eye(12)[y] + 0.5 * random.dirichlet(np.full(12, 0.3), 1500)
    return sp.csr_matrix([random.multinomial(25, row / row.sum()) for row in mixed @ words]).astype(float), y


def cells(_):
    """Counts of 200 genes in 900 cells of five kinds, as `emmf synth cells` makes them."""
    file = ROOT / "target" / "clusters-cells.mat"
    command = [PROGRAM, "synth", "cells", "--samples", "900", "--outliers", "0", "--out", file]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    held = scipy.io.loadmat(file)
    return held["X"].astype(float), np.unique(held["y"].ravel(), return_inverse=True)[1]


MADE = {"blobs": blobs, "rings": rings, "topics": topics}
LARGE, CELLS = "strokes", "cells"
# Sets of which one seed takes long enough.
SLOW = ("coil100", "reuters21578", LARGE)


def strokes(random, samples=60_000):
    """Pictures of 28×28 in ten classes: a class is a curve of one stroke, drawn by many hands, as written digits are."""
    along = np.linspace(0, 1, 24)[:, None]
    bends = np.hstack([(1 - along) ** 3, 3 * along * (1 - along) ** 2, 3 * along**2 * (1 - along), along**3])
    shapes, y = random.uniform(3, 25, (10, 4, 2)), random.integers(0, 10, samples)
    at = np.stack(np.meshgrid(np.arange(28.0), np.arange(28.0), indexing="ij"), axis=-1).reshape(-1, 2)
    x = np.empty((samples, 784), np.float32)
    for first in range(0, samples, 1000):
        rows = slice(first, first + 1000)
        points = bends @ (shapes[y[rows]] + random.normal(0, 2, (len(y[rows]), 4, 2)))
        width = random.uniform(0.8, 1.6, (len(points), 1))
        apart = (at**2).sum(1)[None, :, None] + (points**2).sum(2)[:, None] - 2 * np.einsum("pc,nsc->nps", at, points)
        x[rows] = 255 * np.exp(-apart.min(2) / (2 * width**2))
    return np.round(x).astype(float), y


def load(name):
    if made := (MADE | {LARGE: strokes, CELLS: cells}).get(name):
        return made(np.random.default_rng(0))
    folder = DATA / "more" if name in MORE else DATA
    held = scipy.io.loadmat(folder / f"{name}.mat")
    x, y = held["X"], held["y"].ravel()
    x = sp.csr_matrix(x).astype(float) if sp.issparse(x) else x.astype(float)
    return (x if sp.issparse(x) else x - min(x.min(), 0)), np.unique(y, return_inverse=True)[1]


def accuracy(y, labels):
    labels = np.unique(labels, return_inverse=True)[1]
    table = np.zeros((y.max() + 1, labels.max() + 1))
    np.add.at(table, (y, labels), 1)
    return table[linear_sum_assignment(-table)].sum() / len(y)


def program(x, k, seed, options):
    return fitted(x, seed, ["-k", k, *options])


def fitted(x, seed, options):
    """The labels of a fit by the program, and its CPU seconds."""
    folder = ROOT / "target" / "clusters"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / ("x.npz" if sp.issparse(x) else "x.npy")
    sp.save_npz(file, x) if sp.issparse(x) else np.save(file, x)
    steps = ["--normalize", "tfidf,unit"] if sp.issparse(x) and "--normalize" not in options else []
    command = [PROGRAM, "fit", file, "--seed", seed, "--quiet", "--out", folder / "out", *steps, *options]
    began = cpu_seconds(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    seconds = cpu_seconds(resource.RUSAGE_CHILDREN) - began
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    with open(folder / "out" / "samples.csv", newline="") as rows:
        labels = [row["label"] for row in csv.DictReader(rows)]
    return np.array(labels), seconds


def cpu_seconds(whose):
    """What this process with all its threads, or the processes that it has waited for, have used: unlike time, no other work adds to it."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def rivals(x, k, seed):
    """Their names and what they need to be run."""
    u = normalize(TfidfTransformer().fit_transform(x) if sp.issparse(x) else x)

    def graph():
        near = kneighbors_graph(u, 5)
        return ((near + near.T) > 0).astype(float)

    def spectral(rule):
        return SpectralClustering(k, affinity="precomputed", assign_labels=rule, random_state=seed).fit_predict(graph())

    def agglomerative():
        return AgglomerativeClustering(k, metric="cosine", linkage="average").fit_predict(u)

    def leiden():
        links = sp.triu(graph(), 1).tocoo()
        found = igraph.Graph(n=u.shape[0], edges=list(zip(links.row.tolist(), links.col.tolist())))
        return np.array(leidenalg.find_partition(found, leidenalg.ModularityVertexPartition, seed=seed).membership)

    # It takes dense samples only.
    dense = {} if sp.issparse(u) else {"agglomerative, cosine": agglomerative}
    communities = {LEIDEN: leiden} if igraph else {}
    return dense | communities | {
        "k-means, 10 runs": lambda: KMeans(k, n_init=10, random_state=seed).fit_predict(u),
        "spectral, k-means labels": lambda: spectral("kmeans"),
        "spectral, QR labels": lambda: spectral("cluster_qr"),
        "scikit-learn NMF": lambda: NMF(k, init="nndsvda", random_state=seed).fit_transform(u).argmax(1),
    }


def many_rivals(x, k, seed):
    """What is run on very many samples: scikit-learn's way from samples to clusters."""
    near = {"affinity": "nearest_neighbors", "n_neighbors": 5, "random_state": seed}
    return {
        "k-means, 10 runs": lambda: KMeans(k, n_init=10, random_state=seed).fit_predict(x),
        "spectral, k-means labels": lambda: SpectralClustering(k, **near).fit_predict(normalize(x)),
    }


def all_runs(name, x, k, seed):
    """Everything that is done with a set: what it is called, and how it is run."""
    ours, others = ({"**default**": []}, many_rivals) if name == LARGE else (OURS, rivals)
    runs = {method: lambda options=options: program(x, k, seed, options) for method, options in ours.items()}
    # With the choice of the number.
    auto = {"**default**, `-k auto`": lambda: program(x, "auto", seed, [])} if name == LARGE else {}
    return runs | auto | timed(others(x, k, seed))


def all_steps(name, x, k, seed):
    """The default fit of samples that are prepared in different ways."""
    return {} if name in SLOW else {steps: lambda steps=steps: program(x, k, seed, ["--normalize", steps]) for steps in STEPS}


def measured(kept_in, names, runs_of):
    """Make the runs of all sets, by `runs_of` the name, the samples, k and the seed, and keep each in a file as soon as it ends.

    A run gives labels and its CPU seconds. What the file has already is not run again.
    """
    kept = list(csv.DictReader(kept_in.open())) if kept_in.exists() else []
    if kept and list(kept[0]) != FIELDS:
        raise SystemExit(f"{kept_in}: has other columns than {', '.join(FIELDS)}; remove it")
    done = {(row["set"], row["method"], int(row["seed"])) for row in kept}
    kept_in.parent.mkdir(exist_ok=True)
    with kept_in.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not kept:
            writer.writeheader()
        for name in os.environ.get("ONLY", ",".join(names)).split(","):
            x, y = load(name)
            k = int(y.max()) + 1
            for seed in range(1 if name in SLOW else SEEDS):
                for method, run in runs_of(name, x, k, seed).items():
                    if (name, method, seed) in done:
                        continue
                    labels, seconds = run()
                    nmi = normalized_mutual_info_score(y, labels, average_method="geometric")
                    writer.writerow(dict(zip(FIELDS, [name, method, seed, accuracy(y, labels), nmi, seconds])))
                    file.flush()
    return list(csv.DictReader(kept_in.open()))


def timed(runs):
    """Runs of this process that give labels only, in the form that `measured` asks for."""

    def with_seconds(run):
        began = cpu_seconds(resource.RUSAGE_SELF)
        labels = run()
        return labels, cpu_seconds(resource.RUSAGE_SELF) - began

    return {method: lambda run=run: with_seconds(run) for method, run in runs.items()}


def measure():
    sets = [*PAPER, *MORE, *MADE]
    return measured(RUNS, [*sets, LARGE], all_runs), measured(STEPS_RUNS, [*sets, CELLS], all_steps)


def page(rows, steps):
    lines = [(ROOT / "benches" / "clusters.md").read_text().rstrip(), ""]
    for names, where in [([*PAPER, *MORE], ""), (list(MADE), ", generated sets"), ([LARGE], ", 60,000 samples")]:
        sets = [name for name in names if any(row["set"] == name for row in rows)]
        if sets:
            found = dict.fromkeys(row["method"] for row in rows if row["set"] in sets)
            methods = [method for method in OURS if method in found] + [method for method in found if method not in OURS]
            for field, title in [("acc", "Accuracy"), ("nmi", "NMI"), ("cpu", "CPU seconds")]:
                lines += [f"## {title}{where}", "", *table(rows, (methods, sets), field), ""]
    lines += ["## Accuracy of the default, samples prepared in other ways", "", *prepared(steps), ""]
    PAGE.write_text("\n".join(lines).rstrip() + "\n")


def prepared(rows):
    """The lines of the table of what is done to the samples before, by sets."""
    sets = list(dict.fromkeys(row["set"] for row in rows))
    yield f"| `--normalize` | {' | '.join(sets)} | mean |"
    yield "|---" * (len(sets) + 2) + "|"
    for steps in STEPS:
        own = [[float(row["acc"]) for row in rows if (row["set"], row["method"]) == (name, steps)] for name in sets]
        values = [np.mean(found) if found else np.nan for found in own]
        yield f"| `{steps}` | {' | '.join(f'{value:.3f}' for value in values)} | {np.nanmean(values):.3f} |"


def table(rows, shape, field):
    """The lines of the table of a field: methods by sets."""
    methods, sets = shape

    def mean(method, name):
        found = [float(row[field]) for row in rows if (row["set"], row["method"]) == (name, method)]
        return float(np.mean(found)) if found else np.nan

    is_time = field == "cpu"
    last = "" if is_time else " mean | worst difference from k-means |"
    yield f"| | {' | '.join(sets)} |{last}"
    yield "|---" * (len(sets) + 1 + last.count("|")) + "|"
    for method in methods:
        values = [mean(method, name) for name in sets]
        shown = " | ".join(f"{value:.{1 if is_time else 3}f}" for value in values).replace("nan", "–")
        if is_time:
            yield f"| {method} | {shown} |"
            continue
        worst = np.nanmin([value - mean("k-means, 10 runs", name) for value, name in zip(values, sets)])
        yield f"| {method} | {shown} | {np.nanmean(values):.3f} | {worst:+.3f} |"
    if field == "acc" and any(name in PAPER for name in sets):
        shown = " | ".join(f"{PAPER[name]:.3f}" if name in PAPER else "" for name in sets)
        yield f"| G-EMMF in the paper | {shown} | | |"


if __name__ == "__main__":
    page(*measure())
