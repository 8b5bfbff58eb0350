"""Whole iterations of EMMF on a card beside PyTorch, in one run: ``make gpu``, or python benches/gpu.py PATH.

PATH is the example program of emmf-cuda: ``cargo build --release -p emmf-cuda --example device`` makes ``target/release/examples/device``.
It prints its own table first; its columns are in docs/gpu.md. PyTorch with CUDA must be installed. TF32 is off everywhere.
"""

import statistics
import subprocess
import sys
from collections.abc import Callable

import torch

SHAPES = [(1_000_000, 1024, 20), (1_000_000, 1024, 100), (4_000_000, 1024, 64), (60_000, 784, 10)]
# Sparse samples, features and centroids, and entries of a sample at most.
SPARSE = (500_000, 30_000, 50)
ENTRIES = 100
# Rounds that are timed, after some that are not.
ROUNDS, BEFORE = 9, 2


def numbers(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    """Give random numbers from 0.1 to 1.1."""
    return torch.rand(rows, columns, device="cuda", dtype=dtype) + 0.1


def weights(r: torch.Tensor) -> torch.Tensor:
    """Give the weights of the entropy objective at these residuals."""
    return torch.log(r.sum() / r) / r


def bare(x: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> None:
    """Make the two products that no iteration can leave out."""
    x @ u
    x.T @ v


def three_lines(x: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> None:
    """Iterate as the formulas are written, with the residuals by their definition."""
    v *= torch.sqrt((x @ u) / (v @ (u.T @ u)))
    q = weights((x - v @ u.T).norm(dim=1))[:, None]
    u *= torch.sqrt((x.T @ (q * v)) / (u @ (v.T @ (q * v))))


def like_torchnmf(x: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> None:
    """Iterate as torchnmf 0.3.5 does for least squares: VUᵀ as a whole and two products with it and X, for either factor."""
    fitted = v @ u.T
    v *= (x @ u).relu_().add_(1e-8) / (fitted @ u).relu_().add_(1e-8)
    fitted = v @ u.T
    u *= (x.T @ v).relu_().add_(1e-8) / (fitted.T @ v).relu_().add_(1e-8)


def two_products(lengths: torch.Tensor) -> Callable[[torch.Tensor, torch.Tensor, torch.Tensor], None]:
    """Iterate with two products with X; the residuals come from the first one."""

    def iterate(x: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> None:
        p, g = x @ u, u.T @ u
        v *= torch.sqrt(p / (v @ g))
        squares = lengths - 2 * (v * p).sum(dim=1) + (v * (v @ g)).sum(dim=1)
        qv = weights(squares.clamp(min=1e-12).sqrt())[:, None] * v
        u *= torch.sqrt((x.T @ qv) / (u @ (v.T @ qv)))

    return iterate


def median(iterate: Callable[..., None], *given: torch.Tensor) -> float:
    """Give the median time of an iteration in milliseconds, by events of the card."""
    times = []
    for at in range(BEFORE + ROUNDS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        iterate(*given)
        end.record()
        torch.cuda.synchronize()
        if at >= BEFORE:
            times.append(begin.elapsed_time(end))
    return statistics.median(times)


def row(shape: tuple[int, int, int], dtype: torch.dtype) -> str:
    """Measure one shape; a variant that needs more memory than the card has is a dash."""
    n, d, k = shape
    x, u, v = numbers(n, d, dtype), numbers(d, k, dtype), numbers(n, k, dtype)
    lengths = x.norm(dim=1).square()
    cells = []
    for iterate in (bare, two_products(lengths), three_lines, like_torchnmf):
        try:
            cells.append(f"{median(iterate, x, u.clone(), v.clone()):.3g}")
        except torch.cuda.OutOfMemoryError:
            cells.append("–")
        torch.cuda.empty_cache()
    return f"| {shape} | {str(dtype).removeprefix('torch.')} | " + " | ".join(cells) + " |"


def sparse_row(n: int, d: int, k: int, dtype: torch.dtype) -> str:
    """Measure the two products with sparse X like that of the example program, by cuSPARSE."""
    columns = (torch.rand(n, ENTRIES, device="cuda") ** 3 * d).long().sort(dim=1).values
    new = torch.ones_like(columns, dtype=torch.bool)
    new[:, 1:] = columns[:, 1:] != columns[:, :-1]
    starts = torch.cat([torch.zeros(1, device="cuda", dtype=torch.long), new.sum(dim=1).cumsum(0)])
    found = columns[new].int()
    values = torch.rand(len(found), device="cuda", dtype=dtype)
    x = torch.sparse_csr_tensor(starts.int(), found, values, (n, d))
    by_feature = x.to_sparse_csc()
    lists = by_feature.ccol_indices(), by_feature.row_indices(), by_feature.values()
    turned = torch.sparse_csr_tensor(*lists, (d, n))
    u, v = numbers(d, k, dtype), numbers(n, k, dtype)
    time = median(lambda: (x @ u, turned @ v))
    return f"| {n}×{d}, {len(found)} entries, k = {k} | {str(dtype).removeprefix('torch.')} | {time:.3g} |"


def main() -> None:
    """Print both tables."""
    torch.backends.cuda.matmul.allow_tf32 = False
    print(subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout)
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}, milliseconds, medians\n")
    print("| (n, d, k) | | two products | two products and the steps between | three lines | torchnmf's update |")
    print("|---|---|---|---|---|---|")
    for shape in SHAPES:
        for dtype in (torch.float32, torch.float64):
            print(row(shape, dtype), flush=True)
            torch.cuda.empty_cache()
    print("\n| sparse | | two products, cuSPARSE |\n|---|---|---|")
    for dtype in (torch.float32, torch.float64):
        print(sparse_row(*SPARSE, dtype), flush=True)


if __name__ == "__main__":
    main()
