"""Readings and covariances of places, from arrays or from frames whose columns are the places."""

import numpy as np

from ._covary import did_you_mean
from .arrays import rows
from .frames import column_at, columns_of, is_frame, taken, to_array


def readings_of(table, places, what, needed):
    """times x places, nan where missing. Only the first `needed` places have to have readings."""
    names = columns_of(table) if is_frame(table) else None
    if names is None or not (set(names) & set(places.names)):
        return _in_order(rows(table, what, missing=True), places, what, needed)
    out = np.full((len(to_array(table)), len(places)), np.nan)
    for i, name in enumerate(places.names):
        if name in names:
            out[:, i] = rows(column_at(table, names.index(name)), f"{what}: '{name}'", missing=True)[:, 0]
        elif i < needed:
            raise ValueError(f"{what}: no column for the place '{name}'{did_you_mean(name, names)}")
    return out


def _in_order(values, places, what, needed):
    """Columns in the order of the candidates."""
    if values.shape[1] != places.candidates:
        raise ValueError(
            f"{what}: expected {places.candidates} columns, one for each place, found shape {values.shape}"
        )
    if needed > places.candidates:
        raise ValueError(f"{what}: it has nothing for the place '{places.names[places.candidates]}'")
    rest = np.full((len(values), len(places) - places.candidates), np.nan)
    return np.hstack([values, rest])


def covariance_of(table, places):
    """places x places. Rows of a frame stand in the order of its columns."""
    names = columns_of(table) if is_frame(table) else None
    values = rows(table, "covariance")
    if values.shape[0] != values.shape[1]:
        raise ValueError(f"covariance: expected as many rows as columns, found shape {values.shape}")
    if names is None or not (set(names) & set(places.names)):
        return _in_order(values, places, "covariance", len(places))
    missing = [n for n in places.names if n not in names]
    if missing:
        raise ValueError(f"covariance: no column for the place '{missing[0]}'{did_you_mean(missing[0], names)}")
    order = [names.index(n) for n in places.names]
    return values[np.ix_(order, order)]


def times_of(table, places):
    """The name of each time: from the one column that is not a place, or its number."""
    others = [n for n in (columns_of(table) or []) if n not in places.names] if is_frame(table) else []
    if len(others) != 1:
        return [f"row {i}" for i in range(len(to_array(table)))]
    return [f"{others[0]} {value}" for value in np.asarray(to_array(taken(table, others)))[:, 0].tolist()]
