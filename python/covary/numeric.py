"""Numbers out of columns and arrays of any type. Other values are refused with their row, their column and what to do."""

import numpy as np

TEXT = "expected numbers: leave it out or code it as numbers"
MISSING = "leave such rows out or fill them in"


def is_missing(value):
    """Whether a value is missing: None, nan, pandas' NA and NaT."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (value != value) is True


def as_float(value):
    """The number, nan if it is missing, or None if it is not a number, as text."""
    if is_missing(value):
        return np.nan
    if isinstance(value, (str, bytes, complex)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def values_of(column):
    """A column, or an array, as NumPy has it: objects that are all numbers, or missing, as numbers."""
    array = np.asarray(unwrapped(column))
    if array.dtype.kind != "O" or array.ndim == 0:
        return array
    objects = array.ravel().tolist()
    found = [as_float(v) for v in objects]
    if None in found:
        return array
    kinds = {type(v) for v in objects}
    same = np.array(objects) if kinds in ({bool}, {int}) else array  # labels stay what they are
    return (np.array(found, float) if same.dtype.kind == "O" else same).reshape(array.shape)


def unwrapped(column):
    """What NumPy can make an array of."""
    if isinstance(column, np.ndarray) or not hasattr(column, "to_numpy"):
        return column
    arrow = type(column).__module__.startswith("pyarrow") and type(column).__name__ != "ChunkedArray"
    return column.to_numpy(zero_copy_only=False) if arrow else column.to_numpy()


def row_words(column, i):
    """How the caller finds a row: by the label of a pandas index, or counted from 0."""
    if not hasattr(column, "iloc"):
        return f"row index {i}"
    label = column.index[i]
    return f"index '{label}'" if isinstance(label, str) else f"index {label}"


def shown(value):
    """A value in an error, cut short."""
    text = str(value) if isinstance(value, (float, np.generic)) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _refuse_objects(array, where, title=None):
    """Names the first value that is no number: where(i) is its place, title that of a whole column of text."""
    for i, value in enumerate(array.ravel().tolist()):
        if isinstance(value, (str, bytes)):
            raise ValueError(f"{title or where(i)} holds text ({value!r}), {TEXT}")
        if as_float(value) is None:
            raise ValueError(f"{where(i)}: expected a number, found {shown(value)} ({type(value).__name__})")


def column_numbers(column, what, missing, name=None, where=None):
    """n numbers of one column of a frame. name: of the column, if the frame has several; where(i): of a cell."""
    title = what if name is None else f"{what}: column {name!r}"
    where = where or (lambda i: f"{title}{':' if name is None else ','} {row_words(column, i)}")
    values = values_of(column)
    if values.dtype.kind in "OUST":
        _refuse_objects(values, where, title)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{title} holds {values.dtype}, expected numbers: convert it first")
    values = values.astype(float)
    wrong = np.flatnonzero(np.isinf(values) if missing else ~np.isfinite(values))
    if len(wrong):
        i = int(wrong[0])
        advice = f"; {MISSING}" if np.isnan(values[i]) else ""
        raise ValueError(f"{where(i)}: expected a finite number, found {shown(original(column, i))}{advice}")
    return values


def original(column, i):
    """A value before its conversion."""
    value = column.iloc[i] if hasattr(column, "iloc") else column[i]
    return value.as_py() if hasattr(value, "as_py") else value


def _index(what, array, i):
    """X[3, 0], as NumPy has it."""
    return f"{what}[{', '.join(map(str, np.unravel_index(i, array.shape)))}]"


def _unmasked(array, what, missing):
    """A masked array as a plain one; masked numbers are missing."""
    mask = np.ma.getmaskarray(array)
    if mask.any() and not missing:
        place = _index(what, mask, int(np.argmax(mask)))
        raise ValueError(f"{place} is masked, expected a number: {MISSING}")
    return np.where(mask, np.nan, array.data) if mask.any() else array.data


def _listed(rows, what):
    """Lists as an array, text as it is and not made of numbers."""
    try:
        array = np.asarray(rows)
    except ValueError as error:
        raise ValueError(f"{what}: expected an array of numbers, found {error}") from None
    return np.array(rows, dtype=object) if array.dtype.kind in "US" else array


def numbers_of_array(table, what, missing):
    """n x d numbers of an array or of lists; rows and columns that are wrong are named as X[3, 0]."""
    if isinstance(table, np.ma.MaskedArray):
        table = _unmasked(table, what, missing)
    array = _listed(table, what) if isinstance(table, (list, tuple)) else np.asarray(table)
    if array.ndim == 0 and array.dtype.kind not in "biufc":
        raise TypeError(f"{what}: expected an array or a frame of numbers, found {_thing(table)}")
    if array.dtype.kind in "OUST":
        return _object_numbers(array, what, missing)
    return array


def _thing(table):
    """A value that is not an array, in an error message, with the way to convert it."""
    for verb in ("collect", "toarray"):
        if hasattr(table, verb):
            return f"a {type(table).__name__}: call .{verb}() first"
    return "None" if table is None else f"{table!r:.60} ({type(table).__name__})"


def _object_numbers(array, what, missing):
    values = values_of(array)
    if values.dtype.kind in "OUST":
        _refuse_objects(array, lambda i: _index(what, array, i))
    wrong = np.flatnonzero(np.isnan(values))
    if len(wrong) and not missing:
        i = int(wrong[0])
        found = shown(array.ravel().tolist()[i])
        raise ValueError(f"{_index(what, array, i)}: expected a finite number, found {found}; {MISSING}")
    return values
