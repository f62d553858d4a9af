"""Columns of text: no kernel reads them yet, so they are refused by name, with the first text that is there."""


import numpy as np


def listed(rows):
    """Lists as an array, text as it is and not made of numbers; lists that make none as they are."""
    try:
        array = np.asarray(rows)
    except ValueError:  # the core says why
        return rows
    return np.array(rows, dtype=object) if array.dtype.kind in "US" else array


def refuse_text(array, columns, what):
    """Raises ValueError if the NumPy array has text in it. columns: their names, or None."""
    if array.dtype.kind not in "OUST":
        return
    tall = array if array.ndim > 1 else array.reshape(len(array), -1) if array.ndim else array.reshape(1, 1)
    for k in range(tall.shape[1] if tall.ndim == 2 else 0):
        found = next((v for v in tall[:, k] if isinstance(v, (str, bytes))), None)
        if found is not None:
            raise ValueError(_said(what, columns[k] if columns else k + 1, found, array.ndim > 1 or columns))


def _said(what, column, found, named):
    """What was expected, what came and where."""
    found = str(found) if isinstance(found, str) else bytes(found)  # not NumPy's own kind of text
    name = f"'{column}'" if isinstance(column, str) else column
    where = f"{what}: column {name}" if named else what
    return f"{where} holds text ({found!r}), expected numbers: no kernel reads text; leave it out or code it as numbers"
