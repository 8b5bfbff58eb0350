"""An iteration of every peer."""

import environment
from figures import least, ratio, spread, summary, table, times
from protocol import Workers

TITLE = "An iteration of the peers"

OURS = {"nmf": "**ours: nmf**", "emmf": "**ours: emmf**", "nmf-hals": "**ours: nmf, HALS**"}


def measure(env, opts):
    n, d, c = (2000, 1000, 50) if opts.quick else (20_000, 1000, 50)
    problem = {"n": n, "d": d, "c": c}
    missing = {"RcppML": environment.has_r() or "not wired: its iterations cannot be counted from outside"}
    figures = {}
    for dtype in ("f32", "f64"):
        figures[dtype], failed = case(env, opts, problem | {"dtype": dtype})
        missing |= failed
    return {"shape": (n, d, c), "figures": figures, "missing": missing}


def case(env, opts, problem):
    counted = problem | {"iterations": 6}
    with Workers() as workers:
        workers.start("ours", env.ours("iteration"), methods="products,nmf,emmf,nmf-hals", **counted)
        workers.start("two products, MKL", env.peer("torch_mkl", "products"), **counted)
        workers.start("two products, OpenBLAS", env.peer("numpy_blas", "products"), **counted)
        workers.start("torch, multiplicative by hand", env.peer("torch_mkl", "update"), **counted)
        workers.start("numpy, multiplicative by hand", env.peer("numpy_blas", "update"), **counted)
        for solver in ("mu", "cd"):
            workers.start(f"scikit-learn {solver}", env.peer("sklearn_nmf", "iteration"), solver=solver, **problem)
        if problem["dtype"] == "f64" and env.nimfa:
            workers.start("nimfa", env.peer("nimfa_nmf", "iteration"), **problem)
        elif problem["dtype"] == "f64":
            workers.missing["nimfa"] = f"could not be installed: {env.why_no_nimfa}"
        workers.rounds(opts.rounds)
        found = {name: summary(workers.values("ms", name)) for name in workers.answers if name != "ours"}
        found["two products, faer"] = summary(workers.values("products", "ours"))
        found |= {title: summary(workers.values(name, "ours")) for name, title in OURS.items()}
        return found, workers.missing


def render(found):
    figures = found["figures"]
    floors = {dtype: floor(figures[dtype]) for dtype in figures}
    names = sorted(figures["f64"], key=lambda name: figures["f64"][name]["median"] if figures["f64"][name] else 1e9)
    rows = []
    for name in names:
        both = [figures[dtype].get(name) for dtype in ("f32", "f64")]
        ratios = [times(ratio(figure, floors[dtype])) for figure, dtype in zip(both, ("f32", "f64"))]
        rows.append([name, spread(both[0]), ratios[0], spread(both[1]), ratios[1]])
    n, d, c = found["shape"]
    text = f"Milliseconds, dense {n}×{d}, k = {c}, 2 threads.\n\n"
    text += table(["", "f32", "/ floor", "f64", "/ floor"], rows)
    text += "".join(f"\n\n{name}: not measured, {why}." for name, why in found["missing"].items())
    return text, [target(figures[dtype], dtype) for dtype in figures]


def floor(figures):
    return least(*(figures.get(f"two products, {library}") for library in ("MKL", "OpenBLAS", "faer")))


def target(figures, dtype):
    rivals = {name: figure for name, figure in figures.items() if "ours" not in name and "products" not in name}
    rivals = {name: figure["median"] for name, figure in rivals.items() if figure}
    best = min(rivals, key=rivals.get)
    value = figures[OURS["emmf"]]["median"] / rivals[best]
    return f"emmf {dtype} at {times(value)} of the fastest peer ({best}), target below 1", value < 1
