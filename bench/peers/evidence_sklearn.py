"""Value and gradient of the log marginal likelihood by scikit-learn, on the points of bench/evidence.cc.

    evidence_sklearn.py FILE.csv LOG_VARIANCE LOG_LENGTHSCALE... LOG_NOISE

FILE holds the inputs and, in the last column, the targets. Prints one JSON object: seconds (wall and processor, the
least of a few, and wall of the first call, which meets memory not used before), the peak memory of the process, the
value and the gradient.
"""
import json
import resource
import sys
import time

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel


def main():
    rows = np.loadtxt(sys.argv[1], delimiter=",")
    theta = np.array([float(word) for word in sys.argv[2:]])
    lengthscales = np.exp(theta[1:-1])
    kernel = ConstantKernel(np.exp(theta[0])) * Matern(lengthscales, nu=1.5) + WhiteKernel(np.exp(theta[-1]))
    model = GaussianProcessRegressor(kernel, alpha=1e-300, optimizer=None).fit(rows[:, :-1], rows[:, -1])
    walls, processor = [], np.inf
    for _ in range(4):
        begin, cpu = time.perf_counter(), time.process_time()
        value, gradient = model.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)
        walls.append(time.perf_counter() - begin)
        processor = min(processor, time.process_time() - cpu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    answer = {"seconds": min(walls), "first_seconds": walls[0], "cpu_seconds": processor}
    answer |= {"peak_mb": peak, "value": float(value)}
    print(json.dumps(answer | {"gradient": gradient.tolist()}))


if __name__ == "__main__":
    main()
