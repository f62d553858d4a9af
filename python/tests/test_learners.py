"""ActiveLearner: estimators of scikit-learn as they are."""

import numpy as np
import pytest

import covary

sklearn = pytest.importorskip("sklearn")


@pytest.fixture
def pool():
    x = np.random.default_rng(3).uniform(-3, 3, (200, 2))
    return x, np.where(x[:, 0] + 0.5 * x[:, 1] > 0, "up", "down")


def logistic():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression()


@pytest.mark.parametrize("strategy", ["least-confident", "margin", "entropy"])
def test_classes(pool, strategy):
    x, y = pool
    learner = covary.ActiveLearner(logistic(), x, strategy)
    for _ in range(30):
        ask = learner.suggest()
        learner.tell(ask.indices, y[ask.indices])
    assert learner.open == 170
    assert np.mean(learner.estimator.predict(x) == y) > 0.95
    p = learner.estimator.predict_proba(x)
    order = np.argsort(np.abs(p[:, 0] - 0.5))  # of two classes all three ask for the least certain
    rest = [i for i in order if i not in learner._labels]
    assert abs(p[learner.suggest().indices[0], 0] - 0.5) == pytest.approx(abs(p[rest[0], 0] - 0.5))


def test_formulas(pool):
    class Given:
        p = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])

        def fit(self, X, y):
            pass

        def predict_proba(self, X):
            return self.p

    def scores(strategy):
        return covary.ActiveLearner(Given(), np.eye(3), strategy, X=np.eye(3)[:2], y=["a", "b"]).scores()

    assert scores("least-confident") == pytest.approx([0.5, 0, 2 / 3])
    assert scores("margin") == pytest.approx([0.8, 0, 1])
    assert scores("entropy") == pytest.approx([-0.2 * np.log(0.2) - 0.5 * np.log(0.5) - 0.3 * np.log(0.3), 0, np.log(3)])


def test_numbers(pool):
    from sklearn.gaussian_process import GaussianProcessRegressor

    x, _ = pool
    learner = covary.ActiveLearner(GaussianProcessRegressor(optimizer=None), x, X=x[:3], y=x[:3, 0])
    expected = learner.estimator.predict(x, return_std=True)[1]
    assert learner.scores() == pytest.approx(expected)
    ask = learner.suggest(3)
    assert set(ask.scores) == set(np.sort(expected)[-3:])


def test_a_function_of_the_estimator(pool):
    x, y = pool
    learner = covary.ActiveLearner(logistic(), x, lambda e, rows: rows[:, 1] + 10, X=x[:20], y=y[:20])
    assert learner.suggest().indices[0] == np.argmax(x[:, 1])


def test_by_chance_until_there_are_two_classes(pool):
    x, y = pool
    learner, same = (covary.ActiveLearner(logistic(), x, seed=4) for _ in range(2))
    ask = learner.suggest(5)
    assert ask.by_chance == [True] * 5 and len(set(ask.indices)) == 5
    assert (ask.indices == same.suggest(5).indices).all()
    learner.tell(ask.indices, ["up"] * 5)
    assert not learner.fitted and learner.suggest().by_chance == [True]


def test_what_is_wrong_is_named(pool):
    from sklearn.svm import SVR

    x, y = pool
    with pytest.raises(ValueError, match="expected one of least-confident"):
        covary.ActiveLearner(logistic(), x, "entropi")
    with pytest.raises(ValueError, match="entropy needs predict_proba, SVR"):
        covary.ActiveLearner(SVR(), x, "entropy")
    with pytest.raises(ValueError, match="return_std=True"):
        covary.ActiveLearner(SVR(), x, X=x[:4], y=x[:4, 0]).suggest()
    with pytest.raises(ValueError, match="200 are left"):
        covary.ActiveLearner(logistic(), x).suggest(201)
    with pytest.raises(ValueError, match="found 200"):
        covary.ActiveLearner(logistic(), x).tell([200], ["up"])

    def half(estimator, rows):
        return rows[:5, 0]

    with pytest.raises(ValueError, match="'half': expected a score for each of 200 rows"):
        covary.ActiveLearner(logistic(), x, half, X=x[:20], y=y[:20]).suggest()
