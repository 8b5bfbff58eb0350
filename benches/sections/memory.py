"""The most memory that a fit holds beyond X."""

from figures import number, table
from protocol import Workers

TITLE = "Memory"

LIMIT_MB = 20


def measure(env, opts):
    n = 2000 if opts.quick else 20_000
    problem = {"n": n, "d": 1000, "c": 50}
    return {"n": n, "mb": {dtype: case(env, problem | {"dtype": dtype}) for dtype in ("f32", "f64")}}


def case(env, problem):
    with Workers() as workers:
        for method in ("nmf", "emmf", "nmf-hals"):
            workers.start(f"**ours: {method}**", env.ours("memory"), method=method, **problem)
        for solver in ("mu", "cd"):
            workers.start(f"scikit-learn {solver}", env.peer("sklearn_nmf", "memory"), solver=solver, **problem)
        workers.rounds(1)
        beyond = lambda answer: (answer["peak_kb"] - answer["before_kb"]) / 1024
        return {name: beyond(answers[0]) for name, answers in workers.answers.items() if answers}


def render(found):
    mb, n = found["mb"], found["n"]
    rows = [[name, number(mb["f32"][name]), number(mb["f64"].get(name))] for name in mb["f32"]]
    held = mb["f32"]["**ours: emmf**"]
    text = f"Megabytes beyond X, dense {n}×1000 (f32: {n * 4000 / 2**20:.0f} MB), k = 50, each in a fresh process.\n\n"
    both = [n * 1000 * size / 2**20 + mb[dtype]["**ours: emmf**"] for dtype, size in (("f32", 4), ("f64", 8))]
    halved = both[0] / both[1]
    targets = [(f"{held:.1f} MB beyond X in f32, target {LIMIT_MB}", held <= LIMIT_MB)]
    targets.append((f"X and all else in f32 take {halved:.2f} of f64, target 0.55", halved <= 0.55))
    return text + table(["", "f32", "f64"], rows), targets
