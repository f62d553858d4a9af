"""What the tests share: data, a model of it, and the command."""

import copy
import os
import pickle
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import covary


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_counts():
    """Programs that shells start in the background ignore it; their children would too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data():
    """40 rows of two columns, and noisy observations."""
    rng = np.random.default_rng(7)
    X = rng.uniform(-2, 2, (40, 2))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.05 * rng.standard_normal(40)


@pytest.fixture(scope="session")
def grid():
    return np.random.default_rng(8).uniform(-2, 2, (25, 2))


@pytest.fixture(scope="session")
def model(data):
    return covary.GP("1.5 * se(lengthscale=[0.8, 2])", noise=0.01).fit(*data)


@pytest.fixture(scope="session")
def command():
    """Runs the command with some arguments, and returns what it prints."""
    path = os.environ.get("COVARY_COMMAND")
    if not path:
        pytest.skip("COVARY_COMMAND does not name the command")

    def run(*arguments):
        return subprocess.run([path, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    return run


def same_bits(a, b):
    """Equal as bytes, not only as numbers."""
    return np.asarray(a, float).tobytes("C") == np.asarray(b, float).tobytes("C")


needs_signals = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


def interrupted(call, after=0.5, begun=None):
    """Ctrl-C comes while `call` works: KeyboardInterrupt within half a second, or the test fails. It comes `after` so
    many seconds, or as soon as the event `begun` is set."""
    sent = []

    def interrupt():
        if begun is None:
            time.sleep(after)
        elif not begun.wait(120):
            return
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        call()
    assert time.monotonic() - sent[0] < 0.5


def keep(model, tmp_path):
    """Through a model file and back."""
    model.save(tmp_path / "kept.json")
    return covary.load(tmp_path / "kept.json")


WAYS = {
    "pickle": lambda m, _: pickle.loads(pickle.dumps(m)),
    "copy": lambda m, _: copy.copy(m),
    "deepcopy": lambda m, _: copy.deepcopy(m),
    "file": keep,
}
