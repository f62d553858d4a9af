"""Learning with scikit-learn on the sets of bench/learn.cc: se ARD, noise, zero mean, best of 10 restarts.

    learn_sklearn.py --data DATA --out results.json [--restarts 10] SET...

Rows with 0 in column 0 of the mask are for training; x and y are standardized by them. Results are added to
the file as they come, and sets that are in it already are skipped: the larger ones take many minutes.
"""
import argparse
import gzip
import json
import os
import resource
import time
import warnings

import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel


def table(path):
    with gzip.open(path, "rt") as lines:
        return np.loadtxt(lines, delimiter=",", ndmin=2)


def training(data, name):
    rows = table(os.path.join(data, "uci", name + ".csv.gz"))
    held_out = table(os.path.join(data, "uci_masks", name + ".test_mask.csv.gz"))[:, 0] != 0
    rows = rows[~held_out]
    deviation = rows.std(axis=0)
    rows = (rows - rows.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return rows[:, :-1], rows[:, -1]


def learn(data, name, restarts):
    x, y = training(data, name)
    kernel = 1.0 * RBF(np.ones(x.shape[1])) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=restarts, random_state=0)
    evaluations = 0
    inner = model.log_marginal_likelihood

    def counted(*arguments, **named):
        nonlocal evaluations
        evaluations += 1
        return inner(*arguments, **named)

    model.log_marginal_likelihood = counted
    begin, cpu = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(x, y)
    return {
        "n": x.shape[0],
        "d": x.shape[1],
        "log_marginal_likelihood": float(model.log_marginal_likelihood_value_),
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu,
        "evaluations": evaluations,
        "restarts": restarts,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "theta": model.kernel_.theta.tolist(),
        "scikit-learn": sklearn.__version__,
    }


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", required=True)
    options.add_argument("--out", required=True)
    options.add_argument("--restarts", type=int, default=10)
    options.add_argument("sets", nargs="+")
    options = options.parse_args()
    results = {}
    if os.path.exists(options.out):
        with open(options.out) as file:
            results = json.load(file)
    for name in options.sets:
        if name in results and results[name]["restarts"] == options.restarts:
            continue
        results[name] = learn(options.data, name, options.restarts)
        with open(options.out + ".part", "w") as file:
            json.dump(results, file, indent=1)
        os.replace(options.out + ".part", options.out)
        print(name, json.dumps(results[name]), flush=True)


if __name__ == "__main__":
    main()
