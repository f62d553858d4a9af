"""Active learning in the usual loop: query, measure, teach."""

import pickle

import numpy as np
import pytest
from conftest import same_bits
from test_frames import Frame

import covary
from covary.sklearn import ActiveLearner


def measure(X):
    return np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]


@pytest.fixture
def pool():
    return np.random.default_rng(21).uniform(-2, 2, (60, 2))


def loop(learner, pool, rounds, label=measure):
    """The rows that were asked for, in order."""
    left, asked = np.arange(len(pool)), []
    for _ in range(rounds):
        i = learner.query(pool[left], n=2)
        learner.teach(pool[left[i]], label(pool[left[i]]))
        asked += left[i].tolist()
        left = np.delete(left, i)
    return asked


def test_a_query_is_a_suggestion(model, pool):
    learner = ActiveLearner(model, "uncertainty", seed=5)
    i = learner.query(pool, n=3)
    assert i.dtype == np.intp and np.array_equal(i, covary.suggest(model, pool, 3, "uncertainty", seed=5).indices)
    assert len(learner.suggestion.reasons) == 3


def test_teaching_without_relearning_is_conditioning(model, pool, data):
    learner = ActiveLearner(model, relearn=0)
    asked = loop(learner, pool, 3)
    told = model
    for i in np.reshape(asked, (3, 2)):
        told = told.tell(pool[i], measure(pool[i]))
    assert same_bits(learner.predict(pool).mean, told.predict(pool).mean)
    assert not np.array_equal(model.predict(pool).mean, told.predict(pool).mean)


def test_relearning_is_fitting_all_rows(data, pool):
    X, y = data
    gp = covary.GP("se()").fit(Frame({"a": X[:10, 0], "b": X[:10, 1]}), y[:10])
    learner = ActiveLearner(gp, relearn=1.2).teach(X[10:12], y[10:12])
    fitted = covary.GP("se()").fit(X[:12], y[:12])
    assert learner.estimator.features == ["a", "b"]
    assert learner.estimator.log_marginal_likelihood == fitted.log_marginal_likelihood
    kept = ActiveLearner(gp, relearn=1.5).teach(X[10:12], y[10:12]).estimator
    assert same_bits(kept.predict(X).mean, gp.tell(X[10:12], y[10:12]).predict(X).mean)


def test_it_may_begin_with_nothing_learned(pool, data):
    learner = ActiveLearner(covary.GP("matern52()"), X=data[0][:8], y=data[1][:8])
    before = np.mean((learner.predict(pool).mean - measure(pool)) ** 2)
    asked = loop(learner, pool, 8)
    assert len(set(asked)) == 16 and np.mean((learner.predict(pool).mean - measure(pool)) ** 2) < before


def test_classes(pool, data):
    def kind(X):
        return np.where(X[:, 0] > 0.3, "wet", "dry")

    learner = ActiveLearner(covary.Classifier(), random_share=0.2, X=data[0][:10], y=kind(data[0][:10]))
    before = np.mean(learner.predict(pool) == kind(pool))
    asked = loop(learner, pool, 8, kind)
    assert np.mean(learner.predict(pool) == kind(pool)) > before
    rows = np.vstack([data[0][:10], pool[asked]])
    all_at_once = covary.Classifier(learner.estimator.kernel_).fit(rows, kind(rows))
    np.testing.assert_allclose(learner.estimator.decision(pool), all_at_once.decision(pool), atol=1e-5)


def test_an_estimator_around_a_gp_is_fitted_again(pool, data):
    class Wrapped:
        """As estimators of scikit-learn are: what was learned ends in _."""

        def fit(self, X, y):
            self.model_ = covary.GP("1.5 * se(lengthscale=[0.8, 2])", noise=0.01).fit(X, y)
            return self

    learner = ActiveLearner(Wrapped())
    learner.teach(*data).teach(pool[:3], measure(pool[:3]))
    assert len(learner.estimator.model_._learned().y) == 43
    plain = covary.suggest(learner.estimator.model_, pool, 2)
    assert np.array_equal(learner.query(pool, 2), plain.indices)


def test_the_loop_is_the_same_again_and_survives_a_pickle(model, pool):
    a, b = (ActiveLearner(model, "density", random_share=0.5, seed=3) for _ in range(2))
    loop(a, pool, 2), loop(b, pool, 2)
    again = pickle.loads(pickle.dumps(b))
    assert loop(a, pool, 2) == loop(again, pool, 2)
    assert a.queries == 4


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda m, X: ActiveLearner(covary.GP()).query(X), "has not learned yet"),
        (lambda m, X: ActiveLearner("gp").query(X), "expected a GP or a Classifier, .* found str"),
        (lambda m, X: ActiveLearner(m, relearn=0.5), "relearn: expected a factor of 1 or more, or 0, found 0.5"),
        (lambda m, X: ActiveLearner(m, "unsure").query(X), "unsure"),
        (lambda m, X: ActiveLearner(m).query(X, 61), "61 candidates were asked for, 60 are left"),
        (lambda m, X: ActiveLearner(m).teach(X, [1.0]), "60 rows of X and 1 observations"),
    ],
)
def test_mistakes(act, message, model, pool):
    with pytest.raises(ValueError, match=message):
        act(model, pool)
