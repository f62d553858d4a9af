"""What to measure next: pools of candidates, for numbers and for classes."""

import json
import pickle

import numpy as np
import pytest
from conftest import interrupted, needs_signals, same_bits
from test_command import read_csv, write_csv
from test_frames import Frame

import covary

FOR_NUMBERS = [s["name"] for s in covary.strategies() if s["for"] != "classes"]
FOR_CLASSES = [s["name"] for s in covary.strategies() if s["pool"] and s["for"] != "numbers"]


@pytest.fixture(scope="module")
def pool():
    return np.random.default_rng(11).uniform(-3, 3, (80, 2))


@pytest.fixture(scope="module")
def learned(data):
    return covary.GP("matern52()").fit(*data)


@pytest.fixture(scope="module")
def classifier(data):
    return covary.Classifier().fit(data[0], np.where(data[0][:, 0] > 0, "wet", "dry"))


@pytest.fixture(scope="module")
def three(data):
    return covary.Classifier().fit(data[0], np.digitize(data[0][:, 0], [-0.7, 0.7]))


@pytest.mark.parametrize("strategy", FOR_NUMBERS)
def test_every_strategy_suggests_distinct_candidates(strategy, learned, pool):
    s = covary.suggest(learned, pool, 4, strategy)
    assert len(set(s.indices)) == len(s) == 4 and s.indices.dtype == np.intp
    assert (s.scores >= 0).all() and all(s.reasons) and s.open == [80, 79, 78, 77]
    np.testing.assert_allclose(s.sd, learned.predict(pool[s.indices]).sd, rtol=1e-6)
    again = covary.suggest(learned, pool, 4, strategy)
    assert np.array_equal(s.indices, again.indices) and same_bits(s.scores, again.scores)


@pytest.mark.parametrize("strategy", FOR_CLASSES)
@pytest.mark.parametrize("which", ["classifier", "three"])
def test_every_strategy_for_classes_does_too(strategy, which, request, pool):
    s = covary.suggest(request.getfixturevalue(which), pool, 3, strategy)
    assert len(set(s.indices)) == 3 and (s.scores >= 0).all() and s.sd is None


def test_the_first_by_uncertainty_is_where_sd_is_largest(learned, pool):
    sd = learned.predict(pool).sd
    s = covary.suggest(learned, pool, 1, "uncertainty")
    assert s.indices[0] == np.argmax(sd)
    np.testing.assert_allclose(s.scores[0], sd.max() ** 2, rtol=1e-6)


def test_the_next_by_margin_is_nearest_to_the_separator(classifier, pool):
    f = np.abs(classifier.decision(pool)[:, 0])
    s = covary.suggest(classifier, pool, 1)
    assert s.indices[0] == np.argmin(f)
    np.testing.assert_allclose(s.scores[0], 1 / (1 + f.min()), rtol=1e-4)


# One machine. Twenty questions, each the nearest to the separator of the classifier that the user has.
@pytest.mark.parametrize("penalty", [0.1, 10, np.inf])
@pytest.mark.parametrize("kernel", ["linear(lengthscale=1)", "se(lengthscale=0.5)"])
@pytest.mark.parametrize("strategy", ["svm-margin", None])
def test_every_question_is_the_nearest_to_the_users_separator(penalty, kernel, strategy):
    X = np.linspace(0, 1, 1000)[:, None]
    y = np.where(X[:, 0] >= 0.6180339887, "right", "left")
    known = covary.Classifier(kernel, penalty).fit(X[[0, 999]], y[[0, 999]])
    asked = covary.Pool(known, X, strategy)
    told = []
    for _ in range(20):
        i = asked.suggest().indices
        f = np.abs(known.decision(X)[:, 0])
        f[told] = np.inf
        assert f[i[0]] <= f.min() + 1e-7
        told.append(i[0])
        asked.tell(i, y[i])
        known = known.tell(X[i], y[i])
    if penalty == np.inf and kernel.startswith("linear"):
        assert (known.predict(X) == y).all()


def test_costs_divide_scores(learned, pool):
    plain = covary.Pool(learned, pool)
    plain.suggest()
    costs = np.linspace(1, 9, 80)
    assert covary.suggest(learned, pool, 1, costs=costs).indices[0] == np.argmax(plain.scores / costs)


def test_what_is_told_is_what_conditioning_gives(learned, pool):
    asked = covary.Pool(learned, pool)
    s = asked.suggest(5)
    y = np.sin(pool[s.indices, 0])
    asked.tell(s.indices, y)
    told = learned.tell(pool[s.indices], y).predict(pool)
    np.testing.assert_allclose(asked.mean, told.mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(asked.sd, told.sd, rtol=1e-4, atol=1e-7)
    assert asked.open == len(asked) - 5 == 75


def test_pending_ones_count_for_the_sd_and_not_for_the_mean(learned, pool):
    asked = covary.Pool(learned, pool)
    mean, sd = asked.mean, asked.sd
    s = asked.suggest(3)
    np.testing.assert_allclose(asked.mean, mean, rtol=1e-9)
    assert (asked.sd[s.indices] < sd[s.indices]).all()


def test_replace_is_another_kernel_for_the_same_labels(learned, pool, data):
    other = covary.GP("0.7 * se(lengthscale=1)", noise=0.02).fit(*data)
    asked = covary.Pool(learned, pool)
    asked.tell([3, 4], [0.5, 0.6])
    asked.replace(other)
    np.testing.assert_allclose(asked.mean, other.tell(pool[[3, 4]], [0.5, 0.6]).predict(pool).mean, rtol=1e-6)


def test_a_pool_comes_back_from_a_pickle_and_goes_on_the_same(learned, pool):
    asked = covary.Pool(learned, pool, "density", random_share=0.5, seed=4)
    asked.tell(asked.suggest(3).indices, [1.0, 2.0, 3.0])
    again = pickle.loads(pickle.dumps(asked))
    assert np.array_equal(asked.suggest(6).indices, again.suggest(6).indices)
    assert same_bits(asked.mean, again.mean)


def test_what_the_caller_does_to_his_arrays_later_does_no_harm(learned, pool):
    mine, which = np.asfortranarray(pool), np.array([5, 6])
    asked = covary.Pool(learned, mine)
    asked.tell(which, [0.5, 0.7])
    mine[:], which[:] = 0, 0
    assert same_bits(pickle.loads(pickle.dumps(asked)).mean, asked.mean)


@needs_signals
def test_ctrl_c_leaves_a_pool_as_it_was(learned):
    big = np.random.default_rng(2).uniform(-3, 3, (8000, 2))
    asked = covary.Pool(learned, big, "variance-reduction")
    interrupted(lambda: asked.suggest(600), 0.3)
    assert asked.open == 8000
    assert np.array_equal(asked.suggest(2).indices, covary.Pool(learned, big).suggest(2).indices)


def test_by_chance_has_known_probabilities(learned, pool):
    s = covary.suggest(learned, pool, 40, "uncertainty", random_share=1.0, seed=2)
    assert all(s.by_chance) and s.reasons[0] == "by chance"
    np.testing.assert_allclose(s.probabilities, 1 / np.array(s.open), rtol=1e-12)


def test_what_leans_is_said(data):
    X, y = data
    right = covary.GP("matern52()").fit(X[X[:, 0] > 0.5], y[X[:, 0] > 0.5])
    notes = covary.suggest(right, np.column_stack([np.linspace(-4, 1, 60), np.zeros(60)]), 1).notes
    assert any("biased towards large x1" in n for n in notes)


@pytest.fixture
def files(tmp_path, data, pool, command):
    write_csv(tmp_path / "data.csv", ["x1", "x2", "y"], [*data[0].T, data[1]])
    write_csv(tmp_path / "pool.csv", ["x1", "x2", "euros"], [*pool.T, 1 + np.arange(80) % 3])
    command("fit", tmp_path / "data.csv", "--target", "y", "-o", tmp_path / "model.json")
    return tmp_path


@pytest.mark.parametrize("strategy", FOR_NUMBERS)
@pytest.mark.parametrize("typed, asked", [([], {}), (["--cost", "euros", "--random", 0.4], {"random_share": 0.4})])
def test_the_command_chooses_the_same(strategy, typed, asked, files, command, learned, pool):
    asked = asked | ({"costs": 1 + np.arange(80) % 3} if typed else {})
    options = ["-n", 5, "--strategy", strategy, "--seed", 3, *typed, "--json"]
    theirs = json.loads(command("suggest", files / "model.json", files / "pool.csv", *options))
    ours = covary.suggest(learned, pool, 5, strategy, seed=3, **asked)
    assert [t["row"] - 1 for t in theirs] == ours.indices.tolist()
    assert same_bits(ours.scores, [t["score"] for t in theirs]) and same_bits(ours.sd, [t["sd"] for t in theirs])
    assert [t["reason"] for t in theirs] == ours.reasons


def test_suggest_and_tell_in_turn_are_the_command_s(files, command, learned, pool):
    gp, file = learned, files / "model.json"
    for _ in range(2):
        row = int(read_csv_first(command("suggest", file, files / "pool.csv"))["row"])
        i = covary.suggest(gp, pool).indices
        assert row - 1 == i[0]
        write_csv(files / "one.csv", ["x1", "x2", "y"], [*pool[i].T, pool[i, 0]])
        command("tell", file, files / "one.csv")
        gp = gp.tell(pool[i], pool[i, 0])
    theirs = read_csv(command("predict", file, files / "pool.csv"))
    assert same_bits(gp.predict(pool).mean, theirs["mean"])


def read_csv_first(text):
    head, first = text.splitlines()[:2]
    return dict(zip(head.split(","), first.split(",")))


def test_strategies_are_the_command_s(command):
    assert json.loads(command("strategies", "--json")) == covary.strategies()


def test_frames_go_by_name(data, pool):
    X, y = data
    gp = covary.GP("se(lengthscale=[1, 2])", noise=0.01).fit(Frame({"a": X[:, 0], "b": X[:, 1]}), y)
    swapped = Frame({"b": pool[:, 1], "a": pool[:, 0]})
    assert covary.suggest(gp, swapped).indices == covary.suggest(gp, pool).indices


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda m, c, X: covary.suggest(m, X, 1, "uncertanty"), "did you mean 'uncertainty'"),
        (lambda m, c, X: covary.suggest(m, X, 1, "svm-margin"), "for classes, not for numbers"),
        (lambda m, c, X: covary.suggest(m, X, 81), "81 candidates were asked for, the pool has 80"),
        (lambda m, c, X: covary.suggest(m, X, 0), "1 candidate or more, found 0"),
        (lambda m, c, X: covary.suggest(m, X[:, :1]), "expected 2 columns, as the model has, found 1"),
        (lambda m, c, X: covary.suggest(c, X[:, :1]), "expected 2 columns, as the model has, found 1"),
        (lambda m, c, X: covary.suggest(m, X, costs=np.zeros(80)), "must be positive, found 0"),
        (lambda m, c, X: covary.suggest(m, X, costs=[1.0]), "costs: 1 for 80 candidates"),
        (lambda m, c, X: covary.suggest(m, X, random_share=2), "from 0 to 1, found 2"),
        (lambda m, c, X: covary.suggest(covary.GP(), X), "has not learned yet"),
        (lambda m, c, X: covary.suggest("model.json", X), "expected a GP or a Classifier that has learned, found str"),
        (lambda m, c, X: covary.suggest(m, X * np.nan), "finite"),
        (lambda m, c, X: covary.suggest(m, X.astype(str)), r"X_pool\[0, 0\] holds text"),
        (lambda m, c, X: covary.suggest(m, X[:0]), "X_pool: expected 1 row or more, found 0"),
        (lambda m, c, X: covary.suggest(m, X[None]), "X_pool: expected rows and columns, found shape"),
        (lambda m, c, X: covary.Pool(m, X).tell([80], [1.0]), "expected a candidate from 0 to 79, found 80"),
        (lambda m, c, X: covary.Pool(m, X).tell([1, 2], [1.0]), "2 indices and 1 labels"),
        (lambda m, c, X: covary.Pool(m, X).tell([1], [np.nan]), r"labels\[0\]: expected a finite number, found nan"),
        (lambda m, c, X: covary.Pool(c, X).tell([1], ["damp"]), "expected one of the classes dry, wet, found 'damp'"),
        (lambda m, c, X: covary.Pool(c, X).mean, "this pool has classes, not numbers"),
        (lambda m, c, X: covary.Pool(c, X).replace(m), "classes"),
        (
            lambda m, c, X: covary.Pool(c, X, "svm-margin(penalty=inf)"),
            r"the Classifier has penalty 10, and the strategy looks at that one: give Classifier\(penalty=inf\)",
        ),
        (lambda m, c, X: covary.suggest(m, X, 1, "ei"), "there is no strategy 'ei'.*random, .*svm-margin"),
    ],
)
def test_mistakes(act, message, learned, classifier, pool):
    with pytest.raises(ValueError, match=message):
        act(learned, classifier, pool)


def test_a_mistake_leaves_a_pool_as_it_was(learned, pool):
    asked = covary.Pool(learned, pool)
    mean = asked.mean
    with pytest.raises(ValueError):
        asked.tell([1, 2], [0.5, np.nan])
    assert same_bits(asked.mean, mean) and asked.open == 80
