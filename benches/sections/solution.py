"""Time to the objective at which scikit-learn's coordinate descent stops, from the same start."""

from figures import number, ratio, spread, summary, table, times
from protocol import Workers
from sections.cases import attempted, told_apart
from sections.data import prepared, removed

TITLE = "Time to a solution"

FACTOR = 3.0
LARGE = "synthetic-20000-1000-50"


def measure(env, opts):
    cases = [("movement", "f64", 1e-4), ("digits", "f64", 1e-4)]
    if not opts.quick:
        cases += [("yale", "f64", 1e-4), ("coil20", "f64", 1e-4)]
        cases += [(name, "f64", 1e-6) for name in ("movement", "digits", "yale", "coil20")]
        cases += [("digits", "f32", 1e-4), ("coil20", "f32", 1e-4), (LARGE, "f32", 1e-4)]
    return attempted(case, env, opts, cases)


def case(env, opts, name, dtype, tol):
    shape, files = prepared(env, name)
    # Long runs have a small spread.
    rounds = min(2 if name == LARGE else 3, opts.rounds)
    max_iter = 200 if tol >= 1e-4 else 2000
    with Workers() as workers:
        command = env.peer("sklearn_nmf", "solution")
        workers.start("cd", command, tol=tol, max_iter=max_iter, dtype=dtype, **files)
        workers.rounds(1)
        reached = workers.answers["cd"][0]
        workers.start("default", env.ours("solution"), dtype=dtype, **files)
        for sweeps in opts.sweeps:
            workers.start(f"{sweeps} sweeps", env.ours("solution"), sweeps=sweeps, dtype=dtype, **files)
        # Rounding of another order of summation is no progress.
        target = reached["objective"] * (1 + (1e-6 if dtype == "f32" else 1e-10))
        workers.answers["cd"].clear()
        workers.rounds(rounds, target=target)
        ours = {key: summary(workers.values("seconds", key)) for key in workers.answers if key != "cd"}
        ends = {key: answers[-1]["objective"] for key, answers in workers.answers.items() if answers}
        iterations = {key: answers[-1]["iterations"] for key, answers in workers.answers.items() if answers}
        cd = summary(workers.values("seconds", "cd"))
    if name.startswith("synthetic"):
        removed(env, name)
    found = {"name": name, "shape": shape, "dtype": dtype, "tol": tol, "objective": reached["objective"]}
    return found | {"cd": cd, "ours": ours, "ends": ends, "iterations": iterations, "missing": workers.missing}


def render(found):
    head = ["data", "type", "tol", "objective", "cd: iterations", "cd: seconds"]
    head += ["**HALS: iterations**", "**HALS: seconds**", "cd / HALS"]
    rows, targets = [], []
    found, notes = told_apart(found)
    for case in found:
        n, d, c = case["shape"]
        label = f"{case['name'].split('-')[0]} {n}×{d}, k = {c}"
        for key, figure in case["ours"].items():
            factor = ratio(case["cd"], figure)
            kind = label if key == "default" else f"{label}, {key}"
            cells = [case["dtype"], f"{case['tol']:g}", f"{case['objective']:.6g}", case["iterations"]["cd"]]
            ours = spread(figure) if figure else f"not reached: stops at {case['ends'][key]:.6g}, another local minimum"
            rows.append([kind, *cells, spread(case["cd"]), case["iterations"].get(key, "–"), ours, times(factor)])
            if key == "default":
                line = f"{label} {case['dtype']}, tol {case['tol']:g}: {number(factor)} times sooner, target {FACTOR}"
                targets.append((line, factor is not None and factor >= FACTOR))
    text = (
        "Plain NMF against plain NMF: scikit-learn's coordinate descent runs to its own stop (tol, at most 200 iterations, "
        "2000 for 1e-6), then our HALS runs from the same start until its objective is as low. Seconds of the whole call, 2 threads.\n\n"
    )
    return text + table(head, rows) + notes, targets
