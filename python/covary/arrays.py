"""Rows of numbers that are kept: a copy, so that what the caller does to his array later does no harm."""

import numpy as np

from .frames import to_array


def rows(table, what: str) -> np.ndarray:
    """n x d numbers, or n for d = 1, columns contiguous."""
    values = np.asarray(to_array(table))
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{what}: expected an array of numbers, found dtype {values.dtype}")
    if values.ndim not in (1, 2):
        raise ValueError(f"{what}: expected rows and columns, found shape {values.shape}")
    return np.array(values.reshape(len(values), -1), float, order="F")
