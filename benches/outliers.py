"""Outliers by default beside the specialists: `make outliers`.

Scores of `emmf fit` with its defaults, and of the usual detectors: on tables with known outliers, on image and other sets to which
outliers of eight kinds are added, the share that is marked where there is nothing to find, and what a verdict costs. Writes docs/outliers.md. Data:
the folder EMMF_DATA, else ../shared/data, with its folders `more` and `outliers`. Every run is kept in
target/outliers.csv as soon as it ends; a second call goes on where the first one stopped. Needs numpy, scipy, scikit-learn
and pyod.
"""

import csv
import json
import os
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp
from pyod.models.copod import COPOD
from pyod.models.ecod import ECOD
from pyod.models.inne import INNE
from scipy.stats import rankdata
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.preprocessing import normalize

warnings.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("EMMF_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = ROOT / "target" / "release" / "emmf"
RUNS = ROOT / "target" / "outliers.csv"
PAGE = ROOT / "docs" / "outliers.md"
SETS = ["yale", "movement", "jaffe", "umist", "mfeat", "ba", "coil20", "digits", "msra25", "mecs"]
MORE = ["digits", "msra25", "mecs"]
FIELDS = ["part", "kind", "set", "method", "auc", "ap", "precision", "recall", "marked", "aside", "seconds"]


def pca(x):
    found = PCA(min(10, min(x.shape) - 1), random_state=0).fit(x)
    return ((x - found.inverse_transform(found.transform(x))) ** 2).sum(1)


RIVALS = {
    "isolation forest": lambda x: -IsolationForest(random_state=0).fit(x).score_samples(x),
    "LOF": lambda x: -LocalOutlierFactor().fit(x).negative_outlier_factor_,
    "kNN, 5": lambda x: NearestNeighbors(n_neighbors=5).fit(x).kneighbors()[0][:, -1],
    "ECOD": lambda x: ECOD().fit(x).decision_scores_,
    "COPOD": lambda x: COPOD().fit(x).decision_scores_,
    "iNNE": lambda x: INNE(random_state=0).fit(x).decision_scores_,
    "PCA, 10": pca,
}


def load(name):
    folder = DATA / "more" if name in MORE else DATA
    held = scipy.io.loadmat(folder / f"{name}.mat")
    x, y = held["X"], held["y"].ravel()
    x = (x.toarray() if sp.issparse(x) else x).astype(float)
    return x - min(x.min(), 0), len(np.unique(y))


def program(x, k, *options):
    """Scores, marks, how many were set aside, and seconds."""
    folder = ROOT / "target" / "outliers"
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "x.npy", x)
    command = [PROGRAM, "fit", folder / "x.npy", "-k", k, "--quiet", "--out", folder / "out", *options]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    with open(folder / "out" / "samples.csv", newline="") as rows:
        rows = list(csv.DictReader(rows))
    record = json.loads((folder / "out" / "record.json").read_text())
    scores, marks = np.array([float(row["score"]) for row in rows]), np.array([row["outlier"] == "yes" for row in rows])
    return scores, marks, len(record.get("set_aside") or []), record["seconds"]["total"]


def seconds(x, k, *options):
    """Seconds of every part of a fit that hardly iterates."""
    program(x, k, *options, "--init", "kmeans", "--init-restarts", 1, "--max-iter", 1, "--label-rule", "largest")
    return json.loads((ROOT / "target" / "outliers" / "out" / "record.json").read_text())["seconds"]


def costs(x, k):
    """What a k-means start costs (one run), looking for outliers before it, and judging every sample after the fit."""
    kept, screened = seconds(x, k, "--outliers", "keep"), seconds(x, k, "--outliers", "set-aside")
    # With one centroid next to nothing is left to do after the iterations but to judge.
    judged = seconds(x, 1, "--outliers", "keep")
    parts = ("prepare", "init", "iterate")
    yield "k-means start", kept["init"]
    yield "before the fit", max(screened["init"] - kept["init"], 0.0)
    yield "after the fit", judged["total"] - sum(judged[part] for part in parts)
    yield "whole fit", program(x, k)[3]


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


def measure():
    kept = list(csv.DictReader(RUNS.open())) if RUNS.exists() else []
    done = {(row["part"], row["kind"], row["set"], row["method"]) for row in kept}
    RUNS.parent.mkdir(exist_ok=True)
    with RUNS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not kept:
            writer.writeheader()

        def keep(part, kind, name, method, run, bad):
            if (part, kind, name, method) in done:
                return
            began = time.perf_counter()
            scores, marks, aside, seconds = run()
            seconds = time.perf_counter() - began if seconds is None else seconds
            row = {"part": part, "kind": kind, "set": name, "method": method, "aside": aside, "seconds": seconds}
            if bad is not None:
                row |= {"auc": roc_auc_score(bad, scores), "ap": average_precision_score(bad, scores)}
            if marks is not None:
                row["marked"] = marks.mean()
                if bad is not None:
                    row["precision"] = (marks & bad).sum() / max(marks.sum(), 1)
                    row["recall"] = (marks & bad).sum() / bad.sum()
            writer.writerow(row)
            file.flush()

        for path in sorted((DATA / "outliers").glob("*.npz"), key=lambda path: int(path.stem.split("_")[0])):
            held = np.load(path, allow_pickle=True)
            x, bad = held["X"].astype(float), held["y"].ravel().astype(bool)
            x = (x - x.min(0)) / np.maximum(x.max(0) - x.min(0), 1e-12)
            name, most = path.stem.split("_", 1)[1], x.shape[1] - 1
            for k in (5, 10, "auto"):
                fewer = k if k == "auto" else min(k, most)
                keep("table", "", name, f"**default**, k = {k}", lambda k=fewer: program(x, k), bad)
            for method, run in RIVALS.items():
                keep("table", "", name, method, lambda run=run: (run(x), None, "", None), bad)
        sets = {name: load(name) for name in SETS}
        for at, (name, (x, k)) in enumerate(sets.items()):
            for kind, samples, bad in kinds(x, sets[SETS[at - 1]][0]):
                keep("kind", kind, name, "**default**", lambda: program(samples, k), bad)
                raw = kind.startswith(("huge", "length"))
                for method, run in RIVALS.items():
                    run_on = lambda run=run: (run(samples if raw else normalize(samples)), None, "", None)  # noqa: E731
                    keep("kind", kind, name, method, run_on, bad)
        for name, x, k in [*clean(), *((name, *sets[name]) for name in SETS)]:
            keep("clean", "", name, "**default**", lambda: program(x, k), None)
        for name, (x, k) in sets.items():
            if ("cost", "whole fit", name, "**default**") not in done:
                for what, spent in costs(x, k):
                    keep("cost", what, name, "**default**", lambda spent=spent: (None, None, "", spent), None)
    return list(csv.DictReader(RUNS.open()))


def number(value, form=".3f"):
    return "–" if value != value else format(value, form)


def mean(rows, field):
    return float(np.mean([float(row[field]) for row in rows if row[field] != ""] or [np.nan]))


def page(rows):
    lines = [(ROOT / "benches" / "outliers.md").read_text().rstrip(), ""]
    tables = [row for row in rows if row["part"] == "table"]
    methods = list(dict.fromkeys(row["method"] for row in tables))
    names = list(dict.fromkeys(row["set"] for row in tables))
    held = {(row["set"], row["method"]): row for row in tables}
    compared = [method for method in methods if not method.startswith("**") or method.endswith("= 5")]
    ranks = {method: [] for method in compared}
    for name in names:
        for method, rank in zip(compared, rankdata([-float(held[name, method]["auc"]) for method in compared])):
            ranks[method].append(rank)
    lines += ["## Tables with known outliers", "", "| | AUC | average precision | mean rank of AUC | seconds |", "|---|---|---|---|---|"]
    for method in methods:
        own = [held[name, method] for name in names]
        rank = number(np.mean(ranks[method]), ".2f") if method in ranks else ""
        lines.append(f"| {method} | {number(mean(own, 'auc'))} | {number(mean(own, 'ap'))} | {rank} | {number(mean(own, 'seconds'), '.2f')} |")
    lines += ["", "AUC of every table:", "", f"| | {' | '.join(compared)} |", "|---" * (len(compared) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(number(float(held[name, method]['auc'])) for method in compared)} |" for name in names]
    added = [row for row in rows if row["part"] == "kind"]
    methods = list(dict.fromkeys(row["method"] for row in added))
    lines += ["", "## Kinds of outliers, mean AUC over the sets", "", f"| | {' | '.join(methods)} |", "|---" * (len(methods) + 1) + "|"]
    shown = list(dict.fromkeys(row["kind"] for row in added))
    for kind in shown:
        of = {method: [row for row in added if (row["kind"], row["method"]) == (kind, method)] for method in methods}
        lines.append(f"| {kind} | {' | '.join(number(mean(of[method], 'auc')) for method in methods)} |")
    lines += ["", "What the default marks, and its worst AUC:", "", "| | precision | recall | worst AUC | seconds |", "|---|---|---|---|---|"]
    for kind in shown:
        own = [row for row in added if (row["kind"], row["method"]) == (kind, "**default**")]
        worst = min(own, key=lambda row: float(row["auc"]))
        cells = [number(mean(own, "precision"), ".2f"), number(mean(own, "recall"), ".2f"), f"{float(worst['auc']):.3f} ({worst['set']})"]
        lines.append(f"| {kind} | {' | '.join(cells)} | {number(mean(own, 'seconds'), '.2f')} |")
    lines += ["", "## Nothing to find", "", "| | marked | set aside |", "|---|---|---|"]
    lines += [f"| {row['set']} | {float(row['marked']):.2%} | {row['aside']} |" for row in rows if row["part"] == "clean"]
    lines += ["", "## What a verdict costs", "", *cost(rows)]
    PAGE.write_text("\n".join(lines).rstrip() + "\n")


def cost(rows):
    """The lines of the table of seconds."""
    held = {(row["set"], row["kind"]): float(row["seconds"]) for row in rows if row["part"] == "cost"}
    parts = list(dict.fromkeys(part for _, part in held))
    yield f"| seconds | {' | '.join(parts)} | the verdict, in k-means starts |"
    yield "|---" * (len(parts) + 2) + "|"
    for name in dict.fromkeys(name for name, _ in held):
        cells = " | ".join(f"{held[name, part]:.3f}" for part in parts)
        share = (held[name, "before the fit"] + held[name, "after the fit"]) / held[name, "k-means start"]
        yield f"| {name} | {cells} | {share:.1f} |"


if __name__ == "__main__":
    page(measure())
