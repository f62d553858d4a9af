"""Sensors that were placed: locations, gains, and a certificate of the value of the set."""

from dataclasses import dataclass, field

import numpy as np

from .notebook import listed, table
from .places import Places


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Errors of predicting the other places on held-out readings, with 0, 1, ..., k sensors."""

    rmse: np.ndarray
    inside: np.ndarray  # share of the readings inside their 95 % interval
    worst: float  # the largest error of one time, with all of them
    worst_time: str
    random_rmse: np.ndarray | None  # of random sets: mean, 5 % and 95 % points
    random_5: np.ndarray | None
    random_95: np.ndarray | None


@dataclass(frozen=True, eq=False, repr=False)
class Placement:
    """Sensors in the order of choice. gains, values, bounds, shares, costs and sds have one number for each."""

    indices: np.ndarray  # rows of the candidates
    names: list[str]
    gains: np.ndarray  # what each added to those before it
    values: np.ndarray  # of all up to it
    bounds: np.ndarray  # no set of as many is worth more; inf: not known
    shares: np.ndarray  # at least this share of the best possible; nan: not known
    costs: np.ndarray  # of all up to it
    mean_sd: np.ndarray  # of the field at the targets, given all up to it
    largest_sd: np.ndarray
    mean_sd_before: float
    largest_sd_before: float
    optimal: bool  # proven: no set of this size is better
    stopped: str  # why fewer were placed than asked for, or ""
    criterion: str
    measure: str  # of values: "nats", or "variance" of the field
    unit: str  # of the field
    notes: list[str]
    held_out: HeldOut | None
    remaining_sd: np.ndarray  # of the field at every place
    places: Places = field(repr=False)
    existing: list[int] = field(repr=False)
    forbidden: list[int] = field(repr=False)
    targets: list[int] = field(repr=False)

    @property
    def value(self) -> float:
        """The value of all sensors."""
        return float(self.values[-1]) if len(self.values) else 0.0

    @property
    def bound(self) -> float:
        """No allowed set of as many sensors is worth more."""
        return float(self.bounds[-1]) if len(self.bounds) else float("inf")

    @property
    def share(self) -> float:
        """At least this share of the best possible value is proven; nan: nothing is."""
        return float(self.shares[-1]) if len(self.shares) else float("nan")

    def table(self) -> dict[str, list]:
        """The sensors by columns, as `covary place` writes them: what pandas.DataFrame takes."""
        out: dict[str, list] = {"rank": list(range(1, len(self.indices) + 1)), "name": self.names}
        for d, axis in enumerate(self.places.axes):
            out[axis] = self.places.coordinate(d, self.indices)
        parts = ["gains", "values", "shares", "mean_sd", "largest_sd"]
        out.update({p.removesuffix("s"): getattr(self, p).tolist() for p in parts})
        return out

    @property
    def summary(self) -> str:
        """A summary of the sensors, as text."""
        table = self.table()
        rows = [[f"{v:.4g}" if isinstance(v, float) else str(v) for v in row] for row in zip(*table.values())]
        widths = [max(map(len, c)) for c in zip(list(table), *rows)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in [list(table), *rows]]
        return "\n".join([*lines, *self.notes])

    def plot(self, ax=None, *, label: bool = True):
        """A map of the sensors and of the remaining sd, over two coordinates; needs Matplotlib."""
        from .plots import placement_map

        return placement_map(self, ax, label)

    def __repr__(self):
        return f"<covary.Placement: {len(self.indices)} sensors by {self.criterion}, value {self.value:.6g}>"

    def _repr_html_(self):
        columns = self.table()
        rows = [[f"{v:.4g}" if isinstance(v, float) else v for v in row] for row in zip(*columns.values())]
        return table(columns, rows) + listed(self.notes)
