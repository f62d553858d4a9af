"""GPBoost on the rows of bench/vecchia.cc: Vecchia with 30 neighbors, constant mean, Gaussian likelihood, 2 threads.

    vecchia_gpboost.py --train train.bin --test test.bin --columns 2 --kernel matern32
"""
import argparse
import json
import time

import gpboost as gpb
import numpy as np

SHAPES = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}


def rows(path, columns):
    both = np.fromfile(path).reshape(-1, columns + 1)
    return np.ascontiguousarray(both[:, :-1]), np.ascontiguousarray(both[:, -1])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--train"), options.add_argument("--test")
    options.add_argument("--columns", type=int), options.add_argument("--kernel")
    o = options.parse_args()
    (x, y), (at, truth) = rows(o.train, o.columns), rows(o.test, o.columns)
    begin, cpu_begin = time.time(), time.process_time()
    model = gpb.GPModel(gp_coords=x, cov_function="matern_ard", cov_fct_shape=SHAPES[o.kernel], gp_approx="vecchia",
                        num_neighbors=30, likelihood="gaussian", num_parallel_threads=2)
    model.fit(y=y, X=np.ones((len(y), 1)))
    fit_seconds = time.time() - begin
    begin = time.time()
    found = model.predict(gp_coords_pred=at, X_pred=np.ones((len(at), 1)), predict_var=True, predict_response=True)
    predict_seconds = time.time() - begin
    parameters = np.asarray(model.get_cov_pars()).ravel()
    mean, variance = found["mu"], found["var"]
    print(json.dumps({
        "fit_seconds": fit_seconds,
        "cpu_seconds": time.process_time() - cpu_begin,
        "predict_seconds": predict_seconds,
        "iterations": int(model._get_num_optim_iter()),
        "loglik": -float(model.get_current_neg_log_likelihood()),
        "noise": parameters[0], "variance": parameters[1], "lengthscales": parameters[2:].tolist(),
        "rmse": float(np.sqrt(np.mean((mean - truth) ** 2))),
        "nlpd": float(np.mean(0.5 * (np.log(2 * np.pi * variance) + (mean - truth) ** 2 / variance))),
    }))


main()
