"""What to measure next in a domain: intervals, lattices and lists in the place of a table of candidates."""

from dataclasses import dataclass, field

import numpy as np

from .. import _covary


@dataclass(frozen=True, eq=False)
class DomainSuggestion:
    """Inputs in the order of choice, to be measured together."""

    X: np.ndarray  # n x d, in the columns of the model; of categories the codes; `points` has their names
    scores: np.ndarray  # of the strategy
    mean: np.ndarray  # of f, before
    sd: np.ndarray  # of f, before
    reasons: list[str]
    points: list[dict]  # the same by the names of the columns
    notes: list[str] = field(default_factory=list)

    def __len__(self):
        return len(self.X)


def _axis(name, values):
    """A tuple of two or three numbers is a range; anything else lists values."""
    if isinstance(values, tuple):
        if len(values) not in (2, 3) or not all(np.isscalar(v) and not isinstance(v, str) for v in values):
            raise ValueError(f"over: {name!r}: expected (lower, upper), (lower, upper, step) or a list, found {values!r}")
        lower, upper, *step = (float(v) for v in values)
        if step and not step[0] > 0:
            raise ValueError(f"over: {name!r}: expected a positive step, found {step[0]!r}")
        return _covary.range_axis(name, lower, upper, *(step or [0.0]))
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise ValueError(f"over: {name!r}: expected (lower, upper), (lower, upper, step) or a list, found {values!r}")
    return _covary.list_axis(name, [v if isinstance(v, str) else repr(float(v)) for v in values])


def suggest_over(model, over, n, strategy, where, minimize, seed, threads) -> DomainSuggestion:
    """The points of `suggest(model, over=...)` for a learned model."""
    if not isinstance(over, dict):
        if len(over) != len(model.features):
            raise ValueError(f"over: expected a range for each of {len(model.features)} columns, found {len(over)}")
        over = dict(zip(model.features, over, strict=True))
    axes = [_axis(str(name), values) for name, values in over.items()]
    answer = _covary.suggest_over(model, axes, n, strategy, where, minimize, seed, threads)
    return DomainSuggestion(**answer)
