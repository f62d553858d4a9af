"""Strategies of one's own: as functions and as objects."""

import numpy as np
import pytest

import covary


@pytest.fixture(scope="module")
def gp():
    rng = np.random.default_rng(1)
    x = rng.uniform(-3, 3, (15, 2))
    return covary.GP("se()", noise=0.01).fit(x, np.sin(x[:, 0]) + x[:, 1])


@pytest.fixture(scope="module")
def places():
    return np.random.default_rng(2).uniform(-3, 3, (60, 2))


def variance(input):
    return input.variance


class Reduction:
    """variance-reduction over all candidates without a label."""

    name = "my-reduction"

    def scores(self, input):
        rest = [i for i in range(len(input)) if i not in {*input.labelled, *input.pending}]
        of = np.array([np.mean(input.covariance(i)[rest] ** 2) for i in range(len(input))])
        return of / (input.variance + input.noise)

    def reason(self, input, i):
        return f"reduces the mean variance at {i}"


def test_the_same_choices_as_the_registry(gp, places):
    for own, name in [(variance, "uncertainty"), (Reduction(), "variance-reduction")]:
        expected, found = covary.suggest(gp, places, 1, name), covary.suggest(gp, places, 1, own)
        assert found.indices == expected.indices
        assert found.scores == pytest.approx(expected.scores, rel=1e-9)
    assert covary.suggest(gp, places, 1, Reduction()).reasons[0].startswith("reduces the mean variance at")
    assert covary.suggest(gp, places, 1, variance).reasons[0].startswith("variance: score")


def test_in_a_pool_with_labels_that_come(gp, places):
    seen = []

    def look(input):
        seen.append((len(input.labelled), len(input.pending), input.labels.shape, input.mean.shape))
        return input.variance

    pool = covary.Pool(gp, places, look)
    ask = pool.suggest(2)
    assert len(set(ask.indices)) == 2
    pool.tell(ask.indices, [0.5, 0.2])
    pool.suggest()
    assert seen == [(15, 0, (15, 1), (75, 1)), (15, 1, (15, 1), (75, 1)), (17, 0, (17, 1), (75, 1))]


def test_classes(places):
    classes = np.where(places[:30, 0] > 0, "east", "west")
    model = covary.Classifier().fit(places[:30], classes)

    def closeness(input):
        assert input.kinds == 2 and sorted(set(input.classes)) == [0, 1]
        return 1 / (1 + np.abs(input.mean[:, 0]))

    assert len(covary.suggest(model, places[30:], 3, closeness)) == 3


def test_covariances_are_those_of_the_process(gp, places):
    def check(input):
        joint = gp.joint(places).covariance
        assert input.covariance(4)[:60] == pytest.approx(joint[4], abs=1e-8)
        assert input.prior_covariance([0, 1], [2]).shape == (2, 1)
        return input.variance

    covary.suggest(gp, places, 1, check)


def test_errors_have_its_name(gp, places):
    def broken(input):
        raise KeyError("no such thing")

    with pytest.raises(KeyError, match="no such thing") as caught:
        covary.suggest(gp, places, 1, broken)
    if hasattr(caught.value, "__notes__"):
        assert caught.value.__notes__ == ["in the strategy 'broken'"]
    for wrong, words in [
        (lambda i: i.variance[:3], "expected a score for each of 75 candidates, found 3"),
        (lambda i: -i.variance - 1, "candidate 0: expected a finite score of 0 or more"),
        (lambda i: i.variance * np.nan, "candidate 0: expected a finite score"),
    ]:
        wrong.__name__ = "wrong"
        with pytest.raises(ValueError, match=f"strategy 'wrong': {words}"):
            covary.suggest(gp, places, 1, wrong)
    with pytest.raises(ValueError, match="make an object of the class"):
        covary.suggest(gp, places, 1, Reduction)
    with pytest.raises(ValueError, match="expected a name, a function"):
        covary.suggest(gp, places, 1, 7)


def test_the_input_is_of_the_call_only(gp, places):
    kept = []
    covary.suggest(gp, places, 1, lambda i: kept.append(i) or i.variance)
    with pytest.raises(ValueError, match="only inside of the call"):
        kept[0].variance  # noqa: B018
