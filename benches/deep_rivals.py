"""Deep Semi-NMF and deep nsNMF, plainly, after their papers. Samples are rows; both are given unit samples and start at k-means."""

import numpy as np
from sklearn.cluster import KMeans

TINY = 1e-12


def parts(a):
    """The positive and the negative part of a matrix."""
    return (np.abs(a) + a) / 2, (np.abs(a) - a) / 2


def semi_step(x, z, h):
    """The rule of Semi-NMF (Ding, Li and Jordan, TPAMI 2010) for H ≥ 0 in X ≈ Z·H."""
    pull_up, pull_down = parts(z.T @ x)
    gram_up, gram_down = parts(z.T @ z)
    return h * np.sqrt((pull_up + gram_down @ h) / np.maximum(pull_down + gram_up @ h, TINY))


def started(x, k, seed):
    """One-hot clusters of the columns, and 0.2."""
    return np.eye(k)[KMeans(k, n_init=1, random_state=seed).fit_predict(x.T)].T + 0.2


def deep_semi_nmf(samples, widths, seed, alone=300, together=100):
    """Trigeorgis, Bousmalis, Zafeiriou and Schuller (ICML 2014): X ≈ Z₁⋯Z_mH_m, layer by layer and then all; gives H of the last."""
    x, zs, hs = samples.T, [], []
    below = x
    for width in widths:
        h = started(below, width, seed)
        for _ in range(alone):
            z = below @ np.linalg.pinv(h)
            h = semi_step(below, z, h)
        zs.append(below @ np.linalg.pinv(h))
        hs.append(h)
        below = h
    for _ in range(together):
        left = np.eye(x.shape[0])
        for i in range(len(widths)):
            right = hs[-1]
            for z in reversed(zs[i + 1 :]):
                right = z @ right
            zs[i] = (x if i == 0 else np.linalg.pinv(left) @ x) @ np.linalg.pinv(right)
            left = zs[i] if i == 0 else left @ zs[i]
            hs[i] = semi_step(x, left, hs[i])
    return hs[-1].T


def deep_ns_nmf(samples, widths, seed, theta=0.5, alone=300, together=100):
    """Yu, Zhou, Cichocki and Xie (2018): X ≈ W₁S₁⋯W_mS_mH_m with smoothing S = (1−θ)I + θ/r·11ᵀ; gives H of the last."""
    x = samples.T
    ws, hs = [], []
    smooth = [(1 - theta) * np.eye(width) + theta / width for width in widths]
    random, below = np.random.default_rng(seed), x
    for width, s in zip(widths, smooth):
        w, h = random.uniform(0.1, 1, (below.shape[0], width)), started(below, width, seed)
        for _ in range(alone):
            w, h = multiplied(below, w @ s, h, (w, h, s))
        ws.append(w)
        hs.append(h)
        below = h
    h = hs[-1]
    for _ in range(together):
        for i in range(len(widths)):
            left = np.eye(x.shape[0]) if i == 0 else np.linalg.multi_dot([ws[0], smooth[0], *(m for j in range(1, i) for m in (ws[j], smooth[j]))])
            right = h
            for j in range(len(widths) - 1, i, -1):
                right = ws[j] @ (smooth[j] @ right)
            right = smooth[i] @ right
            if i == 0:
                num, den = x @ right.T, ws[0] @ (right @ right.T)
            else:
                num, den = left.T @ x @ right.T, left.T @ left @ ws[i] @ (right @ right.T)
            ws[i] = ws[i] * num / np.maximum(den, TINY)
        all_left = np.linalg.multi_dot([m for pair in zip(ws, smooth) for m in pair])
        h = h * (all_left.T @ x) / np.maximum(all_left.T @ all_left @ h, TINY)
    return h.T


def multiplied(x, ws, h, factors):
    """One step of the multiplicative rule for X ≈ W·S·H, columns of W with the sum 1."""
    w, _, s = factors
    sh = s @ h
    w = w * (x @ sh.T) / np.maximum(w @ (sh @ sh.T), TINY)
    sums = np.maximum(w.sum(0), TINY)
    w, h = w / sums, h * sums[:, None]
    ws = w @ s
    return w, h * (ws.T @ x) / np.maximum(ws.T @ ws @ h, TINY)
