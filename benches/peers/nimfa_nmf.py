"""nimfa's Nmf with the Euclidean update, as shipped; computes in f64 whatever it is given."""

import nimfa
from problem import load
from serve import by_difference, serve


def iteration(few=1, many=3, threads=2, **problem):
    x, u, v = load(**problem)

    def fit(count):
        options = {"update": "euclidean", "objective": "fro", "max_iter": count}
        nimfa.Nmf(x, rank=u.shape[1], seed=None, W=v.copy(), H=u.T.copy(), **options)()

    return lambda: {"ms": by_difference(fit, few, many)}


if __name__ == "__main__":
    serve({"iteration": iteration})
