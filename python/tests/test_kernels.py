"""Kernels as objects: the whole registry, operators, expressions, columns."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import covary
from covary import _covary

REGISTRY = _covary.registry()
GIVEN = {"degree": 2, "smoothness": 2, "period": 3.5, "level": 1, "rank": 1, "levels": 3, "loadings": [0.3, 0.2, 0.9], "spacing": [1, 2]}
GIVEN |= {"k": 2, "m": 1, "n": 2, "h": 2, "steps": 3, "nu": 1.5, "normalized": False, "alphabet": "dna", "matrix": "pam250"}
GIVEN["measure"] = "minmax"
POINTS = {
    "texts": ["GATTACA", "ACGTACG", "CATCATG", "GGGGGGG"],
    "sets": [{"a", "b"}, {"b"}, {"c", "a"}],
    "graphs": [(["C", "O"], [(0, 1)]), (["C", "C", "O"], [(0, 1), (1, 2)]), (["C"], [])],
}
CODES = np.array([[0.0], [2.0], [1.0], [2.0]])
OTHERS = {"category_pairs": CODES, "ordinal": CODES} | dict.fromkeys(("jaccard", "minmax", "intersection"), np.eye(4)[:, :3])


def given(entry):
    return {p: GIVEN.get(p, 0.7) for p in entry["parameters"]}


@pytest.mark.parametrize("entry", REGISTRY, ids=lambda e: e["name"])
def test_every_kernel_is_a_function_and_its_repr_reads_back(entry):
    make = getattr(covary, entry["name"])
    assert list(inspect.signature(make).parameters) == entry["parameters"]
    for k in (make(), make(**given(entry))):
        assert repr(covary.parse(repr(k))) == repr(k)
        assert pickle.loads(pickle.dumps(k)) == k == copy.deepcopy(k)


NODES = ("diffusion", "graph_matern")  # they need a network: test_records.py


@pytest.mark.parametrize("entry", [e for e in REGISTRY if e["name"] not in NODES], ids=lambda e: e["name"])
def test_every_kernel_gives_symmetric_covariances_with_their_diagonal(entry, grid):
    x = POINTS.get(entry["over"], OTHERS.get(entry["name"], grid[:, : entry["columns"] or 2]))
    k = getattr(covary, entry["name"])(**given(entry))
    K = k.cross(x)
    assert np.array_equal(K, k.cross(x, copy.copy(x)))
    np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.diag(K), k.diag(x), rtol=1e-9)


def test_operators_are_those_of_the_expressions():
    k = covary.se(lengthscale=[1, 2]) * covary.periodic(period=12) + 0.5
    assert repr(k) == "se(lengthscale=[1, 2]) * periodic(period=12) + 0.5"
    assert repr(2.5 * covary.se() + covary.linear()) == "2.5 * se() + linear()"
    assert 2 * covary.se() == covary.se() * 2
    assert repr(0.5 + covary.se()) == "0.5 + se()"
    assert repr((covary.se() + covary.linear()) * 3) == "3 * (se() + linear())"
    assert hash(covary.se()) == hash(covary.parse("se()"))
    assert covary.se() != covary.linear() and covary.se() != "se()"


def test_arguments_are_numbers_lists_and_arrays_by_place_or_name():
    assert covary.se(0.3) == covary.se(lengthscale=0.3)
    assert covary.se(np.float32(0.5)) == covary.se(lengthscale=0.5)
    assert covary.se(np.array([1, 2])) == covary.se(lengthscale=(1.0, 2.0))
    assert covary.se(lengthscale=None) == covary.se()
    assert covary.se(0.1).parameters()[0]["value"] == 0.1


def test_sums_and_products_of_matrices(grid):
    a, b = covary.se(lengthscale=0.5), covary.matern32(lengthscale=[1, 3])
    np.testing.assert_allclose((a + b).cross(grid), a.cross(grid) + b.cross(grid), rtol=1e-14)
    np.testing.assert_allclose((2 * a * b).cross(grid), 2 * a.cross(grid) * b.cross(grid), rtol=1e-14)


def test_theta_goes_round(grid):
    k = 2 * covary.se(lengthscale=[0.5, 3])
    again = k.with_theta(k.theta)
    np.testing.assert_allclose(again.cross(grid), k.cross(grid), rtol=1e-14)
    np.testing.assert_allclose(k.theta, np.log([2, 0.5, 3]))
    assert len(covary.fixed(k).theta) == 0


def test_columns_by_name_and_number(grid):
    k = covary.on("temp", covary.se(lengthscale=1)) * covary.on(["a b", "lon"], covary.matern32(lengthscale=2))
    assert repr(k) == 'on(temp, se(lengthscale=1)) * on(["a b", lon], matern32(lengthscale=2))'
    assert pickle.loads(pickle.dumps(k)) == k
    x = np.column_stack([grid, grid[:, 0] ** 2])
    by_number = covary.on(3, covary.se(lengthscale=1)) * covary.on([1, 2], covary.matern32(lengthscale=2))
    assert np.array_equal(k.cross(x, columns=["a b", "lon", "temp"]), by_number.cross(x))
    with pytest.raises(ValueError, match="names columns: give columns="):
        k.cross(x)


def test_parameters_have_paths_roles_and_values():
    found = (covary.se(lengthscale=2) + covary.fixed(covary.linear(lengthscale=3))).parameters()
    assert [p["name"] for p in found] == ["1.lengthscale", "2.lengthscale"]
    assert found[0] == {"name": "1.lengthscale", "role": "length-scale", "value": 2.0, "fixed": False}
    assert found[1]["fixed"] and covary.se().parameters()[0]["value"] is None


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: covary.parse("sse()"), "no kernel is named 'sse', did you mean 'se'"),
        (lambda: covary.parse("se() +"), "expected a kernel or a number"),
        (lambda: covary.se(lengthscal=1), "se has no parameter 'lengthscal', did you mean 'lengthscale'"),
        (lambda: covary.se(lengthscale=-1), "lengthscale"),
        (lambda: covary.se(lengthscale=float("nan")), "nan"),
        (lambda: covary.se(1, 2, 3), "se takes"),
        (lambda: -1 * covary.se(), "variance"),
        (lambda: covary.fixed(covary.se()), "lengthscale"),
        (lambda: covary.on(0, covary.se()), "no column is named '0'"),
        (lambda: covary.se().cross([[1.0]]), "lengthscale"),
        (lambda: covary.se(1).with_theta([1, 2]), "has 1 parameters to learn, found 2"),
        (lambda: covary.se(1).cross([[1.0]], [[1.0, 2.0]]), "different numbers of columns"),
    ],
)
def test_mistakes_have_the_core_s_words(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# Issue 16: sum([k1, k2]), k ** 2 and k / 2 work.
def test_python_s_own_sums_powers_and_quotients():
    a, b = covary.se(lengthscale=1), covary.linear(lengthscale=2)
    assert sum([a, b]) == a + b and sum([a]) == a and a + 0 == a == 0 + a
    assert a**2 == a * a and a**1 == a and (a + b) ** 2 == (a + b) * (a + b) and repr(a**3).count("se(") == 3
    assert a / 2 == 0.5 * a and repr(a / 4) == "0.25 * se(lengthscale=1)"
    total = a
    total += b
    total *= 2
    assert total == 2 * (a + b)
    x = np.linspace(0, 1, 5)
    np.testing.assert_allclose((a**2).cross(x), a.cross(x) ** 2, rtol=1e-14)


@pytest.mark.parametrize("number", [2, 2.0, np.float64(2), np.float32(2), np.int64(2), np.array(2.0), True + True])
def test_numbers_of_any_type_scale(number):
    k = covary.se(lengthscale=1)
    assert number * k == k * number == 2 * k and type(number * k) is covary.Kernel
    assert number + k == 2 + k and k / number == k / 2 and k**number == k * k


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda k: k - k, TypeError, "a difference of kernels is not a kernel"),
        (lambda k: k - 1, TypeError, "a difference of kernels is not a kernel"),
        (lambda k: 1 - k, TypeError, "a difference of kernels is not a kernel"),
        (lambda k: -k, TypeError, "a negative kernel is not a kernel"),
        (lambda k: 2 / k, TypeError, "a number divided by a kernel is not a kernel"),
        (lambda k: k / k, TypeError, "unsupported operand"),
        (lambda k: 2**k, TypeError, "a power whose exponent is a kernel"),
        (lambda k: np.array([1, 2]) * k, TypeError, "unsupported operand"),
        (lambda k: k < k, TypeError, "not supported between instances of 'Kernel'"),
        (lambda k: k**2.5, ValueError, "expected a whole power from 1 to 8, found 2.5"),
        (lambda k: k**0, ValueError, "expected a whole power from 1 to 8, found 0"),
        (lambda k: k**9, ValueError, "expected a whole power from 1 to 8, found 9"),
        (lambda k: k / 0, ValueError, "it cannot be divided by 0"),
        (lambda k: 0 * k, ValueError, "variance must be a number from"),
        (lambda k: k * -1, ValueError, "variance must be a number from"),
        (lambda k: k + float("nan"), ValueError, "variance must be a number from"),
    ],
)
def test_what_is_no_kernel_is_refused_in_words(make, error, message):
    with pytest.raises(error, match=message):
        make(covary.se(lengthscale=1))


def test_what_is_no_kernel_cannot_be_added():
    with pytest.raises(TypeError):
        covary.se() + "linear()"
