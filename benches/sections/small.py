"""Small real data, where overhead and subnormal numbers would show: digits and YALE."""

from figures import least, number, ratio, spread, summary, table, times
from protocol import Workers
from sections.cases import attempted, told_apart
from sections.data import prepared

TITLE = "Small data"

ITERATIONS = 500
DIGITS_MS, YALE_RATIO = 0.10, 2.0
PEERS = ["scikit-learn mu", "scikit-learn cd", "torch by hand", "numpy by hand"]


def measure(env, opts):
    sets = [("digits", "f32"), ("digits", "f64"), ("yale", "f32"), ("yale", "f64")]
    return attempted(case, env, opts, sets)


def case(env, opts, name, dtype):
    shape, files = prepared(env, name)
    problem = files | {"dtype": dtype}
    counted = problem | {"iterations": ITERATIONS}
    with Workers() as workers:
        workers.start("ours", env.ours("iteration"), methods="products,nmf,emmf,nmf-hals", **counted)
        workers.start("OpenBLAS", env.peer("numpy_blas", "products"), **counted)
        workers.start("MKL", env.peer("torch_mkl", "products"), **counted)
        for solver in ("mu", "cd"):
            command = env.peer("sklearn_nmf", "iteration")
            workers.start(f"scikit-learn {solver}", command, solver=solver, few=10, many=ITERATIONS, **problem)
        workers.start("torch by hand", env.peer("torch_mkl", "update"), **counted)
        workers.start("numpy by hand", env.peer("numpy_blas", "update"), **counted)
        workers.rounds(opts.rounds)
        ours = {method: summary(workers.values(method, "ours")) for method in ("products", "nmf", "emmf", "nmf-hals")}
        peers = {peer: summary(workers.values("ms", peer)) for peer in ["OpenBLAS", "MKL", *PEERS]}
        return {"name": name, "shape": shape, "dtype": dtype, "figures": ours | peers, "missing": workers.missing}


def render(found):
    head = ["", "type", "floor", "**nmf**", "**emmf**", "**nmf, HALS**", *PEERS, "emmf / floor"]
    rows, targets = [], []
    found, notes = told_apart(found)
    for case in found:
        figures = case["figures"]
        floor = least(figures["products"], figures["OpenBLAS"], figures["MKL"])
        to_floor = ratio(figures["emmf"], floor)
        n, d, c = case["shape"]
        ours = [spread(figures[method]) for method in ("nmf", "emmf", "nmf-hals")]
        peers = [number(figures[peer] and figures[peer]["median"]) for peer in PEERS]
        label = f"{case['name']} {n}×{d}, k = {c}"
        rows.append([label, case["dtype"], number(floor and floor["median"]), *ours, *peers, times(to_floor)])
        targets += verdicts(case, to_floor)
    text = f"Milliseconds per iteration, median of the first {ITERATIONS} from the same random start, 2 threads.\n\n"
    return text + table(head, rows) + notes, targets


def verdicts(case, to_floor):
    emmf = case["figures"]["emmf"]["median"]
    if case["name"] == "digits" and case["dtype"] == "f32":
        return [(f"digits f32 in {number(emmf)} ms an iteration, target {DIGITS_MS}", emmf <= DIGITS_MS)]
    if case["name"] == "yale":
        line = f"YALE {case['dtype']} at {times(to_floor)} of the products, target {YALE_RATIO}"
        return [(line, to_floor <= YALE_RATIO)]
    return []
