"""Classes told apart by support vector machines."""

import copy
import pickle

import numpy as np
import pytest
from conftest import same_bits
from test_frames import Frame

import covary


@pytest.fixture(scope="module")
def labels(data):
    return np.where(data[0][:, 0] + 0.3 * data[0][:, 1] > 0, "wet", "dry")


@pytest.fixture(scope="module")
def learned(data, labels):
    return covary.Classifier().fit(data[0], labels)


def test_labels_of_any_type_come_back(data, labels, learned):
    assert learned.classes.tolist() == ["dry", "wet"]
    assert (learned.predict(data[0]) == labels).mean() > 0.95
    numbers = covary.Classifier().fit(data[0], np.where(labels == "wet", 7, -2))
    assert np.array_equal(numbers.predict(data[0]) == 7, learned.predict(data[0]) == "wet")


def test_the_largest_decision_wins(data, learned, grid):
    f = learned.decision(grid)
    assert same_bits(f[:, 0], -f[:, 1])
    assert np.array_equal(learned.predict(grid), learned.classes[np.argmax(f, axis=1)])
    three = covary.Classifier().fit(data[0], np.digitize(data[0][:, 0], [-0.7, 0.7]))
    assert three.decision(grid).shape == (25, 3)
    assert np.array_equal(three.predict(grid), np.argmax(three.decision(grid), axis=1))


def test_it_is_the_machine_of_scikit_learn(data, labels, grid):
    svm = pytest.importorskip("sklearn.svm")
    kernel = covary.se(lengthscale=0.8)
    ours = covary.Classifier(kernel, penalty=3).fit(data[0], labels)
    theirs = svm.SVC(C=3, kernel="rbf", gamma=1 / (2 * 0.8**2), tol=1e-8).fit(data[0], labels)
    np.testing.assert_allclose(ours.decision(grid)[:, 1], theirs.decision_function(grid), atol=1e-5)


def test_telling_is_learning_from_all(data, labels, grid):
    kernel = covary.se(lengthscale=0.8)
    all_at_once = covary.Classifier(kernel).fit(data[0], labels)
    first = covary.Classifier(kernel).fit(data[0][:20], labels[:20])
    before = first.decision(grid)
    told = first.tell(data[0][20:], labels[20:])
    np.testing.assert_allclose(told.decision(grid), all_at_once.decision(grid), atol=1e-5)
    assert same_bits(first.decision(grid), before)


def test_classes_may_come_late(data, labels, grid):
    some = covary.Classifier().fit(data[0], labels, classes=["dry", "ice", "wet"])
    assert some.classes.tolist() == ["dry", "ice", "wet"] and "ice" not in some.predict(grid)
    assert any("class" in n for n in some.notes)


def test_what_the_kernel_leaves_open_follows_the_columns(data, labels, learned, grid):
    wide = covary.Classifier().fit(data[0] * 1000, labels)
    np.testing.assert_allclose(wide.decision(grid * 1000), learned.decision(grid), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_it_comes_back(way, learned, grid):
    again = way(learned)
    assert repr(again) == repr(learned) and same_bits(again.decision(grid), learned.decision(grid))
    assert not way(covary.Classifier("matern52()", 2)).fitted


# A Classifier can be saved.
@pytest.mark.parametrize("penalty", [0.5, 10.0, np.inf])
@pytest.mark.parametrize("kind", [str, int, float, bool])
def test_a_file_gives_it_back(penalty, kind, data, labels, grid, tmp_path):
    y = {str: labels, int: np.where(labels == "wet", 7, -2), float: np.where(labels == "wet", 0.5, 2.5)}.get(
        kind, labels == "wet"
    )
    before = covary.Classifier("se()", penalty).fit(data[0], y)
    before.save(tmp_path / "c.json")
    for after in (covary.Classifier.load(tmp_path / "c.json"), covary.load(tmp_path / "c.json")):
        assert repr(after) == repr(before) and after.penalty == penalty and after.fitted
        assert after.classes.dtype == before.classes.dtype and np.array_equal(after.classes, before.classes)
        assert same_bits(after.decision(grid), before.decision(grid))
        assert str(after.kernel_) == str(before.kernel_) and after.features == before.features
    more = after.tell(grid[:3], y[:3])
    np.testing.assert_allclose(more.decision(grid), before.tell(grid[:3], y[:3]).decision(grid), atol=1e-5)
    again = pickle.loads(pickle.dumps(after))
    assert same_bits(again.decision(grid), before.decision(grid))


def test_what_a_classifier_file_is_not(data, labels, learned, tmp_path, model, command):
    with pytest.raises(ValueError, match="has not learned yet"):
        covary.Classifier().save(tmp_path / "c.json")
    learned.save(tmp_path / "c.json")
    text = (tmp_path / "c.json").read_text()
    (tmp_path / "bad.json").write_text(text.replace('"wet"', '"wat"'))
    with pytest.raises(ValueError, match="checksum does not match"):
        covary.load(tmp_path / "bad.json")
    model.save(tmp_path / "gp.json")
    with pytest.raises(ValueError, match="is a model of numbers, expected a Covary classifier"):
        covary.Classifier.load(tmp_path / "gp.json")
    with pytest.raises(ValueError, match="no such file"):
        covary.Classifier.load(tmp_path / "none.json")
    days = covary.Classifier().fit(data[0], np.where(labels == "wet", np.datetime64("2020-01-01"), np.datetime64("2021-01-01")))
    with pytest.raises(ValueError, match="words, numbers and truth values, found date"):
        days.save(tmp_path / "days.json")


def test_frames_go_by_name(data, labels, grid, learned):
    named = covary.Classifier().fit(Frame({"a": data[0][:, 0], "b": data[0][:, 1]}), labels)
    swapped = Frame({"b": grid[:, 1], "a": grid[:, 0]})
    assert named.features == ["a", "b"] and same_bits(named.decision(swapped), learned.decision(grid))


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda c, X, y: covary.Classifier("se("), "expected"),
        (lambda c, X, y: covary.Classifier("se(lengthscal=1)"), "did you mean 'lengthscale'"),
        (lambda c, X, y: covary.Classifier(penalty=-1).fit(X, y), "penalty"),
        (lambda c, X, y: covary.Classifier().fit(X, y[:3]), "40 rows of X and 3 labels"),
        (lambda c, X, y: covary.Classifier().fit(X, np.full(40, np.nan)), r"y\[0\]: expected a label, found nan"),
        (lambda c, X, y: covary.Classifier().fit(X, np.zeros((40, 2))), "one label for each row"),
        (lambda c, X, y: covary.Classifier().fit(X * np.nan, y), "finite"),
        (lambda c, X, y: covary.Classifier().fit(X.astype(str), y), r"X\[0, 0\] holds text"),
        (lambda c, X, y: covary.Classifier().fit(X, np.array(["a", 1] * 20, object)), "expected labels of one type"),
        (lambda c, X, y: covary.Classifier().fit(X[:0], y[:0]), "X: expected 1 row or more, found 0"),
        (lambda c, X, y: covary.Classifier().predict(X), "has not learned yet"),
        (lambda c, X, y: c.predict(X[:, :1]), "expected 2 columns, as the model has, found 1"),
        (lambda c, X, y: c.tell(X[:1], ["damp"]), "expected one of the classes dry, wet, found 'damp'"),
        (lambda c, X, y: c.tell(X[:, :1], y), "expected 2 columns"),
    ],
)
def test_mistakes(act, message, learned, data, labels):
    with pytest.raises(ValueError, match=message):
        act(learned, data[0], labels)
