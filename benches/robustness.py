"""What outliers do to every method and start: `make robustness`.

Runs the experiments robustness and breakdown (RUNS=0 leaves that out) and writes docs/robustness.md. Data: the folder
EMMF_DATA, else ../shared/data. Everything is kept in target/robustness; a second call goes on where the first one
stopped. JOBS says how many fits are made at a time.
"""

import csv
import os
import shutil
import statistics
import subprocess
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("EMMF_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = Path(os.environ.get("EMMF", ROOT / "target" / "release" / "emmf"))
OUT = ROOT / "target" / "robustness"
PAGE = ROOT / "docs" / "robustness.md"
TEXT = Path(__file__).resolve().parent / "robustness.md"
JOBS = os.environ.get("JOBS", "1")


def table(head, rows):
    if not any(any(row[1:]) for row in rows):
        return "*Not measured yet; `make robustness` fills it in.*"
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def mean(values, digits=3):
    values = [float(value) for value in values if value != ""]
    return f"{statistics.mean(values):.{digits}f}".lstrip("0") if values else ""


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


def page():
    text = TEXT.read_text()
    for name, part in {"CURVES": curves(), "BREAKDOWN": breakdown()}.items():
        text = text.replace(f"<!-- {name} -->", part)
    PAGE.write_text(text)


if __name__ == "__main__":
    if os.environ.get("RUNS", "1") != "0":
        experiments()
    page()
