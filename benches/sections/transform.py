"""New samples, and the assignment of clusters to classes."""

from figures import least, number, ratio, spread, summary, table, times
from protocol import Workers
from sections.cases import attempted, told_apart
from sections.data import prepared, removed

TITLE = "New samples, and the assignment of classes"

HUNGARIAN_SECONDS = 1.0

# The centroids of a short fit: random ones would leave next to no coefficient free.
FIT = """
import sys, warnings, numpy as np
from sklearn.decomposition import non_negative_factorization
warnings.filterwarnings("ignore")
x, u, v = (np.load(path).astype(np.float32) for path in sys.argv[1:4])
_, h, _ = non_negative_factorization(x, W=v, H=np.ascontiguousarray(u.T), n_components=u.shape[1], init="custom", max_iter=30)
np.save(sys.argv[2], np.ascontiguousarray(h.T, dtype=np.float64))
"""


def measure(env, opts):
    sets = ["synthetic-2000-1000-50", "coil20"] if opts.quick else ["synthetic-20000-1000-50", "coil20", "coil100"]
    found = {"cases": attempted(case, env, opts, [(name,) for name in sets])}
    with Workers() as workers:
        workers.start("ours", env.ours("accuracy"))
        workers.start("SciPy", env.peer("numpy_blas", "assignment"))
        workers.rounds(opts.rounds)
        found["assignment"] = {name: summary(workers.values("seconds", name)) for name in workers.answers}
    return found


def case(env, opts, name):
    shape, files = prepared(env, name)
    env.script(FIT, files["x"], files["u"], files["v"])
    problem = files | {"dtype": "f32"}
    with Workers() as workers:
        workers.start("ours", env.ours("transform"), **problem)
        workers.start("scikit-learn", env.peer("sklearn_nmf", "transform"), **problem)
        workers.start("faer", env.ours("iteration"), methods="products", **problem)
        workers.start("MKL", env.peer("torch_mkl", "products"), **problem)
        workers.rounds(min(3, opts.rounds))
        ms = lambda name: summary([1e3 * seconds for seconds in workers.values("seconds", name)])
        # Two products are timed; coding new samples needs one.
        half = lambda values: summary([value / 2 for value in values])
        figures = {
            "ours": ms("ours"),
            "scikit-learn": ms("scikit-learn"),
            "product": least(half(workers.values("products", "faer")), half(workers.values("ms", "MKL"))),
        }
        objective = {name: workers.values("objective", name)[-1:] for name in ("ours", "scikit-learn")}
    if name.startswith("synthetic"):
        removed(env, name)
    return {"name": name, "shape": shape, "figures": figures, "objective": objective, "missing": workers.missing}


def render(found):
    rows, targets = [], []
    cases, notes = told_apart(found["cases"])
    for case in cases:
        n, d, c = case["shape"]
        figures = case["figures"]
        slower, faster = ratio(figures["ours"], figures["product"]), ratio(figures["scikit-learn"], figures["ours"])
        label = f"{case['name'].split('-')[0]} {n}×{d}, k = {c}"
        objective = [f"{case['objective'][name][0]:.6g}" if case["objective"][name] else "–" for name in case["objective"]]
        cells = [number(figures["product"]["median"]), spread(figures["ours"]), spread(figures["scikit-learn"])]
        rows.append([label, *cells, *objective, times(slower), times(faster)])
        targets.append((f"{label}: coded at {times(slower)} of one product, target 5", slower <= 5))
        line = f"{label}: {times(faster)} times faster than scikit-learn's transform, target 1"
        targets.append((line, faster is not None and faster >= 1))
    head = ["f32, 2 threads", "the product X·U", "**ours, exact**", "scikit-learn"]
    head += ["objective, ours", "scikit-learn", "ours / product", "scikit-learn / ours"]
    ours = found["assignment"]["ours"]
    text = "Milliseconds to code all samples with U fixed; ours solves every sample's nonnegative least squares exactly, in double precision. "
    text += "The product is the smaller part of that: a product with (UᵀU)⁻¹, six sweeps of coordinate descent over c×c where that leaves negative coefficients, and "
    text += "a few solves of m³/6 for the m coefficients that are zero, or for the others if these are fewer. Stopping early would make coefficients depend on the start; these are those of the fit, whoever asks.\n\n"
    text += table(head, rows) + notes
    text += f"\n\nAccuracy of 100,000 random labels in 1000 classes: ours {spread(ours)} s, SciPy {spread(found['assignment'].get('SciPy'))} s."
    targets.append((f"1000 classes assigned in {number(ours['median'])} s, target {HUNGARIAN_SECONDS}", ours["median"] < 1))
    return text, targets
