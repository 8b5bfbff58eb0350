"""A whole iteration beside the two bare products of the best library."""

from figures import least, number, ratio, spread, summary, table, times
from protocol import Workers
from sections.cases import attempted, told_apart

TITLE = "An iteration beside its floor"

SHAPES = [(1440, 1024, 20), (7200, 1024, 100), (20_000, 1000, 50), (200_000, 256, 20)]
FLOOR, ROBUST = 1.15, 1.05


# The last iterations of a good fit: entries off by so much of themselves.
LATE, NOISES, LATE_FLOOR = (20_000, 1000, 50), (0.01, 0.0001), 1.5
LATE_METHODS = ("nmf", "emmf", "nmf-hals", "emmf-hals")


def measure(env, opts):
    shapes = SHAPES[:1] if opts.quick else SHAPES
    cases = [(shape, dtype, threads) for shape in shapes for dtype in ("f32", "f64") for threads in (1, 2)]
    late = [((SHAPES[0] if opts.quick else LATE), dtype, noise) for dtype in ("f32", "f64") for noise in NOISES]
    return {"first": attempted(case, env, opts, cases), "late": attempted(late_case, env, opts, late)}


def late_case(env, opts, shape, dtype, noise):
    n, d, c = shape
    problem = {"n": n, "d": d, "c": c, "dtype": dtype, "threads": 2, "iterations": 10}
    with Workers() as workers:
        methods = ",".join(("products", *LATE_METHODS))
        workers.start("early", env.ours("iteration"), methods=methods, **problem)
        workers.start("late", env.ours("iteration"), methods=methods, noise=noise, **problem)
        workers.rounds(opts.rounds)
        figures = {
            f"{when} {name}": summary(workers.values(name, when))
            for when in ("early", "late")
            for name in ("products", *LATE_METHODS)
        }
        return {"shape": shape, "dtype": dtype, "noise": noise, "figures": figures, "missing": workers.missing}


def case(env, opts, shape, dtype, threads):
    n, d, c = shape
    iterations = max(5, min(200, 6_000_000_000 // (n * d * c)))
    problem = {"n": n, "d": d, "c": c, "dtype": dtype, "threads": threads, "iterations": iterations}
    with Workers() as workers:
        workers.start("ours", env.ours("iteration"), methods="products,nmf,emmf", **problem)
        workers.start("OpenBLAS", env.peer("numpy_blas", "products"), **problem)
        workers.start("MKL", env.peer("torch_mkl", "products"), **problem)
        workers.rounds(opts.rounds)
        figures = {
            "faer": summary(workers.values("products", "ours")),
            "OpenBLAS": summary(workers.values("ms", "OpenBLAS")),
            "MKL": summary(workers.values("ms", "MKL")),
            "nmf": summary(workers.values("nmf", "ours")),
            "emmf": summary(workers.values("emmf", "ours")),
        }
        return {"shape": shape, "dtype": dtype, "threads": threads, "figures": figures, "missing": workers.missing}


def floor(figures):
    return least(figures["faer"], figures["OpenBLAS"], figures["MKL"])


def render(found):
    head = ["(n, d, c)", "type", "threads", "OpenBLAS", "MKL", "faer", "**nmf**", "**emmf**"]
    head += ["nmf / floor", "emmf / floor", "emmf / nmf"]
    rows, targets = [], []
    late = found["late"]
    found, notes = told_apart(found["first"])
    for case in found:
        figures = case["figures"]
        label = f"({', '.join(map(str, case['shape']))})"
        to_floor = [ratio(figures[method], floor(figures)) for method in ("nmf", "emmf")]
        robust = ratio(figures["emmf"], figures["nmf"])
        cells = [number(figures[name] and figures[name]["median"]) for name in ("OpenBLAS", "MKL", "faer")]
        cells += [spread(figures[name]) for name in ("nmf", "emmf")]
        rows.append([label, case["dtype"], case["threads"], *cells, *map(times, to_floor), times(robust)])
        where = f"{label} {case['dtype']}, threads: {case['threads']}"
        targets.append((f"emmf at {times(to_floor[1])} of the floor, target {FLOOR}: {where}", met(to_floor[1], FLOOR)))
        targets.append((f"emmf at {times(robust)} of nmf, target {ROBUST}: {where}", met(robust, ROBUST)))
    text = "Milliseconds. The three libraries make the two bare products; nmf and emmf are whole iterations, which also multiply V by UᵀU and form VᵀQV. That is c/d of the products' multiplications, a tenth at (7200, 1024, 100).\n\n"
    late_text, late_targets = render_late(late)
    return text + table(head, rows) + notes + late_text, targets + late_targets


def render_late(found):
    rows, targets = [], []
    found, notes = told_apart(found)
    for case in found:
        figures = case["figures"]
        ratios = [ratio(figures[f"late {name}"], figures[f"early {name}"]) for name in LATE_METHODS]
        cells = [f"{number(figures[f'early {m}']['median'])} → {number(figures[f'late {m}']['median'])}" for m in LATE_METHODS]
        rows.append([f"({', '.join(map(str, case['shape']))})", case["dtype"], f"{100 * case['noise']:g} %", *cells])
        for name, value in zip(LATE_METHODS, ratios):
            where = f"{case['dtype']}, noise {case['noise']}"
            claim = f"{name} at {times(value)} of an early iteration when the fit is good, target {LATE_FLOOR}: {where}"
            targets.append((claim, met(value, LATE_FLOOR)))
    head = ["(n, d, c)", "type", "noise", *(f"**{name}**" for name in LATE_METHODS)]
    text = "\n\nEarly and late iterations, milliseconds with two threads: of uniform random numbers, and of a product of the start with so much noise, which is fitted to all its digits but those of the noise.\n\n"
    return text + table(head, rows) + notes, targets


def met(value, target):
    return value is not None and value <= target
