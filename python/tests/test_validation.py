"""Held-out scores, forecasts and transformed targets: the numbers of the command."""

import numpy as np
import pytest

import covary


def series(n=60):
    t = np.arange(n) * 0.25
    return t[:, None], np.sin(t) + 0.1 * np.sin(37.0 * np.arange(n) ** 2)


def test_check_of_new_rows():
    X, y = series()
    gp = covary.GP("se()", starts=2).fit(X[:40], y[:40])
    check = gp.check(X[40:], y[40:])
    p = gp.predict(X[40:], of="y")
    assert check.n == 20
    assert check.rmse == pytest.approx(np.sqrt(np.mean((y[40:] - p.mean) ** 2)))
    np.testing.assert_allclose(check.standardized, (y[40:] - p.mean) / p.sd)
    with pytest.raises(ValueError, match="X and y together"):
        gp.check(X)
    with pytest.raises(ValueError, match="observations"):
        gp.check(X[40:], y)


def test_forward():
    X, y = series(40)
    gp = covary.GP("se()", starts=2).fit(X, y)
    f = gp.forward(horizon=3, origins=4)
    assert f["n"] == 12 and f["horizon"] == 3 and len(f["origins"]) == 4
    assert f["rmse"] > gp.check().rmse
    assert [h["to"] for h in f["by_horizon"]] == [1, 2, 3]
    with pytest.raises(ValueError, match="no column 'z'"):
        gp.forward("z")


def test_target_transform(tmp_path):
    X, z = series()
    y = np.exp(z)
    logged = covary.GP("se()", starts=2, target_transform="log").fit(X, y)
    of_z = covary.GP("se()", starts=2).fit(X, z)
    assert logged.log_marginal_likelihood == pytest.approx(of_z.log_marginal_likelihood - z.sum(), abs=1e-6)
    p, q = logged.predict(X, of="y", interval=90), of_z.predict(X, of="y", interval=90)
    np.testing.assert_allclose(p.upper, np.exp(q.upper), rtol=1e-6)
    np.testing.assert_allclose(p.lower, np.exp(q.lower), rtol=1e-6)
    np.testing.assert_allclose(p.mean, np.exp(q.mean + q.sd**2 / 2), rtol=1e-6)
    assert logged.check().nlpd == pytest.approx(of_z.check().nlpd + z.mean(), abs=1e-6)
    logged.save(tmp_path / "m.json")
    back = covary.load(tmp_path / "m.json")
    assert back.target_transform == "log"
    np.testing.assert_array_equal(back.predict(X).mean, logged.predict(X).mean)
    assert (logged.sample(X, 3, of="y") > 0).all()
    with pytest.raises(ValueError, match="needs values above 0"):
        covary.GP(target_transform="log").fit(X, -y)
    with pytest.raises(ValueError, match="no transform of the target"):
        covary.GP(target_transform="exp").fit(X, y)


def test_a_prior_of_a_transformed_target():
    X, z = series(8)
    prior = covary.GP("fixed(se(lengthscale=1))", "zero", 0.01, target_transform="log")
    plain = covary.GP("fixed(se(lengthscale=1))", "zero", 0.01)
    np.testing.assert_allclose(prior.predict(X).mean, np.exp(0.5))
    told = prior.condition(X, np.exp(z)).predict(X, interval=95)
    np.testing.assert_allclose(told.upper, np.exp(plain.condition(X, z).predict(X, interval=95).upper))
