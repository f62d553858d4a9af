"""What to measure next: candidates of a pool, by a strategy of the registry."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from . import _covary
from .arrays import rows
from .binding import check_number
from .classifier import Classifier, coded
from .design.domains import DomainSuggestion, suggest_over
from .frames import numbers
from .numeric import values_of
from .gp import GP, Model
from .records import points

AnyStrategy = str | Callable[["_covary.StrategyInput"], np.ndarray] | object


def strategies() -> list[dict]:
    """The query strategies, choices of `strategy`: name, formula, parameters, for ("numbers", "classes" or "both"), about,
    and stream: for which of them where points arrive one at a time; None: not at all."""
    return _covary.strategies()


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Candidates in the order of choice, to be measured together."""

    indices: np.ndarray  # rows of the pool
    scores: np.ndarray  # of the strategy, before costs
    reasons: list[str]
    probabilities: np.ndarray  # with which each was chosen
    open: list[int]  # among how many
    by_chance: list[bool]
    sd: np.ndarray | None = None  # of f at each, before; None for classes
    notes: list[str] = field(default_factory=list)  # coverage and bias of the labels

    def __len__(self):
        return len(self.indices)


def _suggestion(answer, **more):
    return Suggestion(indices=np.asarray(answer.pop("indices"), np.intp), **answer, **more)


def _process_of(model):
    """The learned model of a GP."""
    if isinstance(model, Model):
        return model._learned()
    raise ValueError(f"model: expected a GP or a Classifier that has learned, found {type(model).__name__}")


class Pool:
    """A pool of candidates: suggest, tell, suggest, tell.

    model: a GP or a Classifier that has learned; what it learned from counts as labelled. svm-margin looks at the
    machine of the Classifier: its kernel, its penalty. The other strategies for classes look at a Gaussian process of
    that kernel on labels 1 and -1. A label costs O(m n) for m candidates and n labels, nothing is learned anew.
    random_share: share of random choices, so that every candidate can be chosen and `risk` can be estimated. repeats: a
    candidate may be labelled again. minimize: the best is the smallest label, for strategies that search for the best.
    Not for several threads at once.
    """

    def __init__(
        self,
        model,
        X,
        strategy: AnyStrategy | None = None,
        *,
        costs=None,
        random_share: float = 0.0,
        repeats: bool = False,
        minimize: bool = False,
        seed: int = 1,
        threads: int = 0,
    ):
        self.classes = model.classes if isinstance(model, Classifier) and model.fitted else None
        learned = model._learned() if isinstance(model, Classifier) else _process_of(model)
        self._features = model.features
        self._x = rows(model._points(X, "X_pool"), "X_pool", 1)
        strategy = strategy or ("svm-margin" if self.classes is not None else "variance-reduction")
        costs = None if costs is None else np.array(numbers(costs, "costs"), float)
        rest = (strategy, costs, random_share, repeats, minimize, seed, threads)
        self._make: tuple[str, tuple]
        if self.classes is None:
            self._make = ("of_model", (learned, self._x, *rest))
        else:
            known = (len(model.classes), model._x, model._numbers)
            machine = (model.kernel_, model.penalty, model.tolerance)
            self._make = ("of_classes", (*machine, self._x, *known, *rest))
        self._done: list[tuple] = []  # what was asked and told, to be had again after Ctrl-C or from a pickle
        self._selector = self._remade()

    def _remade(self):
        make, arguments = self._make
        selector = getattr(_covary.Selector, make)(*arguments)
        for verb, values in self._done:
            getattr(selector, verb)(*values)
        return selector

    def _ready(self):
        if self._selector is None:
            self._selector = self._remade()
        return self._selector

    def _do(self, verb, *values):
        """Makes the call completely or, where it fails or is interrupted, not at all."""
        selector, self._selector = self._ready(), None
        out = getattr(selector, verb)(*values)
        self._selector = selector
        self._done.append((verb, values))
        return out

    def suggest(self, n: int = 1) -> Suggestion:
        """The next n candidates, none twice; they are pending until told."""
        sd = None if self.classes is not None else self.sd
        answer = self._do("suggest", n)
        return _suggestion(answer, sd=None if sd is None else sd[answer["indices"]])

    def tell(self, indices, labels) -> None:
        """Adds the labels of some candidates: numbers, or classes."""
        labels = np.atleast_1d(values_of(labels))
        told = numbers(labels, "labels") if self.classes is None else coded(labels, self.classes.tolist())
        self._do("tell", np.array(indices, ndmin=1), np.array(told, float))

    def replace(self, model: GP) -> None:
        """Another kernel, trend and noise for the same candidates and labels; none is pending then."""
        self._do("replace", _process_of(model))

    def coverage(self, seed: int = 1) -> list[str]:
        """Descriptions of the parts of the pool that the labels do not represent; empty if there are none."""
        return self._ready().coverage(seed)

    @property
    def mean(self) -> np.ndarray:
        """The posterior mean of f at each candidate, given the labels so far."""
        self._check_numbers("mean")
        return self._ready().mean

    @property
    def sd(self) -> np.ndarray:
        """The posterior sd of f at each candidate; pending ones count as measured."""
        self._check_numbers("sd")
        return self._ready().sd

    def _check_numbers(self, what):
        if self.classes is not None:
            raise ValueError(f"{what}: this pool has classes, not numbers")

    @property
    def scores(self) -> np.ndarray:
        """The score of every candidate at the latest choice; empty before the first."""
        return self._ready().scores

    @property
    def open(self) -> int:
        """The number of candidates that can still be chosen."""
        return self._ready().open

    def __len__(self):
        return len(self._x)

    def __getstate__(self):
        return {**self.__dict__, "_selector": None}


def suggest(
    model,
    X_pool=None,
    n: int = 1,
    strategy: AnyStrategy | None = None,
    *,
    over=None,
    where: list[str] | str = (),
    minimize: bool = False,
    costs=None,
    random_share: float = 0.0,
    seed: int = 1,
    threads: int = 0,
) -> Suggestion | DomainSuggestion:
    """What to measure next: n rows of X_pool, to be measured together. What `covary suggest` does.

    over: a domain in the place of X_pool, by column: {"temp": (20, 90), "ph": (5, 9, 0.1), "catalyst": ["Pd", "Pt"]}
    is an interval, a lattice with its step, and a list. minimize: the best is the smallest y, otherwise the largest,
    for strategies that look for it. where: conditions on the columns that what is suggested satisfies, as
    "temp*ph < 300".

    strategy: see `strategies()`; without one, variance-reduction, or svm-margin for classes, and expected-improvement
    in a domain; or one of your own: a function of a StrategyInput that gives a score for each candidate, or an object
    with scores(input) and, if you like, reason(input, i). costs: of each candidate;
    then gain per cost decides.
    """
    check_number("n", n)
    if (X_pool is None) == (over is None):
        raise ValueError("suggest: expected candidates, X_pool, or a domain, over, and not both")
    where = [where] if isinstance(where, str) else list(where)
    own = not (strategy is None or isinstance(strategy, str))
    if over is not None:
        if costs is not None or random_share:
            raise ValueError("costs and random_share belong to candidates, not to a domain")
        if own:
            raise ValueError("over: a domain takes a strategy by its name, see strategies()")
        strategy = strategy or "expected-improvement"
        return suggest_over(_process_of(model), over, n, strategy, where, minimize, seed, threads)
    if isinstance(model, Classifier) or own:
        if where:
            raise ValueError("where: conditions belong to a GP and a strategy by its name; leave infeasible rows out of X_pool")
        pool = Pool(model, X_pool, strategy, costs=costs, random_share=random_share, seed=seed, threads=threads)
        return pool.suggest(n)
    learned = _process_of(model)
    x = rows(points(learned, X_pool, "X_pool"), "X_pool", 1)
    costs = None if costs is None else np.array(numbers(costs, "costs"), float)
    strategy = strategy or "variance-reduction"
    return _suggestion(_covary.suggest(learned, x, n, strategy, costs, random_share, where, minimize, seed, threads))
