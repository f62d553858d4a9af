"""Active learning with any estimator in the manner of scikit-learn."""

from collections.abc import Callable

import numpy as np

from ..binding import check_number
from ..numeric import values_of
from ..selection import Suggestion


def _least_confident(p):
    """1 - max p"""
    return 1 - p.max(axis=1)


def _margin(p):
    """1 - (the largest p - the next)"""
    first = np.sort(p, axis=1)
    return 1 - (first[:, -1] - (first[:, -2] if p.shape[1] > 1 else 0))


def _entropy(p):
    """-sum p log p"""
    return -np.sum(p * np.log(np.where(p > 0, p, 1)), axis=1)


_OF_CLASSES: dict[str, Callable] = {"least-confident": _least_confident, "margin": _margin, "entropy": _entropy}
_NAMES = [*_OF_CLASSES, "uncertainty", "random"]


class ActiveLearner:
    """What to label next for an estimator of scikit-learn, or anything like one: suggest, tell, suggest, tell.

    estimator: has fit(X, y) and predict_proba(X), for classes, or predict(X, return_std=True), for numbers. X_pool: m
    rows, candidates. strategy: "least-confident", "margin" or "entropy" of the probabilities; "uncertainty", the standard
    deviation; "random"; or a function of the fitted estimator and rows that gives a score for each, larger is better. By
    default "entropy" where there is predict_proba, else "uncertainty". X, y: rows that have labels already. Candidates
    are random until the estimator can be fitted, which takes one label of a number, or two different classes.
    """

    def __init__(self, estimator, X_pool, strategy: str | Callable | None = None, *, X=None, y=None, seed: int = 1):
        self.estimator = estimator
        self._x = np.asarray(X_pool)
        if self._x.ndim != 2 or not len(self._x):
            raise ValueError(f"X_pool: expected rows of candidates, found an array of shape {self._x.shape}")
        classifies = hasattr(estimator, "predict_proba")
        self.strategy = strategy if strategy is not None else "entropy" if classifies else "uncertainty"
        self._check_strategy(classifies)
        if (X is None) != (y is None):
            raise ValueError("X and y: expected both, or neither")
        self._known_x = self._x[:0] if X is None else np.asarray(X)
        self._known_y = [] if y is None else list(np.asarray(values_of(y)))
        if len(self._known_x) != len(self._known_y):
            raise ValueError(f"X and y: {len(self._known_x)} rows and {len(self._known_y)} labels")
        self._labels: dict[int, object] = {}  # by candidate, in the order they came
        self._pending: list[int] = []
        self._rng = np.random.default_rng(seed)
        self.fitted = False
        self._fit()

    def _check_strategy(self, classifies):
        if callable(self.strategy):
            return
        if self.strategy not in _NAMES:
            raise ValueError(f"strategy: expected one of {', '.join(_NAMES)} or a function, found {self.strategy!r}")
        if self.strategy in _OF_CLASSES and not classifies:
            raise ValueError(f"strategy: {self.strategy} needs predict_proba, {type(self.estimator).__name__} has none")
        if self.strategy == "uncertainty" and not hasattr(self.estimator, "predict"):
            raise ValueError(f"strategy: uncertainty needs predict, {type(self.estimator).__name__} has none")

    def _fit(self):
        x = np.concatenate([self._known_x, self._x[list(self._labels)]])
        y = np.asarray(self._known_y + list(self._labels.values()))
        least = 2 if hasattr(self.estimator, "predict_proba") else 1
        self.fitted = len(np.unique(y)) >= least
        if self.fitted:
            self.estimator.fit(x, y)

    def scores(self) -> np.ndarray:
        """m: the score of each candidate; 0 for all until the estimator can be fitted."""
        if not self.fitted or self.strategy == "random":
            return np.zeros(len(self._x))
        if self.strategy in _OF_CLASSES:
            out = _OF_CLASSES[self.strategy](np.asarray(self.estimator.predict_proba(self._x)))
        elif self.strategy == "uncertainty":
            out = self._sd()
        else:
            out = self.strategy(self.estimator, self._x)
        return self._checked(out)

    def _sd(self):
        try:
            return self.estimator.predict(self._x, return_std=True)[1]
        except TypeError as error:
            name = type(self.estimator).__name__
            raise ValueError(f"strategy: uncertainty needs predict(X, return_std=True), {name} has none: {error}") from error

    def _checked(self, out):
        name = getattr(self.strategy, "__name__", self.strategy)
        out = np.asarray(out, float)
        if out.shape != (len(self._x),):
            raise ValueError(f"strategy {name!r}: expected a score for each of {len(self._x)} rows, found {out.shape}")
        if not np.isfinite(out).all():
            i = int(np.flatnonzero(~np.isfinite(out))[0])
            raise ValueError(f"strategy {name!r}: candidate {i}: expected a finite score, found {out[i]}")
        return out

    @property
    def open(self) -> int:
        """The number of candidates that can still be chosen."""
        return len(self._x) - len(self._labels) - len(self._pending)

    def suggest(self, n: int = 1) -> Suggestion:
        """The n open candidates with the largest scores, at random among ties; they are pending until told."""
        check_number("n", n)
        if n > self.open:
            raise ValueError(f"n: {n} candidates were asked for, {self.open} are left")
        scores, count = self.scores(), self.open
        taken = {*self._labels, *self._pending}
        by_chance = self._rng.permutation([i for i in range(len(self._x)) if i not in taken])
        order = by_chance[np.argsort(-scores[by_chance], kind="stable")][:n]
        chance = not self.fitted or self.strategy == "random"
        name = getattr(self.strategy, "__name__", self.strategy)
        self._pending += [int(i) for i in order]
        return Suggestion(
            indices=np.asarray(order, np.intp),
            scores=scores[order],
            reasons=["by chance" if chance else f"{name} {scores[i]:.3g}" for i in order],
            probabilities=np.full(n, 1 / count if chance else 1.0),
            open=[count - k for k in range(n)],
            by_chance=[chance] * n,
        )

    def tell(self, indices, labels) -> None:
        """Adds labels of some candidates, and fits the estimator again to all labels so far."""
        where, labels = np.atleast_1d(indices), list(np.atleast_1d(values_of(labels)))
        if len(where) != len(labels):
            raise ValueError(f"tell: {len(where)} indices and {len(labels)} labels")
        for i in where:
            if not 0 <= i < len(self._x):
                raise ValueError(f"indices: expected a candidate from 0 to {len(self._x) - 1}, found {i}")
        before = dict(self._labels)
        self._labels.update({int(i): label for i, label in zip(where, labels)})
        try:
            self._fit()
        except BaseException:
            self._labels = before
            raise
        self._pending = [i for i in self._pending if i not in self._labels]

    def __len__(self):
        return len(self._x)
