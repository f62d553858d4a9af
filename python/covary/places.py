"""The places that a placement is about: candidates, sensors that stand already, and what is only predicted."""

import numpy as np

from ._covary import default_names, did_you_mean
from .arrays import rows
from .frames import column_at, columns_of, is_frame, to_array
from .numeric import is_missing, values_of
from .records import further_rows

USUAL_NAMES = ("name", "station", "id", "Name", "Station", "ID")
YES, NO = ("yes", "true", "y", "1"), ("no", "false", "n", "0", "")


def column(frame, name, what):
    """One column of a frame as an array."""
    names = columns_of(frame) or []
    if name not in names:
        raise ValueError(f"{what}: the candidates have no column '{name}'{did_you_mean(name, names)}")
    return values_of(column_at(frame, names.index(name)))


def is_number(values):
    """Whether an array holds numbers."""
    return values.dtype.kind in "iuf"


def flags(values, what):
    """The positions that are true: of booleans, or of words such as yes and no."""
    out = []
    for i, value in enumerate(np.asarray(values).tolist()):
        word = str(value).lower()
        if is_missing(value) or isinstance(value, str) and word not in YES + NO:
            raise ValueError(f"{what}: row index {i}: expected yes or no, true or false, 1 or 0, found {value!r}")
        if word in YES if isinstance(value, str) else value:
            out.append(i)
    return out


class Places:
    """Names and coordinates, all counted from 0: the candidates first, then what else there is."""

    def __init__(self, names, x, axes, named, schema=None):
        self.schema = schema  # the types of the axes; None: numbers
        self.names = list(names)
        self.x = x  # places x axes, nan: unknown; None: no coordinates
        self.axes = list(axes)
        self.named = named  # or called by their numbers
        self.candidates = len(self.names)
        if not self.names:
            raise ValueError("candidates: expected 1 place or more, found none")
        if len(set(self.names)) < len(self.names):
            twice = next(n for n in self.names if self.names.count(n) > 1)
            raise ValueError(f"names: '{twice}' is the name of two places")

    def __len__(self):
        return len(self.names)

    def add(self, name, x=None):
        """A further place, which is no candidate; its number."""
        self.names.append(name)
        if self.x is not None:
            row = np.full((1, self.x.shape[1]), np.nan) if x is None else np.reshape(x, (1, -1))
            self.x = np.vstack([self.x, row])
        return len(self.names) - 1

    def called(self, name, what):
        """The number of a place, by its name."""
        if name in self.names:
            return self.names.index(name)
        raise ValueError(f"{what}: '{name}' is the name of no place{did_you_mean(name, self.names)}")

    def numbered(self, numbers, what):
        """Whole numbers of candidates, checked."""
        for i in numbers:
            if not 0 <= i < self.candidates:
                raise ValueError(f"{what}: expected a candidate from 0 to {self.candidates - 1}, found {i}")
        return [int(i) for i in numbers]

    def listed(self, given, what, elsewhere=()):
        """Numbers of the places in a list: of numbers, of names, or of booleans, one for each candidate.

        A name that is only in `elsewhere` becomes a further place.
        """
        values = values_of(given).reshape(-1) if len(given) else np.empty(0, int)
        if values.dtype.kind == "b":
            if len(values) != self.candidates:
                raise ValueError(f"{what}: {len(values)} booleans for {self.candidates} candidates")
            return np.flatnonzero(values).tolist()
        if values.dtype.kind in "iu":
            return self.numbered(values.tolist(), what)
        names = [str(v) for v in values.tolist()]
        if values.dtype.kind not in "UOT" or not all(isinstance(v, str) for v in values.tolist()):
            raise ValueError(f"{what}: expected numbers or names of places, found {values.tolist()[0]!r}")
        new = [n for n in names if n not in self.names and n in elsewhere]
        return [self.add(n) if n in new else self.called(n, what) for n in names]

    def at(self, x, what, names=None):
        """Numbers of the places at these coordinates; where there is none, a further place."""
        if self.x is None or x.shape[1] != self.x.shape[1]:
            there = 0 if self.x is None else self.x.shape[1]
            raise ValueError(f"{what}: expected {there} coordinates, as the candidates have, found {x.shape[1]}")
        out = []
        for r, row in enumerate(x):
            same = np.flatnonzero((self.x == row).all(axis=1))
            out.append(int(same[0]) if len(same) else self.add(names[r] if names else f"{what} {r}", row))
        return out

    def found(self, given, what, elsewhere=()):
        """Numbers of the places that are given as a list, or by their coordinates: an array or a frame."""
        if given is None:
            return []
        if is_frame(given) and columns_of(given) is not None:
            return self._of_frame(given, what, elsewhere)
        values = to_array(given)
        if np.ndim(values) == 2:
            return self.at(rows(values, what), what)
        return self.listed(values, what, elsewhere)

    def _of_frame(self, frame, what, elsewhere):
        named = _name_column(frame)
        names = None if named is None else [str(v) for v in column(frame, named, what)]
        if elsewhere and names is not None:
            return self.listed(names, what, elsewhere)
        missing = [a for a in self.axes if a not in columns_of(frame)]
        if missing or not self.axes:
            raise ValueError(f"{what}: expected the columns {', '.join(self.axes) or 'of coordinates'}")
        return self.at(rows(further_rows(self.schema, self.axes, frame, what), what), what, names)

    def coordinate(self, axis, indices) -> list:
        """One coordinate of some places, as a table has it."""
        values = self.x[indices, axis].tolist()
        if self.schema is None or self.schema.types[axis] in ("number", "integer", "boolean"):
            return values
        return [self.schema.text(axis, v) for v in values]


def typed_places(candidates, names, x, axes, schema):
    """Candidates whose columns are not all numbers: called by their only column, if nothing else names them."""
    frame = is_frame(candidates) and columns_of(candidates) is not None
    named = names if isinstance(names, str) else _name_column(candidates) if frame else None
    if names is None or isinstance(names, str):
        names = None if named is None else [str(v) for v in column(candidates, named, "names").tolist()]
    numbered = Places(map(str, range(len(x))), x, axes, False, schema)
    if names is None and len(axes) == 1 and len(set(x[:, 0].tolist())) == len(x):
        names = numbered.coordinate(0, range(len(x)))
    if names is None:
        return numbered
    if len(names) != len(x):
        raise ValueError(f"names: {len(names)} for {len(x)} candidates")
    return Places(map(str, names), x, axes, True, schema)


def _name_column(frame):
    return next((n for n in USUAL_NAMES if n in columns_of(frame)), None)


def places_of(candidates, names, coordinates, used, most_axes):
    """The candidates: of a frame the columns by name, else all of an array.

    used: columns that have another use. most_axes: more columns than this are no coordinates.
    """
    if not is_frame(candidates) or columns_of(candidates) is None:
        return _of_array(candidates, names)
    named = names if isinstance(names, str) else _name_column(candidates)
    if names is None or isinstance(names, str):
        names = None if named is None else [str(v) for v in column(candidates, named, "names").tolist()]
    axes = coordinates or _axes(candidates, [named, *used], most_axes)
    x = None
    if axes:
        x = np.hstack([rows(column(candidates, a, "coordinates"), f"coordinates: '{a}'", missing=True) for a in axes])
    count = len(to_array(candidates))
    return Places(names or map(str, range(count)), x, axes, names is not None)


def _axes(frame, used, most):
    axes = [c for c in columns_of(frame) if c not in used and is_number(column(frame, c, "coordinates"))]
    return axes if most is None or len(axes) <= most else []


def _of_array(candidates, names):
    x = rows(candidates, "candidates", missing=True)
    if names is not None and len(names) != len(x):
        raise ValueError(f"names: {len(names)} for {len(x)} candidates")
    return Places(
        map(str, names if names is not None else range(len(x))), x, default_names(x.shape[1]), names is not None
    )
