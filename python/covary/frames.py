"""Frames (pandas, polars, pyarrow or anything alike) with the names of their columns. None of them is required."""

import numpy as np

from ._covary import default_names, did_you_mean
from .numeric import column_numbers, numbers_of_array, unwrapped


def is_frame(table):
    """Whether it has named columns and can be made an array."""
    return hasattr(table, "column_names") or (hasattr(table, "to_numpy") and hasattr(table, "columns"))


def labels_of(frame):
    """The labels of the columns of a frame."""
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def columns_of(table):
    """The names of the columns, or None if there are none: of an array, or only numbers. Each is there once."""
    if not is_frame(table):
        return None
    names = labels_of(table)
    if not any(isinstance(name, str) for name in names):
        return None
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"X: expected names of columns to be text, found {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"X: two columns are named '{name}'")
    return names


def column_at(frame, k):
    """One column by its place, as the frame has it."""
    for name in ("to_series", "column"):  # polars, pyarrow
        if hasattr(frame, name):
            return getattr(frame, name)(k)
    return frame.iloc[:, k] if hasattr(frame, "iloc") else np.asarray(frame[[labels_of(frame)[k]]].to_numpy())[:, 0]


def taken(frame, names):
    """Some columns of a frame, in this order."""
    return frame.select(names) if hasattr(frame, "column_names") else frame[names]


def to_array(table):
    """What NumPy can make an array of."""
    if hasattr(table, "column_names"):
        return np.column_stack([unwrapped(column_at(table, k)) for k in range(len(table.column_names))])
    return unwrapped(table)


def numbers(table, what="X", missing=False):
    """The numbers of a frame, a column or an array: n x d, or n. What is no number is refused by its row and column.

    missing: nan is allowed, as a missing value. A row is named by the label of a pandas index, else from 0.
    """
    if type(table) is np.ndarray and table.dtype == np.float64:
        return table  # the core looks at what is not finite
    if not is_frame(table):
        return column_numbers(table, what, missing) if is_column(table) else numbers_of_array(table, what, missing)
    names = labels_of(table)
    columns = [column_numbers(column_at(table, k), what, missing, name) for k, name in enumerate(names)]
    return np.asfortranarray(np.column_stack(columns)) if columns else np.empty((len(table), 0))


def is_column(table):
    """Whether it is a column of a frame, of any package."""
    return hasattr(table, "to_numpy") and not isinstance(table, np.ndarray)


def selected(table, features, what="X", missing=False):
    """The columns that a model needs, by name and in its order; those of an array unchanged.

    A frame without those names is taken by position if the model was learned from an array.
    """
    names = columns_of(table)
    if names is None or names == features:
        return numbers(table, what, missing)
    absent = [f for f in features if f not in names]
    if not absent:
        return numbers(taken(table, features), what, missing)
    if features == default_names(len(features)) and len(names) == len(features):
        return numbers(table, what, missing)
    raise ValueError(
        f"{what} has no column '{absent[0]}', which the model needs{did_you_mean(absent[0], names)}"
    )


def target_of(y):
    """The name of the observations."""
    names = columns_of(y) or []
    return str(names[0] if len(names) == 1 else getattr(y, "name", None) or "y")
