"""numpy with OpenBLAS (SciPy for sparse X): the two products, and a multiplicative update by hand."""

import numpy as np
from problem import load
from serve import repeated, serve


def products(iterations=10, threads=2, **problem):
    x, u, v = load(**problem)
    t = x.T

    def both():
        x @ u
        t @ v

    return lambda: {"ms": repeated(both, iterations)}


def update(iterations=10, threads=2, **problem):
    x, u0, v0 = load(**problem)
    t, tiny = x.T, np.finfo(x.dtype).eps

    def answer():
        u, v = u0.copy(), v0.copy()

        def step():
            nonlocal u, v
            u *= (t @ v) / (u @ (v.T @ v) + tiny)
            v *= (x @ u) / (v @ (u.T @ u) + tiny)

        return {"ms": repeated(step, iterations)}

    return answer


def assignment(classes=1000, samples=100_000, threads=2):
    """SciPy's solver of the assignment problem on the table of two random labelings."""
    import time

    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(1)
    truth, predicted = rng.integers(0, classes, (2, samples))

    def answer():
        began = time.perf_counter()
        counts = np.zeros((classes, classes), dtype=np.int64)
        np.add.at(counts, (truth, predicted), 1)
        rows, columns = linear_sum_assignment(counts, maximize=True)
        accuracy = counts[rows, columns].sum() / samples
        return {"seconds": time.perf_counter() - began, "accuracy": float(accuracy)}

    return answer


if __name__ == "__main__":
    serve({"products": products, "update": update, "assignment": assignment})
