"""A mean function of one's own: rows -> numbers, in the place of a trend that is learned."""

import pickle

import numpy as np
import pytest
from conftest import same_bits

import covary

X = np.linspace(0, 3, 25)


def line(x):
    """Not much, and it can be pickled."""
    return 2 + 3 * x[:, 0]


Y = line(X[:, None]) + 0.1 * np.sin(5 * X)
FAR = [50.0, 100.0]


# A mean function of one's own can be given.
@pytest.mark.parametrize("model", [covary.GP, covary.KernelRidge])
def test_far_from_the_data_it_is_what_is_predicted(model):
    fitted = model("se()", mean=line).fit(X, Y)
    np.testing.assert_allclose(fitted.predict(FAR).mean, line(np.array(FAR)[:, None]), rtol=1e-9)


def test_it_is_the_same_as_the_same_trend_in_words():
    ours = covary.GP("se(lengthscale=1)", line, 0.01).fit(X, Y)
    words = covary.GP("se(lengthscale=1)", "linear(2, 3)", 0.01).fit(X, Y)
    assert ours.log_marginal_likelihood == pytest.approx(words.log_marginal_likelihood, rel=1e-12)
    np.testing.assert_allclose(ours.predict(X).sd, words.predict(X).sd, rtol=1e-12)
    told = ours.condition(FAR, [0.0, 0.0])
    np.testing.assert_allclose(told.predict(FAR).mean, words.condition(FAR, [0.0, 0.0]).predict(FAR).mean, rtol=1e-9)
    assert ours.check().rmse == pytest.approx(words.check().rmse, rel=1e-9)
    assert ours.check(folds=3, refit=False).n == 25 and ours.trend == []
    assert "mean    line" in ours.summary and "mean=line" in repr(ours)


def test_the_prior_has_it_too():
    prior = covary.GP("se(lengthscale=1)", line, 0.01)
    np.testing.assert_array_equal(prior.predict(X).mean, line(X[:, None]))
    assert prior.condition(X, Y).fitted


def test_observations_of_any_size():
    big = covary.GP("se(lengthscale=1)", lambda x: 1e200 * line(x)).fit(X, 1e200 * Y)
    np.testing.assert_allclose(big.predict(FAR).mean, 1e200 * line(np.array(FAR)[:, None]), rtol=1e-9)


def test_pickle_keeps_it_and_a_file_cannot(tmp_path):
    model = covary.GP("se(lengthscale=1)", line, 0.01).fit(X, Y)
    assert same_bits(pickle.loads(pickle.dumps(model)).predict(FAR).mean, model.predict(FAR).mean)
    with pytest.raises(ValueError, match="the mean is 'line', a function of this program: a model file cannot hold it"):
        model.save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())
    kernel = covary.function(lambda A, B: np.exp(-np.abs(A - B.T)), name="ou")
    both = covary.GP(kernel, lambda x: 0 * x[:, 0], 0.01).fit(X, Y)
    assert same_bits(covary.GP(kernel, "zero", 0.01).fit(X, Y).predict(X).mean, both.predict(X).mean)


@pytest.mark.parametrize(
    "mean, error, message",
    [
        (lambda x: x, ValueError, None),
        (lambda x: x[:3, 0], ValueError, "the function function gave 3 numbers for 25 rows, expected one for each row"),
        (lambda x: np.nan * x[:, 0], ValueError, "gave nan for row index 0 of 25, expected finite numbers"),
        (lambda x: np.array(["a"] * len(x)), ValueError, "mean: what function gave: expected an array of numbers"),
        (lambda x: 1 / 0, ZeroDivisionError, "division by zero"),
        (lambda: 0, TypeError, "positional argument"),
        (3, ValueError, "mean: expected text, as 'constant' or 'linear', or a function of rows, found 3"),
        (None, ValueError, "mean: expected text, as 'constant' or 'linear', or a function of rows, found None"),
    ],
)
def test_what_is_no_trend_is_refused(mean, error, message):
    if message is None:  # a column of numbers is as good
        assert covary.GP("se(lengthscale=1)", mean, 0.01).fit(X, Y).fitted
        return
    with pytest.raises(error, match=message):
        covary.GP("se(lengthscale=1)", mean, 0.01).fit(X, Y)


def test_what_learns_with_it_can_be_stopped_by_what_it_raises():
    calls = []

    def third(x):
        calls.append(len(x))
        if len(calls) == 3:
            raise KeyError("enough")
        return 0 * x[:, 0]

    with pytest.raises(KeyError, match="enough"):
        covary.GP("se()", third).fit(X, Y)
        covary.GP("se()", third).fit(X, Y)
