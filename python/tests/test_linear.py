"""Least squares, ridge, Bayesian linear and kernel ridge regression: identities, and the command's bits."""

import json

import numpy as np
import pytest
from conftest import WAYS, keep, same_bits
from test_command import read_csv, write_csv

import covary

# A model of each kind, and how the command asks for it.
MODELS = {
    "least squares": (lambda: covary.LeastSquares(), ["linear"]),
    "least squares on features": (
        lambda: covary.LeastSquares("x1, x1*x2, splines(x2, knots=4)", intercept=False),
        ["linear", "--basis", "x1, x1*x2, splines(x2, knots=4)", "--intercept", "no"],
    ),
    "ridge": (lambda: covary.Ridge(), ["ridge"]),
    "ridge, given": (
        lambda: covary.Ridge(0.5, "x1,x2^2", noise=0.1, standardize=False, side="functions"),
        "ridge --basis x1,x2^2 --penalty 0.5 --noise 0.1 --standardize no --side functions".split(),
    ),
    "ridge by evidence": (lambda: covary.Ridge("evidence"), ["ridge", "--penalty", "evidence"]),
    "bayes": (lambda: covary.BayesianLinear(), ["bayes"]),
    "bayes, given": (
        lambda: covary.BayesianLinear(2.0, noise=0.04),
        ["bayes", "--prior-sd", "2", "--noise", "0.04"],
    ),
    "kernel ridge": (lambda: covary.KernelRidge("se()", starts=2), "kernel-ridge --kernel se() --starts 2".split()),
    "kernel ridge, given": (
        lambda: covary.KernelRidge("fixed(se(lengthscale=0.7))", 0.1, "zero"),
        ["kernel-ridge", "--kernel", "fixed(se(lengthscale=0.7))", "--penalty", "0.1", "--mean", "zero"],
    ),
}
LINEAR = [name for name in MODELS if not name.startswith("kernel")]


@pytest.fixture(params=MODELS)
def asked(request):
    make, words = MODELS[request.param]
    return make(), words


@pytest.fixture
def both(asked, tmp_path, data, grid, command):
    """The same question asked of both: the command's model file, and Python's model."""
    model, words = asked
    write_csv(tmp_path / "data.csv", ["x1", "x2", "y"], [*data[0].T, data[1]])
    write_csv(tmp_path / "grid.csv", ["x1", "x2"], list(grid.T))
    command("fit", tmp_path / "data.csv", "--target", "y", "-o", tmp_path / "model.json", "--model", *words)
    return tmp_path, model.fit(*data)


def test_files_are_those_of_the_command_but_for_the_name_of_the_data(both):
    folder, model = both
    model.save(folder / "python.json")
    theirs, ours = (json.loads((folder / name).read_text())["model"] for name in ("model.json", "python.json"))
    assert ours["asked"].pop("data") == "Python" and theirs["asked"].pop("data")
    assert theirs["data"].pop("rows")[0] == "line 2"  # a table has lines, arrays do not
    assert ours == theirs


@pytest.mark.parametrize("of", ["f", "y"])
def test_predictions_are_the_command_s(both, grid, command, of):
    folder, model = both
    theirs = read_csv(command("predict", folder / "model.json", folder / "grid.csv", "--of", of, "--interval", 90))
    for ours in (model.predict(grid, of, 90), covary.load(folder / "model.json").predict(grid, of, 90)):
        for name in ("mean", "sd", "lower", "upper"):
            assert same_bits(getattr(ours, name), theirs[name]), name


def test_coefficients_are_the_command_s(both, command):
    folder, model = both
    if isinstance(model, covary.KernelRidge):
        pytest.skip("kernel ridge has no weights of features")
    _, words = MODELS[next(n for n in MODELS if repr(MODELS[n][0]()) == repr(model))]
    theirs = json.loads(command("fit", folder / "data.csv", "--target", "y", "--json", "--model", *words))
    assert [tuple(c.values()) for c in theirs["coefficients"]] == [tuple(c) for c in model.coefficients]


@pytest.mark.parametrize("way", WAYS)
def test_a_model_comes_back_with_the_same_bits(way, asked, data, grid, tmp_path):
    model = asked[0].fit(*data)
    again = WAYS[way](model, tmp_path)
    assert type(again) is type(model) and repr(again) == repr(model)
    assert same_bits(again.predict(grid).mean, model.predict(grid).mean)
    assert same_bits(again.predict(grid).sd, model.predict(grid).sd)
    assert same_bits(again.sample(grid, 2, 3), model.sample(grid, 2, 3))
    assert getattr(again, "coefficients", None) == getattr(model, "coefficients", None)
    assert again.parameters == model.parameters and again.fit(*data).parameters == model.parameters


@pytest.mark.parametrize("name", LINEAR)
def test_the_summary_of_a_loaded_model_says_the_same(name, data, tmp_path):
    model = MODELS[name][0]().fit(*data)
    assert keep(model, tmp_path).summary == model.summary
    assert all(f"{c.name}: " in model.summary for c in model.coefficients)


def test_least_squares_solves_the_normal_equations(data, grid):
    X, y = data
    model = covary.LeastSquares().fit(X, y)
    A = np.column_stack([np.ones(len(X)), X])
    w = np.array([c.value for c in model.coefficients])
    np.testing.assert_allclose(A.T @ (y - A @ w), 0, atol=1e-12)
    np.testing.assert_allclose(model.residual_sd**2, np.sum((y - A @ w) ** 2) / 37, rtol=1e-10)
    np.testing.assert_allclose(
        [c.sd for c in model.coefficients], model.residual_sd * np.sqrt(np.diag(np.linalg.inv(A.T @ A))), rtol=1e-8
    )
    assert model.freedom == 37 and [c.name for c in model.coefficients] == ["intercept", "x1", "x2"]
    np.testing.assert_allclose(model.predict(grid).mean, np.column_stack([np.ones(25), grid]) @ w, rtol=1e-10)


def test_ridge_is_the_most_probable_bayes(data, grid):
    ridge = covary.Ridge(0.04 / 4, noise=0.04).fit(*data)
    bayes = covary.BayesianLinear(2, noise=0.04).fit(*data)
    np.testing.assert_allclose(ridge.predict(grid).mean, bayes.predict(grid).mean, rtol=1e-10)
    assert ridge.penalty_ == 0.01 and bayes.prior_sd_ == pytest.approx(2) and np.isinf(bayes.freedom)


def test_kernel_ridge_solves_its_equations(data, grid):
    X, y = data
    k = covary.se(lengthscale=0.7)
    model = covary.KernelRidge(covary.fixed(k), 0.1, "zero").fit(X, y)
    expected = k.cross(grid, X) @ np.linalg.solve(k.cross(X) + 0.1 * np.eye(40), y)
    np.testing.assert_allclose(model.predict(grid).mean, expected, rtol=1e-9)
    assert model.penalty_ == 0.1 and model.notes == [] and "penalty 0.1 (given)" in model.summary
    assert model.kernel_.cross(grid).shape == (25, 25)


def test_a_chosen_penalty_is_better_than_its_neighbors(data):
    X, y = data
    best = covary.Ridge("leave-one-out").fit(X, y)
    errors = [covary.Ridge(best.penalty_ * by).fit(X, y).check().rmse for by in (0.5, 1, 2)]
    assert errors[1] == min(errors)


def test_check_predicts_each_row_from_the_others(data):
    X, y = data
    model = covary.LeastSquares().fit(X, y)
    without = covary.LeastSquares().fit(X[1:], y[1:]).predict(X[:1], of="y")
    check = model.check()
    np.testing.assert_allclose([check.mean[0], check.sd[0]], [without.mean[0], without.sd[0]], rtol=1e-9)
    assert covary.Ridge().fit(X, y).check(folds=5, refit=True).n == 40


def test_names_of_columns_are_those_of_the_weights(data, grid):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(data[0], columns=["temp", "depth"])
    model = covary.BayesianLinear(basis="temp, depth, temp*depth").fit(X, pandas.Series(data[1], name="salt"))
    assert [c.name for c in model.coefficients] == ["intercept", "temp", "depth", "temp*depth"]
    assert model.target == "salt" and model.features == ["temp", "depth"]
    swapped = pandas.DataFrame(grid[:, ::-1], columns=["depth", "temp"])
    assert same_bits(model.predict(swapped).mean, model.predict(grid).mean)


def test_weights_that_are_not_determined(data):
    X = np.column_stack([data[0], data[0][:, 0]])
    model = covary.LeastSquares().fit(X, data[1])
    by_name = {c.name: c for c in model.coefficients}
    assert by_name["x1"].value == pytest.approx(by_name["x3"].value) and np.isinf(by_name["x3"].sd)
    assert any("do not determine" in note for note in model.notes)


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda X, y: covary.Ridge("loo").fit(X, y), "penalty: expected a number, leave-one-out, .* found 'loo'"),
        (lambda X, y: covary.Ridge(-1).fit(X, y), "the penalty: expected a positive number, found -1"),
        (lambda X, y: covary.KernelRidge(penalty="evidence").fit(X, y), "chooses by leave-one-out or generalized"),
        (lambda X, y: covary.KernelRidge("se("), "expected"),
        (lambda X, y: covary.KernelRidge("mattern52()"), "did you mean 'matern52'"),
        (lambda X, y: covary.KernelRidge("se()", mean="lin").fit(X, y), "linear"),
        (lambda X, y: covary.KernelRidge("se()", prior="strong").fit(X, y), "expected 'weak' or 'none'"),
        (lambda X, y: covary.BayesianLinear("wide").fit(X, y), "prior sd: expected learn or a number, found 'wide'"),
        (lambda X, y: covary.LeastSquares(noise=0).fit(X, y), "the noise: expected a positive number, found 0"),
        (lambda X, y: covary.LeastSquares("x1, x9").fit(X, y), "x9"),
        (lambda X, y: covary.Ridge(side="weight").fit(X, y), "side: expected 'auto', .* found 'weight'"),
        (lambda X, y: covary.Ridge(undetermined="x").fit(X, y), "expected 'error' or 'smallest', found 'x'"),
        (
            lambda X, y: covary.LeastSquares(undetermined="error").fit(X[:, [0, 0]], y),
            "the rows do not determine the weights of 'x1', 'x2'",
        ),
        (lambda X, y: covary.LeastSquares().fit(X, y[1:]), "40"),
        (lambda X, y: covary.LeastSquares().fit(X, y * np.nan), "y"),
        (lambda X, y: covary.LeastSquares().predict(X), "this LeastSquares has not learned yet: call fit"),
        (lambda X, y: covary.Ridge().fit(X, y).predict(X[:, :1]), "expected 2 columns, as the model has, found 1"),
    ],
)
def test_mistakes_have_the_core_s_words(act, message, data):
    with pytest.raises(ValueError, match=message):
        act(*data)


def test_least_squares_has_no_evidence_and_says_so(data):
    assert "log marginal likelihood none: the weights have no prior" in covary.LeastSquares().fit(*data).summary


def test_a_failed_fit_leaves_the_model_as_it_was(data, grid):
    model = covary.Ridge().fit(*data)
    before = model.predict(grid).mean
    with pytest.raises(ValueError):
        model.fit(data[0], data[1][:-1])
    assert same_bits(model.predict(grid).mean, before)
