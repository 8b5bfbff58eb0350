"""Whole fits of a file on a card, beside the processor and a script of PyTorch: ``make gpu``, or python benches/gpu_fit.py PROGRAM.

PROGRAM is ``emmf``. Two questions: what a large fit takes from the file to the labels, and from how much work on a card is
done before the processor, which ``--device auto`` should know. PyTorch with CUDA must be installed; TF32 is off.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

LARGE = (1_000_000, 1024, 100)
ITERATIONS = 500
# Rows of fits on either side of what ``auto`` takes for enough, with 500 features, 20 centroids and 100 iterations.
ROWS = (2_000, 10_000, 50_000, 250_000)
SMALLER = (500, 20, 100)
ROUNDS = 3


def write(path: Path, rows: int, features: int) -> None:
    """Write samples around 50 directions, as single-precision numbers."""
    rng = np.random.default_rng(0)
    directions = rng.random((50, features), dtype=np.float32) ** 3
    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, features))
    for first in range(0, rows, 100_000):
        some = out[first : first + 100_000]
        some[:] = directions[np.arange(first, first + len(some)) % 50] + 0.3 * rng.random(some.shape, dtype=np.float32)
    out.flush()


def emmf(program: str, path: Path, words: str) -> None:
    """Fit the file with the program."""
    options = f"--method emmf --out {path.parent / 'out'} --quiet --json {words}".split()
    subprocess.run([program, "fit", str(path), *options], check=True, stdout=subprocess.DEVNULL)


def script(path: Path, k: int) -> None:
    """Fit the file with the three lines that anybody writes: random start, no outliers, no labels by k-means."""
    x = torch.from_numpy(np.load(path)).cuda()
    u, v = (torch.rand(rows, k, device="cuda") for rows in (x.shape[1], x.shape[0]))
    for _ in range(ITERATIONS):
        v *= torch.sqrt((x @ u) / (v @ (u.T @ u)))
        r = (x - v @ u.T).norm(dim=1)
        qv = (torch.log(r.sum() / r) / r)[:, None] * v
        u *= torch.sqrt((x.T @ qv) / (u @ (v.T @ qv)))
    v.argmax(dim=1).cpu(), u.cpu(), v.cpu()
    del x
    torch.cuda.empty_cache()


def seconds(work: Callable[[], None], rounds: int) -> float:
    """Give the median time."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def large(program: str, path: Path) -> None:
    """Print what a large fit takes."""
    rows, features, k = LARGE
    write(path, rows, features)
    usual = f"-k {k} --device cuda --max-iter {ITERATIONS}"
    plain = f"{usual} --outliers keep --init-restarts 1 --label-rule largest"
    fits = {
        "emmf fit": lambda: emmf(program, path, usual),
        "no screening, one k-means run, largest coefficient": lambda: emmf(program, path, plain),
        "three lines of PyTorch from the same file": lambda: script(path, k),
    }
    print(f"{rows}×{features}, k = {k}, {ITERATIONS} iterations, seconds\n\n| | |\n|---|---|")
    for name, fit in fits.items():
        print(f"| {name} | {seconds(fit, 2):.1f} |", flush=True)


def small(program: str, path: Path) -> None:
    """Print what fits take on the processor and on the card."""
    features, k, iterations = SMALLER
    print("\n| n | 2·n·d·k·iterations | cpu | cuda |\n|---|---|---|---|")
    for rows in ROWS:
        write(path, rows, features)
        words = f"-k {k} --max-iter {iterations} --tol 0"
        cpu = seconds(lambda words=words: emmf(program, path, f"{words} --device cpu"), ROUNDS)
        cuda = seconds(lambda words=words: emmf(program, path, f"{words} --device cuda"), ROUNDS)
        print(f"| {rows} | {2.0 * rows * features * k * iterations:.1e} | {cpu:.2f} | {cuda:.2f} |", flush=True)


def main() -> None:
    """Print both tables."""
    torch.backends.cuda.matmul.allow_tf32 = False
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        large(sys.argv[1], path)
        small(sys.argv[1], path)


if __name__ == "__main__":
    main()
