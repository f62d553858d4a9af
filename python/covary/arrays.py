"""Copies of arrays of numbers, so that later changes to the caller's array have no effect."""

import numpy as np

from .frames import numbers


def rows(table, what: str, least: int = 0, missing: bool = False) -> np.ndarray:
    """n x d numbers, or n for d = 1, columns contiguous; at least so many rows. missing: nan may be among them."""
    values = np.asarray(numbers(table, what, missing))
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{what}: expected an array of numbers, found dtype {values.dtype}")
    if values.ndim not in (1, 2):
        raise ValueError(f"{what}: expected rows and columns, found shape {values.shape}")
    if len(values) < least:
        raise ValueError(f"{what}: expected {least} row or more, found {len(values)}")
    return np.array(values[:, None] if values.ndim == 1 else values, float, order="F")
