"""Synthetic data: small sets to start with, samples on rays, the paper's toy sets, and outliers for real data.

The same ``random_state`` gives the same numbers as ``--seed`` of the program ``emmf``, on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch, check_array

from . import _emmf
from ._arrays import admitted

__all__ = [
    "Labelled",
    "add_block_noise",
    "add_outliers",
    "load_cells",
    "load_shapes",
    "load_spectra",
    "load_texts",
    "make_rays",
    "make_toy",
]


class Labelled(NamedTuple):
    """Samples whose classes and outliers are known.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    labels : ndarray of shape (n_samples,)
        Their classes, from 0; outliers have the number of classes.
    outlier : ndarray of shape (n_samples,)
        Whether the sample is an outlier.
    """

    X: NDArray[np.float64]
    labels: NDArray[np.int64]
    outlier: NDArray[np.bool_]


def _example(kind: str, amount: tuple[int, int, int]) -> Bunch:
    (X, labels, outlier), classes, features, image_shape = _emmf.example(kind, amount)
    made = Bunch(data=X, target=labels, outlier=outlier, target_names=classes)
    if features is not None:
        made["feature_names"] = features
    if image_shape is not None:
        made["image_shape"] = image_shape
    return made


def load_shapes(*, n_samples: int = 300, n_outliers: int = 15, random_state: int = 0) -> Bunch:
    """Images of discs, rings, crosses, frames and bars, with noise, negatives and scribbles among them.

    Parameters
    ----------
    n_samples, n_outliers : int
        How many; the samples do not include the outliers.
    random_state : int, default=0
        Seed of the random numbers.

    Returns
    -------
    data : Bunch
        ``data`` (n_samples + n_outliers, 256), ``target`` (the class from 0, outliers the number of classes),
        ``outlier``, ``target_names`` and ``image_shape``, (16, 16); grey from 0 to 1, row by row.

    Examples
    --------
    >>> from emmf import GraphEMMF, metrics
    >>> from emmf.datasets import load_shapes
    >>> shapes = load_shapes()
    >>> model = GraphEMMF(5).fit(shapes.data)
    >>> bool((model.outliers_ == shapes.outlier).all())
    True
    """
    return _example("shapes", (n_samples, n_outliers, random_state))


def load_texts(*, n_samples: int = 300, n_outliers: int = 15, random_state: int = 0) -> Bunch:
    """Reviews of restaurants, laptops, hotels and films, and some texts that are not reviews.

    Parameters
    ----------
    n_samples, n_outliers : int
        How many; the samples do not include the outliers.
    random_state : int, default=0
        Seed of the random numbers.

    Returns
    -------
    data : Bunch
        ``data`` (a list of n_samples + n_outliers texts), ``target`` (the class from 0, outliers the number of
        classes), ``outlier`` and ``target_names``.

    Examples
    --------
    >>> from emmf.datasets import load_texts
    >>> texts = load_texts()
    >>> len(texts.data), texts.target_names
    (315, ['restaurant', 'laptop', 'hotel', 'film'])
    """
    texts, labels, outlier, classes = _emmf.example_texts((n_samples, n_outliers, random_state))
    return Bunch(data=texts, target=labels, outlier=outlier, target_names=classes)


def load_cells(*, n_samples: int = 300, n_outliers: int = 15, random_state: int = 0) -> Bunch:
    """Counts of 200 genes in five kinds of blood cells, with dying and broken cells among them.

    Parameters
    ----------
    n_samples, n_outliers : int
        How many; the samples do not include the outliers.
    random_state : int, default=0
        Seed of the random numbers.

    Returns
    -------
    data : Bunch
        ``data`` (n_samples + n_outliers, 200), ``target`` (the class from 0, outliers the number of classes),
        ``outlier``, ``target_names`` and ``feature_names``, the genes.

    Examples
    --------
    >>> from emmf.datasets import load_cells
    >>> cells = load_cells()
    >>> cells.data.shape, cells.feature_names[:3]
    ((315, 200), ['CD3D', 'CD3E', 'IL7R'])
    """
    return _example("cells", (n_samples, n_outliers, random_state))


def load_spectra(*, n_samples: int = 300, n_outliers: int = 15, random_state: int = 0) -> Bunch:
    """Raman spectra of four minerals, with cosmic rays, fluorescence and unknown substances among them.

    Parameters
    ----------
    n_samples, n_outliers : int
        How many; the samples do not include the outliers.
    random_state : int, default=0
        Seed of the random numbers.

    Returns
    -------
    data : Bunch
        ``data`` (n_samples + n_outliers, 121), ``target`` (the class from 0, outliers the number of classes),
        ``outlier``, ``target_names`` and ``feature_names``, the wave numbers.

    Examples
    --------
    >>> from emmf.datasets import load_spectra
    >>> load_spectra().target_names
    ['quartz', 'calcite', 'gypsum', 'olivine']
    """
    return _example("spectra", (n_samples, n_outliers, random_state))


def make_rays(
    n_classes: int = 3,
    *,
    n_features: int = 20,
    n_samples: int = 150,
    n_outliers: int = 10,
    noise: float = 0.02,
    outlier_scale: float = 10.0,
    random_state: int = 0,
) -> Labelled:
    """Samples on rays through the origin, which a factorization describes exactly, and gross outliers after them.

    Parameters
    ----------
    n_classes, n_features, n_samples, n_outliers : int
        How many; the samples do not include the outliers.
    noise : float, default=0.02
        Largest noise of an entry; the samples have lengths from ½ to 1½.
    outlier_scale : float, default=10.0
        Largest entry of an outlier, relative to that of the other samples.
    random_state : int, default=0
        Seed of the random numbers.

    Returns
    -------
    data : Labelled
        Samples, classes and which are outliers.

    Examples
    --------
    >>> from emmf.datasets import make_rays
    >>> X, labels, outlier = make_rays(3, n_outliers=5)
    >>> X.shape, int(outlier.sum())
    ((155, 20), 5)
    """
    counts = (n_classes, n_features, n_samples, n_outliers)
    return Labelled(*_emmf.rays(counts, noise, outlier_scale, random_state))


def make_toy(*, outliers: bool = True) -> Labelled:
    """Ten samples in the plane near a ray, as in the paper's first figures, and three outliers.

    Parameters
    ----------
    outliers : bool, default=True
        Whether to include the outliers; without them the samples lie exactly on the ray.

    Returns
    -------
    data : Labelled
        Samples, classes and which are outliers.

    Examples
    --------
    >>> from emmf.datasets import make_toy
    >>> make_toy().X.shape
    (13, 2)
    """
    return Labelled(*_emmf.toy(outliers))


def add_outliers(X: ArrayLike, n_outliers: int, *, random_state: int = 0) -> NDArray[np.float64]:
    """Append outliers with entries uniform between 0 and ten times the largest entry, as in the paper.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples.
    n_outliers : int
        How many.
    random_state : int, default=0
        Seed of the random numbers.

    Returns
    -------
    X : ndarray of shape (n_samples + n_outliers, n_features)
        A new array, the outliers last.

    Examples
    --------
    >>> from emmf.datasets import add_outliers
    >>> add_outliers([[1.0, 2.0], [2.0, 1.0]], 3).shape
    (5, 2)
    """
    return _emmf.add_outliers(check_array(admitted(X, "X"), dtype=np.float64), n_outliers, random_state)


def add_block_noise(
    X: ArrayLike,
    image_shape: tuple[int, int],
    rows: ArrayLike,
    block: int,
    *,
    column_major: bool = False,
    random_state: int = 0,
) -> NDArray[np.float64]:
    """Put a square of random pixels at a random place of some images, the paper's outliers for image data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The images, one per row.
    image_shape : tuple of (int, int)
        Height and width.
    rows : array-like of int
        Which images.
    block : int
        Side of the square in pixels.
    column_major : bool, default=False
        The features run down the columns of the images, as in MATLAB files.
    random_state : int, default=0
        Seed of the random numbers.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        A new array.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from emmf.datasets import add_block_noise
    >>> X = load_digits().data
    >>> noisy = add_block_noise(X, (8, 8), [0, 5], 4)
    >>> (noisy != X).any(axis=1).nonzero()[0].tolist()
    [0, 5]
    """
    height, width = image_shape
    chosen = np.atleast_1d(np.asarray(admitted(rows, "rows")))
    if chosen.size and chosen.dtype.kind not in "iu":
        raise ValueError(f"rows holds {chosen.dtype} values, but must hold whole numbers, the rows of images in X.")
    image, chosen = (height, width, column_major), np.ascontiguousarray(chosen, dtype=np.int64)
    X = check_array(admitted(X, "X"), dtype=np.float64)
    return _emmf.add_block_noise(X, image, chosen, block, random_state)
