"""Writes oracles.json: Gaussian-process values computed by mpmath with 50 digits, straight from the definitions.

    python3 make_oracles.py        (needs mpmath; nothing of Covary)

Kernels are pairwise functions, the algebra is a plain inverse and determinant, derivatives are differences taken
with 50 digits. Numbers are written as the nearest doubles.
"""
import json
import os

from mpmath import cos, det, diff, exp, inverse, log, matrix, mp, mpf, nstr, pi, sin, sqrt

mp.dps = 50

HERE = os.path.dirname(os.path.abspath(__file__))


def r2(x, z, l):
    l = l if len(l) > 1 else l * len(x)
    return sum(((a - b) / c) ** 2 for a, b, c in zip(x, z, l))


def inner(x, z, l):
    l = l if len(l) > 1 else l * len(x)
    return sum(a * b / c**2 for a, b, c in zip(x, z, l))


def sines(x, z, l, p):
    l = l if len(l) > 1 else l * len(x)
    return sum((sin(pi * (a - b) / p) / c) ** 2 for a, b, c in zip(x, z, l))


def matern32(s):
    r = sqrt(3 * s)
    return (1 + r) * exp(-r)


def matern52(s):
    r = sqrt(5 * s)
    return (1 + r + r * r / 3) * exp(-r)


# name -> (expression with {} for parameters, function of (x, z, parameters), parameters)
KERNELS = {
    "se": ("se(lengthscale=[{}, {}])", lambda x, z, t: exp(-r2(x, z, t) / 2), ["0.75", "1.5"]),
    "se_shared": ("{} * se(lengthscale={})", lambda x, z, t: t[0] * exp(-r2(x, z, t[1:]) / 2), ["1.25", "0.625"]),
    "matern12": ("matern12(lengthscale=[{}, {}])", lambda x, z, t: exp(-sqrt(r2(x, z, t))), ["0.75", "1.5"]),
    "matern32": ("matern32(lengthscale=[{}, {}])", lambda x, z, t: matern32(r2(x, z, t)), ["0.75", "1.5"]),
    "matern52": ("matern52(lengthscale={})", lambda x, z, t: matern52(r2(x, z, t)), ["0.875"]),
    "rational_quadratic": (
        "rational_quadratic(lengthscale=[{}, {}], alpha={})",
        lambda x, z, t: (1 + r2(x, z, t[:2]) / (2 * t[2])) ** -t[2],
        ["0.75", "1.5", "0.625"],
    ),
    "periodic": (
        "periodic(lengthscale=[{}, {}], period={})",
        lambda x, z, t: exp(-2 * sines(x, z, t[:2], t[2])),
        ["0.75", "1.5", "2.25"],
    ),
    "cosine": ("on(1, cosine(period={}))", lambda x, z, t: cos(2 * pi * (x[0] - z[0]) / t[0]), ["2.25"]),
    "linear": ("linear(lengthscale=[{}, {}])", lambda x, z, t: inner(x, z, t), ["0.75", "1.5"]),
    "polynomial": (
        "polynomial(degree=3, offset={})",
        lambda x, z, t: (t[0] + inner(x, z, [mpf(1)])) ** 3,
        ["0.625"],
    ),
    "sum": (
        "{} * se(lengthscale={}) + {}",
        lambda x, z, t: t[0] * exp(-r2(x, z, [t[1]]) / 2) + t[2],
        ["1.25", "0.75", "0.375"],
    ),
    "product": (
        "{} * matern52(lengthscale={}) * on(2, periodic(lengthscale={}, period={}))",
        lambda x, z, t: t[0] * matern52(r2(x, z, [t[1]])) * exp(-2 * sines(x[1:], z[1:], [t[2]], t[3])),
        ["1.25", "1.5", "0.75", "2.25"],
    ),
}

# Dyadic numbers, so that JSON and double hold them exactly.
X = [["-1.5", "0.25"], ["-0.625", "1.125"], ["0.125", "-0.75"], ["0.5", "0.5"], ["1.375", "-0.25"], ["2.25", "1.75"], ["0.125", "1.5"]]
Y = ["-0.875", "0.25", "1.125", "0.625", "-0.375", "1.5", "0.75"]
AT = [["0", "0"], ["0.25", "1"], ["3", "-2"], ["-0.625", "1.0625"]]
NOISE = "0.0625"
TRENDS = {"zero": lambda x: [], "constant": lambda x: [mpf(1)], "linear": lambda x: [mpf(1), *x]}


def numbers(rows):
    return [[mpf(v) for v in row] for row in rows]


def column(values):
    return matrix([[v] for v in values])


def covariance(kernel, t, a, b):
    return matrix([[kernel(x, z, t) for z in b] for x in a])


class Fit:
    """The process conditioned on (x, y) by plain dense algebra; trend by generalized least squares."""

    def __init__(self, kernel, t, noise, x, y, trend):
        self.kernel, self.t, self.x, self.trend, self.noise = kernel, t, x, trend, noise
        n = len(x)
        self.k = covariance(kernel, t, x, x) + noise * mp.eye(n)
        self.inverse = inverse(self.k)
        self.r = column(y)
        self.f = None
        if trend(x[0]):
            self.f = matrix([trend(p) for p in x])
            self.precision = self.f.T * self.inverse * self.f
            self.beta = inverse(self.precision) * self.f.T * self.inverse * column(y)
            self.r = column(y) - self.f * self.beta
        self.alpha = self.inverse * self.r

    def evidence(self):
        n = len(self.x)
        return -(self.r.T * self.alpha)[0] / 2 - log(det(self.k)) / 2 - n * log(2 * pi) / 2

    def predict(self, p):
        k = covariance(self.kernel, self.t, [p], self.x)
        mean = (k * self.alpha)[0]
        variance = self.kernel(p, p, self.t) - (k * self.inverse * k.T)[0]
        if self.f is not None:
            u = matrix([self.trend(p)]) - k * self.inverse * self.f
            mean += (matrix([self.trend(p)]) * self.beta)[0]
            variance += (u * inverse(self.precision) * u.T)[0]
        return mean, variance


def leave_one_out(kernel, t, noise, x, y, trend):
    """Refits, as the words say."""
    means, variances = [], []
    for i in range(len(x)):
        fit = Fit(kernel, t, noise, x[:i] + x[i + 1 :], y[:i] + y[i + 1 :], trend)
        mean, variance = fit.predict(x[i])
        means.append(mean)
        variances.append(variance + noise)
    value = sum(-((v - m) ** 2 / s + log(2 * pi * s)) / 2 for v, m, s in zip(y, means, variances))
    return means, variances, value


def gradient(f, t):
    """d f / d log t_i."""
    out = []
    for i in range(len(t)):
        at = lambda u, i=i: f([exp(u) if j == i else v for j, v in enumerate(t)])
        out.append(diff(at, log(t[i])))
    return out


def text(v):  # the nearest double
    return float(nstr(v, 25))


def case(name, trend):
    expression, kernel, given = KERNELS[name]
    t, noise, x, y = [mpf(v) for v in given], mpf(NOISE), numbers(X), [mpf(v) for v in Y]
    fit = Fit(kernel, t, noise, x, y, TRENDS[trend])
    everything = t + [noise]
    evidence = lambda p: Fit(kernel, p[:-1], p[-1], x, y, TRENDS[trend]).evidence()
    loo = lambda p: leave_one_out(kernel, p[:-1], p[-1], x, y, TRENDS[trend])[2]
    means, variances, value = leave_one_out(kernel, t, noise, x, y, TRENDS[trend])
    predictions = [fit.predict(p) for p in numbers(AT)]
    return {
        "kernel": expression.format(*given),
        "trend": trend,
        "cross": [[text(v) for v in row] for row in covariance(kernel, t, numbers(AT), x).tolist()],
        "evidence": text(fit.evidence()),
        "evidence_gradient": [text(v) for v in gradient(evidence, everything)],
        "loo": text(value),
        "loo_gradient": [text(v) for v in gradient(loo, everything)],
        "loo_mean": [text(v) for v in means],
        "loo_variance": [text(v) for v in variances],
        "mean": [text(m) for m, _ in predictions],
        "variance": [text(v) for _, v in predictions],
    }


def main():
    trends = list(TRENDS)
    cases = [case(name, trends[i % 3]) for i, name in enumerate(KERNELS)]
    cases += [case("se", "constant"), case("matern32", "zero"), case("product", "zero")]
    data = {
        "about": "written by make_oracles.py (mpmath, 50 digits)",
        "x": [[float(v) for v in row] for row in X],
        "y": [float(v) for v in Y],
        "at": [[float(v) for v in row] for row in AT],
        "noise": float(NOISE),
        "cases": cases,
    }
    with open(os.path.join(HERE, "oracles.json"), "w") as out:
        json.dump(data, out, indent=1)
        out.write("\n")


main()
