"""covary.Gaussian: identities of the normal distribution."""

import copy
import pickle

import numpy as np
import pytest
from conftest import same_bits

import covary


@pytest.fixture
def g():
    a = np.random.default_rng(3).standard_normal((4, 4))
    return covary.Gaussian([1, 2, 3, 4], a @ a.T + np.eye(4))


def test_parts(g):
    assert len(g) == g.rank == 4 and g.mean.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(g.sd, np.sqrt(np.diag(g.covariance)))


def test_density_is_that_of_marginal_times_conditional(g):
    x = np.array([0.5, 2.5, 2.0, 5.0])
    some, rest = g.marginal([0, 2]), g.conditional([0, 2], x[[0, 2]])
    np.testing.assert_allclose(g.log_density(x), some.log_density(x[[0, 2]]) + rest.log_density(x[[1, 3]]))


def test_mutual_information_is_a_difference_of_entropies(g):
    difference = g.marginal([0, 1]).entropy() + g.marginal([2, 3]).entropy() - g.entropy()
    np.testing.assert_allclose(g.mutual_information([0, 1], [2, 3]), difference)


def test_affine_and_plus(g):
    a = np.array([[1.0, 0, 0, 1], [0, 2, 0, 0]])
    h = g.affine(a, [1, -1]).plus(np.eye(2))
    np.testing.assert_allclose(h.mean, a @ g.mean + [1, -1])
    np.testing.assert_allclose(h.covariance, a @ g.covariance @ a.T + np.eye(2))


def test_distances(g):
    shifted = covary.Gaussian(g.mean + 1, g.covariance)
    assert covary.divergence(g, g) == pytest.approx(0, abs=1e-12)
    expected = 0.5 * np.ones(4) @ np.linalg.solve(g.covariance, np.ones(4))
    np.testing.assert_allclose(covary.divergence(shifted, g), expected)
    np.testing.assert_allclose(covary.wasserstein(shifted, g), 2)


def test_samples_and_state(g):
    for again in (pickle.loads(pickle.dumps(g)), copy.deepcopy(g)):
        assert same_bits(again.sample(3, 1), g.sample(3, 1))
    assert g.sample(3, 1).shape == (4, 3)
    assert g.marginal([0, 1]).ellipse(90, 11).shape == (2, 11)


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda g: covary.Gaussian([1, 2], np.eye(3)), "3"),
        (lambda g: covary.Gaussian([1, 2], [[1, 2], [2, 1]]), "positive semi-definite"),
        (lambda g: g.marginal([0.5]), "whole numbers from 0, found 0.5"),
        (lambda g: g.marginal([-1]), "whole numbers from 0"),
        (lambda g: g.marginal([4]), "4"),
        (lambda g: g.conditional([0], [1, 2]), "1"),
        (lambda g: g.log_density([1]), "4"),
    ],
)
def test_mistakes(act, message, g):
    with pytest.raises(ValueError, match=message):
        act(g)
