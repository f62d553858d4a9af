"""Frames whose columns are of several types, and lists of texts, sets and graphs: their schema and their rows."""

import sys
import warnings
from typing import NamedTuple

import numpy as np

from ._covary import Schema, default_names, did_you_mean, object_kind
from .cells import Cells, cells_of, is_number_type
from .frames import column_at, columns_of, is_column, is_frame, labels_of, numbers, selected
from .networks import network_of
from .numeric import MISSING, is_missing, row_words
from .objects import is_graph, listed

NUMBERS = ("number", "integer")
OBJECTS = (str, set, frozenset, dict)
OBJECT_TYPES = ("text", "set", "graph")
TIMES = {"date": False, "datetime": True}  # whether dates of a type have a time of day


class Table(NamedTuple):
    """What a model learns from, with the kernel that it has if none is given."""

    x: np.ndarray
    names: list[str] | None
    schema: Schema | None  # None: numbers
    kernel: object


def warn(text) -> None:
    """A warning at the line of the caller that is none of this package."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "covary":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def _as_list(X):
    """One column of texts, sets, graphs or dates as an array; None if it is something else."""
    if isinstance(X, np.ndarray):
        return X if X.ndim == 1 and X.dtype.kind in "UMOT" else None
    if not isinstance(X, (list, tuple)):
        return None
    first = next((v for v in X if not is_missing(v) and not (isinstance(v, (list, tuple)) and len(v) == 0)), None)
    words = isinstance(first, (list, tuple)) and all(isinstance(v, str) for v in first)
    return listed(X) if isinstance(first, OBJECTS) or words or is_graph(first) or hasattr(first, "isoformat") else None


def _one_column(X, what, numbers=False):
    """X as the cells of one column, or None if it is none. numbers: it may be one of numbers."""
    if is_column(X) and not is_frame(X):
        name = getattr(X, "name", None)
        name = name if isinstance(name, str) and name else "x1"
        cells = cells_of(X, name, what, lambda i: f"{what}: {row_words(X, i)}")
    elif (values := _as_list(X)) is not None or numbers and np.ndim(X) == 1:
        cells = cells_of(np.asarray(X) if values is None else values, "x1", what, lambda i: f"{what}[{i}]")
    else:
        return None
    return cells if numbers or cells.kind != "number" else None


def _frame_cells(frame, what, only=None):
    """The cells of the columns of a frame, or of some of them, in their order."""
    labels, names = labels_of(frame), columns_of(frame)
    names = names or default_names(len(labels))
    at = range(len(names)) if only is None else [names.index(n) for n in only]
    return [cells_of(column_at(frame, k), names[k], f"{what}: column {labels[k]!r}") for k in at]


def _cells(X, what, all_of_them):
    """The columns of X, or None if they are numbers alone and nobody asks for their types."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf" and not all_of_them:
        return None
    if not is_frame(X):
        one = _one_column(X, what, all_of_them)
        return None if one is None else [one]
    labels = labels_of(X)
    if not all_of_them and all(is_number_type(column_at(X, k)) for k in range(len(labels))):
        return None
    cells = _frame_cells(X, what)
    return cells if all_of_them or any(c.kind != "number" for c in cells) else None


def _handed(c: Cells, word, levels=(), time=None, zone=False):
    """The arguments of the binding for a column of type `word`, "" to detect it."""
    number = c.kind == "number" or c.kind == "category" and c.values.dtype.kind in "iuf"
    if word in NUMBERS or c.kind == "number" and word == "":
        return c.name, c.numbers(), word, [], False
    if number or word == "boolean" and c.kind == "boolean":
        return c.name, c.numbers(True), word, list(levels), False
    return c.name, c.texts(time, zone), word, list(levels), c.kind == "date"


def _request(c: Cells, types, linear, network_given):
    """The type of a column, "" to detect it, and the levels of a category."""
    asked = types.get(c.name)
    if isinstance(asked, (list, tuple)):
        return "category", tuple(asked)
    if asked is not None:
        if not isinstance(asked, str):
            raise TypeError(f"types: expected text or a list of levels for column {c.name!r}, found {asked!r}")
        return asked, c.levels if asked == "category" else ()
    if linear and c.kind not in ("number", "boolean", "date"):
        return "number", ()
    if c.kind == "text":
        _check_texts(c, network_given)
    return {"number": "", "text": ""}.get(c.kind, c.kind), c.levels


def _check_texts(c: Cells, network_given):
    """All are texts, and not mostly numbers, which were to be read as such; names of nodes may be."""
    for i, value in enumerate(c.values.tolist()):
        if not isinstance(value, str) and not is_missing(value):
            raise ValueError(f"{c.where(i)}: expected text, found {c.shown(i)} ({type(value).__name__})")
    there = [v for v in c.values.tolist() if not is_missing(v)]
    others = [v for v in there if not _is_number_text(v)]
    if not network_given and 2 * len(others) < len(there):
        raise ValueError(
            f"{c.title} holds text ({(others or there)[0]!r}), and most of its cells are numbers: convert it, "
            f"or types={{{c.name!r}: 'category'}} says what it is"
        )


def _is_number_text(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_missing(cells, schema):
    for c, word, level in zip(cells, schema.types, schema.missing_levels):
        if not level and (gone := c.missing()):
            raise ValueError(f"{c.where(gone[0])}: expected a {word}, found {c.shown(gone[0])}; {MISSING}")


def _check_types(types, names):
    for name in types:
        if name not in names:
            raise ValueError(f"types: X has no column {name!r}{did_you_mean(str(name), names)}")


def _schema_of(cells, types, graph, linear):
    network = network_of(graph)
    handed = []
    for c in cells:
        word, levels = _request(c, types, linear, network is not None)
        handed.append(_handed(c, word, levels, TIMES.get(word) if c.name in types else None, True))
    return Schema.of(handed, network, lambda k, i: cells[k].where(i))


def table_of(X, kernel=None, types=None, graph=None, *, linear=False, otherwise="matern52()") -> Table:
    """The rows of X with the types of their columns, those that a model with this kernel reads.

    linear: the model reads numbers and dates alone, and has no kernel. otherwise: the kernel of numbers without one.
    """
    if types is not None and not isinstance(types, dict):
        raise TypeError(f"types: expected a dict of column to type, found {types!r}")
    cells = _cells(X, "X", bool(types) or graph is not None)
    if cells is None or linear and not types and all(c.kind not in ("boolean", "date") for c in cells):
        _check_types(types or {}, [])
        return Table(numbers(X), columns_of(X), None, otherwise if kernel is None else kernel)
    _check_types(types or {}, [c.name for c in cells])
    if not is_frame(X) and not types and kernel is not None and object_kind(str(kernel)) == "text":
        types = {cells[0].name: "text"}  # however few are different
    schema = _schema_of(cells, types or {}, graph, linear)
    used = list(range(len(cells))) if linear else schema.used(kernel)
    left = [f"{c.name} ({t})" for k, (c, t) in enumerate(zip(cells, schema.types)) if k not in used]
    if left:
        warn(f"left out, not read by the kernel: {', '.join(left)}")
    schema, cells = schema.only(used), [cells[k] for k in used]
    if kernel is None:
        kernel = schema.default_kernel(otherwise)
    x = _encoded(cells, schema, None if linear else kernel)
    _warn_many(schema, x)
    return Table(x, schema.names, None if schema.plain else schema, kernel)


def _warn_many(schema, x):
    """Warns of columns with thousands of categories."""
    for k, (name, word) in enumerate(zip(schema.names, schema.types)):
        if word == "category" and (levels := len(np.unique(x[:, k]))) >= 1000:
            warn(
                f"column '{name}' has {levels} categories in {len(x)} rows, {len(x) / levels:.1f} rows each: if it names "
                "the rows, leave it out; text is read by spectrum()"
            )


def _encoded(cells, schema, kernel=None, beside=None):
    _check_missing(cells, schema)
    columns = [_handed(c, word, time=TIMES.get(word)) for c, word in zip(cells, schema.types)]
    return schema.encode(columns, lambda k, i: cells[k].where(i), kernel, beside)


def further_rows(schema, names, X, what="X", missing=False, kernel=None, beside=None):
    """Further rows of columns with these types: by name where X is a frame. schema: None of numbers.

    kernel: what has to read them, beside the first of the rows `beside`.
    """
    if schema is None:
        return selected(X, names, what, missing)
    if is_frame(X):
        return _encoded(_frame_cells(X, what, _found(names, columns_of(X), len(labels_of(X)), what)), schema, kernel, beside)
    one = _one_column(X, what, not schema.all_numbers) if len(names) == 1 else None
    if one is not None:
        return _encoded([one], schema, kernel, beside)
    if schema.all_numbers:
        return numbers(X, what, missing)
    raise ValueError(f"{what}: expected a frame with the columns {', '.join(names)}, found {type(X).__name__}")


def _found(names, found, count, what):
    """The columns of a frame that have these names; None: all, as they stand."""
    absent = [n for n in names if n not in (found or ())]
    if not absent:
        return names
    if count == len(names) and (found is None or names == default_names(count)):
        return None
    raise ValueError(f"{what} has no column '{absent[0]}', which the model needs{did_you_mean(absent[0], found or [])}")


def points(model, X, what="X", missing=False):
    """The rows of X as the model has them: columns by name, each of its type."""
    fitted = model.schema is not None and len(model.y) and any(t in OBJECT_TYPES for t in model.schema.types)
    read = (model.learned_kernel, model.x) if fitted else (None, None)
    x = further_rows(model.schema, model.features, X, what, missing, *read)
    if model.schema is not None and len(model.y):
        _warn_unseen(model, x, what)
    return x


def _warn_unseen(model, x, what):
    for name, texts in model.unseen(x).items():
        shown = ", ".join(texts[:8]) + (f", ... ({len(texts)} in all)" if len(texts) > 8 else "")
        count = "1 category" if len(texts) == 1 else f"{len(texts)} categories"
        warn(
            f"column '{name}' of {what} has {count} that the model has not seen: {shown}; each counts as a level of "
            "its own, with the correlation that the prior has between levels"
        )


def object_texts(X, what) -> list[str] | None:
    """Texts, sets or graphs, each as a table has it; None if X is something else."""
    cells = _one_column(X, what)
    if cells is None or cells.kind not in ("text", "category", "set", "graph"):
        return None
    if gone := cells.missing():
        raise ValueError(f"{cells.where(gone[0])}: expected a {cells.kind}, found {cells.shown(gone[0])}")
    return cells.texts()
