"""Writes linear.json: Bayesian linear regression by mpmath, with 50 digits.

    python3 make_linear_oracles.py        (needs mpmath; nothing of Covary)

One problem of ten rows, an intercept without a prior and two features of mean 0 with a prior sd from 1e-8 to 1e10:
    y = X w + e,  w_0 flat,  w_1, w_2 ~ N(0, prior_sd^2),  e ~ N(0, noise)
For each prior sd the noise variance of most evidence (the flat weight at its estimate), the evidence there, and
the mean and sd of the three weights. For the same rows with one wild y: each observation from the others,
by least squares, by a prior of sd 2 with the noise unknown (its unit the noise), and by a known noise.
"""
import json
import os

import mpmath as mp

mp.mp.dps = 50
HERE = os.path.dirname(os.path.abspath(__file__))
A = ["-2.25", "-1.85", "-1.15", "-0.65", "-0.45", "0.15", "0.65", "1.45", "1.75", "2.35"]
B = ["0.34", "-0.76", "1.24", "0.54", "-1.86", "0.24", "1.14", "-0.56", "0.94", "-1.26"]
Y = ["-2.1", "0.4", "-1.2", "1.9", "3.3", "2.2", "1.6", "5.1", "3.0", "7.2"]


def matrix():
    return mp.matrix([[1, mp.mpf(a), mp.mpf(b)] for a, b in zip(A, B)])


def gls(x, y, k):
    """What a flat intercept leaves: its estimate and the quadratic form, for a covariance k."""
    inverse = mp.inverse(k)
    one = x[:, 0]
    level = (one.T * inverse * y)[0] / (one.T * inverse * one)[0]
    off = y - level * one
    return level, (off.T * inverse * off)[0]


def log_evidence(x, y, noise, prior):
    n = x.rows
    k = noise * mp.eye(n)
    for j in (1, 2):
        k += prior * x[:, j] * x[:, j].T
    return -(n * mp.log(2 * mp.pi) + mp.log(mp.det(k)) + gls(x, y, k)[1]) / 2


def best_noise(x, y, prior):
    f = lambda t: -log_evidence(x, y, mp.exp(t), prior)
    grid = [mp.mpf(t) / 2 for t in range(-12, 12)]
    best = min(range(len(grid)), key=lambda i: f(grid[i]))
    a, b = grid[best - 1], grid[best + 1]
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(60):
        c, d = b - ratio * (b - a), a + ratio * (b - a)
        if f(c) < f(d):
            b = d
        else:
            a = c
    return mp.exp((a + b) / 2)


def posterior(x, y, noise, precision):
    """Mean and covariance of w; precision: of the three weights, 0 is flat."""
    p = x.T * x / noise
    for j in range(3):
        p[j, j] += precision[j]
    inverse = mp.inverse(p)
    return inverse * (x.T * y) / noise, inverse


def prior_case(x, y, sd):
    prior = mp.mpf(sd) ** 2
    noise = best_noise(x, y, prior)
    mean, covariance = posterior(x, y, noise, [0, 1 / prior, 1 / prior])
    return {
        "prior_sd": float(mp.mpf(sd)),
        "noise": float(noise),
        "log_evidence": float(log_evidence(x, y, noise, prior)),
        "mean": [float(v) for v in mean],
        "sd": [float(mp.sqrt(covariance[j, j])) for j in range(3)],
    }


def left_out(x, y, kind):
    """Mean and variance of each observation from the others. 'flat': least squares; 'unit': prior variance of 4
    noise variances, noise unknown; 'known': prior variance 4, noise 0.25."""
    means, variances = [], []
    n = x.rows
    for i in range(n):
        rows = [r for r in range(n) if r != i]
        xs = mp.matrix([[x[r, j] for j in range(3)] for r in rows])
        ys = mp.matrix([y[r] for r in rows])
        here = mp.matrix([[x[i, j] for j in range(3)]])
        if kind == "known":
            mean, c = posterior(xs, ys, mp.mpf(1) / 4, [0, mp.mpf(1) / 4, mp.mpf(1) / 4])
            noise, freedom = mp.mpf(1) / 4, None
            variance = (here * c * here.T)[0] + noise
        else:
            precision = [0, 0, 0] if kind == "flat" else [0, mp.mpf(1) / 4, mp.mpf(1) / 4]
            mean, c = posterior(xs, ys, 1, precision)
            off = ys - xs * mean
            rest = (off.T * off)[0] + sum(precision[j] * mean[j] ** 2 for j in range(3))
            freedom = n - 1 - (3 if kind == "flat" else 1)
            variance = rest / freedom * (1 + (here * c * here.T)[0])
        means.append(float((here * mean)[0]))
        variances.append(float(variance))
    return {"mean": means, "variance": variances}


def main():
    x, y = matrix(), mp.matrix([mp.mpf(v) for v in Y])
    out = {"a": [float(v) for v in A], "b": [float(v) for v in B], "y": [float(v) for v in Y]}
    out["priors"] = [prior_case(x, y, s) for s in
                     ("1e-8", "1e-6", "1e-3", "0.1", "1", "10", "1e3", "1e6", "1e8", "1e10")]
    out["wild"] = []
    for value in ("1e3", "1e8", "1e12", "1e100"):
        wild = y.copy()
        wild[6] = mp.mpf(value)
        out["wild"].append({"row": 6, "y": float(mp.mpf(value)),
                            **{kind: left_out(x, wild, kind) for kind in ("flat", "unit", "known")}})
    with open(os.path.join(HERE, "linear.json"), "w") as f:
        json.dump(out, f, indent=1)
        f.write("\n")


main()
