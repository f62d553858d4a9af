"""Ctrl-C stops a fit within half a second, and leaves the model as it was."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import interrupted, needs_signals

import covary


def long_work(n):
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, (n, 8))
    return X, np.sin(X).sum(axis=1) + 0.1 * rng.standard_normal(n)


# Many short evaluations, which stop at once; and one long factorization, which is given up.
WORK = {
    "search": (covary.GP("se() + matern32() * linear()", starts=64), 1000),
    "factorization": (covary.GP("fixed(se(lengthscale=1))", noise=0.1), 6000),
}


@needs_signals
@pytest.mark.parametrize("work", WORK)
def test_ctrl_c_stops_a_fit_and_leaves_the_model(work, data, grid):
    gp, n = WORK[work]
    before = gp.fit(*data).predict(grid).mean
    X, y = long_work(n)
    interrupted(lambda: gp.fit(X, y))
    assert np.array_equal(gp.predict(grid).mean, before)


PROGRAM = """
import numpy as np, covary
X = np.random.default_rng(1).uniform(-2, 2, (3000, 8))
print("begun", flush=True)
covary.GP("se() + matern32()", starts=64).fit(X, np.sin(X).sum(axis=1))
"""


@needs_signals
def test_a_program_that_is_interrupted_ends_with_a_traceback():
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    program = subprocess.Popen([sys.executable, "-c", PROGRAM], **pipes)
    assert program.stdout.readline() == "begun\n"
    time.sleep(1)
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors and program.returncode == -signal.SIGINT
