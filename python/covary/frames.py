"""Frames (pandas, polars or anything alike) as arrays, with the names of their columns. Neither is required."""

import numpy as np

from ._covary import default_names, did_you_mean
from .text import listed, refuse_text


def is_frame(table):
    """Whether it has named columns and can be made an array."""
    return hasattr(table, "columns") and hasattr(table, "to_numpy")


def columns_of(table):
    """The names of the columns, or None if there are none: of an array, or only numbers. Each is there once."""
    if not is_frame(table):
        return None
    names = list(table.columns)
    if not any(isinstance(name, str) for name in names):
        return None
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"X: expected names of columns to be text, found {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"X: two columns are named '{name}'")
    return names


def to_array(table):
    """What NumPy can make an array of."""
    return table.to_numpy() if hasattr(table, "to_numpy") else table


def numbers(table, what="X"):
    """The same for what a kernel reads. Text is refused, by the name of its column."""
    array = to_array(table)
    if isinstance(array, (list, tuple)):
        array = listed(array)
    if isinstance(array, np.ndarray):
        refuse_text(array, list(table.columns) if is_frame(table) else None, what)
    return array


def selected(table, features, what="X"):
    """The columns that a model needs, by name and in its order; those of an array as they stand.

    A frame without those names is taken as it stands if the model was learned from an array.
    """
    names = columns_of(table)
    if names is None or names == features:
        return numbers(table, what)
    missing = [f for f in features if f not in names]
    if not missing:
        return numbers(table[features], what)
    if features == default_names(len(features)) and len(names) == len(features):
        return numbers(table, what)
    raise ValueError(
        f"{what} has no column '{missing[0]}', which the model needs{did_you_mean(missing[0], names)}"
    )
