"""Outliers by default beside the specialists: `make outliers`.

Scores of `emmf fit` with its defaults, and of the usual detectors: on tables with known outliers, on image and other sets to which
outliers of eight kinds are added, the share that is marked where there is nothing to find, and what a verdict costs. Writes docs/outliers.md. Data:
the folder EMMF_DATA, else ../shared/data, with its folders `more` and `outliers`. Every run is kept in
target/outliers.csv as soon as it ends; a second call goes on where the first one stopped, and makes those of another program again.
ONLY=rivals leaves the program out, and the page. Needs numpy, scipy, scikit-learn and pyod.
"""

import csv
import hashlib
import json
import os
import resource
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from outliers_data import ROOT, SETS, clean, kinds, load, tables
from pyod.models.copod import COPOD
from pyod.models.ecod import ECOD
from pyod.models.inne import INNE
from scipy.stats import rankdata
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

warnings.filterwarnings("ignore")
PROGRAM = ROOT / "target" / "release" / "emmf"
RUNS = ROOT / "target" / "outliers.csv"
PAGE = ROOT / "docs" / "outliers.md"
FIELDS = ["part", "kind", "set", "method", "auc", "ap", "precision", "recall", "marked", "aside", "seconds", "program"]
ONLY = os.environ.get("ONLY", "")


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


def fitted(x, k, *options):
    """The rows of samples.csv, the record, and the CPU seconds of the program, on one thread."""
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        folder = Path(folder)
        np.save(folder / "x.npy", x)
        command = [PROGRAM, "fit", folder / "x.npy", "-k", k, "--threads", 1, "--quiet", "--out", folder / "out", *options]
        began = spent()
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        seconds = spent() - began
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
        with open(folder / "out" / "samples.csv", newline="") as rows:
            return list(csv.DictReader(rows)), json.loads((folder / "out" / "record.json").read_text()), seconds


def spent():
    """CPU seconds of all programs that were called."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def program(x, k):
    """Scores, marks, how many were set aside, and seconds."""
    rows, record, seconds = fitted(x, k)
    scores, marks = np.array([float(row["score"]) for row in rows]), np.array([row["outlier"] == "yes" for row in rows])
    return scores, marks, len(record.get("set_aside") or []), seconds


def parts(x, k, *options):
    """Seconds of every part of a fit that hardly iterates: the least of five, since others may use the machine."""
    options = *options, "--init", "kmeans", "--max-iter", 1, "--label-rule", "largest"
    runs = [fitted(x, k, *options)[1]["seconds"] for _ in range(5)]
    return {part: min(run[part] for run in runs) for part in runs[0]}


def start(x, k):
    return parts(x, k, "--outliers", "keep")["init"]


def before(x, k):
    return max(parts(x, k, "--outliers", "set-aside")["init"] - start(x, k), 0.0)


def after(x, k):
    # With one centroid next to nothing is left to do after the iterations but to judge.
    judged = parts(x, 1, "--outliers", "keep")
    return judged["total"] - sum(judged[part] for part in ("prepare", "init", "iterate"))


# What a verdict costs: a k-means start (the best of ten runs) beside looking for outliers before it, and judging every sample after the fit.
COSTS = {"k-means start": start, "before the fit": before, "after the fit": after, "whole fit": lambda x, k: program(x, k)[3]}


def jobs():
    """All runs: what they are, what to call, and which samples are outliers, if that is known."""
    for name, x, bad in tables():
        for method, detect in RIVALS.items():
            yield ("table", "", name, method), lambda: rival(detect, x), bad
        yield ("table", "", name, "**default**, k = 5"), lambda: program(x, min(5, x.shape[1] - 1)), bad
    sets = {name: load(name) for name in SETS}
    for at, (name, (x, k)) in enumerate(sets.items()):
        for kind, samples, bad in kinds(x, sets[SETS[at - 1]][0]):
            seen = samples if kind.startswith(("huge", "length")) else normalize(samples)
            for method, detect in RIVALS.items():
                yield ("kind", kind, name, method), lambda: rival(detect, seen), bad
            yield ("kind", kind, name, "**default**"), lambda: program(samples, k), bad
    for name, x, k in [*clean(), *((name, *sets[name]) for name in SETS)]:
        yield ("clean", "", name, "**default**"), lambda: program(x, k), None
    for name, (x, k) in sets.items():
        for what, spend in COSTS.items():
            yield ("cost", what, name, "**default**"), lambda: (None, None, "", spend(x, k)), None
    for name, x, bad in tables():
        for k in (min(10, x.shape[1] - 1), "auto"):
            yield ("table", "", name, f"**default**, k = {k if k == 'auto' else 10}"), lambda: program(x, k), bad


def rival(detect, x):
    with threadpool_limits(1):
        began = time.process_time()
        return detect(x), None, "", time.process_time() - began


def found(run, bad):
    """The row of a run."""
    scores, marks, aside, seconds = run()
    row = {"aside": aside, "seconds": seconds}
    if marks is not None:
        row["marked"] = marks.mean()
    if bad is not None:
        row |= {"auc": roc_auc_score(bad, scores), "ap": average_precision_score(bad, scores)}
        if marks is not None:
            row["precision"] = (marks & bad).sum() / max(marks.sum(), 1)
            row["recall"] = (marks & bad).sum() / bad.sum()
    return row


def kept(version):
    """The rows of all runs that need not be made again, by what they are."""
    rows = csv.DictReader(RUNS.open()) if RUNS.exists() else []
    return {tuple(row[field] for field in FIELDS[:4]): row for row in rows if row["program"] in ("", version)}


def measure(version):
    """The rows of all runs, in their order."""
    RUNS.parent.mkdir(exist_ok=True)
    done, order = kept(version), []
    with RUNS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not file.tell():
            writer.writeheader()
        for what, run, bad in jobs():
            order.append(what)
            made_by = version if what[3].startswith("**") else ""
            if what in done or (ONLY == "rivals" and made_by):
                continue
            writer.writerow(dict(zip(FIELDS, what)) | found(run, bad) | {"program": made_by})
            file.flush()
    done = kept(version)
    return [done[what] for what in order if what in done]


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
    rows = measure(hashlib.sha256(PROGRAM.read_bytes()).hexdigest()[:12])
    if ONLY != "rivals":
        page(rows)
