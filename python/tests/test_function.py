"""Functions over blocks as kernels: they learn, compose, come back, and fail as what they are."""

import copy
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import interrupted, needs_signals, same_bits

import covary


def distance(A, B):
    return np.sqrt(np.maximum(((A[:, None] - B[None]) ** 2).sum(axis=2), 0))


def gauss(A, B, *, lengthscale=1.0):
    return np.exp(-0.5 * (distance(A, B) / lengthscale) ** 2)


def ones(A, **_):
    return np.ones(len(A))


def other(A, B):
    return 1.0 + A @ B.T


def test_it_gives_what_the_function_gives(grid):
    k = covary.function(gauss, lengthscale=0.7)
    assert repr(k) == "gauss(lengthscale=0.7)"
    assert same_bits(k.cross(grid), gauss(grid, grid, lengthscale=0.7))
    assert same_bits(k.diag(grid), np.ones(25)) and same_bits(covary.function(gauss, ones).diag(grid), np.ones(25))


def test_parameters_are_the_arguments_that_have_numbers():
    assert [p["name"] for p in covary.function(gauss).parameters()] == ["lengthscale"]
    assert covary.function(gauss).parameters()[0]["role"] == "length-scale"
    k = covary.function(lambda A, B, a, b=2, *, c=3, word="x", flag=True: a * other(A, B), a=5)
    assert {p["name"]: p["value"] for p in k.parameters()} == {"a": 5, "c": 3}


def test_it_composes_as_kernels_do(grid):
    f, k = covary.function(gauss, lengthscale=0.7), covary.matern32(lengthscale=2)
    mix = 2 * f * k + covary.on(2, covary.fixed(f)) + 0.5
    expected = 2 * f.cross(grid) * k.cross(grid) + gauss(grid[:, 1:], grid[:, 1:], lengthscale=0.7) + 0.5
    np.testing.assert_allclose(mix.cross(grid), expected, rtol=1e-14)
    assert repr(mix) == (
        "2 * gauss(lengthscale=0.7) * matern32(lengthscale=2) + on(2, fixed(gauss(lengthscale=0.7))) + 0.5"
    )


@pytest.mark.parametrize("diag", [None, ones])
def test_it_learns_what_the_kernel_learns(diag, data, grid):
    ours = covary.GP(1.0 * covary.function(gauss, diag), prior="none").fit(*data)
    theirs = covary.GP("1.0 * se(lengthscale=1)", prior="none").fit(*data)
    np.testing.assert_allclose(ours.log_marginal_likelihood, theirs.log_marginal_likelihood, atol=1e-5)
    np.testing.assert_allclose(ours.predict(grid).mean, theirs.predict(grid).mean, atol=1e-3)
    assert "gauss(lengthscale=" in repr(ours.kernel_) and same_bits(ours.kernel_.diag(grid), ours.kernel_.diag(grid))


def test_a_fixed_one_has_the_bits_of_the_kernel_s_algebra(data, grid):
    k = covary.se(lengthscale=0.7)
    ours = covary.GP(covary.fixed(covary.function(lambda A, B: k.cross(A, B), name="mine")), noise=0.1).fit(*data)
    theirs = covary.GP(covary.fixed(k), noise=0.1).fit(*data)
    np.testing.assert_allclose(ours.predict(grid).sd, theirs.predict(grid).sd, rtol=1e-9)
    assert ours.check().rmse == pytest.approx(theirs.check().rmse, rel=1e-9)
    assert ours.check(folds=4).rmse == pytest.approx(theirs.check(folds=4).rmse, rel=1e-9)
    np.testing.assert_allclose(
        ours.condition(grid, grid[:, 0]).predict(data[0]).mean,
        theirs.condition(grid, grid[:, 0]).predict(data[0]).mean,
        rtol=1e-8,
    )


def test_the_function_itself_is_enough(data, grid):
    model = covary.GP(gauss, starts=1).fit(*data)
    assert model.check(folds=3, refit=True).n == 40 and np.isfinite(model.predict(grid).sd).all()
    assert covary.GP(other, "zero", 0.1).sample(grid, 2).shape == (25, 2)
    ridge = covary.KernelRidge(covary.fixed(covary.function(gauss)), 0.1, "zero").fit(*data)
    K = gauss(data[0], data[0])
    expected = gauss(grid, data[0]) @ np.linalg.solve(K + 0.1 * np.eye(40), data[1])
    np.testing.assert_allclose(ridge.predict(grid).mean, expected, rtol=1e-8)


def test_names_of_columns(data):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(data[0], columns=["temp", "depth"])
    model = covary.GP(covary.on("depth", covary.function(gauss)) + covary.on("temp", covary.se()), starts=1)
    names = [p["name"] for p in model.fit(X, data[1]).parameters]
    assert "1.lengthscale.depth" in names and "2.lengthscale.temp" in names


@pytest.mark.parametrize("way", [lambda m: pickle.loads(pickle.dumps(m)), copy.copy, copy.deepcopy])
def test_pickle_keeps_what_it_can_import(way, data, grid):
    k = 2 * covary.function(gauss, ones, lengthscale=0.7)
    model = covary.GP(k, starts=1).fit(*data)
    again = way(model)
    assert way(k) == k and same_bits(way(k).cross(grid), k.cross(grid))
    assert same_bits(again.predict(grid).mean, model.predict(grid).mean) and again.kernel == k
    assert same_bits(again.fit(*data).predict(grid).sd, model.predict(grid).sd)


def test_what_pickle_cannot_keep_it_says(data):
    model = covary.GP(lambda A, B: other(A, B), noise=0.1).fit(*data)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(model)


def test_a_file_cannot_hold_a_function(data, tmp_path):
    model = covary.GP(gauss, starts=1).fit(*data)
    with pytest.raises(ValueError, match="the kernel uses 'gauss', a function of this program: a model file cannot"):
        model.save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def test_equality_is_of_the_functions_too():
    assert covary.function(gauss) == covary.function(gauss)
    assert covary.function(gauss) != covary.function(gauss, ones)
    assert covary.function(other, name="f") != covary.function(gauss, name="f")


class Mine(Exception):
    pass


def fail_after(calls):
    """A kernel that raises in a later call than the first."""
    count = iter(range(10**9))

    def failing(A, B, *, lengthscale=1.0):
        if next(count) >= calls:
            raise Mine("not today")
        return gauss(A, B, lengthscale=lengthscale)

    return failing


@pytest.mark.parametrize("calls", [0, 1, 7, 50])
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("n", [40, 700])
def test_an_exception_of_the_function_comes_out_of_a_fit(calls, threads, n, data, grid):
    X = np.random.default_rng(1).uniform(-2, 2, (n, 2))
    model = covary.GP(gauss, starts=1, threads=threads).fit(*data)
    before = model.predict(grid).mean
    model.kernel = covary.function(fail_after(calls))
    with pytest.raises(Mine, match="not today"):
        model.fit(X, X[:, 0])
    assert same_bits(model.predict(grid).mean, before)


def test_and_out_of_everything_else(data, grid):
    far = np.random.default_rng(1).uniform(-2, 2, (3000, 2))
    switch = []

    def sometimes(A, B):
        if switch:
            raise Mine("not now")
        return gauss(A, B)

    model = covary.GP(covary.fixed(covary.function(sometimes)), noise=0.1).fit(*data)
    switch.append(1)
    for act in (
        lambda: model.predict(far, threads=4),
        lambda: model.sample(grid),
        lambda: model.joint(grid),
        lambda: model.condition(grid, grid[:, 0]),
        lambda: model.check(folds=3),
        lambda: covary.function(sometimes).cross(grid),
        lambda: covary.function(sometimes).diag(grid),
    ):
        with pytest.raises(Mine, match="not now"):
            act()
    switch.clear()
    assert np.isfinite(model.predict(far).sd).all()


def test_many_threads_ask_at_once(data, grid):
    model = covary.GP(gauss, starts=1).fit(*data)
    expected, found = model.predict(grid).sd, []
    workers = [threading.Thread(target=lambda: found.append(model.predict(grid, threads=2).sd)) for _ in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert len(found) == 8 and all(same_bits(f, expected) for f in found)


@pytest.mark.parametrize(
    "f, message",
    [
        (lambda A, B: np.ones((2, 3)), r"function gave 2 x 3 numbers for \d+ x \d+ covariances"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "function gave nan in row index 0, column 0 of .* finite numbers"),
        (lambda A, B: np.outer(A[:, 0], np.ones(len(B))), "function is not symmetric"),
        (lambda A, B: -gauss(A, B), "not positive definite"),
        (lambda A, B: "text", "kernel: what function gave: expected .* numbers"),
        (lambda A, B: 1.0, "kernel: what function gave: expected rows and columns"),
    ],
)
def test_what_is_no_kernel_is_said(f, message, data):
    with pytest.raises(ValueError, match=message):
        covary.GP(covary.function(f, name="function"), noise=0.1).fit(*data)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: covary.function(gauss, lengthscale=-1), "gauss: lengthscale must be a number from"),
        (lambda: covary.function("x"), "expected a function of two blocks, found 'x'"),
        (lambda: covary.function(gauss, lengthscale="a"), "gauss: lengthscale: expected a positive number, found 'a'"),
        (
            lambda: covary.GP(lambda A, B: A @ B[:, ::-1].T, "zero").sample(np.eye(2)),
            r"kernel 'function\(\)' is not positive semi-definite",
        ),
        (lambda: covary.function(gauss, name="se"), "'se' is the name of a kernel: give it another"),
        (lambda: covary.function(gauss, name="a b"), "expected a name of letters, digits and _, found 'a b'"),
        (
            lambda: covary.GP(covary.function(gauss) + covary.function(other, name="gauss")).fit([1.0], [1.0]),
            "two functions are named 'gauss': give one of them another name",
        ),
        (
            lambda: covary.function(gauss, lambda A, lengthscale: 2 * np.ones(len(A))).diag([[1.0]]),
            "the function gauss and its diag disagree: 1 and 2",
        ),
    ],
)
def test_mistakes_are_value_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_an_argument_that_the_function_does_not_take_is_python_s_error(grid):
    with pytest.raises(TypeError, match="length"):
        covary.function(gauss, length=1).cross(grid)


CYCLE = """
import covary
held = {}
def f(A, B):
    assert held is not None
    return A @ B.T
held["model"] = covary.GP(f, "zero", 0.1).condition([1.0, 2.0], [1.0, 2.0])
"""


def test_a_function_that_holds_its_model_ends_in_silence(tmp_path):
    run = subprocess.run([sys.executable, "-c", CYCLE], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@needs_signals
def test_ctrl_c_stops_a_fit_and_leaves_the_model(data, grid):
    def slow(A, B, *, lengthscale=1.0):
        time.sleep(0.002)
        return gauss(A, B, lengthscale=lengthscale)

    model = covary.GP(gauss, starts=1).fit(*data)
    before = model.predict(grid).mean
    model.kernel = covary.function(slow) * covary.se()
    model.starts = 200
    interrupted(lambda: model.fit(*data))
    assert same_bits(model.predict(grid).mean, before)
