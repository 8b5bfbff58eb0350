"""How the time of an iteration grows with n, d, c and the number of entries."""

from figures import number, slope, summary, table
from protocol import Workers

TITLE = "Growth"

# Time grows no faster than the work, but for what cannot be told from noise.
HIGH = 1.05


def series(quick):
    """Name, the size that grows, its values, what stays, and from where on the exponent is counted.

    That is where X does not fit the cache of any machine at hand (64 MB), and where what grows outweighs what stays: reading
    X, which costs the same for any c, and the products of c×c, which cost the same for any number of entries.
    """
    if quick:
        return [("n", [1000, 10_000, 100_000], {"d": 64, "c": 10}, 1000)]
    return [
        ("n", [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000], {"d": 64, "c": 10}, 300_000),
        ("d", [128, 256, 512, 1000, 2000, 4000, 8000, 16_000], {"n": 40_000, "c": 20}, 512),
        ("c", [16, 32, 64, 128, 256], {"n": 20_000, "d": 1000}, 32),
        ("n", [3000, 10_000, 30_000, 100_000, 300_000, 1_000_000], {"d": 20_000, "c": 32, "row_entries": 40}, 100_000),
        ("row_entries", [25, 50, 100, 200, 400, 800, 1600], {"n": 50_000, "d": 20_000, "c": 32}, 100),
    ]


def measure(env, opts):
    """All sizes of a series take turns, so that a change of the machine's speed does not look like growth."""
    found = []
    for name, values, rest, counted_from in series(opts.quick):
        with Workers() as workers:
            for value in values:
                problem = rest | {name: value}
                work = problem["n"] * problem.get("row_entries", problem["d"]) * problem["c"]
                iterations = max(4, min(200, 3_000_000_000 // work))
                workers.start(str(value), env.ours("iteration"), methods="emmf", iterations=iterations, **problem)
            workers.rounds(opts.rounds)
            points = [(value, summary(workers.values("emmf", str(value)))) for value in values]
        found.append({"name": name, "rest": rest, "from": counted_from, "points": points})
    return found


def render(found):
    rows, targets = [], []
    for case in found:
        name = "entries per row" if case["name"] == "row_entries" else case["name"]
        name = "n, and with it the entries" if name == "n" and "row_entries" in case["rest"] else name
        counted = [point for point in case["points"] if point[0] >= case["from"]]
        exponent = slope([(value, figure["median"]) for value, figure in counted])
        rest = ", ".join(f"{key} = {value}" for key, value in case["rest"].items()).replace("row_entries", "entries per row")
        points = " · ".join(f"{value:,}: {number(figure['median'])}" for value, figure in case["points"])
        rows.append([name, rest, points, f"{counted[0][0]:,}", f"{exponent:.3f}"])
        line = f"exponent {exponent:.3f} in {name} from {counted[0][0]:,} on, target at most {HIGH}"
        targets.append((line, exponent <= HIGH))
    text = "Milliseconds per iteration of emmf, f32, 2 threads, and the exponent b of a·xᵇ. It is counted from sizes on that exceed the cache, and where the part that grows outweighs the part that does not: reading X for any c, the step and the weight of every sample for any d (about 4 ms for 40,000 samples, which is why that exponent is low), products of c×c for any number of entries. With more entries per row, each entry costs less: each row of V and U that is fetched serves more of them.\n\n"
    return text + table(["grows", "stays", "milliseconds", "counted from", "exponent"], rows), targets
