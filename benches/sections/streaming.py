"""Out of core: a file that is streamed beside the same file in memory, by the program."""

import json
import os
import subprocess
import tempfile
import time

from figures import number, summary, table, times

TITLE = "Out of core"

SPEED = 0.6
K, ITERATIONS = 20, 6

MAKE = """
import sys, numpy as np
path, n, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
out = np.lib.format.open_memmap(path, "w+", np.float32, (n, d))
rng = np.random.default_rng(0)
for start in range(0, n, 10000):
    out[start:start + 10000] = rng.random((min(10000, n - start), d), dtype=np.float32)
"""


def measure(env, opts):
    program = env.program()
    listed = subprocess.run([program, "fit", "--help"], capture_output=True, text=True).stdout
    if "--max-memory" not in listed:
        return {"missing": "`emmf fit` has no option --max-memory"}
    n, d = (50_000, 1000) if opts.quick else (750_000, 1000)
    limit = "100MB" if opts.quick else "1GB"
    path = env.scratch("big.npy")
    env.script(MAKE, path, n, d)
    try:
        rounds = min(2, opts.rounds)
        runs = {"in memory": [], "streamed": []}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(rounds):
                runs["in memory"].append(fit(program, path, folder, []))
                runs["streamed"].append(fit(program, path, folder, ["--max-memory", limit]))
    finally:
        os.unlink(path)
    return {"shape": (n, d, K), "limit": limit, "runs": runs}


def fit(program, path, folder, options):
    """A fit of some iterations: milliseconds of one of them, seconds of all with reading, peak and objective."""
    command = [program, "fit", path, "-k", K, "--init", "random", "--normalize", "none", "--max-iter", ITERATIONS]
    command = [str(word) for word in command] + ["--quiet", "--json", "--out", folder, *options]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    wall = time.perf_counter() - began
    with open(os.path.join(folder, "record.json")) as file:
        ms = 1e3 * json.load(file)["seconds"]["iterate"] / ITERATIONS
    return {"ms": ms, "wall": wall, "peak_mb": usage.ru_maxrss / 1024, "objective": json.loads(out)["objective"]}


def render(found):
    if "missing" in found:
        return f"Not available: {found['missing']}.", []
    n, d, k = found["shape"]
    rows, ms = [], {}
    for name, runs in found["runs"].items():
        column = lambda field: summary([run[field] for run in runs])["median"]
        ms[name] = column("ms")
        cells = [number(ms[name]), number(column("wall")), number(column("peak_mb")), f"{column('objective'):.9g}"]
        rows.append([name, *cells])
    head = ["", "ms per iteration", f"seconds, {ITERATIONS} iterations with reading", "peak MB of the process", "objective"]
    speed = ms["in memory"] / ms["streamed"]
    text = f"`emmf fit` of a {n}×{d} NPY file of f32 ({4 * n * d / 2**30:.1f} GB), k = {k}, `--max-memory {found['limit']}`.\n\n"
    return text + table(head, rows), [(f"streamed at {times(speed)} of the speed in memory, target {SPEED}", speed >= SPEED)]
