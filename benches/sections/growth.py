"""How the time of an iteration grows with n, d, c and the number of entries."""

from figures import number, slope, summary, table
from protocol import Workers

TITLE = "Growth"

LOW, HIGH = 0.95, 1.05
# Past it X does not fit the last-level cache of any machine at hand.
KNEE_BYTES = 64 * 2**20


def series(quick):
    """Name, the size that grows, its values, and what stays."""
    if quick:
        return [("n", [1000, 10_000, 100_000], {"d": 64, "c": 10})]
    return [
        ("n", [1000, 3000, 10_000, 30_000, 100_000, 300_000, 600_000, 1_000_000], {"d": 64, "c": 10}),
        ("d", [128, 256, 512, 1024, 2048, 4096], {"n": 40_000, "c": 20}),
        ("c", [16, 32, 64, 128, 256], {"n": 20_000, "d": 1000}),
        ("row_entries", [25, 50, 100, 200, 400], {"n": 50_000, "d": 20_000, "c": 32}),
    ]


def measure(env, opts):
    found = []
    for name, values, rest in series(opts.quick):
        points = []
        for value in values:
            problem = rest | {name: value}
            work = problem["n"] * problem.get("row_entries", problem["d"]) * problem["c"]
            iterations = max(4, min(200, 3_000_000_000 // work))
            with Workers() as workers:
                workers.start("emmf", env.ours("iteration"), methods="emmf", iterations=iterations, **problem)
                workers.rounds(min(3, opts.rounds))
                points.append((value, summary(workers.values("emmf", "emmf"))))
        found.append({"name": name, "rest": rest, "points": points})
    return found


def past_knee(case):
    """The points that count for the exponent: X in f32 beyond the cache, or all where another size grows."""
    if case["name"] not in ("n", "d"):
        return case["points"]
    other = case["rest"]["d" if case["name"] == "n" else "n"]
    far = [point for point in case["points"] if 4 * point[0] * other > KNEE_BYTES]
    return far if len(far) > 2 else case["points"]


def render(found):
    rows, targets = [], []
    for case in found:
        name = "entries a row" if case["name"] == "row_entries" else case["name"]
        counted = past_knee(case)
        exponent = slope([(value, figure["median"]) for value, figure in counted])
        rest = ", ".join(f"{key} = {value}" for key, value in case["rest"].items())
        points = " · ".join(f"{value:,}: {number(figure['median'])}" for value, figure in case["points"])
        rows.append([name, rest, points, f"{counted[0][0]:,}", f"{exponent:.3f}"])
        line = f"exponent {exponent:.3f} in {name} from {counted[0][0]:,} on, target {LOW} to {HIGH}"
        targets.append((line, LOW <= exponent <= HIGH))
    text = "Milliseconds an iteration of emmf, f32, 2 threads, and the exponent b of a·xᵇ past the cache.\n\n"
    return text + table(["grows", "stays", "milliseconds", "counted from", "exponent"], rows), targets
