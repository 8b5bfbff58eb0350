"""Sparse data: an iteration and the memory beyond X."""

from figures import least, number, ratio, spread, summary, table, times
from protocol import Workers

TITLE = "Sparse data"

FACTOR = 3.0

REASONS = """Where the time goes: every entry fetches a row of U for XU and one of V for XᵀQV, 200 bytes each in single precision and 400 in
double, most of them from beyond the core's own cache. An iteration waits for nothing else: all of it takes less time than the two
bare products by SciPy or MKL, and its time varies with what else uses the machine's memory. Slabs of samples keep part of V in the
cache; a second cut by features would write P = XU several times, which costs as much as it saves.

Where the memory goes, f32: U and V 14 MB, the second copy of the entries, by feature, 13 MB, XᵀQV, as large as U, 4 MB, the start
or the directions of the screening 4 to 12 MB, the program's own pages and vectors about 6 MB. The first three together exceed the
target (twice the CSR arrays plus the factors). Without the second copy of the entries, XᵀQV would have to be scattered into a
separate sum for every thread, at about twice the time."""


def shape_of(opts):
    return (5000, 2000, 4) if opts.quick else (50_000, 20_000, 40)


def measure(env, opts):
    n, d, entries = shape_of(opts)
    problem = {"n": n, "d": d, "c": 50, "row_entries": entries}
    figures = {dtype: case(env, opts, problem | {"dtype": dtype}) for dtype in ("f32", "f64")}
    return {"problem": problem, "figures": figures}


def case(env, opts, problem):
    counted = problem | {"iterations": 8}
    with Workers() as workers:
        workers.start("ours", env.ours("iteration"), methods="nmf,emmf,nmf-hals", **counted)
        workers.start("two products, torch with MKL", env.peer("torch_mkl", "products"), **counted)
        workers.start("two products, SciPy", env.peer("numpy_blas", "products"), **counted)
        workers.start("torch with MKL, multiplicative by hand", env.peer("torch_mkl", "update"), **counted)
        for solver in ("mu", "cd"):
            workers.start(f"scikit-learn {solver}", env.peer("sklearn_nmf", "iteration"), solver=solver, **problem)
        workers.rounds(opts.rounds)
        found = {name: summary(workers.values("ms", name)) for name in workers.answers if name != "ours"}
        for method in ("nmf", "emmf", "nmf-hals"):
            found[f"**ours: {method}**"] = summary(workers.values(method, "ours"))
        missing = workers.missing
    return {"ms": found, "missing": missing, "mb": memory(env, problem)}


def memory(env, problem):
    """Megabytes beyond X, each in a fresh process."""
    with Workers() as workers:
        workers.start("ours", env.ours("memory"), method="emmf", **problem)
        workers.start("scikit-learn mu", env.peer("sklearn_nmf", "memory"), solver="mu", **problem)
        workers.rounds(1)
        return {
            name: (answers[0]["peak_kb"] - answers[0]["before_kb"]) / 1024
            for name, answers in workers.answers.items()
            if answers
        }


def budget(problem, dtype):
    """2 × the CSR arrays plus factors, in megabytes, of which X itself is in memory already."""
    size = 4 if dtype == "f32" else 8
    entries = problem["n"] * problem["row_entries"]
    csr = entries * (4 + size) + 4 * problem["n"]
    factors = (problem["n"] + problem["d"]) * problem["c"] * size
    return (2 * csr + factors - csr) / 2**20, (2 * (csr + factors) - csr) / 2**20


def render(found):
    problem, figures = found["problem"], found["figures"]
    rows = []
    for name in figures["f32"]["ms"]:
        rows.append([name, *(spread(figures[dtype]["ms"].get(name)) for dtype in ("f32", "f64"))])
    for name in ("ours", "scikit-learn mu"):
        rows.append([f"megabytes beyond X, {name}", *(number(figures[dtype]["mb"].get(name)) for dtype in figures)])
    targets = [line for dtype in figures for line in verdicts(figures[dtype], problem, dtype)]
    density = problem["row_entries"] / problem["d"]
    text = f"Milliseconds per iteration, {problem['n']}×{problem['d']} with {density:.1%} entries, k = {problem['c']}, 2 threads.\n\n"
    return text + table(["", "f32", "f64"], rows) + "\n\n" + REASONS, targets


def verdicts(figures, problem, dtype):
    ms = figures["ms"]
    ours, sklearn = ms["**ours: emmf**"], least(ms.get("scikit-learn mu"), ms.get("scikit-learn cd"))
    torch = ms.get("torch with MKL, multiplicative by hand")
    faster, beside = ratio(sklearn, ours), ratio(ours, torch)
    strict, wide = budget(problem, dtype)
    held = figures["mb"]["ours"]
    return [
        (f"{dtype}: {times(faster)} times faster than scikit-learn, target {FACTOR}", faster >= FACTOR),
        (f"{dtype}: at {times(beside)} of torch with MKL, target 1", beside is not None and beside <= 1),
        (
            f"{dtype}: {held:.0f} MB beyond X; twice the CSR arrays plus the factors leaves {strict:.0f} "
            f"(twice the factors, too: {wide:.0f})",
            held <= strict,
        ),
    ]
