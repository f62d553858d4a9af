"""Labels for all of a pool from the labels of a few of its rows, and which rows to label next."""

from dataclasses import dataclass

import numpy as np

from .. import _covary
from .._covary import default_names
from ..arrays import rows
from ..binding import check_number
from ..classifier import DEFAULT, _ordered, coded
from ..numeric import is_missing, values_of
from ..records import table_of


@dataclass(frozen=True, eq=False)
class LabelledPool:
    """A label for every row, how many of them are wrong, and the rows to label next."""

    labels: np.ndarray  # as given, or the most frequent class of the row's cluster
    errors: np.ndarray  # the estimated probability that it is wrong; 0 where it was given
    cluster: np.ndarray  # of `clusters`, for each row
    clusters: list[dict]  # rows, labels, label, share of that label among them, lower bound of its share
    error: float  # the estimated share of wrong labels
    limit: float  # its upper limit
    next: np.ndarray  # rows to label next, in the order they were drawn
    probabilities: np.ndarray  # with which each was drawn
    open: list[int]  # among how many
    reasons: list[str]


def label_pool(
    X,
    labels,
    n: int = 0,
    *,
    classes=None,
    kernel=None,
    factor: float = 2.0,
    percent: float = 95.0,
    types=None,
    graph=None,
    seed: int = 1,
    threads: int = 0,
) -> LabelledPool:
    """Hierarchical sampling: labels for all rows of X from those in `labels`, None or nan where there is none. What
    `covary label` does.

    n: rows to draw that are to be labelled next. The limit is valid for labels that were drawn so: inside
    a cluster they count as a random sample. classes: all possible classes, if some of them have no label yet. kernel: its
    distances define the clusters; None: se() of numbers. factor: a class is admissible for a cluster if it errs at most
    this many times as often as any other might. percent: the confidence of the upper limit of wrong labels.
    """
    check_number("n", n)
    given = values_of(labels).reshape(-1)
    known = np.array([not is_missing(v) for v in given.tolist()], bool)
    told = np.array(given[known].tolist())
    kinds = _ordered(told if classes is None else np.asarray(classes))
    table = table_of(X, kernel, types, graph, otherwise=DEFAULT)
    x = rows(table.x, "X", 1)
    if len(x) != len(given):
        raise ValueError(f"label_pool: {len(x)} rows of X and {len(given)} labels")
    names = table.names or default_names(x.shape[1])
    full = _covary.scaled(table.kernel, x, names, table.schema)
    numbers = np.full(len(given), -1, np.intp)
    if known.any():
        numbers[known] = coded(told, kinds.tolist())
    answer = _covary.label_pool(full, x, numbers.tolist(), max(2, len(kinds)), n, factor, percent, seed, threads)
    every = kinds if len(kinds) else np.array([None, None], object)
    for cluster in answer["clusters"]:
        cluster["label"] = every[cluster.pop("kind")]
    answer["labels"] = every[np.asarray(answer["labels"], np.intp)]
    for name in ("cluster", "next"):
        answer[name] = np.asarray(answer[name], np.intp)
    answer["probabilities"] = np.asarray(answer["probabilities"], float)
    return LabelledPool(**answer)
