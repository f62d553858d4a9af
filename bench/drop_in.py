"""scikit-learn's GaussianProcessRegressor and ours: the same script, only the import changed.

    build/python-env/bin/python bench/drop_in.py [--quick]

Each part runs in processes of its own, ours and theirs in turn: seconds, and how far memory rose above what it was
before. Then what one prediction takes, and sixteen threads beside one.
"""

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def data(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))
    y = np.sin(6 * X[:, 0]) + 2 * X[:, 1] ** 2 + np.cos(3 * X[:, 2] * X[:, 3]) + 0.1 * rng.standard_normal(n)
    return X, y


def estimator(whose):
    if whose == "ours":
        from covary.sklearn import GaussianProcessRegressor
    else:
        from sklearn.gaussian_process import GaussianProcessRegressor
    return GaussianProcessRegressor


def kernel(d):
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    return ConstantKernel(1.0) * RBF(np.ones(d)) + WhiteKernel(0.1)


def status(name):
    """A line of /proc/self/status, in MiB."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def measured(work):
    """Seconds, and MiB above what was there before."""
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")  # the highest so far is forgotten
    before, start = status("VmRSS"), time.perf_counter()
    result = work()
    return {"seconds": time.perf_counter() - start, "MiB": status("VmHWM") - before}, result


def part_fit(whose, n, d, at):
    X, y = data(n, d)
    estimator(whose)(kernel(d)).fit(X[:50], y[:50])  # everything is loaded
    figures, model = measured(lambda: estimator(whose)(kernel(d)).fit(X, y))
    return {**figures, "log marginal likelihood": model.log_marginal_likelihood_value_}


def part_predict(whose, n, d, at):
    X, y = data(n, d)
    model = estimator(whose)(kernel(d), optimizer=None).fit(X, y)
    model.predict(X[:10], return_std=True)
    points = data(at, d, 1)[0]
    return measured(lambda: model.predict(points, return_std=True))[0]


def microseconds(call, seconds=1.0):
    """The median of single calls."""
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e6 * float(np.median(times))


def part_single(whose, n, d, at):
    X, y = data(n, d)
    x = data(1, d, 2)[0]
    model = estimator(whose)(kernel(d), optimizer=None).fit(X, y)
    out = {"mean, us": microseconds(lambda: model.predict(x)),
           "mean and sd, us": microseconds(lambda: model.predict(x, return_std=True))}  # fmt: skip
    if whose == "ours":
        import covary

        gp = covary.GP(f"1 * se(lengthscale={[1.0] * d})", mean="zero", noise=0.1, starts=1).fit(X, y)
        out["covary.GP: mean, us"] = microseconds(lambda: gp.predict(x, sd=False))
        out["covary.GP: mean and sd, us"] = microseconds(lambda: gp.predict(x))
    return out


def part_threads(whose, n, d, at):
    X, y = data(n, d)
    model = estimator(whose)(kernel(d), optimizer=None).fit(X, y)
    parts = np.array_split(data(at, d, 3)[0], 64)

    def spent(threads):
        with ThreadPoolExecutor(threads) as pool:
            start = time.perf_counter()
            results = list(pool.map(lambda p: model.predict(p, return_std=True), parts))
            return time.perf_counter() - start, np.hstack(results).tobytes()

    runs = [(spent(1), spent(16)) for _ in range(5)]
    one, many = (min(r[i][0] for r in runs) for i in (0, 1))
    return {"1 thread, s": one, "16 threads, s": many, "same bits": len({r[i][1] for r in runs for i in (0, 1)}) == 1}


PARTS = {"fit": part_fit, "predict": part_predict, "single": part_single, "threads": part_threads}
SIZES = {"fit": (2000, 8, 0), "predict": (2000, 8, 100_000), "single": (1000, 8, 0), "threads": (1000, 8, 20_000)}
QUICK = {"fit": (500, 8, 0), "predict": (500, 8, 20_000), "single": (1000, 8, 0), "threads": (500, 8, 5_000)}


def run(part, whose, sizes):
    call = [sys.executable, __file__, "--part", part, whose, *map(str, sizes)]
    return json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)


def report(part, sizes):
    n, d, at = sizes
    print(f"{part}: n = {n}, d = {d}" + (f", {at} points" if at else ""))
    ours, their = run(part, "ours", sizes), run(part, "theirs", sizes)
    for name, value in ours.items():
        beside = f"{their[name]:12.8g}{their[name] / value:10.3g}x" if name in their else ""
        print(f"  {name:28}{value:12.8g}{beside}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument("--part", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        part, whose, *sizes = options.part
        print(json.dumps(PARTS[part](whose, *map(int, sizes))))
        sys.exit()
    print(f"{'':30}{'ours':>12}{'theirs':>12}{'theirs / ours':>14}")
    for part, sizes in (QUICK if options.quick else SIZES).items():
        if options.only in (None, part):
            report(part, sizes)
