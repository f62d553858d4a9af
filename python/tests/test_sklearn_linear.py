"""The linear estimators: scikit-learn's own checks, scikit-learn's numbers, and life in its company."""

import importlib
import pickle
import sys

import numpy as np
import pytest

pytest.importorskip("sklearn")
import joblib
from sklearn import kernel_ridge, linear_model
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import covary
from conftest import same_bits
from covary.sklearn import BayesianLinear, KernelRidge, Ridge

CHECKED = [
    Ridge(),
    Ridge(alpha=1.0, fit_intercept=False),
    Ridge(alpha=0),
    BayesianLinear(),
    BayesianLinear(prior_sd=3.0, noise=0.1, fit_intercept=False),
    KernelRidge(starts=1),
    KernelRidge(alpha=0.1, kernel=covary.fixed(covary.se(lengthscale=1)), mean="constant", starts=1),
]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("alpha", [1e-3, 0.7, 100.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_ridge_has_scikit_learn_s_numbers(alpha, fit_intercept, data, grid):
    X, y = data[0] + 3, data[1]
    ours = Ridge(alpha, fit_intercept=fit_intercept).fit(X, y)
    theirs = linear_model.Ridge(alpha, fit_intercept=fit_intercept, solver="svd").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
    np.testing.assert_allclose(ours.predict(grid), theirs.predict(grid), rtol=1e-8)
    assert ours.alpha_ == alpha


def test_no_penalty_is_least_squares(data):
    theirs = linear_model.LinearRegression().fit(*data)
    np.testing.assert_allclose(Ridge(alpha=0).fit(*data).coef_, theirs.coef_, rtol=1e-8)


@pytest.mark.parametrize("alpha", [1e-3, 0.7, 100.0])
def test_kernel_ridge_has_scikit_learn_s_numbers(alpha, data, grid):
    ours = KernelRidge(alpha, kernel="fixed(se(lengthscale=0.8))").fit(*data)
    theirs = kernel_ridge.KernelRidge(alpha=alpha, kernel="rbf", gamma=1 / (2 * 0.8**2)).fit(*data)
    np.testing.assert_allclose(ours.predict(grid), theirs.predict(grid), rtol=1e-8)


@pytest.mark.parametrize("alpha", [None, "learn"])
def test_a_penalty_that_is_not_given_is_the_best_by_leave_one_out(alpha, data):
    ours = Ridge(alpha).fit(*data)
    grid = ours.alpha_ * np.array([0.25, 0.5, 1, 2, 4])
    theirs = linear_model.RidgeCV(grid, store_cv_results=True).fit(*data)
    assert theirs.alpha_ == pytest.approx(ours.alpha_)
    assert KernelRidge(alpha, kernel="fixed(se(lengthscale=0.8))").fit(*data).alpha_ > 0


def test_standard_deviations_are_those_of_the_model(data, grid):
    for estimator in (Ridge(), BayesianLinear(), KernelRidge(starts=1)):
        mean, sd = estimator.fit(*data).predict(grid, return_std=True)
        f, y = estimator.model_.predict(grid), estimator.model_.predict(grid, of="y")
        assert same_bits(mean, f.mean) and same_bits(sd, f.sd)
        assert same_bits(estimator.predict(grid, return_std=True, of="y")[1], y.sd)


def test_bayes_says_how_sure_it_is_of_the_weights(data):
    given = BayesianLinear(prior_sd=2.0, noise=0.25, fit_intercept=False, standardize=False).fit(*data)
    X, y = data
    precision = X.T @ X / 0.25 + np.eye(2) / 4
    np.testing.assert_allclose(given.coef_, np.linalg.solve(precision, X.T @ y / 0.25), rtol=1e-8)
    np.testing.assert_allclose(given.coef_sd_, np.sqrt(np.diag(np.linalg.inv(precision))), rtol=1e-8)
    assert given.intercept_ == 0 and BayesianLinear(None, None).fit(*data).prior_sd_ > 0


@pytest.mark.parametrize("estimator", CHECKED, ids=str)
def test_parameters_are_kept_untouched_and_cloned(estimator):
    copied = clone(estimator)
    assert repr(copied) == repr(estimator) and not hasattr(copied, "model_")
    values = {name: object() for name in estimator.get_params()}
    assert type(estimator)(**values).get_params() == values


def test_names_of_columns(data):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(data[0], columns=["temp", "depth"])
    fitted = Ridge().fit(X, pandas.Series(data[1], name="salt"))
    assert fitted.feature_names_in_.tolist() == ["temp", "depth"] and fitted.n_features_in_ == 2
    assert [c.name for c in fitted.model_.coefficients] == ["intercept", "temp", "depth"]
    assert fitted.model_.target == "salt"
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(X[["depth", "temp"]])


def test_in_a_pipeline_under_search_and_validation(data):
    line = make_pipeline(StandardScaler(), KernelRidge(kernel="fixed(se(lengthscale=1))"))
    search = GridSearchCV(line, {"kernelridge__alpha": [1e-2, 1e4]}, cv=3, n_jobs=2).fit(*data)
    assert search.best_params_ == {"kernelridge__alpha": 1e-2}
    assert cross_val_score(BayesianLinear(), *data, cv=4).shape == (4,)
    again = pickle.loads(pickle.dumps(search)).predict(data[0])
    assert same_bits(again, search.predict(data[0]))


def test_joblib_keeps_it(data, grid, tmp_path):
    fitted = BayesianLinear().fit(*data)
    joblib.dump(fitted, tmp_path / "kept.joblib")
    assert same_bits(joblib.load(tmp_path / "kept.joblib").predict(grid), fitted.predict(grid))


@pytest.mark.parametrize(
    "estimator, message",
    [
        (Ridge(alpha=-1.0), "the penalty: expected a positive number, found -1"),
        (Ridge(alpha="best"), "penalty: expected a number, leave-one-out, .* found 'best'"),
        (BayesianLinear(prior_sd=0.0), "the sd of the prior: expected a positive number, found 0"),
        (KernelRidge(kernel="sse()"), "did you mean 'se'"),
        (KernelRidge(mean="constnt"), "did you mean 'constant'"),
    ],
)
def test_mistakes_have_the_core_s_words(estimator, message, data):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*data)


def test_without_scikit_learn_it_says_what_is_missing(monkeypatch):
    for name in [m for m in sys.modules if m.startswith("covary.sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match="covary.sklearn needs scikit-learn 1.6 or newer: pip install"):
        importlib.import_module("covary.sklearn")
