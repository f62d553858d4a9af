"""SciPy's L-BFGS-B from the starts of bench/optimizer.cc, on the same function: the program evaluates it.

    optimizer_scipy.py --evaluator PROGRAM --problems 200 --starts 50 --prior none|weak --out FILE

Writes a line for every search: problem, start, final value, then the least value after each evaluation.
"""
import argparse
import multiprocessing
import os
import subprocess

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the vectors are short, and there is a process for every core

import numpy as np  # noqa: E402
from scipy.optimize import minimize  # noqa: E402


class Evaluator:
    """The program, asked line by line."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line, answers=1):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return [np.array(self.process.stdout.readline().split(), dtype=float) for _ in range(answers)]

    def at(self, x):
        (answer,) = self.ask("at " + " ".join(repr(float(v)) for v in x))
        return (answer[0], answer[1:]) if np.isfinite(answer[0]) else (np.inf, np.zeros_like(x))


def search(evaluator, bounds, start):
    trace = []

    def function(x):
        value, gradient = evaluator.at(x)
        trace.append(min(value, trace[-1]) if trace else value)
        return value, gradient

    found = minimize(function, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxcor": 10})
    return found.fun, trace


def solve(job):
    program, problem, prior, starts = job
    evaluator = Evaluator(program)
    lower, upper, *begin = evaluator.ask(f"problem {problem} {prior} {starts}", 2 + starts)
    lines = []
    with np.errstate(all="ignore"):
        for number, start in enumerate(begin):
            value, trace = search(evaluator, list(zip(lower, upper)), start)
            lines.append(" ".join([str(problem), str(number), repr(float(value))] + [repr(float(v)) for v in trace]))
    evaluator.process.stdin.close()
    evaluator.process.wait()
    return lines


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--evaluator", required=True)
    options.add_argument("--problems", type=int, default=200)
    options.add_argument("--starts", type=int, default=50)
    options.add_argument("--prior", choices=["none", "weak"], default="none")
    options.add_argument("--out", required=True)
    options = options.parse_args()
    jobs = [(options.evaluator, i, options.prior, options.starts) for i in range(options.problems)]
    with multiprocessing.Pool(os.cpu_count()) as pool, open(options.out, "w") as file:
        for lines in pool.imap(solve, jobs):
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
