"""Selective sampling: points arrive one at a time, and each is queried or discarded at once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import _covary
from .arrays import rows
from .classifier import Classifier, coded
from .gp import GP


@dataclass(frozen=True)
class Offer:
    """The decision on a point, and its reason."""

    ask: bool  # whether its label is wanted
    score: float
    threshold: float
    probability: float  # with which it was asked for, given its score
    rate: float  # labels wanted per point when it came
    by_chance: bool
    reason: str


class Stream:
    """A stream of points: offer(x), and where that asks for the label, tell(y).

    model: a GP, whose kernel, trend, noise and points are the start; or a Classifier, whose kernel, penalty and classes
    are. budget: labels at most. length: points to come; where that is not known, rate: labels a point. memory: points
    kept; over it the oldest or the most redundant one is forgotten. start: the first points are asked for whatever
    their score. random_share: share of the later queries that are random, so that `risk` can be estimated.
    strategy: uncertainty for a GP, svm-margin for a Classifier; a Classifier also has disagreement, which asks for the
    points on which separators without errors disagree and infers the others (predict), and iwal, which asks with the
    probability that is in the Offer.
    Not for several threads at once.
    """

    def __init__(
        self,
        model,
        *,
        budget: int,
        length: int = 0,
        rate: float = 0.0,
        memory: int = 500,
        start: int = 10,
        random_share: float = 0.0,
        forget: str = "redundant",
        seed: int = 1,
        threads: int = 0,
        strategy: str | None = None,
    ):
        options = _covary.stream_options(
            budget=budget,
            length=length,
            rate=rate,
            memory=memory,
            start=start,
            random_share=random_share,
            forget=forget,
            seed=seed,
            threads=threads,
            strategy=strategy or "",
        )
        self._stream: _covary.NumberStream | _covary.ClassStream
        self._gp: GP | None = None
        self.classes: np.ndarray | None = None
        if isinstance(model, GP):
            self._gp, self._stream = model, _covary.NumberStream(model._learned(), options)
        elif isinstance(model, Classifier):
            kernel, self.classes = model.kernel_, model.classes
            self._stream = _covary.ClassStream(kernel, len(model.classes), model.penalty, model.tolerance, options)
        else:
            raise ValueError(f"model: expected a GP or a Classifier that has learned, found {type(model).__name__}")
        self._features, self._model = model.features, model

    def _points(self, X):
        x = rows(np.atleast_1d(self._model._points(X, "x")), "x")
        x = x.T if np.ndim(X) == 1 and len(self._features) > 1 else x  # one point
        if x.shape[1] != len(self._features):
            raise ValueError(f"x: expected {len(self._features)} columns, as the model has, found {x.shape[1]}")
        return x

    def _label(self, label):
        if self.classes is not None:
            return float(coded([label], self.classes.tolist())[0])
        try:
            return float(label)
        except (TypeError, ValueError):
            raise ValueError(f"label: expected a number, found {label!r}") from None

    def offer(self, x) -> Offer:
        """The next point, one row: whether to ask for its label. After an ask, tell must come first."""
        return Offer(**self._stream.offer(self._points(x)))

    def tell(self, label) -> None:
        """The label of the point that was asked for."""
        self._stream.tell(self._label(label))

    def offer_many(self, X, label: Callable[[int], object]) -> np.ndarray:
        """Many points, the same as one at a time; label(i) gives that of row i. The rows that were asked for.

        What label raises, and Ctrl-C, end it where it stands; the label of a point that was asked for can then be told.
        """
        return np.asarray(self._stream.offer_many(self._points(X), lambda i: self._label(label(i))), np.intp)

    @property
    def model(self) -> GP:
        """The GP of the points that are kept now."""
        if self._gp is None or not isinstance(self._stream, _covary.NumberStream):
            raise ValueError("model: this stream has classes; predict(X) gives them")
        new = GP.__new__(GP)
        new.__dict__.update(self._gp.__dict__)
        new._model = self._stream.model
        return new

    def predict(self, X):
        """Predicts from the points that are kept now: a Prediction, or the class of each row."""
        if self.classes is None or not isinstance(self._stream, _covary.ClassStream):
            return self.model.predict(X)
        return self.classes[self._stream.predict(self._points(X))]

    @property
    def summary(self) -> dict:
        """seen, asked, by_chance, kept, dropped (points), threshold, and text: all in words."""
        return self._stream.summary

    def __repr__(self):
        return f"<covary.Stream: {self.summary['text']}>"
