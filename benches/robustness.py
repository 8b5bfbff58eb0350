"""What outliers do, and how well they are found: `make robustness`.

Runs the experiments robustness and breakdown (RUNS=0 leaves that out), then compares the outlier scores
with those of scikit-learn's isolation forest and local outlier factor and of ECOD, and writes docs/robustness.md. Data: the
folder EMMF_DATA, else ../shared/data. Everything is kept in target/robustness; a second call goes on where the first one
stopped. JOBS says how many fits are made at a time, ONLY which data sets the scores are compared on.
"""

import csv
import os
import shutil
import statistics
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.io
from scipy.stats import skew
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("EMMF_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = Path(os.environ.get("EMMF", ROOT / "target" / "release" / "emmf"))
OUT = ROOT / "target" / "robustness"
PAGE = ROOT / "docs" / "robustness.md"
TEXT = Path(__file__).resolve().parent / "robustness.md"
JOBS = os.environ.get("JOBS", "1")
SHARE = 0.1
# File, classes, and height and width of the images, whose columns come first but for Mfeat.
SETS = {
    "Movement": ("movement", 15, None),
    "YALE": ("yale", 15, (16, 16, "F")),
    "JAFFE": ("jaffe", 10, (26, 26, "F")),
    "UMIST": ("umist", 20, (28, 23, "F")),
    "Mfeat": ("mfeat", 10, (16, 15, "C")),
    "BA": ("ba", 36, (20, 16, "F")),
    "COIL20": ("coil20", 20, (32, 32, "F")),
    "COIL100": ("coil100", 100, (32, 32, "F")),
}
ONLY = os.environ.get("ONLY", ",".join(SETS)).split(",")
KINDS = ["none", "huge", "unit length", "occluded", "cluster", "other set", "salt and pepper"]
RIVALS = ["isolation forest", "LOF", "ECOD"]
FIELDS = ["set", "kind", "seed", "method", "auc", "found", "false"]


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)


def read(name):
    content = scipy.io.loadmat(DATA / f"{SETS[name][0]}.mat")
    x = content.get("X", content.get("fea"))
    return unit(np.asarray(x.todense() if hasattr(x, "todense") else x, dtype=float))


def contaminated(name, kind, seed):
    """Unit samples with a tenth of outliers, and which these are; None where it cannot be had."""
    x, rng = read(name), np.random.default_rng(seed)
    n, d = x.shape
    count, top = round(SHARE * n), x.max()
    bad = np.zeros(n, bool)
    if kind == "none":
        return x, bad
    if kind in ("occluded", "salt and pepper"):
        bad[rng.choice(n, count, replace=False)] = True
    if kind == "occluded":
        if SETS[name][2] is None:
            return None
        height, width, order = SETS[name][2]
        side = min(height, width) // 2
        for i in np.flatnonzero(bad):
            image = x[i].reshape((height, width), order=order).copy()
            down, right = rng.integers(height - side + 1), rng.integers(width - side + 1)
            image[down : down + side, right : right + side] = top * rng.random((side, side))
            x[i] = image.reshape(-1, order=order)
        return unit(x), bad
    if kind == "salt and pepper":
        hit = (rng.random(x.shape) < 0.2) & bad[:, None]
        x[hit] = top * (rng.random(hit.sum()) < 0.5)
        return unit(x), bad
    if kind == "huge":
        junk = 10 * top * rng.random((count, d))
    elif kind == "unit length":
        junk = unit(rng.random((count, d)))
    elif kind == "cluster":
        junk = unit(rng.random((1, d)) * (1 + 0.05 * rng.random((count, d))))
    else:
        other = read("Mfeat" if name != "Mfeat" else "UMIST")
        junk = unit(other[rng.choice(len(other), count)][:, np.arange(d) % other.shape[1]])
    return np.vstack([x, junk]), np.append(bad, np.ones(count, bool))


def ours(x, k, seed):
    """Outlier scores of the program with its defaults, and who is one; lengths count, as they do for the others."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        command = [PROGRAM, "fit", f"{folder}/x.npy", "-k", k, "--normalize", "none", "--seed", seed, "--max-iter", 200]
        command += ["--threads", 1, "--quiet", "--out", f"{folder}/out"]
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
        rows = list(csv.DictReader(open(f"{folder}/out/samples.csv")))
    return np.array([float(row["score"]) for row in rows]), np.array([row["outlier"] == "yes" for row in rows])


def ecod(x):
    """Li et al., ECOD: Unsupervised Outlier Detection Using Empirical Cumulative Distribution Functions, TKDE 2022."""
    n = len(x)
    below = lambda a: np.searchsorted(np.sort(a), a, side="right") / n  # noqa: E731
    left = -np.log(np.apply_along_axis(below, 0, x))
    right = -np.log(np.apply_along_axis(below, 0, -x))
    lean = np.nan_to_num(skew(x, axis=0))
    by_skewness = np.where(lean < 0, left, np.where(lean > 0, right, left + right))
    return np.maximum(np.maximum(left, right), by_skewness).sum(axis=1)


def scores(method, x, k, seed):
    if method == "emmf":
        return ours(x, k, seed)
    if method == "isolation forest":
        return -IsolationForest(random_state=seed).fit(x).score_samples(x), None
    if method == "LOF":
        return -LocalOutlierFactor(n_neighbors=20).fit(x).negative_outlier_factor_, None
    return ecod(x), None


def detect(seeds):
    """Scores of everybody on everything; what was found before is not made again."""
    OUT.mkdir(parents=True, exist_ok=True)
    file = OUT / "detection.csv"
    kept = list(csv.DictReader(file.open())) if file.exists() else []
    done = {(row["set"], row["kind"], row["seed"], row["method"]) for row in kept}
    with file.open("a", newline="") as out:
        writer = csv.DictWriter(out, FIELDS)
        if not kept:
            writer.writeheader()
        for name in ONLY:
            for kind in KINDS:
                for seed in range(seeds):
                    for method in ["emmf"] if kind == "none" else ["emmf", *RIVALS]:
                        if (name, kind, str(seed), method) in done:
                            continue
                        made = contaminated(name, kind, seed)
                        if made is None:
                            continue
                        x, bad = made
                        score, found = scores(method, x, SETS[name][1], seed)
                        row = {"set": name, "kind": kind, "seed": seed, "method": method, "auc": "", "found": "", "false": ""}
                        if bad.any():
                            row["auc"] = roc_auc_score(bad, score)
                        if found is not None:
                            row["found"] = found[bad].mean() if bad.any() else ""
                            row["false"] = found[~bad].mean()
                        writer.writerow(row)
                        out.flush()
                        kept.append({key: str(value) for key, value in row.items()})
    return kept


def table(head, rows):
    if not any(any(row[1:]) for row in rows):
        return "*Not measured yet; `make robustness` fills it in.*"
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def mean(values, digits=3):
    values = [float(value) for value in values if value != ""]
    return f"{statistics.mean(values):.{digits}f}".lstrip("0") if values else ""


def detection(rows):
    kinds, names = KINDS[1:], [name for name in SETS if any(row["set"] == name for row in rows)]
    auc = lambda name, kind, method: mean(  # noqa: E731
        [row["auc"] for row in rows if (row["set"], row["kind"], row["method"]) == (name, kind, method)]
    )
    by_set = [[name, *[auc(name, kind, "emmf") for kind in kinds]] for name in names]
    over_sets = lambda method, kind: mean([row["auc"] for row in rows if (row["kind"], row["method"]) == (kind, method)])  # noqa: E731
    by_method = [[method, *[over_sets(method, kind) for kind in kinds]] for method in ["emmf", *RIVALS]]
    own = [row for row in rows if row["method"] == "emmf"]
    share = lambda name, kind, field: mean(  # noqa: E731
        [row[field] for row in own if (row["set"], row["kind"]) == (name, kind)]
    )
    marked = [
        [name, share(name, "none", "false"), *[f"{share(name, kind, 'found')} / {share(name, kind, 'false')}".strip(" /") for kind in kinds]]
        for name in names
    ]
    return (
        table(["ROC AUC, mean of the sets", *kinds], by_method),
        table(["ROC AUC of `emmf`", *kinds], by_set),
        table(["`outlier: yes`", "clean data", *kinds], marked),
    )


def accuracy(experiment):
    """Mean accuracy by data set, contamination and method, and how many seeds that is of; the order of the file."""
    file = OUT / experiment / "results.csv"
    cells, orders = defaultdict(list), ([], [], [])
    for row in csv.DictReader(file.open()) if file.exists() else []:
        key = (row["data"], row["contamination"], row["method"])
        cells[key].append(float(row["acc"]))
        for value, order in zip(key, orders):
            if value not in order:
                order.append(value)
    return cells, orders


def curves():
    cells, (sets, levels, methods) = accuracy("robustness")
    rows = []
    for name in sets:
        for method in methods:
            values = [cells.get((name, level, method), []) for level in levels]
            seeds = {len(value) for value in values if value}
            count = f", {min(seeds)} seeds" if seeds and min(seeds) < 20 else ""
            rows.append([f"{name}, {method}{count}", *[mean(value) for value in values]])
    return figures("robustness") + table(["ACC of the samples", *levels], rows) + unmoved()


def unmoved():
    """How many runs the outliers did not move at all."""
    file = OUT / "robustness" / "results.csv"
    runs = list(csv.DictReader(file.open())) if file.exists() else []
    key = lambda run: (run["data"], run["method"], run["seed"])  # noqa: E731
    clean = {key(run): run["acc"] for run in runs if run["contamination"].startswith("0 %")}
    sentences = []
    for kind, chosen in [("with the defaults", False), ("as published", True)]:
        dirty = [run for run in runs if key(run) in clean and not run["contamination"].startswith("0 %")]
        dirty = [run for run in dirty if ("as published" in run["method"]) == chosen]
        same = sum(run["acc"] == clean[key(run)] for run in dirty)
        sentences.append(f"{same} of {len(dirty)} {kind}")
    return f"\n\nRuns with outliers whose accuracy is, to the last digit, that of the run without: {', '.join(sentences)}."


def figures(experiment):
    """The curves of an experiment, beside the page."""
    made = OUT / experiment / "figures" / f"{experiment}-all-acc.svg"
    if not made.exists():
        return ""
    PAGE.with_suffix("").mkdir(exist_ok=True)
    shutil.copy(made, PAGE.with_suffix("") / made.name)
    return f"![ACC of the samples over the share of outliers, mean and standard deviation over the seeds]({PAGE.stem}/{made.name})\n\n"


def breakdown():
    cells, (sets, levels, methods) = accuracy("breakdown")
    over_sets = lambda method, level: [value for name in sets for value in cells.get((name, level, method), [])]  # noqa: E731
    rows = []
    for method in methods:
        values = [over_sets(method, level) for level in levels]
        if not values or not values[0]:
            continue
        means = [statistics.mean(value) if value else float("nan") for value in values]
        gross = [(level, value) for level, value in zip(levels, means) if "outliers" in level]
        good = [level.split(" ")[0] for level, value in gross if value >= means[0] - 0.05]
        holds = 0
        for level, value in gross:
            if not value >= means[0] - 0.05:
                break
            holds = level.split(" ")[0]
        seeds = min(len(cells.get((name, levels[0], method), [])) for name in sets)
        count = "" if seeds > 1 else ", 1 seed"
        rows.append([method + count, *[mean(value, 2) for value in values], f"{holds} %" if good else "0 %"])
    return table(["ACC, mean of " + ", ".join(sets), *levels, "stands"], rows)


def experiments():
    for name in ["robustness", "breakdown"]:
        command = [PROGRAM, "bench", ROOT / "crates" / "emmf-bench" / "experiments" / f"{name}.toml", "--data", DATA, "--out", OUT, "--resume"]
        subprocess.run([str(part) for part in [*command, "--jobs", JOBS, "--quiet"]], check=True, stdout=subprocess.DEVNULL)


def page(rows):
    everybody, by_set, marked = detection(rows)
    parts = {"CURVES": curves(), "BREAKDOWN": breakdown(), "RIVALS": everybody, "SETS": by_set, "MARKED": marked}
    text = TEXT.read_text()
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    PAGE.write_text(text)


if __name__ == "__main__":
    if os.environ.get("RUNS", "1") != "0":
        experiments()
    page(detect(int(os.environ.get("SEEDS", "1"))))
