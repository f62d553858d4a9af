"""Finding the best: domains, conditions, the direction, gradients."""

import json

import numpy as np
import pytest

import covary

OVER = {"x1": (-2, 2), "x2": (-2, 2, 0.25)}
STRATEGIES = [s["name"] for s in covary.strategies() if s["question"] == "find the best"]


def test_there_are_strategies_that_find_the_best():
    assert "expected-improvement" in STRATEGIES and "knowledge-gradient" in STRATEGIES


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_domain_gives_points_inside(model, strategy):
    s = covary.suggest(model, over=OVER, n=3, strategy=strategy, seed=2)
    assert s.X.shape == (3, 2) and len(s) == len(s.reasons) == 3
    assert np.all(np.abs(s.X) <= 2) and np.allclose(s.X[:, 1] % 0.25, 0)
    assert s.points[0] == {"x1": s.X[0, 0], "x2": s.X[0, 1]}
    mean, sd, *_ = model.predict(s.X)
    assert np.allclose(s.mean, mean) and np.allclose(s.sd, sd)
    again = covary.suggest(model, over=[(-2, 2), (-2, 2, 0.25)], n=3, strategy=strategy, seed=2, threads=1)
    assert np.array_equal(again.X, s.X)


def test_the_smallest_is_the_largest_of_the_negative(data):
    X, y = data
    up, down = (covary.GP("1.5 * se(lengthscale=[0.8, 2])", noise=0.01).fit(X, sign * y) for sign in (1, -1))
    a, b = covary.suggest(up, over=OVER, n=2), covary.suggest(down, over=OVER, n=2, minimize=True)
    assert np.allclose(a.X, b.X, atol=1e-5)
    pool = np.random.default_rng(1).uniform(-2, 2, (50, 2))
    c, d = covary.suggest(up, pool, 3, "upper-confidence"), covary.suggest(down, pool, 3, "upper-confidence", minimize=True)
    assert np.array_equal(c.indices, d.indices)
    assert np.array_equal(covary.Pool(down, pool, "upper-confidence", minimize=True).suggest(3).indices, c.indices)


def test_the_same_as_the_command(model, tmp_path, command):
    file = tmp_path / "model.json"
    model.save(file)
    options = ["--over", "x1=-2:2", "--over", "x2=-2:2:0.25", "-n", 2, "--seed", 3, "--minimize", "--where", "x1*x2 < 1"]
    theirs = json.loads(command("suggest", file, "--strategy", "upper-confidence(beta=2)", "--json", *options))
    ours = covary.suggest(
        model, over=OVER, n=2, strategy="upper-confidence(beta=2)", minimize=True, seed=3, where="x1*x2 < 1"
    )
    assert [p["at"] for p in theirs] == ours.points
    assert [p["reason"] for p in theirs] == ours.reasons


def test_conditions_keep_to_what_is_feasible(model):
    s = covary.suggest(model, over=OVER, n=3, where=["x1 + x2 < -0.5", "x1 > -1.5"], strategy="upper-confidence")
    assert np.all(s.X.sum(1) < -0.5) and np.all(s.X[:, 0] > -1.5)
    pool = np.random.default_rng(1).uniform(-2, 2, (50, 2))
    assert np.all(pool[covary.suggest(model, pool, 5, where="x1 < 0").indices, 0] < 0)


def test_categories_are_listed():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame({"temp": rng.uniform(20, 90, 30), "catalyst": rng.choice(["Pd", "Pt", "Ni"], 30)})
    y = -((frame["temp"] - 60) ** 2) / 500 + (np.array(frame["catalyst"]) == "Pt")
    gp = covary.GP().fit(frame, y)
    s = covary.suggest(gp, over={"temp": (20, 90), "catalyst": ["Pd", "Pt"]}, strategy="upper-confidence(beta=0.1)")
    assert s.points[0]["catalyst"] == "Pt" and abs(s.points[0]["temp"] - 60) < 8


@pytest.mark.parametrize(
    "asked, words",
    [
        ({}, "not both"),
        ({"over": {"x1": (0, 1)}}, "'x2' of the model has no range"),
        ({"over": {"x1": (1, 0), "x2": (0, 1)}}, "lower end below"),
        ({"over": {"x1": (0, 1, -1), "x2": (0, 1)}}, "positive step"),
        ({"over": {"x1": 3, "x2": (0, 1)}}, "expected .lower, upper."),
        ({"over": [(0, 1)]}, "a range for each of 2 columns"),
        ({"over": OVER, "where": "x1 > 5"}, "satisfies 'x1 > 5'"),
        ({"over": OVER, "where": "x1"}, "expected two formulas"),
        ({"over": OVER, "strategy": "variance-reduction"}, "needs a table of candidates"),
        ({"over": OVER, "random_share": 0.1}, "belong to candidates"),
    ],
)
def test_bad_input_is_said(model, asked, words):
    with pytest.raises(ValueError, match=words):
        covary.suggest(model, **asked)


def test_gradients_are_those_of_differences(model, grid):
    gradients = model.gradients(grid)
    assert gradients.mean.shape == gradients.variance.shape == grid.shape
    h = 1e-5
    for k in range(2):
        step = h * np.eye(2)[k]
        up, down = model.predict(grid + step), model.predict(grid - step)
        assert np.allclose(gradients.mean[:, k], (up.mean - down.mean) / (2 * h), atol=1e-6)
        assert np.allclose(gradients.variance[:, k], (up.sd**2 - down.sd**2) / (2 * h), atol=1e-6)


def test_gradients_are_refused_in_words(data):
    X, y = data
    with pytest.raises(ValueError, match="gradients"):
        covary.GP("se()", target_transform="asinh").fit(X, y).gradients(X)
