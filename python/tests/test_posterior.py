"""Posterior densities from few likelihoods."""

import numpy as np
import pytest

import covary


def normal(x):
    return -0.5 * (x[0] - 2) ** 2


def test_estimate():
    calls = []
    p = covary.estimate_posterior(lambda x: calls.append(x) or normal(x), {"a": (-6, 10)}, 15)
    assert len(calls) == 15 and calls[0].shape == (1,)
    assert p.mean == pytest.approx([2], abs=0.01) and p.covariance[0, 0] == pytest.approx(1, abs=0.02)
    assert p.log_evidence.value == pytest.approx(np.log(np.sqrt(2 * np.pi) / 16), abs=0.02)
    assert p.names == ["a"] and p.mass.sum() == pytest.approx(1)
    draws = p.sample(5000)
    assert draws.mean() == pytest.approx(2, abs=0.1) and (draws == p.sample(5000)).all()
    assert p.expectation(lambda x: x[:, 0] ** 2).value == pytest.approx(5, abs=0.05)
    assert p.expectation(p.points[:, 0]) == p.means[0]


def test_prior_by_name_and_for_all():
    for prior in ({"a": "normal(0, 1)"}, "normal(0, 1)"):
        p = covary.estimate_posterior(normal, {"a": (-6, 10)}, 15, prior=prior)
        assert p.mean == pytest.approx([1], abs=0.02) and p.sds[0].value == pytest.approx(np.sqrt(0.5), abs=0.02)
    with pytest.raises(ValueError, match="no parameter 'b'"):
        covary.estimate_posterior(normal, {"a": (-6, 10)}, 15, prior={"b": "uniform"})


def test_of_a_model():
    x = np.linspace(-6, 10, 33)
    gp = covary.GP("se()", noise=0).fit(x[:, None], [normal([v]) for v in x])
    p = covary.posterior(gp)
    assert p.mean == pytest.approx([2], abs=0.01)
    assert covary.posterior(gp, points=4000).mean == pytest.approx([2], abs=0.1)
    blocked = covary.posterior(gp, {"x1" if "x1" in gp.features else gp.features[0]: (-6, 20)}, impossible=[[20.0]])
    assert (blocked.density[blocked.points[:, 0] > 15] == 0).all()


def test_errors_are_those_of_the_function_and_values_are_checked():
    def broken(x):
        raise RuntimeError("the simulator is down")

    with pytest.raises(RuntimeError, match="simulator is down"):
        covary.estimate_posterior(broken, {"a": (0, 1)}, 5)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="log likelihood 1 at"):
            covary.estimate_posterior(lambda x, bad=bad: bad, {"a": (0, 1)}, 5)
    with pytest.raises(ValueError, match="budget: expected 1 call or more"):
        covary.PosteriorSearch({"a": (0, 1)}, 0)
    with pytest.raises(ValueError, match="no volume"):
        covary.PosteriorSearch({"a": (1, 1)}, 5)
    with pytest.raises(ValueError, match="a: expected"):
        covary.PosteriorSearch({"a": 3}, 5)


def test_impossible_parameters():
    search = covary.PosteriorSearch({"a": (-4, 4)}, 25)
    while search.left:
        x = search.ask()
        assert (x == search.ask()).all()
        search.tell(-np.inf if x[0] < 0 else -0.5 * x[0] ** 2)
    assert search.evaluated.shape == (25, 1) and np.isinf(search.log_likelihoods).any()
    p = search.density()
    assert p.mean == pytest.approx([np.sqrt(2 / np.pi)], abs=0.05)
