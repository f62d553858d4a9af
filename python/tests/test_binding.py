"""Arguments of the wrong type: the message names the argument, what was expected and what came."""

import numpy as np
import pytest

import covary
from covary import _covary

X = np.linspace(0, 1, 6)
GAUSSIAN = covary.Gaussian([0, 0], np.eye(2))


def gp(**asked):
    return covary.GP("se(lengthscale=1)", **{"noise": 0.1} | asked).fit(X, X**2)


@pytest.fixture(scope="module")
def model():
    return gp()


WRONG = {
    "starts: expected a whole number, found '8' (str)": lambda m: gp(starts="8"),
    "seed: expected a whole number, found 1.5 (float)": lambda m: gp(seed=1.5),
    "seed: expected a whole number from 0 to 18446744073709551615, found -1": lambda m: gp(seed=-1),
    "threads: expected a whole number, found None": lambda m: gp(threads=None),
    "max_seconds: expected a number or None, found 'x' (str)": lambda m: gp(max_seconds="x"),
    "bounds: expected a dict of text to a pair of numbers, found {'noise': 3} (dict)": lambda m: gp(bounds={"noise": 3}),
    "prior: expected text, found 3 (int)": lambda m: gp(prior=3),
    "interval: expected a number or None, found '95' (str)": lambda m: m.predict(X, interval="95"),
    "interval: expected a number or None, found [50, 95] (list)": lambda m: m.predict(X, interval=[50, 95]),
    "sd: expected True or False, found 'no' (str)": lambda m: m.predict(X, sd="no"),
    "of: expected text, found None": lambda m: m.joint(X, of=None),
    "n: expected a whole number, found 'a' (str)": lambda m: m.sample(X, "a"),
    "folds: expected a whole number, found 2.5 (float)": lambda m: m.check(folds=2.5),
    "path: expected text or a pathlib.Path, found 3 (int)": lambda m: m.save(3),
    "path: expected text or a pathlib.Path, found None": lambda m: covary.load(None),
    "Gaussian() needs the argument 'covariance'": lambda m: covary.Gaussian([0]),
    "Gaussian() takes 2 arguments without names, found 3": lambda m: covary.Gaussian([0], [[1]], 3),
    "Gaussian() has no argument 'cov', did you mean 'covariance'?": lambda m: covary.Gaussian(mean=[0], cov=[[1]]),
    "sample() needs the argument 'seed'": lambda m: GAUSSIAN.sample(3),
    "sample() has no argument 'sed', did you mean 'seed'? (it has: n, seed)": lambda m: GAUSSIAN.sample(3, sed=1),
    "sample() takes 2 arguments, found 3": lambda m: GAUSSIAN.sample(1, 2, 3),
    "percent: expected a number, found 'a' (str)": lambda m: GAUSSIAN.ellipse("a"),
    "p: expected a Gaussian, found 1 (int)": lambda m: covary.divergence(1, GAUSSIAN),
    "largest_sd: expected a number, found 'a'": lambda m: covary.Stopping(largest_sd="a"),
    "rounds: expected a whole number, found 1.5": lambda m: covary.Stopping(rounds=1.5),
    "Stopping() takes 0 arguments without names, found 1": lambda m: covary.Stopping(3),
    "text: expected text, found 3 (int)": lambda m: covary.parse(3),
    "se: lengthscale: expected a number or a list of numbers, found 'a'": lambda m: covary.se(lengthscale="a"),
    "columns: expected a list of text, found 3 (int)": lambda m: covary.se(1).cross(X, columns=3),
    "columns: expected names, or numbers from 1, found 1.5": lambda m: covary.on(1.5, covary.se()),
    "kernel: expected a Kernel or an expression, found 3": lambda m: covary.on("a", 3),
    "fixed: expected a kernel or a number, found None": lambda m: covary.fixed(None),
    "a Kernel is made by its function, as covary.se()": lambda m: covary.Kernel("se()"),
    "kernel: expected a Kernel, an expression or a function of two blocks, found 4": lambda m: covary.KernelRidge(4),
    "penalty: expected a number or text, found [1] (list)": lambda m: covary.Ridge([1]).fit(X, X),
    "intercept: expected True or False, found 'yes' (str)": lambda m: covary.Ridge(intercept="yes").fit(X, X),
    "penalty: expected a number, found 'a' (str)": lambda m: covary.Classifier(penalty="a").fit(X, [0, 1] * 3),
    "random_share: expected a number, found 'a' (str)": lambda m: covary.suggest(m, X, random_share="a"),
    "n: expected a number, found 'a' (str) ": lambda m: covary.suggest(m, X, "a"),
    "n: expected a whole number, found 1.5 (float)": lambda m: covary.suggest(m, X, 1.5),
    "budget: expected a whole number, found 'a' (str)": lambda m: covary.Stream(m, budget="a", rate=0.1),
    "budget: expected a whole number, found 'b' (str)": lambda m: covary.replay(X, X, budget="b"),
    "stop: expected a dict of rules": lambda m: covary.replay(X, X, stop=3),
    "min_distance: expected a number, found 'a' (str)": lambda m: covary.place(X, 1, kernel="se(1)", min_distance="a"),
    "unit: expected text, found 3 (int)": lambda m: covary.place(X, 1, kernel="se(lengthscale=1)", unit=3),
    "losses: expected": lambda m: covary.risk(None, [1], [1]),
}


@pytest.mark.parametrize("message", WRONG)
def test_the_argument_is_named(message, model):
    with pytest.raises((TypeError, ValueError)) as raised:
        WRONG[message](model)
    assert message.strip() in str(raised.value) and "incompatible" not in str(raised.value)


def members():
    """Every function, method and setter of the compiled module."""
    for owner in [_covary, *(m for m in vars(_covary).values() if isinstance(m, type))]:
        for name, member in vars(owner).items():
            member = getattr(member, "fset", member) if isinstance(member, property) else getattr(owner, name)
            if not name.startswith("__") and type(getattr(member, "__wrapped__", member)).__name__.startswith("nb_"):
                if not isinstance(member, type):
                    yield f"{owner.__name__}.{name}", member


def test_no_function_of_the_compiled_module_is_left_out():
    found = dict(members())
    assert len(found) > 90 and all(hasattr(m, "__wrapped__") for m in found.values()), [
        n for n, m in found.items() if not hasattr(m, "__wrapped__")
    ]


def test_every_signature_can_be_read():
    """A call with an argument too many is refused in words that count its arguments."""
    for name, member in members():
        with pytest.raises(TypeError) as raised:
            member(*[object()] * 40)
        assert "takes" in str(raised.value) or "expected" in str(raised.value), name


def test_what_a_function_of_the_caller_raises_is_left_alone():
    def wrong(A, B):
        raise TypeError("of its own")

    with pytest.raises(TypeError, match="^of its own$"):
        covary.function(wrong).cross(X)


def test_a_name_that_is_not_there_is_looked_for():
    with pytest.raises(AttributeError, match="no attribute 'matern25', did you mean 'matern"):
        covary.matern25  # noqa: B018
    assert not hasattr(covary, "nothing_like_it")
