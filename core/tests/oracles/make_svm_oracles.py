"""Writes svm.json: support vector machines trained by scikit-learn (its own LIBSVM) on precomputed kernels.

    python3 make_svm_oracles.py        (needs numpy and scikit-learn; nothing of Covary)

Kernels are written out here. Of each machine come f at some points and two bounds on the optimum, computed in double
from its coefficients: what they reach (dual) and what they cost (primal); the optimum lies between the two.
"""
import json
import os

import numpy as np
from sklearn.svm import SVC

HERE = os.path.dirname(os.path.abspath(__file__))


def square(a, b):
    return ((a[:, None, :] - b[None, :, :]) ** 2).sum(2)


KERNELS = {
    "se(lengthscale=0.75)": lambda a, b: np.exp(-square(a, b) / 0.75**2 / 2),
    "1.5 * matern12(lengthscale=1.25)": lambda a, b: 1.5 * np.exp(-np.sqrt(square(a, b)) / 1.25),
    "linear(lengthscale=1)": lambda a, b: a @ b.T,
    "polynomial(degree=3, offset=1)": lambda a, b: (1 + a @ b.T) ** 3,
}


def case(text, penalty, x, y, at):
    k = KERNELS[text](x, x)
    machine = SVC(kernel="precomputed", C=penalty, tol=1e-10, max_iter=2_000_000).fit(k, y)
    weights = np.zeros(len(y))
    weights[machine.support_] = machine.dual_coef_[0]
    f = k @ weights + machine.intercept_[0]
    norm2 = weights @ k @ weights
    return {
        "kernel": text,
        "penalty": penalty,
        "dual": y @ weights - norm2 / 2,
        "primal": norm2 / 2 + penalty * np.maximum(0, 1 - y * f).sum(),
        "decision": machine.decision_function(KERNELS[text](at, x)).tolist(),
    }


def main():
    draws = np.random.default_rng(1)
    dyadic = lambda n: np.round(draws.normal(size=(n, 2)) * 1024) / 1024
    x, at = dyadic(60), dyadic(8)
    side = np.sin(2 * x[:, 0]) + x[:, 1]
    y = np.where(side + 0.5 * draws.normal(size=60) > 0, 1, -1)
    clean = np.where(x[:, 0] - 0.5 * x[:, 1] > 0.1, 1, -1)
    cases = [case(k, c, x, y, at) | {"labels": "noisy"} for k in KERNELS for c in (0.0625, 1.0, 16.0)]
    cases += [case(k, c, x, clean, at) | {"labels": "clean"} for k in KERNELS for c in (1.0, 1024.0)]
    data = {"x": x.tolist(), "at": at.tolist(), "noisy": y.tolist(), "clean": clean.tolist(), "cases": cases}
    with open(os.path.join(HERE, "svm.json"), "w") as out:
        json.dump({"about": "written by make_svm_oracles.py (scikit-learn)"} | data, out, indent=1)
        out.write("\n")


main()
