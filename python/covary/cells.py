"""Columns of any type: what they hold, and their cells as numbers or as the texts that a table has."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .numeric import column_numbers, is_missing, original, row_words, shown, values_of
from .objects import graph_text, is_graph, is_set, listed, set_text

DATES = (datetime.date, np.datetime64)


@dataclass(frozen=True, eq=False)
class Cells:
    """One column. kind: number, boolean, date, category, text, set or graph, as its type says."""

    name: str
    kind: str
    column: object  # as the caller has it
    values: np.ndarray | None  # as NumPy has them; None of numbers
    title: str  # what errors call the column
    where: Callable[[int], str]  # and a cell
    levels: tuple = ()  # of a category that is ordered
    zone: bool = False  # dates are in UTC
    always_time: bool = False  # dates have a time of day, even at midnight

    def numbers(self, missing=False):
        """n numbers. Raises ValueError with the place of what is none."""
        return column_numbers(self.column, self.title, missing, where=self.where)

    def missing(self) -> list[int]:
        """The missing cells."""
        if self.kind == "number":
            return np.flatnonzero(np.isnan(self.numbers(True))).tolist()
        if self.values.dtype.kind in "fM":
            return np.flatnonzero(np.isnat(self.values) if self.values.dtype.kind == "M" else np.isnan(self.values)).tolist()
        return [i for i, v in enumerate(self.values.tolist()) if is_missing(v)]

    def shown(self, i) -> str:
        """A cell as an error shows it."""
        return shown(original(self.column, i))

    def texts(self, time=None, zone=False) -> list[str | None]:
        """Each cell as a table has it; None where it is missing.

        time: whether dates have a time of day; None: if one of them has it. zone: those in UTC end in Z.
        """
        if self.kind == "date":
            return self._date_texts(time, zone and self.zone)
        write = {"set": (is_set, set_text), "graph": (is_graph, graph_text)}.get(self.kind)
        return [None if is_missing(v) else self._text(i, v, write) for i, v in enumerate(self.values.tolist())]

    def _text(self, i, value, write):
        if write is None:
            return value if isinstance(value, str) else str(value)
        if isinstance(value, str):  # as a table has it
            return value
        if not write[0](value):
            raise ValueError(f"{self.where(i)}: expected a {self.kind}, found {shown(value)} ({type(value).__name__})")
        try:
            return write[1](value)
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{self.where(i)}: {error}") from None

    def _date_texts(self, time, zone):
        values = self._datetimes()
        midnight = np.isnat(values) | (values == values.astype("datetime64[D]"))
        if time is None:
            time = self.always_time or not midnight.all()
        whole = (np.isnat(values) | (values == values.astype("datetime64[s]"))).all()
        long = np.datetime_as_string(values, "s" if whole else np.datetime_data(values.dtype)[0]).tolist()
        end = "Z" if zone else ""
        return [
            None if text == "NaT" else text[: text.index("T")] if day and not time else text.replace("T", " ") + end
            for text, day in zip(long, midnight.tolist())
        ]

    def _datetimes(self):
        if self.values.dtype.kind == "M":
            return self.values
        out = np.full(len(self.values), "NaT", "datetime64[us]")
        for i, v in enumerate(self.values.tolist()):
            if is_missing(v):
                continue
            if not isinstance(v, DATES):
                raise ValueError(f"{self.where(i)}: expected a date, found {shown(v)} ({type(v).__name__})")
            if getattr(v, "tzinfo", None) is not None:
                v = v.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            out[i] = v
        return out


def _category(column):
    """Whether it is a category, and its levels in order where they have one."""
    dtype = getattr(column, "dtype", None)
    sort = type(dtype).__name__
    if sort == "CategoricalDtype":  # pandas
        return True, tuple(dtype.categories) if dtype.ordered else ()
    if sort in ("Categorical", "Enum") and hasattr(dtype, "is_numeric"):  # polars
        return True, tuple(dtype.categories) if sort == "Enum" else ()
    return type(getattr(column, "type", None)).__name__ == "DictionaryType", ()  # pyarrow


def is_number_type(column):
    """Whether its type says that it holds numbers, without a look at them."""
    dtype = getattr(column, "dtype", None)
    if hasattr(dtype, "is_numeric"):
        return dtype.is_numeric()
    return getattr(dtype, "kind", "") in ("i", "u", "f") and not _category(column)[0]


def _values(column):
    if type(getattr(column, "type", None)).__name__ == "DictionaryType":
        column = column.cast(column.type.value_type)
    sort = type(getattr(column, "dtype", None)).__name__
    if sort == "DatetimeTZDtype":
        return column.to_numpy("datetime64[ns]")
    return listed(column.to_list()) if sort == "Struct" else values_of(column)  # of polars: dicts


def _kind_of_objects(values):
    """The kind of a column, from its first value that is not missing."""
    first = next((v for v in values.tolist() if not is_missing(v)), None)
    if isinstance(first, str):
        return "text"
    if isinstance(first, DATES):
        return "date"
    return "graph" if is_graph(first) else "set" if is_set(first) else "number"


def _zone(column, values):
    dtype = getattr(column, "dtype", getattr(column, "type", None))
    first = next((v for v in values.tolist() if not is_missing(v)), None) if values.dtype.kind == "O" else None
    return any(getattr(d, a, None) is not None for d, a in ((dtype, "tz"), (dtype, "time_zone"), (first, "tzinfo")))


def cells_of(column, name, title, where=None) -> Cells:
    """One column of a frame, or a list. title: what errors call it; where(i): a cell of it."""
    where = where or (lambda i: f"{title}, {row_words(column, i)}")
    if is_number_type(column):
        return Cells(name, "number", column, None, title, where)
    category, levels = _category(column)
    values = _values(column)
    kinds = {"M": "date", "b": "boolean", "U": "text", "T": "text"}
    kind = "category" if category else kinds.get(values.dtype.kind, "number")
    if kind == "number" and values.dtype.kind == "O":
        kind = _kind_of_objects(values)
    if kind == "number":
        return Cells(name, kind, column, None, title, where)
    date_time = kind == "date" and type(getattr(column, "dtype", None)).__name__ == "Datetime"  # polars
    return Cells(name, kind, column, values, title, where, levels, kind == "date" and _zone(column, values), date_time)
