"""Active learning in the usual loop: query(X_pool) -> indices, measure, teach(X, y)."""

import copy

import numpy as np

from ..binding import check_number
from ..classifier import Classifier
from ..frames import is_frame, to_array
from ..gp import GP
from ..selection import Pool, Suggestion


def _native(estimator):
    """The GP or Classifier inside, as it has learned."""
    inside = estimator if isinstance(estimator, (GP, Classifier)) else getattr(estimator, "model_", None)
    if isinstance(inside, (GP, Classifier)):
        return inside
    fitted = "" if inside is None else f" with a {type(inside).__name__} inside"
    raise ValueError(
        f"estimator: expected a GP or a Classifier, or an estimator of Covary that has learned, "
        f"found {type(estimator).__name__}{fitted}"
    )


def _stacked(old, new):
    """More rows under those that there are; frames by the columns of the first."""
    if is_frame(old) and is_frame(new):
        new = new[list(old.columns)]
    rows = [np.asarray(to_array(t)) for t in (old, new)]
    rows = [r.reshape(-1, 1) if r.ndim == 1 and rows[0].ndim == 2 else r for r in rows]
    return np.concatenate(rows)


class _Named:
    """An array with the names of its columns, or its own."""

    def __init__(self, values, columns=None, name=None):
        self.values = values
        self.name = name
        if columns is not None:
            self.columns = columns

    def __getitem__(self, names):
        return _Named(self.values[:, [self.columns.index(n) for n in names]], names)

    def to_numpy(self):
        return self.values


def _relearned(gp):
    """The same GP, its hyper-parameters fitted again to its rows."""
    learned = gp._learned()
    return copy.copy(gp).fit(_Named(learned.x, learned.features), _Named(learned.y, name=learned.target))


class ActiveLearner:
    """A model and a strategy that says which candidates to label next.

    estimator: a GP or a Classifier, or an estimator of `covary.sklearn`; fitted or not. X, y: labels to begin with.
    strategy: see `covary.strategies()`. random_share: share of random choices, for `covary.risk`.
    relearn: a GP learns its parameters anew when its labels have grown by this factor, and is conditioned on the new
    ones otherwise; 1: always, 0: never.
    """

    def __init__(
        self,
        estimator,
        strategy: str | None = None,
        *,
        X=None,
        y=None,
        random_share: float = 0.0,
        relearn: float = 1.25,
        seed: int = 1,
        threads: int = 0,
    ):
        check_number("relearn", relearn)
        if relearn != 0 and not relearn >= 1:
            raise ValueError(f"relearn: expected a factor of 1 or more, or 0, found {relearn}")
        self.estimator = estimator
        self.strategy = strategy
        self.random_share = random_share
        self.relearn = relearn
        self.seed = seed
        self.threads = threads
        self.queries = 0
        self.suggestion: Suggestion | None = None  # the latest: scores, reasons, probabilities
        self._X, self._y, self._learned_from = None, None, 0
        if X is not None:
            self.teach(X, y)

    def query(self, X_pool, n: int = 1) -> np.ndarray:
        """The rows of X_pool to label next, to be labelled together: their numbers."""
        pool = Pool(
            _native(self.estimator),
            X_pool,
            self.strategy,
            random_share=self.random_share,
            seed=self.seed + self.queries,
            threads=self.threads,
        )
        self.suggestion = pool.suggest(n)
        self.queries += 1
        return self.suggestion.indices

    def teach(self, X, y) -> "ActiveLearner":
        """New labels, and itself. An estimator that has not learned yet learns from them."""
        y = np.asarray(to_array(y)).reshape(-1)
        if isinstance(self.estimator, (GP, Classifier)) and self.estimator.fitted:
            self._tell(X, y)
        else:
            self._fit(X, y)
        return self

    def _fit(self, X, y):
        """Learns from all labels that came through here."""
        rows = X if self._X is None else _stacked(self._X, X)
        labels = y if self._y is None else np.concatenate([self._y, y])
        self.estimator.fit(rows, labels)
        self._X, self._y, self._learned_from = rows, labels, len(labels)

    def _tell(self, X, y):
        told = self.estimator.tell(X, y)
        if isinstance(told, GP):
            before = self._learned_from or len(self.estimator._learned().y)
            learned = told._learned()
            if self.relearn and len(learned.y) >= self.relearn * before:
                told, before = _relearned(told), len(learned.y)
            self._learned_from = before
        self.estimator = told

    def predict(self, X):
        """The predictions of the estimator."""
        return self.estimator.predict(X)

    def __repr__(self):
        return f"ActiveLearner({self.estimator!r}, strategy={self.strategy!r})"
