"""Columns of text are left out by a kernel that does not read them, and refused by name by what reads numbers alone."""

import numpy as np
import pytest

import covary

TOWNS = ["Oslo", "Rome", "Lima"]
NUMBERS = [1.0, 2.0, 3.0]


def pandas_columns(values):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"temp": NUMBERS, "town": values(pandas)})


def polars_columns(values):
    polars = pytest.importorskip("polars")
    return polars.DataFrame({"temp": NUMBERS, "town": values(polars)})


FRAMES = {
    "pandas": lambda: pandas_columns(lambda pd: TOWNS),
    "pandas object": lambda: pandas_columns(lambda pd: pd.Series([4.0, "Oslo", None], dtype=object)),
    "pandas string": lambda: pandas_columns(lambda pd: pd.array(["Oslo", None, "Rome"], dtype="string")),
    "pandas category": lambda: pandas_columns(lambda pd: pd.Categorical(TOWNS)),
    "polars": lambda: polars_columns(lambda pl: TOWNS),
    "polars with nothing": lambda: polars_columns(lambda pl: [None, "Oslo", "Rome"]),
    "polars category": lambda: polars_columns(lambda pl: pl.Series(TOWNS, dtype=pl.Categorical)),
}
WORDS = r"X: column 'town' holds text \('Oslo'\), expected numbers: leave it out or code it as numbers"


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_s_column_is_named(kind):
    with pytest.raises(ValueError, match=WORDS):
        covary.Ridge().fit(FRAMES[kind](), NUMBERS)


@pytest.mark.parametrize("kind", [k for k in FRAMES if k != "pandas object"])
def test_a_kernel_of_numbers_leaves_text_out(kind):
    with pytest.warns(UserWarning, match=r"left out, not read by the kernel: town \((text|category)\)"):
        model = covary.GP("se(lengthscale=1)", noise=0.1).fit(FRAMES[kind](), NUMBERS)
    assert model.features == ["temp"]


def test_numbers_and_text_in_one_column_are_refused():
    with pytest.raises(ValueError, match=WORDS):
        covary.GP().fit(FRAMES["pandas object"](), NUMBERS)


ARRAYS = {
    "objects": np.array([[1.0, 2.0], [3.0, "Oslo"]], object),
    "text": np.array([["Rome", "Oslo"]])[:, ::-1],
    "bytes": np.array([[1, b"Oslo"]], object),
}


def test_an_array_s_text_is_named_by_its_index():
    for array, place, text in [("objects", "1, 1", "'Oslo'"), ("text", "0, 0", "'Oslo'"), ("bytes", "0, 1", "b'Oslo'")]:
        with pytest.raises(ValueError, match=rf"X\[{place}\] holds text \({text}\)"):
            covary.GP().fit(ARRAYS[array], [1.0])


def test_predictions_need_only_the_columns_of_the_model():
    pandas = pytest.importorskip("pandas")
    model = covary.LeastSquares().fit(pandas.DataFrame({"temp": NUMBERS}), [2.0, 4.0, 6.5])
    both = FRAMES["pandas"]()
    assert (model.predict(both).mean == model.predict(both[["temp"]]).mean).all()
    with pytest.raises(ValueError, match=r"X: column 'temp' holds text \('warm'\)"):
        model.predict(pandas.DataFrame({"temp": ["warm"]}))


def test_observations_too():
    with pytest.raises(ValueError, match=r"^y\[0\] holds text \('Oslo'\), expected numbers"):
        covary.GP().fit(NUMBERS, np.array(TOWNS, object))
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"^y holds text \('Oslo'\), expected numbers"):
        covary.GP().fit(NUMBERS, pandas.Series(TOWNS))


def test_numbers_that_are_categories_are_numbers():
    pandas = pytest.importorskip("pandas")
    one = pandas.DataFrame({"a": pandas.Categorical(NUMBERS)})
    assert covary.LeastSquares().fit(one, [2.0, 4.0, 6.5]).features == ["a"]
