"""Columns of frames, whatever their type: read as the numbers they are, or refused by the column's name and the row's."""

from decimal import Decimal

import numpy as np
import pytest
from conftest import same_bits

import covary

ROWS = list("abcdef")
NUMBERS = [1, 0, 1, 1, 0, 1]
GAPS = [1, 0, None, 1, 0, 1]


def pandas_column(values, dtype=None, arrow=None):
    pandas = pytest.importorskip("pandas")
    if arrow:
        dtype = pandas.ArrowDtype(getattr(pytest.importorskip("pyarrow"), arrow[0])(*arrow[1:]))
    return pandas.Series(values, dtype=dtype, index=ROWS, name="c")


def pandas_frame(column):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"t": np.linspace(0, 1, 6), "c": column}, index=ROWS)


BOOLS = [bool(v) for v in NUMBERS]
# Issue 16: frames with bool, nullable and Arrow columns are read.
READ = {
    "bool": lambda: pandas_column(BOOLS),
    "boolean": lambda: pandas_column(BOOLS, "boolean"),
    "Int64": lambda: pandas_column(NUMBERS, "Int64"),
    "UInt8": lambda: pandas_column(NUMBERS, "UInt8"),
    "Float64": lambda: pandas_column(NUMBERS, "Float64"),
    "objects": lambda: pandas_column([1, False, np.float32(1), Decimal(1), np.int8(0), True], object),
    "arrow int": lambda: pandas_column(NUMBERS, arrow=["int64"]),
    "arrow double": lambda: pandas_column(NUMBERS, arrow=["float64"]),
    "arrow bool": lambda: pandas_column(BOOLS, arrow=["bool_"]),
    "arrow decimal": lambda: pandas_column([Decimal(v) for v in NUMBERS], arrow=["decimal128", 5, 2]),
}


@pytest.fixture(scope="module")
def gp():
    return covary.GP("se(lengthscale=1)", noise=0.1)


@pytest.mark.parametrize("kind", READ)
def test_columns_that_hold_numbers_are_read(kind, gp):
    plain = pandas_frame(np.array(NUMBERS, float))
    frame = pandas_frame(READ[kind]())
    expected = gp.fit(plain, NUMBERS).predict(plain).mean
    model = covary.GP("se(lengthscale=1)", noise=0.1).fit(frame, READ[kind]())
    assert same_bits(model.predict(frame).mean, expected)
    assert model.features == ["t", "c"] and model.target == "c"
    ridge, plainly = (covary.Ridge(1.0).fit(f, NUMBERS).predict(plain).mean for f in (frame, plain))
    assert same_bits(ridge, plainly)


MISSING = {
    "Int64": (lambda: pandas_column(GAPS, "Int64"), "<NA>"),
    "Float64": (lambda: pandas_column(GAPS, "Float64"), "<NA>"),
    "boolean": (lambda: pandas_column([True, False, None] * 2, "boolean"), "<NA>"),
    "float": (lambda: pandas_column(GAPS, float), "nan"),
    "objects": (lambda: pandas_column(GAPS, object), "None|nan"),
    "arrow": (lambda: pandas_column(GAPS, arrow=["int64"]), "<NA>"),
    "arrow bool": (lambda: pandas_column([True, None, None] * 2, arrow=["bool_"]).iloc[::-1].set_axis(ROWS), "<NA>"),
}


@pytest.mark.parametrize("kind", MISSING)
def test_what_is_missing_is_named_by_the_label_of_its_row_and_its_column(kind, gp):
    make, found = MISSING[kind]
    row = "a" if kind == "arrow bool" else "c"
    words = rf"index '{row}': expected a finite number, found ({found}); leave"
    with pytest.raises(ValueError, match=f"^X: column 'c', {words}"):
        gp.fit(pandas_frame(make()), NUMBERS)
    with pytest.raises(ValueError, match=f"^y: {words}"):
        gp.fit(np.arange(6.0), make())


def test_labels_of_an_index_of_numbers_are_its_own():
    frame = pandas_frame(np.where(np.arange(6) == 2, np.nan, 1.0)).set_axis([10, 20, 30, 40, 50, 60])
    with pytest.raises(ValueError, match=r"^X: column 'c', index 30: expected a finite number, found nan"):
        covary.GP().fit(frame, NUMBERS)
    with pytest.raises(ValueError, match=r"^X: column 1, index 30"):
        covary.GP().fit(frame.set_axis([0, 1], axis=1), NUMBERS)


REFUSED = {
    "spans": (lambda pd: pd.to_timedelta(range(6)), r"X: column 'c' holds timedelta64\S*, expected numbers"),
    "complex": (lambda pd: np.arange(6) * 1j, "X: column 'c' holds complex128, expected numbers"),
    "periods": (lambda pd: pd.period_range("2026", periods=6, freq="M"), "index 0: expected a number, found Period"),
    "numbers as text": (lambda pd: list("123456"), r"column 'c' holds text \('1'\)"),
    "infinity": (lambda pd: [1, np.inf, 1, 1, 1, 1], "index 1: expected a finite number, found inf$"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_holds_no_numbers_is_refused_by_name(kind, gp):
    pandas = pytest.importorskip("pandas")
    make, message = REFUSED[kind]
    with pytest.raises(ValueError, match=message):
        gp.fit(pandas.DataFrame({"t": range(6), "c": make(pandas)}), NUMBERS)


@pytest.mark.parametrize("values", [BOOLS, NUMBERS, [Decimal(v) for v in NUMBERS]], ids=["bool", "int", "decimal"])
def test_polars(values, gp):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"t": np.linspace(0, 1, 6), "c": values})
    plain = np.column_stack([np.linspace(0, 1, 6), NUMBERS])
    model = gp.fit(frame, polars.Series("ozone", NUMBERS))
    assert same_bits(model.predict(frame.select("c", "t")).mean, model.predict(plain).mean)
    assert (model.features, model.target) == (["t", "c"], "ozone")


@pytest.mark.parametrize("gaps", [GAPS, [True, None, None] * 2])
def test_polars_rows_are_counted_from_0(gaps, gp):
    polars = pytest.importorskip("polars")
    row = gaps.index(None)
    with pytest.raises(ValueError, match=rf"^X: column 'c', row index {row}: expected a finite number, found None"):
        gp.fit(polars.DataFrame({"t": range(6), "c": gaps}), NUMBERS)
    with pytest.raises(TypeError, match=r"found a LazyFrame: call \.collect\(\) first"):
        gp.fit(polars.DataFrame({"t": range(6)}).lazy(), NUMBERS)


def test_tables_of_pyarrow(gp):
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"t": np.linspace(0, 1, 6), "c": BOOLS})
    model = gp.fit(table, arrow.array(NUMBERS))
    plain = np.column_stack([np.linspace(0, 1, 6), NUMBERS])
    assert model.features == ["t", "c"]
    assert same_bits(model.predict(table.select(["c", "t"])).mean, model.predict(plain).mean)
    with pytest.raises(ValueError, match="^X: column 'c', row index 2: expected a finite number, found None"):
        gp.fit(arrow.table({"t": range(6), "c": GAPS}), NUMBERS)
    with pytest.raises(ValueError, match="^y: row index 2: expected a finite number, found None"):
        gp.fit(np.arange(6.0), arrow.array(GAPS))


def test_classes_may_be_nullable_and_a_missing_one_is_named():
    labels = pandas_column(NUMBERS, "Int64")
    machine = covary.Classifier().fit(np.arange(6.0), labels)
    assert machine.classes.tolist() == [0, 1] and machine.classes.dtype.kind == "i"
    assert covary.Classifier().fit(np.arange(6.0), pandas_column(BOOLS, "boolean")).classes.tolist() == [False, True]
    with pytest.raises(ValueError, match="y: index 'c': expected a label, found"):
        covary.Classifier().fit(np.arange(6.0), pandas_column(["u", "v", None] * 2, "string"))


def test_nullable_numbers_are_no_classes_in_a_replay():
    x = np.linspace(0, 1, 30)
    pandas = pytest.importorskip("pandas")
    y = pandas.Series(range(30), dtype="Int64")
    out = covary.replay(x, y, ["random"], budget=5, repeats=1, kernel="fixed(se(lengthscale=1))", noise=0.1)
    assert out.curves[0].last_error > 1  # an rmse, not a share


def test_candidates_of_a_placement_may_have_any_type_of_column():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    at = {"x": rng.uniform(size=9), "y": rng.uniform(size=9)}
    plain = pandas.DataFrame({**at, "open": [True, False, True] * 3, "price": range(1, 10)})
    typed = plain.astype({"x": "Float64", "open": "boolean", "price": "Int64"})
    ask = {"kernel": "se(lengthscale=1)", "coordinates": ["x", "y"], "forbidden": "open", "costs": "price", "budget": 12.0}
    assert covary.place(typed, **ask).names == covary.place(plain, **ask).names
    typed["open"] = typed["open"].where(typed["price"] != 2)
    with pytest.raises(ValueError, match="forbidden: row index 1: expected yes or no"):
        covary.place(typed, **ask)
