"""The k-means start on COIL100, beside an iteration and beside scikit-learn's KMeans."""

import statistics

from figures import number, spread, summary, table, times
from protocol import Workers
from sections.data import prepared

TITLE = "The k-means start"

WORTH = 20


def measure(env, opts):
    name = "movement" if opts.quick else "coil100"
    shape, files = prepared(env, name)
    problem = files | {"dtype": "f32"}
    with Workers() as workers:
        workers.start("ours", env.ours("kmeans"), **problem)
        workers.start("scikit-learn", env.peer("sklearn_nmf", "kmeans"), **problem)
        for seed in range(4 * opts.rounds):
            workers.rounds(1, seed=seed)
        runs = {name: workers.answers[name] for name in ("ours", "scikit-learn")}
    with Workers() as workers:
        workers.start("emmf", env.ours("iteration"), methods="emmf", **problem)
        workers.rounds(opts.rounds)
        iteration = summary(workers.values("emmf", "emmf"))
    return {"name": name, "shape": shape, "runs": runs, "iteration": iteration}


def expected(runs, target):
    """Seconds until a run ends at or below the target, by repeating with other seeds."""
    good = sum(run["inertia"] <= target for run in runs)
    return sum(run["seconds"] for run in runs) / good if good else None


def render(found):
    runs, (n, d, c) = found["runs"], found["shape"]
    target = statistics.median(run["inertia"] for run in runs["scikit-learn"])
    rows, until = [], {}
    for name in ("ours", "scikit-learn"):
        seconds = summary([run["seconds"] for run in runs[name]])
        until[name] = expected(runs[name], target)
        inertia = statistics.median(run["inertia"] for run in runs[name])
        rows.append([name, spread(seconds), f"{inertia:.6g}", number(until[name])])
    ours = statistics.median(run["seconds"] for run in runs["ours"])
    worth = 1e3 * ours / found["iteration"]["median"]
    text = (
        f"{found['name']} ({n}×{d}, k = {c}, f32), one k-means++ start per seed, {len(runs['ours'])} seeds. An iteration of emmf takes "
        f"{number(found['iteration']['median'])} ms, so the start costs {worth:.1f} iterations. The last column: seconds until a run ends at "
        "scikit-learn's median inertia or below, repeating with other seeds.\n\n"
    )
    head = ["", "seconds", "median inertia", "seconds to that inertia"]
    faster = until["scikit-learn"] / until["ours"] if until["ours"] and until["scikit-learn"] else None
    targets = [(f"the start costs {worth:.1f} iterations, target {WORTH}", worth <= WORTH)]
    line = f"{times(faster)} times faster than scikit-learn to the same inertia, target 1"
    targets.append((line, faster is not None and faster >= 1))
    return text + table(head, rows), targets
