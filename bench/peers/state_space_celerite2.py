"""celerite2 on the series of bench/state_space.cc: a Matern-3/2 kernel (its approximation of it, eps = 0.01), zero mean.

    state_space_celerite2.py --series series.bin --rows 500000 --lengthscale 2 --noise 0.1 --out result.json

series.bin holds the times, then the observations. The gradient is that of the matrices that the kernel makes, by the reverse
passes of celerite2.backprop; what leads from these to the kernel's parameters is left out of its time.
"""
import argparse
import json
import time

import celerite2
import numpy as np
from celerite2 import backprop, terms


def value_and_gradient(kernel, t, y, diag):
    c, a, u, v = kernel.get_celerite_matrices(t, diag)
    n, j = u.shape
    d, w, s = backprop.factor_fwd(t, c, a, u, v, np.empty(n), np.empty((n, j)), np.empty((n, j, j)))
    z, f = backprop.solve_lower_fwd(t, c, u, w, y[:, None], np.empty((n, 1)), np.empty((n, j, 1)))
    value = -0.5 * (np.sum(np.log(d)) + np.sum(z[:, 0] ** 2 / d) + n * np.log(2 * np.pi))
    by_z = -z / d[:, None]
    by_d = -0.5 * (1 / d - z[:, 0] ** 2 / d**2)
    empty = lambda *like: [np.empty_like(x) for x in like]
    column = y[:, None]
    bt, bc, bu, bw, _ = backprop.solve_lower_rev(t, c, u, w, column, z, f, by_z, *empty(t, c, u, w, column))
    found = backprop.factor_rev(t, c, a, u, v, d, w, s, by_d, bw, *empty(t, c, a, u, v))
    return value, (bt, bc, bu, found)


def best(work, times):
    least = (float("inf"), float("inf"))
    for _ in range(times):
        begin, cpu = time.perf_counter(), time.process_time()
        result = work()
        least = min(least, (time.perf_counter() - begin, time.process_time() - cpu))
    return least, result


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--series"), options.add_argument("--out")
    options.add_argument("--rows", type=int), options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--lengthscale", type=float), options.add_argument("--noise", type=float)
    o = options.parse_args()
    both = np.fromfile(o.series).reshape(2, -1)
    t, y = np.ascontiguousarray(both[0, : o.rows]), np.ascontiguousarray(both[1, : o.rows])
    kernel = terms.Matern32Term(sigma=1.0, rho=o.lengthscale, eps=0.01)
    diag = np.full(o.rows, o.noise)

    def value():
        gp = celerite2.GaussianProcess(kernel, mean=0.0)
        gp.compute(t, diag=diag)
        return gp.log_likelihood(y)

    of_value, found = best(value, o.repeats)
    of_gradient, (again, _) = best(lambda: value_and_gradient(kernel, t, y, diag), o.repeats)
    assert abs(found - again) < 1e-6 * abs(found)
    gp = celerite2.GaussianProcess(kernel, mean=0.0)
    gp.compute(t, diag=diag)
    try:
        variances, _ = best(lambda: gp.predict(y, return_var=True), 1)
    except MemoryError:
        variances = (None, None)  # it makes a matrix of all times by all times
    result = {"value": found, "value_seconds": of_value, "gradient_seconds": of_gradient, "variance_seconds": variances}
    with open(o.out, "w") as out:
        json.dump(result, out)


main()
