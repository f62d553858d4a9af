"""Every kind of array: the same bits where the numbers are the same, a ValueError where there are none."""

import numpy as np
import pytest
from conftest import same_bits

import covary


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def unaligned(x):
    raw = np.zeros(x.nbytes + 1, np.uint8)[1:].view()
    out = np.frombuffer(raw.data, np.float64).reshape(x.shape)
    out.flags.writeable = True
    out[:] = x
    return out


KINDS = {
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(map(tuple, x)),
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "read-only": read_only,
    "read-only Fortran": lambda x: read_only(np.asfortranarray(x)),
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every second column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "rows of a taller Fortran array": lambda x: np.asfortranarray(np.vstack([x, x]))[: len(x)],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "columns backwards": lambda x: np.asfortranarray(x[:, ::-1])[:, ::-1],
    "transposed": lambda x: x.T.copy().T,
    "other byte order": lambda x: x.astype(">f8"),
    "unaligned": unaligned,
    "long double": lambda x: x.astype(np.longdouble),
    "objects": lambda x: x.astype(object),
    "a masked array with nothing masked": np.ma.masked_array,
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_numbers_give_the_same_bits(kind, data, grid, model):
    X, y = data
    assert same_bits(model.predict(KINDS[kind](grid)).sd, model.predict(grid).sd)
    again = covary.GP(model.kernel, noise=model.noise).fit(KINDS[kind](X), y)
    assert again.log_marginal_likelihood == model.log_marginal_likelihood


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, np.float16, np.float32, bool])
def test_other_types_are_converted(dtype, model):
    at = np.array([[0, 1], [1, 1], [1, 0]], dtype)
    assert same_bits(model.predict(at).mean, model.predict(at.astype(float)).mean)


@pytest.mark.parametrize("kind", [list, np.array, lambda v: np.repeat(v, 3)[::3], lambda v: np.array(v)[:, None]])
def test_observations(kind, data, model):
    again = covary.GP(model.kernel, noise=model.noise).fit(data[0], kind(data[1].tolist()))
    assert again.log_marginal_likelihood == model.log_marginal_likelihood


def test_one_dimension_is_one_column():
    x = np.linspace(0, 1, 9)
    flat = covary.GP("se(lengthscale=1)", noise=0.1).fit(x, x**2)
    tall = covary.GP("se(lengthscale=1)", noise=0.1).fit(x[:, None], x**2)
    assert same_bits(flat.predict([0.5]).mean, tall.predict([[0.5]]).mean)


def test_no_points_give_no_predictions(model):
    p = model.predict(np.empty((0, 2)), interval=95)
    assert [v.shape for v in p] == [(0,)] * 4
    assert model.sample(np.empty((0, 2)), 3, 1).shape == (0, 3)


def test_input_is_not_changed(data):
    X, y = np.asfortranarray(data[0]), data[1].copy()
    covary.GP("se()").fit(X, y).predict(X)
    assert same_bits(X, data[0]) and same_bits(y, data[1])


def test_what_comes_back_is_the_caller_s_own(grid, model):
    mean = model.predict(grid).mean
    mean[:] = 7
    assert mean.flags.writeable and not (model.predict(grid).mean == 7).any()


NO_NUMBERS = {
    "None among objects": (np.array([[1.0, 2.0], [3.0, None]], object), r"X\[1, 1\]: expected a finite number, found None"),
    "nan among objects": (np.array([[1.0, 2.0], [np.nan, 1]], object), r"X\[1, 0\]: expected a finite number, found nan"),
    "a set among objects": (np.array([[1.0, {1}]], object), r"X\[0, 1\]: expected a number, found \{1\} \(set\)"),
    "a number too large for a double": ([[1, 10**400]], r"X\[0, 1\]: expected a number, found 1000"),
    "text": ([[1, "b"]], r"X\[0, 1\] holds text \('b'\)"),
    "complex": (np.array([[1j, 2]]), "dtype complex128"),
    "dates": (np.array([["2026-01-01", "2026-01-02"]], "M8[D]"), "dtype datetime64"),
    "ragged": ([[1, 2], [3]], "inhomogeneous"),
    "three dimensions": (np.zeros((2, 2, 2)), r"rows and columns, found shape \(2, 2, 2\)"),
    "a number": (3.0, r"rows and columns, found shape \(\)"),
    "masked": (np.ma.masked_array([[1.0, 2.0]], [[False, True]]), r"X\[0, 1\] is masked, expected a number"),
    "three columns": (np.zeros((2, 3)), "expected 2 columns, as the model has, found 3"),
    "nan": (np.array([[0, 1], [np.nan, 2]]), r"X\[1, 0\]: expected a finite number, found nan"),
    "nan of few digits": (np.array([[0, 1], [2, np.nan]], np.float32), r"X\[1, 1\]: expected a finite number"),
    "infinity": (np.array([[0, np.inf]]), r"X\[0, 1\]: expected a finite number, found inf"),
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_is_no_number_is_refused(kind, model):
    array, message = NO_NUMBERS[kind]
    with pytest.raises(ValueError, match=message):
        model.predict(array)


THINGS = [None, {"a": [1.0]}, {1.0, 2.0}, "abc", (i for i in [1.0])]


@pytest.mark.parametrize("thing", THINGS, ids=lambda t: type(t).__name__)
def test_what_is_no_array_is_a_type_error(thing, model):
    with pytest.raises(TypeError, match="X: expected an array or a frame of numbers, found"):
        model.predict(thing)


def test_what_becomes_an_array_is_said():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match=r"found a csr_matrix: call \.toarray\(\) first"):
        covary.GP().fit(sparse.eye(3).tocsr(), [1, 2, 3])


# Rows are named by their index, counted from 0, as Python counts (the command counts from 1).
@pytest.mark.parametrize(
    "act, message",
    [
        (lambda m, X, y: covary.GP().fit([1, 2, np.nan], [1, 2, 3]), r"^X\[2\]: expected a finite number"),
        (lambda m, X, y: covary.GP().fit(X, np.where(np.arange(40) == 7, np.nan, y)), r"^y\[7\]: expected a finite number"),
        (lambda m, X, y: covary.GP().fit(X, y, noise_sd=np.arange(40) + 0.0), "row index 0: the standard deviation must be"),
        (lambda m, X, y: m.condition([[1, 2], [np.inf, 1]], [1, 2]), r"^X\[1, 0\]"),
        (lambda m, X, y: m.joint([[1, np.nan]]), r"^X\[0, 1\]"),
        (lambda m, X, y: m.sample([[1, np.nan]]), r"^X\[0, 1\]"),
        (lambda m, X, y: covary.Ridge().fit([1, np.nan], [1, 2]), r"^X\[1\]"),
        (lambda m, X, y: covary.LeastSquares("log(x1)").fit([1, 2, -1.0], [1, 2, 3]), "row index 2"),
        (lambda m, X, y: covary.suggest(m, [[1, 2], [1, np.nan]]), r"^X_pool\[1, 1\]"),
        (lambda m, X, y: covary.Classifier().fit([1, np.nan], ["a", "b"]), r"^X\[1, 0\]"),
        (lambda m, X, y: covary.Classifier().fit([1, 2], [0.0, np.nan]), r"^y\[1\]: expected a label, found nan"),
        (lambda m, X, y: covary.Stream(m, budget=3, rate=0.5).offer([1, np.nan]), r"^x\[0, 1\]"),
        (lambda m, X, y: covary.replay([1, np.nan, 3], [1, 2, 3]), r"^X\[1\]"),
        (lambda m, X, y: covary.se(1).cross([[1.0], [np.nan]]), r"^a\[1, 0\]"),
        (lambda m, X, y: covary.place(None, 1, covariance=[[1, 0.5], [0.2, 1]]), "row index 1, column 0 is"),
    ],
)
def test_rows_are_named_by_their_index(act, message, model, data):
    with pytest.raises(ValueError, match=message):
        act(model, *data)
