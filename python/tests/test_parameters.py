"""Before and around learning: what hasattr says, arguments by name, scores, and scikit-learn's clone."""

import numpy as np
import pytest

import covary

X = np.random.default_rng(1).uniform(-2, 2, (40, 2))
Y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * np.random.default_rng(2).standard_normal(40)
MODELS = {
    "GP": lambda: covary.GP("se(lengthscale=1)", noise=0.1, seed=3),
    "LeastSquares": lambda: covary.LeastSquares("x1, x2"),
    "Ridge": lambda: covary.Ridge(2.0, intercept=False),
    "BayesianLinear": lambda: covary.BayesianLinear(0.5, noise=0.1),
    "KernelRidge": lambda: covary.KernelRidge("fixed(se(lengthscale=1))", 0.1),
    "Classifier": lambda: covary.Classifier("se(lengthscale=1)", 5.0),
}
LEARNED = ["log_marginal_likelihood", "features", "target", "parameters", "notes", "summary", "kernel_", "trend"]
LEARNED += ["noise_variance", "coefficients", "residual_sd", "freedom", "penalty_", "prior_sd_", "classes"]


def observations(kind):
    return np.where(Y > 0, "up", "down") if kind == "Classifier" else Y


# Issue 16: attributes of an unfitted model raise what hasattr understands.
@pytest.mark.parametrize("kind", MODELS)
def test_attributes_that_come_with_learning_are_not_there_before(kind):
    model = MODELS[kind]()
    learned = [name for name in LEARNED if hasattr(type(model), name)]
    assert learned and not any(hasattr(model, name) for name in learned)
    for name in learned:
        with pytest.raises(covary.NotFittedError, match=rf"this {kind} has not learned yet: call fit\(X, y\) first"):
            getattr(model, name)
    model.fit(X, observations(kind))
    assert all(hasattr(model, name) for name in learned)


@pytest.mark.parametrize("act", ["predict", "check", "save", "suggest"])
def test_the_error_is_both_what_scikit_learn_s_is(act, tmp_path):
    acts = {
        "predict": lambda m: m.predict(X),
        "check": lambda m: m.check(),
        "save": lambda m: m.save(tmp_path / "a.json"),
        "suggest": lambda m: covary.suggest(m, X),
    }
    for error in (ValueError, AttributeError, covary.NotFittedError):
        with pytest.raises(error, match="has not learned yet"):
            acts[act](covary.GP())


# Native models have get_params and score.
@pytest.mark.parametrize("kind", MODELS)
def test_arguments_come_back_by_name(kind):
    model = MODELS[kind]()
    asked = model.get_params()
    assert type(model)(**asked).get_params() == asked
    assert model.set_params(threads=1) is model and model.threads == 1
    with pytest.raises(ValueError, match=rf"set_params: {kind} has no argument 'thread', did you mean 'threads'\? \(it has"):
        model.set_params(thread=1)


def test_what_the_constructor_refuses_set_params_refuses_and_nothing_changes():
    model = covary.GP("se()", noise=0.1)
    with pytest.raises(ValueError, match="expected 'learn' or a variance"):
        model.set_params(seed=5, noise="loud")
    with pytest.raises(ValueError, match="no kernel is named 'sse'"):
        model.set_params(kernel="sse()")
    assert (model.seed, model.noise, model.kernel) == (1, 0.1, "se()")


@pytest.mark.parametrize("kind", MODELS)
def test_scores_are_scikit_learn_s(kind):
    metrics = pytest.importorskip("sklearn.metrics")
    model, y = MODELS[kind]().fit(X[:30], observations(kind)[:30]), observations(kind)[30:]
    found = model.score(X[30:], y)
    if kind == "Classifier":
        assert found == metrics.accuracy_score(y, model.predict(X[30:]))
    else:
        assert found == pytest.approx(metrics.r2_score(y, model.predict(X[30:]).mean), rel=1e-12)


def test_scores_of_a_constant_and_of_one_row():
    model = covary.LeastSquares(undetermined="smallest").fit([0.0, 1.0, 2.0], [1.0, 1.0, 1.0])
    assert model.score([0.0, 1.0], [5.0, 5.0]) == 0 and np.isnan(model.score([1.0], [1.0]))
    big = covary.LeastSquares().fit([0.0, 1.0, 2.0], [1e200, 2e200, 3.5e200])
    assert 0.9 < big.score([0.0, 1.0, 2.0], [1e200, 2e200, 3.5e200]) < 1
    with pytest.raises(ValueError, match="score: expected 2 observations, found 3"):
        model.score([0.0, 1.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"y\[1\]: expected a finite number"):
        model.score([0.0, 1.0], [1.0, np.nan])


@pytest.mark.parametrize("kind", MODELS)
def test_scikit_learn_clones_and_crosses_them(kind):
    base = pytest.importorskip("sklearn.base")
    from sklearn.model_selection import GridSearchCV, cross_val_score

    model = MODELS[kind]().fit(X, observations(kind))
    copy = base.clone(model)
    assert not copy.fitted and copy.get_params().keys() == model.get_params().keys()
    assert str(copy.get_params()) == str(model.get_params())
    assert base.is_classifier(model) == (kind == "Classifier") != base.is_regressor(model)
    scores = cross_val_score(model, X, observations(kind), cv=4)
    assert scores.shape == (4,) and scores.mean() > 0.5
    best = GridSearchCV(model, {"threads": [1, 2]}, cv=2).fit(X, observations(kind)).best_params_
    assert set(best) == {"threads"}
