"""Query strategies replayed on data whose labels are known."""

from dataclasses import dataclass

import numpy as np

from . import _covary
from .classifier import _kinds, coded
from .frames import numbers
from .gp import check_noise
from .numeric import values_of
from .records import further_rows, table_of


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """How fast the error of a strategy falls with labels, over the repeats."""

    strategy: str
    labels: np.ndarray
    errors: np.ndarray  # labels x repeats: rmse, or the share of classes missed
    mean: np.ndarray  # over the repeats, and their 10 % and 90 % points
    lower: np.ndarray
    upper: np.ndarray
    mean_error: float  # over all numbers of labels
    labels_to_reach: float  # the error asked for; nan: it does not
    share_of_baseline: float  # of the baseline's labels
    last_error: float
    wins: int  # repeats with a smaller mean error than the baseline
    p: float  # of a paired t test of that, two-sided


@dataclass(frozen=True, eq=False)
class Replay:
    """Learning curves of the strategies, and the labels that each needed."""

    curves: list[LearningCurve]
    baseline: str  # what others are compared with
    reach: float  # the error until which labels are counted
    runs: list[dict]  # of each strategy and repeat, every step: labels, rows, probability, surprise, error, ...

    def __str__(self):
        lines = [f"labels until the error is {self.reach:.4g}; baseline: {self.baseline}"]
        for c in self.curves:
            share = f"{c.labels_to_reach:.0f}" if c.labels_to_reach == c.labels_to_reach else "never"
            lines.append(f"{c.strategy}: {share}; mean error {c.mean_error:.4g}, {c.last_error:.4g} at the end")
        return "\n".join(lines)

    def plot(self, ax=None):
        """The curves, with the middle 80 % of the repeats; needs Matplotlib."""
        from .plots import replay_plot

        return replay_plot(self, ax)


def _usual(classes, stream):
    best = "svm-margin" if classes else "uncertainty" if stream else "variance-reduction"
    return ["random", best] if stream else ["random", "uncertainty", best]


def _labels(y, y_test, classify):
    """Numbers, or the numbers of classes, and how many of those there are."""
    if not classify and values_of(y).dtype.kind in "iuf":
        return numbers(y, "y"), None if y_test is None else numbers(y_test, "y_test"), 0
    labels = _kinds(y)
    kinds = np.unique(labels).tolist()
    test = None if y_test is None else coded(y_test, kinds).astype(float)
    return coded(labels, kinds).astype(float), test, len(kinds)


def replay(
    X,
    y,
    strategies: list[str] | str | None = None,
    *,
    budget: int = 100,
    repeats: int = 20,
    start: int = 0,
    batch: int = 1,
    kernel=None,
    mean: str = "constant",
    noise: str | float = "learn",
    classify: bool = False,
    penalty: float = 10.0,
    costs=None,
    X_test=None,
    y_test=None,
    test_share: float = 0.3,
    random_share: float = 0.0,
    minimize: bool = False,
    relearn: float = 1.25,
    stop: dict | None = None,
    reach: float | None = None,
    stream: bool = False,
    memory: int | None = None,
    forget: str = "redundant",
    seed: int = 1,
    threads: int = 0,
    types: dict[str, str | list] | None = None,
    graph=None,
) -> Replay:
    """Replays labelling with each strategy from the same starts. What `covary replay` does.

    y: numbers, learned by a GP, or classes (words, or classify=True), by a Classifier of the penalty.
    budget: labels, those of the start included (0: a few). relearn: parameters are learned anew when labels have
    grown by this factor; 0: never. X_test, y_test: test rows; by default a share of X, another one in each repeat.
    minimize: strategies that look for the best look for the smallest y. stop: rules as `Stopping` has them. reach: labels are counted until this error; None: random's at the end.
    stream: candidates arrive one at a time, `memory` labelled points are kept. types, graph: as in GP.
    """
    strategies = [strategies] if isinstance(strategies, str) else strategies
    if strategies is not None and len(set(strategies)) < len(strategies):
        raise ValueError("strategies: the same one was given twice")
    if memory is not None and not stream:
        raise ValueError("memory needs stream")
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test go together")
    check_noise(noise)
    labels, test, kinds = _labels(y, y_test, classify)
    table = table_of(X, kernel, types, graph, otherwise="se()" if kinds else "matern52()")
    x = np.asarray(table.x)
    names = table.names or _covary.default_names(x.shape[1] if x.ndim == 2 else 1)
    options = _covary.ReplayOptions()
    options.strategies = list(strategies or _usual(kinds, stream))
    options.budget, options.repeats, options.start, options.batch = budget, repeats, start, batch
    options.test_share, options.random_share, options.relearn = test_share, random_share, relearn
    options.penalty, options.seed, options.threads = penalty, seed, threads
    options.minimize = minimize
    if not isinstance(stop, dict | None):
        raise TypeError(f"stop: expected a dict of rules, as {{'largest_sd': 0.1}}, found {stop!r}")
    options.stop(**(stop or {}))
    variance = None if isinstance(noise, str) else noise
    model = _covary.replay_model(str(table.kernel), mean, variance, names, table.schema)
    at = None if X_test is None else further_rows(table.schema, names, X_test, "X_test")
    data = _covary.replay_data(x, labels, kinds, None if costs is None else numbers(costs, "costs"), at, test)
    answer = _covary.replay(data, model, options, (memory or 500) if stream else None, forget, reach)
    return Replay(curves=[LearningCurve(**c) for c in answer.pop("curves")], **answer)
