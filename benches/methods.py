"""Every method without a graph on four data sets of the paper, beside the published numbers: `make methods`.

Runs the program with its defaults and the published iterations on seeds 0, 1, … and writes docs/methods.md. Data: the
folder EMMF_DATA, else ../shared/data. Every run is kept in target/methods.csv as soon as it ends; a second call goes on
where the first one stopped.
"""

import csv
import json
import os
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("EMMF_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = ROOT / "target" / "release" / "emmf"
RUNS = ROOT / "target" / "methods.csv"
PAGE = ROOT / "docs" / "methods.md"
SEEDS = int(os.environ.get("SEEDS", "20"))
SETS = {"Movement": ("movement", 15), "YALE": ("yale", 15), "JAFFE": ("jaffe", 10), "Mfeat": ("mfeat", 10)}
# The paper takes the best of 100 iterations of PNMF, and 500 of the others.
ITERATIONS = {"pnmf": 100}
# Methods whose result does not depend on the seed.
ONE_RUN = {"gsnmf"}
# Those that follow or learn a graph, and what they rest on, are compared by `emmf bench table3`.
ELSEWHERE = {"g-emmf", "gnmf", "rmnmf", "nlcf", "lcf", "lsnmf", "srmcf", "nmfan", "cf", "lccf", "onmf", "symnmf"}
FIELDS = ["set", "method", "seed", "acc", "nmi", "iterations", "seconds"]
# ACC and NMI of table 2, in the order of SETS.
PUBLISHED = {
    "nmf": [(0.3297, 0.3882), (0.3412, 0.4197), (0.6390, 0.6702), (0.4233, 0.3878)],
    "nmf-div": [(0.4372, 0.5554), (0.4188, 0.4589), (0.9136, 0.8909), (0.5945, 0.5553)],
    "pnmf": [(0.3694, 0.4347), (0.2909, 0.3276), (0.3991, 0.4654), (0.5245, 0.4903)],
    "gsnmf": [(0.3806, 0.4661), (0.3152, 0.3047), (0.2723, 0.2248), (0.4005, 0.3133)],
    "l21-nmf": [(0.4453, 0.5638), (0.4182, 0.4541), (0.9329, 0.9114), (0.5821, 0.5549)],
    "hx-nmf": [(0.4475, 0.5633), (0.4097, 0.4485), (0.9357, 0.9134), (0.5790, 0.5591)],
    "emmf": [(0.4542, 0.5813), (0.4327, 0.4686), (0.9423, 0.9238), (0.6195, 0.5771)],
}
HEAD = f"""# Every method without a graph on four data sets of the paper

Written by `make methods`: `emmf fit FILE.mat -k CLASSES --method NAME --as-published --normalize unit --seed S` (unit
samples, k-means start, published exponents), 500 iterations (`pnmf` 100), mean ± standard deviation of seeds 0 to {SEEDS - 1}.
The number in brackets is the paper's, table 2, if it has one. NMI is divided by the geometric mean of the entropies; the
paper's divisor is not known. Seconds are processor time of the whole program for one fit, on one core.
"""


def methods():
    listed = subprocess.run([PROGRAM, "methods", "--json"], capture_output=True, check=True, text=True).stdout
    return [method["name"] for method in json.loads(listed) if method["name"] not in ELSEWHERE]


def run(task):
    name, method, seed = task
    file, k = SETS[name]
    command = [PROGRAM, "fit", DATA / f"{file}.mat", "-k", k, "--method", method, "--seed", seed, "--threads", 1, "--as-published", "--normalize", "unit"]
    command += ["--max-iter", ITERATIONS.get(method, 500), "--json", "--quiet"]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        out.seek(0)
        errors.seek(0)
        if os.waitstatus_to_exitcode(status) != 0:
            raise SystemExit(f"{' '.join(map(str, command))}: {errors.read().strip()}")
        result = json.load(out) | {"seconds": used.ru_utime + used.ru_stime}
    return {"set": name, "method": method, "seed": seed} | {key: result[key] for key in FIELDS[3:]}


def earlier_runs():
    if not RUNS.exists():
        return []
    with RUNS.open() as file:
        return list(csv.DictReader(file))


def finish_runs(names):
    runs = earlier_runs()
    done = {(run["set"], run["method"], int(run["seed"])) for run in runs}
    seeds = {method: range(1 if method in ONE_RUN else SEEDS) for method in names}
    tasks = [(name, method, seed) for name in SETS for method in names for seed in seeds[method]]
    tasks = [task for task in tasks if task not in done]
    RUNS.parent.mkdir(exist_ok=True)
    with RUNS.open("a") as file, ThreadPoolExecutor(os.cpu_count()) as pool:
        writer = csv.DictWriter(file, FIELDS)
        if not runs:
            writer.writeheader()
        for result in pool.map(run, tasks):
            writer.writerow(result)
            file.flush()
    return earlier_runs()


def cell(values, published):
    spread = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
    paper = f" ({published:.3f})" if published is not None else ""
    return f"{statistics.fmean(values):.3f}{spread}{paper}"


def table(at, name, names, runs):
    lines = [f"\n## {name}\n", "| method | ACC (paper) | NMI (paper) | iterations | seconds |", "|---|---|---|---|---|"]
    for method in names:
        mine = [run for run in runs if run["set"] == name and run["method"] == method and int(run["seed"]) < SEEDS]
        column = {key: [float(run[key]) for run in mine] for key in FIELDS[3:]}
        acc, nmi = PUBLISHED.get(method, [(None, None)] * len(SETS))[at]
        times = f"{statistics.fmean(column['iterations']):.0f} | {statistics.fmean(column['seconds']):.2f}"
        lines.append(f"| `{method}` | {cell(column['acc'], acc)} | {cell(column['nmi'], nmi)} | {times} |")
    return "\n".join(lines)


def main():
    names = methods()
    runs = finish_runs(names)
    tables = [table(at, name, names, runs) for at, name in enumerate(SETS)]
    notes = ROOT / "benches" / "methods.md"
    PAGE.write_text(HEAD + "\n".join(tables) + "\n\n" + notes.read_text())
    print(f"written to {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
