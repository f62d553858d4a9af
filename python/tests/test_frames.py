"""Frames keep the names of their columns. A stand-in has what is used of pandas' and polars'."""

import numpy as np
import pytest
from conftest import same_bits

import covary


class Frame:
    """What is used of a frame: columns, choosing some of them, and an array of them."""

    def __init__(self, columns):
        self.table = columns
        self.columns = list(columns)

    def __getitem__(self, names):
        return Frame({n: self.table[n] for n in names})

    def to_numpy(self):
        return np.column_stack(list(self.table.values()))


def pandas_frame(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def polars_frame(columns):
    return pytest.importorskip("polars").DataFrame(columns)


@pytest.fixture(params=[Frame, pandas_frame, polars_frame], ids=["stand-in", "pandas", "polars"])
def frame(request):
    return request.param


@pytest.fixture
def learned(frame, data):
    X, y = data
    gp = covary.GP("on(temp, se(lengthscale=0.8)) + on(depth, linear(lengthscale=1))", noise=0.01)
    return gp.fit(frame({"temp": X[:, 0], "depth": X[:, 1]}), y)


def test_columns_are_found_by_name_in_any_order(frame, learned, grid):
    assert learned.features == ["temp", "depth"]
    swapped = frame({"depth": grid[:, 1], "other": grid[:, 0] * 9, "temp": grid[:, 0]})
    assert same_bits(learned.predict(swapped).mean, learned.predict(grid).mean)


def test_parameters_carry_the_names(frame, learned):
    assert {"1.lengthscale.temp", "2.lengthscale.depth"} < {p["name"] for p in learned.parameters}


def test_a_missing_column_is_named_with_the_nearest(frame, learned, grid):
    with pytest.raises(ValueError, match="no column 'temp', which the model needs, did you mean 'tempp'"):
        learned.predict(frame({"tempp": grid[:, 0], "depth": grid[:, 1]}))


def test_a_model_of_an_array_takes_a_frame_as_it_stands(frame, model, grid):
    assert same_bits(model.predict(frame({"a": grid[:, 0], "b": grid[:, 1]})).mean, model.predict(grid).mean)


def test_the_target_s_name_is_kept(data):
    pandas = pytest.importorskip("pandas")
    gp = covary.GP("se(lengthscale=1)", noise=0.1).fit(data[0], pandas.Series(data[1], name="ozone"))
    assert gp.target == "ozone"


def test_two_columns_of_one_name_are_refused(data):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="two columns are named 'a'"):
        covary.GP().fit(pandas.DataFrame(data[0], columns=["a", "a"]), data[1])


def test_numbers_are_no_names_and_some_names_are_not_enough(data):
    pandas = pytest.importorskip("pandas")
    gp = covary.GP("se(lengthscale=1)", noise=0.1)
    assert gp.fit(pandas.DataFrame(data[0]), data[1]).features == ["x1", "x2"]
    with pytest.raises(ValueError, match="expected names of columns to be text, found 0"):
        gp.fit(pandas.DataFrame(data[0], columns=["a", 0]), data[1])
