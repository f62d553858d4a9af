"""Finding the best: simple regret and seconds of ours, scikit-optimize and BoTorch, with the same budgets and starts.

    build/python-env/bin/python bench/optimization.py --peers PEERS/bin/python --data ../shared/data --repeats 30

Three functions in boxes (Branin, Hartmann-6, Ackley-5) and two tables of real experiments whose outcomes are looked up
(yields of reactions, strengths of concrete). In each repeat all methods have the same first points. Ours: a GP that is
fitted anew after every point, and expected improvement (`covary.suggest`). BoTorch: SingleTaskGP and
LogExpectedImprovement by optimize_acqf. scikit-optimize: gp_minimize with its defaults; over a table its GP and its
expected improvement at every candidate. PEERS is an environment with scikit-optimize and BoTorch. Every method has one
thread, and its seconds are those of the processor. The methods take turns, one repeat each; --keep FOLDER keeps every
curve, and what is there is not run again.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

METHODS = ("ours", "botorch", "skopt")


class Function:
    """A function to be minimized in a box."""

    def __init__(self, name, lower, upper, f, least, start, budget):
        self.name, self.f, self.least, self.start, self.budget = name, f, least, start, budget
        self.lower, self.upper = np.array(lower, float), np.array(upper, float)

    def first(self, repeat):
        rng = np.random.default_rng(1000 + repeat)
        return self.lower + rng.uniform(size=(self.start, len(self.lower))) * (self.upper - self.lower)


def branin(x):
    a, b = x
    return (b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6) ** 2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10


def hartmann6(x):
    A = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
    P = 1e-4 * np.array(
        [
            [1312, 1696, 5569, 124, 8283, 5886],
            [2329, 4135, 8307, 3736, 1004, 9991],
            [2348, 1451, 3522, 2883, 3047, 6650],
            [4047, 8828, 8732, 5743, 1091, 381],
        ]
    )
    return -np.array([1, 1.2, 3, 3.2]) @ np.exp(-(A * (np.asarray(x) - P) ** 2).sum(1))


def ackley(x):
    x = np.asarray(x)
    return -20 * np.exp(-0.2 * np.sqrt((x**2).mean())) - np.exp(np.cos(2 * np.pi * x).mean()) + 20 + np.e


FUNCTIONS = {
    "branin": lambda: Function("branin", [-5, 0], [10, 15], branin, 0.39788735772973816, 5, 30),
    "hartmann6": lambda: Function("hartmann6", [0] * 6, [1] * 6, hartmann6, -3.322368011391339, 10, 60),
    "ackley5": lambda: Function("ackley5", [-5] * 5, [10] * 5, ackley, 0.0, 10, 60),
}


class Table:
    """Experiments that were made: candidates, and what each gave (negated: the least is sought)."""

    def __init__(self, name, columns, cells, y, start, budget):
        self.name, self.columns, self.cells, self.start, self.budget = name, columns, cells, start, budget
        self.y = -np.asarray(y, float)
        self.least = self.y.min()
        self.numbers = np.column_stack([self._coded(k) for k in range(len(columns))])

    def _coded(self, k):
        """A column as numbers: one for each level where it holds words."""
        column = [row[k] for row in self.cells]
        if not isinstance(column[0], str):
            return np.array(column, float)[:, None]
        levels = sorted(set(column))
        return np.array([[float(c == level) for level in levels] for c in column])

    def first(self, repeat):
        return np.random.default_rng(1000 + repeat).choice(len(self.y), self.start, replace=False)

    def frame(self, rows):
        import pandas

        return pandas.DataFrame([self.cells[i] for i in rows], columns=self.columns)


def lines(path):
    with gzip.open(path, "rt") as file:
        return [line.rstrip("\n").split(",") for line in file]


def yields(data):
    head, *rows = lines(f"{data}/structured/dreher_doyle_yields.csv.gz")
    return Table("yields", head[:-1], [row[:-1] for row in rows], [float(row[-1]) for row in rows], 10, 60)


def concrete(data):
    rows = [[float(c) for c in row] for row in lines(f"{data}/uci/concrete.csv.gz")]
    names = [f"x{k + 1}" for k in range(len(rows[0]) - 1)]
    return Table("concrete", names, [row[:-1] for row in rows], [row[-1] for row in rows], 10, 60)


TABLES = {"yields": yields, "concrete": concrete}


# ---- one method, one repeat: the best value so far after each point


def ours_function(p, repeat):
    import covary

    X = p.first(repeat)
    y = np.array([p.f(x) for x in X])
    over = list(zip(p.lower.tolist(), p.upper.tolist()))
    while len(y) < p.budget:
        model = covary.GP("matern52()", threads=1).fit(X, y)
        x = covary.suggest(model, over=over, minimize=True, seed=1 + len(y), threads=1).X[0]
        X, y = np.vstack([X, x]), np.append(y, p.f(x))
    return y


def ours_table(p, repeat):
    import covary

    told = p.first(repeat).tolist()
    words = isinstance(p.cells[0][0], str)
    while len(told) < p.budget:
        rest = sorted(set(range(len(p.y))) - set(told))
        if words:
            X, pool = p.frame(told), p.frame(rest)
            model = covary.GP(threads=1).fit(X, p.y[told])
        else:
            X, pool = p.numbers[told], p.numbers[rest]
            model = covary.GP("matern52()", threads=1).fit(X, p.y[told])
        chosen = covary.suggest(model, pool, strategy="expected-improvement", minimize=True, threads=1)
        told.append(rest[int(chosen.indices[0])])
    return p.y[told]


def botorch_model(X, y):
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Normalize, Standardize
    from gpytorch.mlls import ExactMarginalLogLikelihood

    model = SingleTaskGP(X, y, input_transform=Normalize(X.shape[1]), outcome_transform=Standardize(1))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def botorch_function(p, repeat):
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.optim import optimize_acqf

    torch.manual_seed(repeat)
    X = torch.tensor(p.first(repeat), dtype=torch.double)
    y = torch.tensor([-p.f(x) for x in X.numpy()], dtype=torch.double)[:, None]
    bounds = torch.tensor(np.array([p.lower, p.upper]), dtype=torch.double)
    while len(y) < p.budget:
        acquisition = LogExpectedImprovement(botorch_model(X, y), best_f=y.max())
        x, _ = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=10, raw_samples=512)
        X = torch.cat([X, x.detach()])
        y = torch.cat([y, torch.tensor([[-p.f(x[0].numpy())]], dtype=torch.double)])
    return -y[:, 0].numpy()


def botorch_table(p, repeat):
    import torch
    from botorch.acquisition import LogExpectedImprovement

    torch.manual_seed(repeat)
    told = p.first(repeat).tolist()
    pool = torch.tensor(p.numbers, dtype=torch.double)
    while len(told) < p.budget:
        rest = sorted(set(range(len(p.y))) - set(told))
        y = torch.tensor(-p.y[told])[:, None]
        varied = pool[told].std(0) > 0  # Normalize divides by the range
        acquisition = LogExpectedImprovement(botorch_model(pool[told][:, varied], y), best_f=y.max())
        with torch.no_grad():
            values = torch.cat([acquisition(part[:, None, varied]) for part in pool[rest].split(1000)])
        told.append(rest[int(values.argmax())])
    return p.y[told]


def skopt_function(p, repeat):
    from skopt import gp_minimize

    X = p.first(repeat)
    box = list(zip(p.lower.tolist(), p.upper.tolist()))
    found = gp_minimize(
        p.f, box, x0=X.tolist(), n_calls=p.budget, n_initial_points=0, random_state=repeat, n_jobs=1
    )
    return np.array(found.func_vals)


def skopt_table(p, repeat):
    from skopt.acquisition import gaussian_ei
    from skopt.learning import GaussianProcessRegressor
    from skopt.learning.gaussian_process.kernels import ConstantKernel, Matern

    told = p.first(repeat).tolist()
    size = np.ptp(p.numbers, axis=0)
    x = (p.numbers - p.numbers.min(0)) / np.where(size > 0, size, 1)
    while len(told) < p.budget:
        rest = sorted(set(range(len(p.y))) - set(told))
        kernel = ConstantKernel(1.0, (0.01, 1000.0)) * Matern(np.ones(x.shape[1]), [(0.01, 100)] * x.shape[1], nu=2.5)
        gp = GaussianProcessRegressor(
            kernel, normalize_y=True, noise="gaussian", n_restarts_optimizer=2, random_state=repeat
        ).fit(x[told], p.y[told])
        told.append(rest[int(np.argmax(gaussian_ei(x[rest], gp, y_opt=p.y[told].min())))])
    return p.y[told]


def worker(method, name, repeat, data):
    """One method on one problem, once: a line of JSON."""
    warnings.simplefilter("ignore")
    if method == "botorch":
        import torch

        torch.set_num_threads(1)
    table = name in TABLES
    problem = TABLES[name](data) if table else FUNCTIONS[name]()
    run = globals()[f"{method}_{'table' if table else 'function'}"]
    began = time.process_time()
    y = run(problem, repeat)
    seconds = time.process_time() - began
    regret = np.minimum.accumulate(y)[problem.start - 1 :] - problem.least
    print(json.dumps({"repeat": repeat, "regret": np.maximum(regret, 0).tolist(), "seconds": seconds}))


def interval(values):
    """The mean and half of its 95 % interval over repeats."""
    values = np.asarray(values, float)
    n = len(values)
    if n < 2:
        return values.mean(), float("nan")
    t = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}
    reach = t.get(n, 1.96 + 2.7 / n)
    return values.mean(), reach * values.std(ddof=1) / np.sqrt(n)


def compared(name, results):
    """A row for each method; whether ours is no worse than the better peer where both were run, in a fifth of BoTorch's
    time."""
    results = {method: runs for method, runs in results.items() if runs}
    if not results:
        return
    steps = len(next(iter(next(iter(results.values())).values()))["regret"]) - 1
    print(f"\n{name}: simple regret after {steps} points beyond the start")
    print(f"{'method':<10}{'repeats':>8}{'mean':>12}{'+-':>10}{'median':>12}{'half way':>12}{'seconds':>10}")
    for method, runs in results.items():
        last = [run["regret"][-1] for run in runs.values()]
        half = [run["regret"][steps // 2] for run in runs.values()]
        mean, reach = interval(last)
        seconds = np.mean([run["seconds"] for run in runs.values()])
        print(
            f"{method:<10}{len(runs):>8}{mean:>12.4g}{reach:>10.2g}{np.median(last):>12.4g}{np.mean(half):>12.4g}{seconds:>10.3g}"
        )
    peers = [m for m in results if m != "ours"]
    if "ours" not in results or not peers:
        return
    for peer in peers:
        both = sorted(set(results["ours"]) & set(results[peer]))
        if len(both) < 2:
            continue
        off, reach = interval([results["ours"][r]["regret"][-1] - results[peer][r]["regret"][-1] for r in both])
        good = off <= reach
        print(f"ours minus {peer}, {len(both)} repeats with the same start: {off:.3g} +- {reach:.2g}", end="")
        print(" (no worse)" if good else " (WORSE)")
    both = sorted(set(results["ours"]) & set(results.get("botorch", {})))
    if both:
        share = sum(results["ours"][r]["seconds"] for r in both) / sum(results["botorch"][r]["seconds"] for r in both)
        print(f"{share:.2f} of BoTorch's seconds{'' if share <= 0.2 else ', MORE THAN A FIFTH'}", flush=True)


class Kept:
    """The results of the methods on a problem: a line of JSON for each repeat, in files of a folder."""

    def __init__(self, folder, peers, data):
        self.folder, self.peers, self.data = folder, peers, data
        os.makedirs(folder, exist_ok=True)

    def results(self, method, name):
        path = f"{self.folder}/{name}-{method}.jsonl"
        if not os.path.exists(path):
            return {}
        with open(path) as file:
            return {run["repeat"]: run for run in map(json.loads, file)}

    def run(self, method, name, repeat):
        python = sys.executable if method == "ours" else self.peers
        one = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        command = [python, __file__, "--worker", method, name, str(repeat), "--data", self.data]
        line = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=one).stdout
        with open(f"{self.folder}/{name}-{method}.jsonl", "a") as file:
            file.write(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", default=sys.executable, help="Python with scikit-optimize and BoTorch")
    parser.add_argument("--data", default="../shared/data", help="folder of the shared data")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--problems", default=",".join([*FUNCTIONS, *TABLES]), help="some of them, with commas between")
    parser.add_argument("--methods", default=",".join(METHODS), help="some of them, with commas between")
    parser.add_argument("--keep", help="folder for every curve; those that are there are not run again")
    parser.add_argument("--no-run", action="store_true", help="print what --keep has")
    parser.add_argument("--worker", nargs=3, metavar=("METHOD", "PROBLEM", "REPEAT"), help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.worker:
        return worker(*a.worker[:2], int(a.worker[2]), a.data)
    with tempfile.TemporaryDirectory() as scratch:
        kept = Kept(a.keep or scratch, a.peers, a.data)
        methods = a.methods.split(",")
        for name in a.problems.split(","):
            for repeat in [] if a.no_run else range(a.repeats):
                for method in methods:
                    if repeat not in kept.results(method, name):
                        kept.run(method, name, repeat)
            compared(name, {method: kept.results(method, name) for method in methods})


if __name__ == "__main__":
    main()
