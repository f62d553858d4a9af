"""Streams, risk and stopping."""

import threading

import numpy as np
import pytest
from conftest import interrupted, needs_signals, same_bits

import covary


@pytest.fixture(scope="module")
def passing():
    return np.random.default_rng(12).uniform(-3, 3, (400, 2))


@pytest.fixture(scope="module")
def classifier(data):
    return covary.Classifier().fit(data[0], np.where(data[0][:, 0] > 0, "wet", "dry"))


def measure(x):
    return float(np.sin(2 * x[0]) + 0.5 * x[1])


def one_at_a_time(stream, X, label):
    asked = []
    for i, x in enumerate(X):
        if stream.offer(x).ask:
            stream.tell(label(i))
            asked.append(i)
    return asked


@pytest.mark.parametrize("random_share", [0.0, 0.5])
def test_many_at_once_are_the_same_as_one_at_a_time(model, passing, random_share):
    ask = {"budget": 40, "length": 400, "memory": 60, "random_share": random_share}
    a, b = covary.Stream(model, **ask), covary.Stream(model, **ask)
    asked = a.offer_many(passing, lambda i: measure(passing[i]))
    assert asked.tolist() == one_at_a_time(b, passing, lambda i: measure(passing[i]))
    assert a.summary == b.summary and a.summary["asked"] == 40 and a.summary["kept"] == 60
    assert same_bits(a.predict(passing).mean, b.predict(passing).mean)


def test_what_is_kept_is_a_model(model, passing, data):
    stream = covary.Stream(model, budget=20, length=400)
    asked = stream.offer_many(passing, lambda i: measure(passing[i]))
    told = model.tell(passing[asked], [measure(passing[i]) for i in asked])
    np.testing.assert_allclose(stream.model.predict(data[0]).mean, told.predict(data[0]).mean, rtol=1e-7, atol=1e-9)
    assert "60 kept" in repr(stream) and stream.model.features == model.features


def test_a_point_of_one_column_may_be_a_number():
    x = np.linspace(0, 3, 9)
    stream = covary.Stream(covary.GP("se(lengthscale=1)", noise=0.1).fit(x, x), budget=3, length=9)
    assert stream.offer(0.5).ask
    stream.tell(0.4)
    assert stream.offer([0.7]).ask


def test_scores_are_the_sd(model, passing):
    offer = covary.Stream(model, budget=5, length=400, start=0).offer(passing[0])
    np.testing.assert_allclose(offer.score, model.predict(passing[:1]).sd[0], rtol=1e-6)
    assert offer.reason and offer.ask in (True, False)


def test_classes(classifier, passing):
    stream = covary.Stream(classifier, budget=40, length=400, random_share=0.1)

    def label(i):
        return "wet" if passing[i, 0] > 0 else "dry"

    assert len(stream.offer_many(passing, label)) == 40
    assert np.mean(stream.predict(passing) == np.where(passing[:, 0] > 0, "wet", "dry")) > 0.95
    other = covary.Stream(classifier, budget=40, length=400, random_share=0.1)
    one_at_a_time(other, passing, label)
    assert other.summary == stream.summary


def test_a_label_that_is_no_number(model, passing):
    stream = covary.Stream(model, budget=5, length=9)
    assert stream.offer(passing[0]).ask
    with pytest.raises(ValueError, match="label: expected a number, found 'wet'"):
        stream.tell("wet")
    with pytest.raises(ValueError, match="number|finite"):
        stream.tell(np.nan)


def test_a_stream_of_classes_is_no_gp(classifier):
    with pytest.raises(ValueError, match="this stream has classes"):
        _ = covary.Stream(classifier, budget=5, length=9).model


def test_what_label_raises_ends_it_and_the_label_can_be_told(model, passing):
    stream = covary.Stream(model, budget=20, length=400)

    def broken(i):
        raise KeyError("the instrument is off")

    with pytest.raises(KeyError, match="instrument"):
        stream.offer_many(passing, broken)
    with pytest.raises(ValueError, match="tell"):
        stream.offer(passing[1])
    stream.tell(1.0)
    assert stream.offer(passing[1]).ask


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda m, X: covary.Stream(m, budget=5), "length|rate"),
        (lambda m, X: covary.Stream(m, budget=-1, length=5), "budget"),
        (lambda m, X: covary.Stream(m, budget=5, length=9, forget="newest"), "expected 'redundant' or 'oldest'"),
        (lambda m, X: covary.Stream("gp", budget=5, length=9), "expected a GP or a Classifier"),
        (lambda m, X: covary.Stream(covary.GP(), budget=5, length=9), "has not learned yet"),
        (
            lambda m, X: covary.Stream(m, budget=5, length=9).offer(X[0, :1]),
            "expected 2 columns, as the model has, found 1",
        ),
        (lambda m, X: covary.Stream(m, budget=5, length=9).offer(X[:2]), "one point"),
        (lambda m, X: covary.Stream(m, budget=5, length=9).tell(1.0), "no point was asked for"),
        (lambda m, X: covary.Stream(m, budget=5, length=9, random_share=3), "0 to 1"),
    ],
)
def test_mistakes(act, message, model, passing):
    with pytest.raises(ValueError, match=message):
        act(model, passing)


def test_a_memory_that_is_too_small_is_refused(model):
    with pytest.raises(MemoryError, match="40"):
        covary.Stream(model, budget=5, length=9, memory=5)


def test_risk_by_chance_is_the_mean():
    loss = np.random.default_rng(1).normal(size=200) ** 2
    r = covary.risk(loss, 1 / np.arange(300, 100, -1), np.arange(300, 100, -1))
    assert r.corrected == pytest.approx(loss.mean(), rel=1e-12) == r.naive
    assert r.lower < r.corrected < r.upper and r.effective == pytest.approx(200) and str(r) == r.text


def test_risk_is_corrected_for_how_labels_were_chosen():
    rng = np.random.default_rng(4)
    hard = rng.random(4000) < 0.2
    probability = np.where(hard, 4.0, 0.25) / np.sum(np.where(hard, 4.0, 0.25))
    chosen = rng.choice(4000, 2000, p=probability)
    r = covary.risk(hard[chosen].astype(float), probability[chosen], np.full(2000, 4000))
    assert r.naive > 0.6 and r.lower < hard.mean() < r.upper


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([1.0, 2.0], [0.1], [10, 10]), "2 losses, 1 probabilities and 2 numbers"),
        (([-1.0, 2.0], [0.1, 0.1], [10, 10]), "must not be negative, found -1"),
        (([1.0, 2.0], [2.0, 0.1], [10, 10]), "probability from 0 to 1"),
        (([1.0, 2.0, 3.0], [0.1] * 3, [10] * 3, 101), "from 1 to below 100, found 101"),
        (([1.0], [0.1], [10]), "at least two labels"),
        (([1.0, 1.0], [1.0, 1.0], [900, 900]), "no label was chosen at random"),
    ],
)
def test_mistakes_about_risk(arguments, message):
    with pytest.raises(ValueError, match=message):
        covary.risk(*arguments)


def test_rules_for_stopping():
    stop = covary.Stopping(largest_sd=0.1)
    for labels in range(10, 60):
        stop.round(labels, largest_sd=10 / labels)
    assert stop.reason == "" and 30 <= stop.remaining <= 60 and "more labels to reach 0.1 K" in stop.forecast("K")
    stop.round(120, largest_sd=0.09)
    assert "largest sd of f is 0.09" in stop.reason and stop.remaining == 0
    still = covary.Stopping(change=0.01, rounds=2)
    still.round(1, change=0.001)
    assert still.reason == ""
    still.round(2, change=0.001)
    assert "moved by less than 0.01 in 2 rounds" in still.reason


def test_a_label_function_cannot_use_the_stream(model, passing):
    stream = covary.Stream(model, budget=20, length=400)
    with pytest.raises(ValueError, match="the stream is in use"):
        stream.offer_many(passing, lambda i: stream.offer(passing[i]))


@needs_signals
def test_ctrl_c_ends_a_stream_where_it_stands(model):
    many = np.random.default_rng(1).uniform(-2, 2, (3_000_000, 2))
    stream = covary.Stream(model, budget=20, length=len(many), start=0)
    asked, begun = [], threading.Event()

    def label(i):
        asked.append(i)
        if len(asked) == 3:
            begun.set()
        return 0.0

    interrupted(lambda: stream.offer_many(many, label), begun=begun)
    assert asked[2] < stream.summary["seen"] < len(many)
