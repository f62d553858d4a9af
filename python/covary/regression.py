"""Linear regression on explicit features, and kernel ridge regression, with the methods of a GP."""

from collections.abc import Callable
from typing import Self

from . import _covary
from .frames import numbers, target_of
from .gp import Coefficient, Model, kernel_text
from .kernels import AnyKernel, as_kernel
from .records import table_of


def _rows(table, y):
    """What learning needs of the rows, with their names and types."""
    return {
        "X": table.x,
        "y": numbers(y, "y"),
        "features": table.names,
        "target": target_of(y),
        "schema": table.schema,
    }


def _number_or_word(text):
    """What was typed: a number where it is one."""
    try:
        return float(text)
    except ValueError:
        return text


class _Asked(Model):
    """A model whose constructor's arguments are what the command calls them."""

    _kind = ""
    _words: tuple[str, ...] = ()

    @classmethod
    def _of(cls, model: _covary.Model) -> Self:
        """The model of a file, with what was asked for."""
        asked = {**model.asked, "mean": model.mean}
        given = {w: _number_or_word(asked[w]) for w in ("penalty", "prior_sd", "noise")}
        new = cls(**{w: v for w, v in (asked | given).items() if w in cls._words})
        new._model = model
        return new

    def fit(self, X, y) -> Self:
        """Learns from rows X and observations y, and returns itself. Ctrl-C leaves it as it was."""
        return self._fit(X, y)

    def _fit(self, X, y, **named) -> Self:
        """The same, with other names of the columns and of y."""
        raise NotImplementedError

    def __repr__(self):
        shown = {w: getattr(self, w) for w in self._words}
        if "kernel" in shown and self.kernel is None:
            shown["kernel"] = kernel_text(self)
        return f"{type(self).__name__}({', '.join(f'{w}={v!r}' for w, v in shown.items())})"


class _Weights(_Asked):
    """Weights of explicit features, and an intercept: what linear, ridge and Bayesian regression share."""

    def _fit(self, X, y, **named) -> Self:
        nothing = {"penalty": "leave-one-out", "prior_sd": "learn", "standardize": True, "side": "auto"}
        asked = nothing | {w: getattr(self, w) for w in self._words} | {"threads": self.threads}
        self._model = _covary.learn_linear(model=self._kind, **asked, **_rows(table_of(X, linear=True), y) | named)
        return self

    @property
    def coefficients(self) -> list[Coefficient]:
        """Weights of the intercept, then of each feature: name, value and sd (the standard error)."""
        return [Coefficient(*c) for c in self._learned().coefficients]

    @property
    def residual_sd(self) -> float:
        """Standard deviation of the noise, estimated or given; nan if the rows are too few to estimate it."""
        return self._learned().residual_sd

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the Student's t of the intervals; infinite if they are normal."""
        return self._learned().freedom


class LeastSquares(_Weights):
    """Linear regression by least squares: a flat prior on the weights.

    basis: features of the columns, as "a, a*b^2, splines(b, knots=8)"; empty: the columns.
    noise: "learn", or the variance. intercept: include one, unpenalized.
    undetermined: weights that the rows do not determine are the "smallest", or an "error".
    """

    _kind = "linear"
    _words = ("basis", "noise", "intercept", "undetermined")

    def __init__(
        self,
        basis: str = "",
        noise: str | float = "learn",
        *,
        intercept: bool = True,
        undetermined: str = "smallest",
        threads: int = 0,
    ):
        self.basis = basis
        self.noise = noise
        self.intercept = intercept
        self.undetermined = undetermined
        self.threads = threads


class Ridge(_Weights):
    """Ridge regression: least squares and a penalty on the squares of the weights, all but the intercept's.

    penalty: a number, or how it is chosen: "leave-one-out", "generalized" or "evidence".
    standardize: penalize the weights of standardized features.
    side: the space to work in, "auto" (the cheaper one), "weights" or "functions".
    basis, noise, intercept, undetermined: as in LeastSquares.
    """

    _kind = "ridge"
    _words = ("penalty", "basis", "noise", "intercept", "standardize", "side", "undetermined")

    def __init__(
        self,
        penalty: str | float = "leave-one-out",
        basis: str = "",
        noise: str | float = "learn",
        *,
        intercept: bool = True,
        standardize: bool = True,
        side: str = "auto",
        undetermined: str = "smallest",
        threads: int = 0,
    ):
        self.penalty = penalty
        self.basis = basis
        self.noise = noise
        self.intercept = intercept
        self.standardize = standardize
        self.side = side
        self.undetermined = undetermined
        self.threads = threads

    @property
    def penalty_(self) -> float:
        """The penalty, chosen or given."""
        return _value(self, "penalty")


class BayesianLinear(_Weights):
    """Bayesian linear regression: a normal prior on every weight but the intercept's.

    prior_sd: prior standard deviation of every weight, or "learn": by evidence, as a noise variance of "learn".
    The other arguments are those of Ridge.
    """

    _kind = "bayes"
    _words = ("prior_sd", "basis", "noise", "intercept", "standardize", "side", "undetermined")

    def __init__(
        self,
        prior_sd: str | float = "learn",
        basis: str = "",
        noise: str | float = "learn",
        *,
        intercept: bool = True,
        standardize: bool = True,
        side: str = "auto",
        undetermined: str = "smallest",
        threads: int = 0,
    ):
        self.prior_sd = prior_sd
        self.basis = basis
        self.noise = noise
        self.intercept = intercept
        self.standardize = standardize
        self.side = side
        self.undetermined = undetermined
        self.threads = threads

    @property
    def prior_sd_(self) -> float:
        """The prior standard deviation of the weights, learned or given."""
        return _value(self, "prior_sd")


class KernelRidge(_Asked):
    """Kernel ridge regression: the smoothest function near the data. Predictions are those of the Gaussian
    process whose mean it is, so they have standard deviations.

    kernel, types, graph: as in GP; what fixed(...) does not keep is learned by leave-one-out.
    penalty: a number, "leave-one-out" or "generalized". mean: as in GP.
    """

    _kind = "kernel-ridge"
    _words = ("kernel", "penalty", "mean", "prior", "starts", "seed")

    def __init__(
        self,
        kernel: str | AnyKernel | Callable | None = None,
        penalty: str | float = "leave-one-out",
        mean: str | Callable = "constant",
        *,
        prior: str = "weak",
        starts: int = 8,
        seed: int = 1,
        max_seconds: float | None = None,
        threads: int = 0,
        bounds: dict[str, tuple[float, float]] | None = None,
        types: dict[str, str | list] | None = None,
        graph=None,
    ):
        kernel = as_kernel(kernel)
        self.kernel = kernel
        self.penalty = penalty
        self.mean = mean
        self.prior = prior
        self.starts = starts
        self.seed = seed
        self.max_seconds = max_seconds
        self.threads = threads
        self.bounds = bounds
        self.types = types
        self.graph = graph

    def _fit(self, X, y, **named) -> Self:
        table = table_of(X, self.kernel, self.types, self.graph)
        asked = {w: getattr(self, w) for w in self._words} | {"kernel": table.kernel}
        limits = {"max_seconds": self.max_seconds, "threads": self.threads, "bounds": self.bounds or {}}
        self._model = _covary.learn_kernel_ridge(**asked, **limits, **_rows(table, y) | named)
        return self

    @property
    def kernel_(self) -> AnyKernel:
        """The kernel of the process, as learned: its scale included."""
        return self._learned().learned_kernel

    @property
    def trend(self) -> list[Coefficient]:
        """Coefficients of the mean: name, value and sd of each term; empty for a mean that was given."""
        return [Coefficient(*c) for c in self._learned().trend]

    @property
    def penalty_(self) -> float:
        """The penalty, chosen or given."""
        return _value(self, "penalty")


def _value(model, name):
    return next(p["value"] for p in model.parameters if p["name"] == name)
