"""scikit-learn's NMF and KMeans."""

import ctypes
import gc
import time
import warnings

import numpy as np
from problem import load
from serve import by_difference, serve
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF, non_negative_factorization

warnings.filterwarnings("ignore")


def factorize(x, u, v, **options):
    """From the start U, V; gives U, V and the number of iterations."""
    w, h, iterations = non_negative_factorization(
        x, W=v.copy(), H=np.ascontiguousarray(u.T), n_components=u.shape[1], init="custom", **options
    )
    return h.T, w, iterations


def iteration(solver, few=2, many=8, threads=2, **problem):
    x, u, v = load(**problem)
    fit = lambda count: factorize(x, u, v, solver=solver, tol=0, max_iter=count)
    return lambda: {"ms": by_difference(fit, few, many)}


def solution(tol, max_iter=200, threads=2, **problem):
    """Coordinate descent to its own stop."""
    x, u0, v0 = load(**problem)

    def answer(**_):
        began = time.perf_counter()
        u, v, iterations = factorize(x, u0, v0, solver="cd", tol=float(tol), max_iter=max_iter)
        seconds = time.perf_counter() - began
        residual = x.astype(np.float64) - v.astype(np.float64) @ u.T.astype(np.float64)
        return {"seconds": seconds, "iterations": int(iterations), "objective": float((residual**2).sum())}

    return answer


def transform(threads=2, **problem):
    x, u, _ = load(**problem)
    model = NMF(u.shape[1], init="custom")
    model.components_ = np.ascontiguousarray(u.T)
    model.n_components_, model.n_features_in_ = u.shape[1], u.shape[0]
    model._beta_loss = 2

    def answer():
        began = time.perf_counter()
        v = model.transform(x)
        seconds = time.perf_counter() - began
        residual = x.astype(np.float64) - v.astype(np.float64) @ u.T.astype(np.float64)
        return {"seconds": seconds, "objective": float((residual**2).sum())}

    return answer


def kmeans(threads=2, **problem):
    x, u, _ = load(**problem)

    def answer(seed):
        began = time.perf_counter()
        fit = KMeans(u.shape[1], init="k-means++", n_init=1, random_state=seed).fit(x)
        return {"seconds": time.perf_counter() - began, "inertia": float(fit.inertia_)}

    return answer


def memory(solver, iterations=5, threads=2, **problem):
    """The most memory beyond X, as the kernel counts it."""
    x, u, _ = load(**problem)

    def answer():
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before = kilobytes("VmRSS")
        NMF(u.shape[1], init="random", solver=solver, tol=0, max_iter=iterations).fit(x)
        return {"before_kb": before, "peak_kb": kilobytes("VmHWM")}

    return answer


def kilobytes(name):
    with open("/proc/self/status") as file:
        return next(float(line.split()[1]) for line in file if line.startswith(name + ":"))


if __name__ == "__main__":
    jobs = [iteration, solution, transform, kmeans, memory]
    serve({job.__name__: job for job in jobs})
