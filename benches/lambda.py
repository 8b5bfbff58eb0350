"""λ of g-emmf on the eight data sets of the paper: `make lambda`.

Runs the program on the paper's grid and with λ from the data, from the same starts (seeds 0, 1, …), and writes
docs/lambda.md. Data: the folder EMMF_DATA, else ../shared/data. Every run is kept in target/lambda.csv as soon as it ends; a
second call goes on where the first one stopped. SEEDS and LARGE_SEEDS say how many seeds, ONLY which sets.
"""

import csv
import json
import os
import statistics
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("EMMF_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = ROOT / "target" / "release" / "emmf"
RUNS = ROOT / "target" / "lambda.csv"
PAGE = ROOT / "docs" / "lambda.md"
SEEDS = int(os.environ.get("SEEDS", "20"))
LARGE_SEEDS = int(os.environ.get("LARGE_SEEDS", "3"))
WORKERS = int(os.environ.get("WORKERS", "1"))
# File and classes.
SETS = {
    "Movement": ("movement", 15),
    "YALE": ("yale", 15),
    "JAFFE": ("jaffe", 10),
    "UMIST": ("umist", 20),
    "BA": ("ba", 36),
    "COIL20": ("coil20", 20),
    "Mfeat": ("mfeat", 10),
    "COIL100": ("coil100", 100),
}
LARGE = {"COIL100"}
GRID = ["1e1", "1e3", "1e5", "1e7", "1e9"]
CHOICES = [*GRID, "auto"]
FIELDS = ["set", "lambda", "seed", "acc", "nmi", "used", "iterations", "seconds"]


def run(task):
    name, choice, seed = task
    file, k = SETS[name]
    command = [PROGRAM, "fit", DATA / f"{file}.mat", "-k", k, "--method", "g-emmf", "--seed", seed, "--threads", 1]
    command += ["--as-published", "--normalize", "unit", "--json", "--quiet"] + ([] if choice == "auto" else ["--lambda", choice])
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    used = result["extras"]["lambda"]
    row = {"set": name, "lambda": choice, "seed": seed, "used": used}
    return row | {key: result[key] for key in ["acc", "nmi", "iterations", "seconds"]}


def seeds(name):
    return range(LARGE_SEEDS if name in LARGE else SEEDS)


def measure():
    kept = list(csv.DictReader(RUNS.open())) if RUNS.exists() else []
    done = {(row["set"], row["lambda"], int(row["seed"])) for row in kept}
    only = os.environ.get("ONLY", ",".join(SETS)).split(",")
    tasks = [(name, choice, seed) for name in only for seed in seeds(name) for choice in CHOICES]
    RUNS.parent.mkdir(exist_ok=True)
    with RUNS.open("a", newline="") as file, ThreadPoolExecutor(WORKERS) as pool:
        writer = csv.DictWriter(file, FIELDS)
        if not kept:
            writer.writeheader()
        for row in pool.map(run, [task for task in tasks if task not in done]):
            writer.writerow(row)
            file.flush()
            kept.append({key: str(value) for key, value in row.items()})
    return kept


def table(rows, score):
    lines = [f"| {score.upper()} | seeds | " + " | ".join(GRID) + " | auto | auto − best | λ of auto |"]
    lines += ["|---" * (len(GRID) + 5) + "|"]
    within = 0
    for name in SETS:
        of = [row for row in rows if row["set"] == name]
        # Paired: only seeds that every choice has.
        common = set.intersection(*({row["seed"] for row in of if row["lambda"] == c} for c in CHOICES))
        if not common:
            continue
        found = {c: [float(r[score]) for r in of if r["lambda"] == c and r["seed"] in common] for c in CHOICES}
        mean = {c: statistics.fmean(values) for c, values in found.items()}
        best = max(mean[c] for c in GRID)
        within += mean["auto"] >= best - 0.02
        used = statistics.fmean(float(row["used"]) for row in of if row["lambda"] == "auto")
        shown = [f"**{mean[c]:.3f}**" if mean[c] == best else f"{mean[c]:.3f}" for c in GRID]
        difference = mean["auto"] - best
        cells = [name, str(len(common)), *shown, f"{mean['auto']:.3f}", f"{difference:+.3f}", f"{used:.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines, within


def page(rows):
    acc, within = table(rows, "acc")
    nmi, _ = table(rows, "nmi")
    return "\n".join([
        "# λ of g-emmf",
        "",
        "Written by `make lambda`: `emmf fit FILE.mat -k CLASSES --method g-emmf --as-published --normalize unit --lambda L --seed S`",
        "(unit samples, k-means start, 5 nearest neighbours, 500 iterations), means over seeds 0, 1, …. `auto` is the same without",
        "`--lambda`, from the same starts. The best value of the grid, chosen with the true labels, is bold.",
        "",
        f"`auto` comes within 0.02 of the best accuracy of the grid on {within} of these sets. It uses no true labels at run time, but its",
        "factor of 1000 was chosen by looking at accuracies on these very sets. Of 1, 3, 10, 30 and 100 on Movement, YALE, JAFFE and",
        "UMIST (seeds 0 to 3), none was within 0.02 on UMIST; then 100 and 1000 were tried on Mfeat, BA and COIL20 (seeds 0 and 1).",
        "So this is not a test on fresh data. [graphs.md](graphs.md) explains what `auto` is.",
        "",
        *acc,
        "",
        *nmi,
        "",
    ])


if __name__ == "__main__":
    PAGE.write_text(page(measure()))
