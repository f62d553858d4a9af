"""Bayesian linear regression with its prior width and noise by evidence, by scikit-learn, on the rows of bench/linear.cc.

    linear_sklearn.py FILE COLUMNS

FILE holds doubles, column by column, the targets last. Prints one JSON object: seconds (the least of fits to the rows
in either order of storage, after one that warms up), the weights with the intercept first, the prior variance and the
noise.
"""
import json
import sys
import time

import numpy as np
from sklearn.linear_model import BayesianRidge


def main():
    columns = int(sys.argv[2])
    numbers = np.fromfile(sys.argv[1]).reshape(columns + 1, -1)
    y = numbers[-1]
    walls = []
    BayesianRidge().fit(numbers[:-1].T, y)
    for x in (np.asfortranarray(numbers[:-1].T), np.ascontiguousarray(numbers[:-1].T)):
        begin = time.perf_counter()
        model = BayesianRidge().fit(x, y)
        walls.append(time.perf_counter() - begin)
    weights = [float(model.intercept_), *model.coef_.tolist()]
    answer = {"seconds": min(walls), "by_columns": walls[0], "by_rows": walls[1], "weights": weights}
    print(json.dumps(answer | {"prior_variance": 1 / float(model.lambda_), "noise": 1 / float(model.alpha_)}))


if __name__ == "__main__":
    main()
