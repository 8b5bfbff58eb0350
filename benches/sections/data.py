"""Data sets as NPY files, samples of unit length, with a start U, V for everyone."""

import json

SMALL = ["movement", "yale", "coil20"]

MAKE = """
import json, sys, numpy as np
name, source, folder = sys.argv[1:4]
rng = np.random.default_rng(0)
if name == "digits":
    from sklearn.datasets import load_digits
    x, c = load_digits().data, 10
elif name.startswith("synthetic"):
    n, d, c = map(int, name.split("-")[1:])
    v = rng.random((n, c)) * (rng.random((n, c)) < 0.3)
    x = v @ rng.random((c, d)) + 0.1 * rng.random((n, d))
else:
    from scipy.io import loadmat
    file = loadmat(f"{source}/{name}.mat")
    x, c = file["X"].astype(float), len(np.unique(file["y"]))
if name != "digits":
    x /= np.linalg.norm(x, axis=1, keepdims=True)
scale = np.sqrt(x.mean() / c)
u, v = (scale * np.abs(rng.standard_normal((rows, c))) for rows in (x.shape[1], x.shape[0]))
for letter, matrix in zip("xuv", (x, u, v)):
    np.save(f"{folder}/{name}-{letter}.npy", np.ascontiguousarray(matrix, dtype=np.float64))
print(json.dumps([*x.shape, c]))
"""


def prepared(env, name):
    """(n, d, c) and the arguments that name the files; digits keep their grey values 0 to 16."""
    shape = json.loads(env.script(MAKE, name, env.real_data, env.data))
    files = {letter: env.scratch(f"{name}-{letter}.npy") for letter in "xuv"}
    return shape, files | {"c": shape[2]}


def removed(env, name):
    """The files of a data set are large; they go when it is done."""
    for letter in "xuv":
        (env.data / f"{name}-{letter}.npy").unlink(missing_ok=True)
