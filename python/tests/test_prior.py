"""A process that has not learned: the prior, if every parameter is given."""

import numpy as np
import pytest
from conftest import same_bits

import covary

PRIOR = covary.GP("2 * se(lengthscale=0.7)", mean="zero", noise=0.1)


def test_it_predicts_its_mean_and_variance(grid):
    f, y = PRIOR.predict(grid, interval=95), PRIOR.predict(grid, of="y")
    assert (f.mean == 0).all() and not PRIOR.fitted
    np.testing.assert_allclose(f.sd**2, 2, rtol=1e-14)
    np.testing.assert_allclose(y.sd**2, 2.1, rtol=1e-14)
    np.testing.assert_allclose(f.upper, 1.959963984540054 * np.sqrt(2), rtol=1e-9)


def test_its_joint_is_the_kernel(grid):
    k = covary.parse("2 * se(lengthscale=0.7)")
    np.testing.assert_allclose(PRIOR.joint(grid).covariance, k.cross(grid), atol=1e-12)
    trend = covary.GP(k, mean="linear(1, 0.5, -2)", noise=0.1)
    np.testing.assert_allclose(trend.joint(grid).mean, 1 + grid @ [0.5, -2], rtol=1e-12)


def test_its_samples_have_its_moments(grid):
    draws = PRIOR.sample(grid[:3], 20000, seed=4)
    np.testing.assert_allclose(np.cov(draws), PRIOR.joint(grid[:3]).covariance, atol=0.1)
    assert PRIOR.sample(grid, 3).shape == (25, 3) and same_bits(PRIOR.sample(grid, 3), PRIOR.sample(grid, 3))


def test_conditioning_it_is_what_a_fit_finds_when_nothing_is_open(data, grid):
    told = PRIOR.condition(*data)
    fitted = covary.GP("fixed(2 * se(lengthscale=0.7))", mean="zero", noise=0.1).fit(*data)
    np.testing.assert_allclose(told.predict(grid).mean, fitted.predict(grid).mean, rtol=1e-10)
    np.testing.assert_allclose(told.log_marginal_likelihood, fitted.log_marginal_likelihood, rtol=1e-10)
    assert told.fitted and not PRIOR.fitted


def test_a_told_prior_is_kept(data, grid, tmp_path):
    told = PRIOR.condition(*data)
    told.save(tmp_path / "told.json")
    assert same_bits(covary.load(tmp_path / "told.json").predict(grid).mean, told.predict(grid).mean)


def test_columns_have_names(grid):
    pandas = pytest.importorskip("pandas")
    gp = covary.GP("on(depth, se(lengthscale=2))", mean="zero")
    frame = pandas.DataFrame(grid, columns=["temp", "depth"])
    expected = covary.se(lengthscale=2).cross(grid[:, 1])
    np.testing.assert_allclose(gp.joint(frame).covariance, expected, atol=1e-12)


@pytest.mark.parametrize(
    "gp, act, message",
    [
        (covary.GP("se() + linear()", mean="zero"), lambda g, X: g.predict(X), "'1.lengthscale' was not given"),
        (covary.GP("se(lengthscale=1) * periodic()"), lambda g, X: g.sample(X), "'2.lengthscale' was not given"),
        (covary.GP("se(lengthscale=1)"), lambda g, X: g.joint(X), "trend is unknown"),
        (covary.GP("se(lengthscale=1)", "zero"), lambda g, X: g.predict(X, of="y"), "^noise: it was not given"),
        (covary.GP("se(1)", "zero"), lambda g, X: g.condition(X, X[:, 0]), "noise was not given: fit learns it"),
        (covary.GP("on(a, se(1))", "zero"), lambda g, X: g.predict(X), "no column is named 'a'"),
        (PRIOR, lambda g, X: g.save("x.json"), "has not learned yet: call fit"),
        (PRIOR, lambda g, X: g.check(), "has not learned yet: call fit"),
    ],
)
def test_what_is_not_given_is_named(gp, act, message, grid):
    with pytest.raises(ValueError, match=message):
        act(gp, grid)


def test_it_says_that_fit_is_missing(grid):
    with pytest.raises(ValueError, match=r"has not learned yet: call fit\(X, y\) first \(kernel: 'lengthscale' was"):
        covary.GP().predict(grid)
