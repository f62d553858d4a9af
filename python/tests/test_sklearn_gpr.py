"""covary.sklearn.GaussianProcessRegressor beside scikit-learn's own: the same numbers, with every kernel."""

import copy
import os
import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")
import joblib
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process.kernels import (
    RBF,
    CompoundKernel,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from conftest import interrupted, needs_signals, same_bits
from covary.sklearn import ActiveLearner, DelegatedWarning, GaussianProcessRegressor
from covary.sklearn.translate import Untranslatable, translate

C = ConstantKernel
ONE_COLUMN = [
    ExpSineSquared(1.3, 2.0),
    ExpSineSquared(1.3, 2.0, periodicity_bounds="fixed") * RBF(3.0),
    ExpSineSquared(0.7, 1.5) ** 3 + WhiteKernel(0.3),
]
ANY_COLUMNS = [
    RBF(0.8),
    RBF(0.8, "fixed"),
    Matern(0.9, nu=0.5),
    Matern(0.9, nu=1.5),
    Matern(0.9, nu=2.5),
    Matern(0.9, nu=np.inf),
    RationalQuadratic(0.9, 1.7),
    RationalQuadratic(0.9, 1.7, alpha_bounds="fixed"),
    RationalQuadratic(0.9, 1.7, length_scale_bounds="fixed"),
    DotProduct(0.6),
    DotProduct(0.6, "fixed") + C(0.4),
    DotProduct(0.6) ** 2,
    (DotProduct(0.6) + RBF(0.5)) ** 3 * C(0.2),
    C(2.0) * RBF(0.8) + WhiteKernel(0.2),
    C(2.0, "fixed") * RBF(0.8) + WhiteKernel(0.2, "fixed"),
    C(2.0) * C(0.3) * Matern(0.8) * C(1.4),
    C(2.0) * (RBF(0.8) + WhiteKernel(0.2)),
    (C(2.0) + RBF(0.8)) * (WhiteKernel(0.2) + Matern(1.1, nu=1.5)),
    (C(2.0) * RBF(0.8) + WhiteKernel(0.3)) ** 2,
    WhiteKernel(0.2) * WhiteKernel(0.7) + RBF(0.8) * C(1.5),
    WhiteKernel(0.2) + WhiteKernel(0.7) + RBF(0.8) + C(1.5) + DotProduct(0.3),
    (RBF(0.8) + C(1.5)) * (Matern(0.7) + C(0.3)) * C(0.6),
    C(1.2) * C(0.5) + RBF(0.8),
    2 * RBF(0.8) + 0.5,
]
COLUMN_EACH = [
    C(1.5) * RBF([0.5, 1.0, 2.0]) + WhiteKernel(0.1),
    C(1.5) * Matern([0.5, 1.0, 2.0], nu=1.5, length_scale_bounds=[(0.1, 1), (0.2, 3), (1, 9)]),
]
KERNELS = (
    [(k, 1) for k in ONE_COLUMN + ANY_COLUMNS] + [(k, 3) for k in ANY_COLUMNS] + [(k, 3) for k in COLUMN_EACH]
)


def problem(columns, targets=None, n=25, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, columns))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.standard_normal(n)
    return X, y if targets is None else np.column_stack([(t + 1) * y**t + t for t in range(targets)])


def both(kernel, X, y, **options):
    options = {"alpha": 0.01, "optimizer": None, **options}
    return GaussianProcessRegressor(kernel, **options).fit(X, y), Theirs(kernel, **options).fit(X, y)


def predictions(ours, their, at, options):
    a, b = ours.predict(at, **options), their.predict(at, **options)
    return zip(a, b) if options else [(a, b)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kernel, columns", KERNELS, ids=lambda v: str(v))
def test_same_numbers(kernel, columns):
    X, y = problem(columns)
    ours, their = both(kernel, X, y)
    assert not hasattr(ours, "delegated_")
    theta = ours.kernel_.theta
    for t in (theta, theta + 0.3, theta - 0.2):
        value, gradient = ours.log_marginal_likelihood(t, eval_gradient=True)
        expected, slopes = their.log_marginal_likelihood(t, eval_gradient=True)
        assert value == pytest.approx(expected, rel=1e-10)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-8, atol=1e-8 * (1 + np.abs(slopes).max(initial=0)))
    at = problem(columns, n=7, seed=2)[0]
    for options in ({}, {"return_std": True}, {"return_cov": True}):
        for a, b in predictions(ours, their, at, options):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.L_, their.L_, atol=1e-12 * np.abs(their.L_).max())
    np.testing.assert_allclose(ours.alpha_, their.alpha_, atol=1e-9 * np.abs(their.alpha_).max())


@pytest.mark.parametrize("normalize_y", [False, True])
@pytest.mark.parametrize("targets", [None, 1, 2, 3])
def test_targets_and_units(targets, normalize_y):
    X, y = problem(2, targets)
    kernel = C(1.5) * RBF(0.8) + WhiteKernel(0.1)
    alpha = np.linspace(0.01, 0.3, len(X))
    ours, their = both(kernel, X, y, normalize_y=normalize_y, alpha=alpha)
    at = problem(2, n=4, seed=3)[0]
    for options in ({}, {"return_std": True}, {"return_cov": True}):
        for a, b in predictions(ours, their, at, options):
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    assert ours.alpha_.shape == their.alpha_.shape
    assert ours.sample_y(at, 5).shape == their.sample_y(at, 5).shape
    value, gradient = ours.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    expected, slopes = their.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    assert value == pytest.approx(expected, rel=1e-11)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_learns_at_least_as_well(seed):
    X, y = problem(3, n=40, seed=seed)
    kernel = C(1.0) * RBF([1.0, 1.0, 1.0]) + WhiteKernel(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = GaussianProcessRegressor(kernel, n_restarts_optimizer=2, random_state=seed).fit(X, y)
        their = Theirs(kernel, n_restarts_optimizer=2, random_state=seed).fit(X, y)
    assert ours.log_marginal_likelihood_value_ > their.log_marginal_likelihood_value_ - 1e-4
    again = ours.log_marginal_likelihood(ours.kernel_.theta)  # theta is a logarithm of an exponential: rounded
    assert ours.log_marginal_likelihood_value_ == pytest.approx(again, rel=1e-13)


@pytest.mark.parametrize(
    "kernel, columns, why",
    [
        (Matern(nu=2.0), 1, "nu=2.0"),
        (ExpSineSquared(), 2, "its distance is that of all columns"),
        (RBF() ** 0.5, 1, "the power 0.5"),
        (RBF() ** 9, 1, "the power 9"),
        (PairwiseKernel(metric="rbf"), 1, "PairwiseKernel is not a kernel of the core"),
        (RBF() + CompoundKernel([C(), C()]), 1, "CompoundKernel is not"),
        (RBF([1, 1]), 3, "2 length-scales for 3 columns"),
        (DotProduct(0.0), 1, "sigma_0 is not positive"),
        (DotProduct() * WhiteKernel(), 1, "noise times a kernel whose variance"),
    ],
    ids=str,
)
def test_what_the_core_cannot_express(kernel, columns, why):
    with pytest.raises(Untranslatable, match=why):
        translate(kernel, columns)


def test_delegates_with_a_reason():
    X, y = problem(2)
    kernel = Matern(1.0, nu=2.0)
    ours = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None)
    with pytest.warns(DelegatedWarning, match="Matern.* is left to scikit-learn: nu=2.0"):
        ours.fit(X, y)
    their = Theirs(kernel, alpha=0.01, optimizer=None).fit(X, y)
    assert same_bits(ours.predict(X, return_std=True), their.predict(X, return_std=True))
    assert "nu=2.0" in ours.delegated_
    assert same_bits(pickle.loads(pickle.dumps(ours)).predict(X), their.predict(X))
    ours.set_params(kernel=RBF()).fit(X, y)  # and back
    assert not hasattr(ours, "delegated_")


def test_subclasses_of_kernels_are_not_ours():
    class Own(RBF):
        def __call__(self, X, Y=None, eval_gradient=False):
            return 2 * super().__call__(X, Y, eval_gradient)

    with pytest.raises(Untranslatable, match="Own is not a kernel of the core"):
        translate(Own(), 1)


def test_a_failed_fit_changes_nothing():
    X, y = problem(2)
    model = GaussianProcessRegressor(RBF(), alpha=0.1).fit(X, y)
    before, at = model.predict(X), dict(model.__dict__)
    with pytest.raises(np.linalg.LinAlgError, match="is not returning a positive definite matrix"):
        model.set_params(kernel=C(1.0, "fixed") * DotProduct(), alpha=0.0, optimizer=None).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((3, 5), np.nan), y[:3])
    assert model.n_features_in_ == at["n_features_in_"]
    assert same_bits(model.predict(X), before)


@needs_signals
def test_ctrl_c_leaves_it_as_it_was():
    X, y = problem(2)
    model = GaussianProcessRegressor(RBF() + WhiteKernel(0.1)).fit(X, y)
    before, at = model.predict(X), dict(model.__dict__)
    many, values = problem(6, n=4000)
    interrupted(lambda: model.fit(many, values))
    assert model.__dict__ == at
    assert same_bits(model.predict(X), before)


def test_copies_and_files(tmp_path):
    X, y = problem(2)
    model = GaussianProcessRegressor(C(1.5) * RBF([1, 2]) + WhiteKernel(0.1)).fit(X, y)
    expected = model.predict(X, return_std=True)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model),
                  joblib.load(tmp_path / "model.joblib")):  # fmt: skip
        assert same_bits(other.predict(X, return_std=True), expected)
        assert same_bits(other.L_, model.L_)
        theta = model.kernel_.theta
        assert other.log_marginal_likelihood(theta) == model.log_marginal_likelihood(theta)
    fresh = clone(model)
    assert not hasattr(fresh, "kernel_") and not hasattr(fresh, "L_") and not hasattr(fresh, "alpha_")


def test_in_the_company_of_scikit_learn():
    X, y = problem(2, n=40)
    model = make_pipeline(StandardScaler(), GaussianProcessRegressor(RBF() + WhiteKernel(0.1)))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.5
    grid = {"gaussianprocessregressor__kernel": [RBF() + WhiteKernel(0.1), Matern() + WhiteKernel(0.1)]}
    search = GridSearchCV(model, grid, cv=3, n_jobs=2).fit(X, y)
    assert set(search.cv_results_["rank_test_score"]) == {1, 2}


def test_frames_keep_their_names():
    pandas = pytest.importorskip("pandas")
    X, y = problem(2)
    frame = pandas.DataFrame(X, columns=["depth", "time"])
    model = GaussianProcessRegressor(RBF(), alpha=0.1).fit(frame, y)
    assert list(model.feature_names_in_) == ["depth", "time"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["time", "depth"]])
    assert same_bits(model.predict(frame), GaussianProcessRegressor(RBF(), alpha=0.1).fit(X, y).predict(X))


@pytest.mark.parametrize("alpha", [0.02, np.linspace(0.01, 0.2, 25)], ids=["alike", "each"])
def test_the_gp_inside_agrees(alpha):
    X, y = problem(2)
    model = GaussianProcessRegressor(C(1.5) * RBF([1, 2]) + WhiteKernel(0.1), alpha=alpha, optimizer=None).fit(X, y)
    at = problem(2, n=6, seed=5)[0]
    mean, sd = model.predict(at, return_std=True)
    inside = model.model_.predict(at)
    np.testing.assert_allclose(inside.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(np.hypot(inside.sd, np.sqrt(0.1)), sd, rtol=1e-9)
    assert model.model_.log_marginal_likelihood == pytest.approx(model.log_marginal_likelihood_value_, rel=1e-11)


def test_it_can_be_asked_what_to_label():
    X, y = problem(2)
    learner = ActiveLearner(GaussianProcessRegressor(RBF() + WhiteKernel(0.1)), X=X[:15], y=y[:15])
    rows = learner.query(X[15:], n=2)
    learner.teach(X[15:][rows], y[15:][rows])
    assert len(set(rows)) == 2


@parametrize_with_checks([GaussianProcessRegressor()])
def test_is_an_estimator(estimator, check):
    check(estimator)


def test_scikit_learns_own_tests(tmp_path):
    """test_gpr.py of the scikit-learn that is installed, with our class in the place of theirs."""
    own = "sklearn.gaussian_process.tests.test_gpr"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "sklearn_swap", "--pyargs", own],
        cwd=tmp_path, capture_output=True, text=True, timeout=600,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-4000:]
    fits = re.search(r"fits by the core: (\d+), left to scikit-learn: (\d+)", run.stdout)
    assert int(fits[1]) > 100 and int(fits[2]) < 10
