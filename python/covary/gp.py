"""Gaussian process regression: learn, predict, sample, check, keep."""

import operator
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from . import _covary
from .binding import path_text
from .frames import numbers, target_of
from .kernels import AnyKernel, as_kernel
from .parameters import Parameters
from .records import points, table_of
from .unfitted import NotFittedError


class Prediction(NamedTuple):
    """Mean and standard deviation at each row; lower and upper are None unless an interval was asked for."""

    mean: np.ndarray
    sd: np.ndarray | None
    lower: np.ndarray | None
    upper: np.ndarray | None


class Gradients(NamedTuple):
    """Gradients of the predictive mean and variance with respect to x at each row: rows x columns."""

    mean: np.ndarray
    variance: np.ndarray


class Coefficient(NamedTuple):
    """A weight as learned. The sd of one that the rows do not determine is infinite."""

    name: str
    value: float
    sd: float


@dataclass(frozen=True)
class Check:
    """Each observation predicted from the others, and how good that was."""

    n: int
    rmse: float
    mae: float
    skill: float  # 1 - mse / variance of y; 0 is no better than the mean
    nlpd: float  # mean negative log predictive density
    crps: float  # mean continuous ranked probability score
    coverage: dict  # percent of an interval -> percent of the observations inside
    verdict: str  # whether intervals can be trusted
    mean: np.ndarray
    sd: np.ndarray
    standardized: np.ndarray  # (y - mean) / sd
    y: np.ndarray
    pit: np.ndarray  # where in its predictive distribution each observation fell, 0 to 1

    def plot(self, ax=None):
        """Draws the coverage of intervals against their level; needs Matplotlib. Returns the axes."""
        from .plots import check_plot

        return check_plot(self, ax)

    def __str__(self):
        covered = ", ".join(f"{p:g} % holds {c:.1f} %" for p, c in self.coverage.items())
        return (
            f"{self.n} rows: rmse {self.rmse:.6g}, skill {self.skill:.6g}, "
            f"nlpd {self.nlpd:.6g}, crps {self.crps:.6g}\n{covered}\n{self.verdict}"
        )


class Model(Parameters):
    """A fitted model: the base class of what `load` returns.

    Threads may share one. pickle and copy work, by way of the model file.
    """

    _model: _covary.Model | None = None

    @property
    def fitted(self) -> bool:
        """Whether it has learned from data."""
        return self._model is not None

    def _learned(self) -> _covary.Model:
        if self._model is None:
            raise NotFittedError.of(self)
        return self._model

    def _ready(self, X) -> _covary.Model:
        """The model that predicts the rows of X."""
        return self._learned()

    def _points(self, X, what):
        """The rows of X as the model has them."""
        return points(self._learned(), X, what)

    def predict(
        self,
        X,
        of: str | None = None,
        interval: float | None = None,
        *,
        calibrated: bool = False,
        marginalize: bool | int = False,
        seed: int = 1,
        sd: bool = True,
        threads: int = 0,
    ) -> Prediction:
        """Predicts at each row of X: the function "f", or an observation "y" (with noise).

        interval: so many percent lie between lower and upper. sd=False: the mean alone, much sooner.
        calibrated: the width of the interval, of y, comes from the leave-one-out errors: right on average for
        new observations like those of the model, whatever their distribution.
        marginalize: the hyper-parameters are averaged out, over so many draws with this seed (True: 32); better
        calibrated for few rows. Draws anew at every call: predict all rows at once.
        """
        model = self._ready(X)
        of = of or ("y" if calibrated else "f")
        draws = draws_of(marginalize)
        return Prediction(*model.predict(points(model, X), of, interval, sd, threads, calibrated, draws, seed))

    def gradients(self, X, *, threads: int = 0) -> Gradients:
        """The gradients of mean and variance of the function with respect to x, at each row of X. Of a Gaussian process
        over numbers; 0 in columns that it ignores or that hold categories."""
        model = self._ready(X)
        return Gradients(*_covary.gradients(model, points(model, X), threads))

    def joint(self, X, of: str = "f", *, threads: int = 0) -> _covary.Gaussian:
        """The joint Gaussian distribution of all rows of X."""
        model = self._ready(X)
        return model.joint(points(model, X), of, threads)

    def sample(self, X, n: int = 1, seed: int = 1, of: str = "f") -> np.ndarray:
        """rows x n: functions drawn at the rows of X. The same seed gives the same numbers."""
        model = self._ready(X)
        return model.sample(points(model, X), n, seed, of)

    def score(self, X, y) -> float:
        """R^2 of the means at the rows of X against the observations y, as scikit-learn has it: 1 is best."""
        return _covary.r_squared(self.predict(X, sd=False).mean, numbers(y, "y"))

    def check(
        self, X=None, y=None, *, folds: int = 0, refit: bool = False, seed: int = 1, noise_sd=None, threads: int = 0
    ) -> Check:
        """Scores: can the predictions be trusted? Leave-one-out or folds; of new rows X with observations y."""
        model = self._learned()
        if X is None and y is None:
            return Check(**model.check(folds, refit, seed, threads))
        if X is None or y is None or folds or refit:
            raise ValueError("check: expected X and y together, without folds and refit")
        sds = None if noise_sd is None else numbers(noise_sd, "noise_sd")
        return Check(**model.check_on(points(model, X), numbers(y, "y"), sds, threads))

    def forward(
        self,
        time: str | None = None,
        *,
        horizon: int = 0,
        origins: int = 10,
        initial: float = 0.5,
        refit: bool = False,
        threads: int = 0,
    ) -> dict:
        """Rolling-origin forecasts of a series, as `covary check --forward`: at each of `origins` times the rows
        before it predict those up to `horizon` steps after it (0: up to the next origin).

        time: the column that orders the rows, by default the only one. initial: share of the times before the first
        origin. refit: the parameters are learned from the rows before each origin, else from all. The scores,
        "by_horizon" and, one entry for each forecast, "row", "step", "origin", "mean", "sd", "y" and "naive".
        """
        model = self._learned()
        if time is None and len(model.features) > 1:
            raise ValueError(f"forward: time is needed, the columns are {', '.join(model.features)}")
        if time is not None and time not in model.features:
            raise ValueError(f"time: there is no column {time!r}, the columns are {', '.join(model.features)}")
        column = 0 if time is None else model.features.index(time)
        return model.forward(column, initial, horizon, origins, refit, threads)

    def plot(
        self,
        ax=None,
        of: str = "f",
        interval: float = 95,
        *,
        sd: bool = False,
        points: int | None = None,
        samples: int = 0,
        seed: int = 1,
        range=None,
    ):
        """Draws the model; needs Matplotlib. One column: a band; two: a map (sd: of the standard deviation); more: a
        panel for each. The axes, or an array of them.

        samples: so many functions drawn with the seed, as lines. range: (low, high) of the column, or a list of one for
        each; else that of the data. A GP that has not learned is drawn as the prior, from -5 to 5 by default.
        """
        from .plots import model_plot

        return model_plot(self, ax, of, interval, sd, points, samples, seed, range)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the model file that the command reads, whole or not at all."""
        self._learned().save(path_text(path))

    @property
    def log_marginal_likelihood(self) -> float:
        """The log marginal likelihood (evidence); nan for a model without a prior on its weights."""
        return self._learned().log_marginal_likelihood

    @property
    def features(self) -> list[str]:
        """The names of the columns of X."""
        return self._learned().features

    @property
    def types_(self) -> dict[str, str]:
        """What each column of X holds, in words; empty where all are numbers."""
        return self._learned().types

    @property
    def target(self) -> str:
        """The name of y."""
        return self._learned().target

    @property
    def parameters(self) -> list[dict]:
        """What was learned: name, value, bounds, and whether it is fixed, at a bound or flat."""
        return self._learned().parameters

    @property
    def notes(self) -> list[str]:
        """Remarks on the fit: merged rows, touched bounds, other automatic decisions."""
        return self._learned().notes

    @property
    def summary(self) -> str:
        """A summary of the fit, as text."""
        return self._learned().summary

    def _repr_html_(self):
        from .notebook import model_html

        return model_html(self)

    def __repr__(self):
        asked = self._learned().asked
        return f"<covary.Model: {asked['model']}, {len(self._learned().y)} rows>"


def draws_of(marginalize: bool | int) -> int:
    """How many draws of the hyper-parameters to average over; 0: none."""
    if isinstance(marginalize, (bool, np.bool_)):
        return 32 if marginalize else 0
    draws = operator.index(marginalize)
    if draws < 2:
        raise ValueError(f"marginalize: expected True, or 2 draws or more, found {draws}")
    return draws


def kernel_text(model) -> str:
    """The kernel of a model as it was asked for, or as it is by default."""
    if model.kernel is not None:
        return str(model.kernel)
    return model._model.asked["kernel"] if model._model is not None else "matern52()"


def check_noise(noise):
    """Throws unless it is "learn" or a number."""
    if noise != "learn" if isinstance(noise, str) else np.ndim(noise) > 0 or noise is None:
        raise ValueError(f"noise: expected 'learn' or a variance, found {noise!r}")


class GP(Model):
    """A Gaussian process. What kernel and noise do not give is learned by `fit`.

    Before that it is the prior: predict, joint, sample and condition answer if every parameter is given.

    kernel: an expression, a Kernel, or a function of two blocks (see covary.function). None: matern52() of the
        numbers and dates, times category() of the categories; of texts, sets or graphs alone a kernel over these.
    mean: zero, constant, constant(3), linear, polynomial(degree=2), or a function of your own: rows (n x d) -> n
        numbers. Nothing of it is learned; pickle keeps the model if it keeps the function, save refuses.
    noise: "learn", or the variance (0: observations are exact).
    prior: "weak" keeps length-scales sensible, "none" is plain maximum likelihood.
    target_transform: "log", "log10", "log1p", "sqrt", "asinh" or "logit": the process is of the transform of y;
        predictions are of y, with exact intervals, and so are the evidence and scores.
    inference: "auto", "exact()", "state_space()" for one column and any number of rows, or an approximation for many rows,
        "vecchia(neighbors=30)" or "inducing(points=512)". auto: exact up to 3000 rows, and beyond while a fit takes at most
        max_seconds (600 s if None) and the free memory.
    device: "cpu", or "cuda": exact inference and fits with vecchia on a GPU. A saved model does not keep it.
    objective: "evidence" or "leave-one-out". bounds: {"lengthscale.temp": (0.1, 10), "noise": ...}.
    types: types of columns of X that their dtype or cells do not show: {"code": "category", "when": "date(dmy)",
        "size": ["small", "medium", "large"]}; number, boolean, date, datetime, category, text, set, graph or node.
    graph: the network whose nodes a column of X names: edges (from, to) or (from, to, weight), a frame of them, or a
        graph of networkx.
    """

    def __init__(
        self,
        kernel: str | AnyKernel | Callable | None = None,
        mean: str | Callable = "constant",
        noise: str | float = "learn",
        *,
        prior: str = "weak",
        objective: str = "evidence",
        starts: int = 8,
        seed: int = 1,
        max_seconds: float | None = None,
        threads: int = 0,
        bounds: dict[str, tuple[float, float]] | None = None,
        target_transform: str | None = None,
        inference: str = "auto",
        device: str = "cpu",
        types: dict[str, str | list] | None = None,
        graph=None,
    ):
        kernel = as_kernel(kernel)
        check_noise(noise)
        self.kernel = kernel
        self.mean = mean
        self.noise = noise
        self.prior = prior
        self.objective = objective
        self.starts = starts
        self.seed = seed
        self.max_seconds = max_seconds
        self.threads = threads
        self.bounds = bounds
        self.target_transform = target_transform
        self.inference = inference
        self.device = device
        self.types = types
        self.graph = graph

    def fit(self, X, y, *, noise_sd=None) -> "GP":
        """Learns from rows X and observations y, and returns itself. Ctrl-C leaves it as it was.

        noise_sd: a known standard deviation for each observation, in the place of noise.
        """
        table = table_of(X, self.kernel, self.types, self.graph)
        self._model = _covary.learn(
            table.x,
            numbers(y, "y"),
            kernel=table.kernel,
            mean=self.mean,
            noise=self._given_noise(),
            noise_sd=None if noise_sd is None else numbers(noise_sd, "noise_sd"),
            features=table.names,
            target=target_of(y),
            prior=self.prior,
            objective=self.objective,
            starts=self.starts,
            seed=self.seed,
            max_seconds=self.max_seconds,
            threads=self.threads,
            bounds=self.bounds or {},
            transform=self.target_transform or "",
            inference=self.inference,
            device=self.device,
            schema=table.schema,
        )
        return self

    def _ready(self, X) -> _covary.Model:
        """The model, or the prior over the columns of X."""
        if self._model is not None:
            return self._model
        table = table_of(X, self.kernel, self.types, self.graph)
        try:
            transform = self.target_transform or ""
            noise = self._given_noise()
            return _covary.prior(table.kernel, self.mean, noise, table.x, table.names, transform, table.schema)
        except ValueError as error:
            raise NotFittedError.of(self, str(error)) from None

    def _given_noise(self):
        return None if isinstance(self.noise, str) else self.noise

    def condition(self, X, y) -> "GP":
        """This process given more observations, its parameters kept: a new one. What `covary tell` does."""
        model = self._ready(X)
        new = GP.__new__(GP)
        new.__dict__.update(self.__dict__)
        new._model = model.condition(points(model, X), numbers(y, "y"), self.threads)
        return new

    tell = condition

    @property
    def kernel_(self) -> AnyKernel:
        """The kernel as learned."""
        return self._learned().learned_kernel

    @property
    def inference_(self) -> str:
        """The inference method of the posterior, as chosen by `auto` or given."""
        return self._learned().asked["inference"]

    @property
    def approximate(self) -> bool:
        """Whether predictions approximate those of the exact process."""
        return self._learned().approximate

    @property
    def trend(self) -> list[Coefficient]:
        """Coefficients of the mean: name ("1": the constant), value and sd of each term; empty if the mean was given."""
        return [Coefficient(*c) for c in self._learned().trend]

    @property
    def noise_variance(self) -> float:
        """The noise variance, learned or given; 0 if every row has its own."""
        return self._learned().noise_variance

    @classmethod
    def _of(cls, model: _covary.Model) -> "GP":
        """The model of a file, with what was asked for."""
        asked = model.asked
        words = {w: asked[w] for w in ("prior", "objective", "starts", "seed", "inference")}
        words["target_transform"] = asked["transform"] or None
        gp = cls(asked["kernel"] or model.kernel, model.mean, _noise_of(asked["noise"]), **words)
        gp._model = model
        return gp

    def __repr__(self):
        mean = repr(self.mean) if isinstance(self.mean, str) else getattr(self.mean, "__name__", "function")
        types = f", types={self.types!r}" if self.types else ""
        return f"GP(kernel={kernel_text(self)!r}, mean={mean}, noise={self.noise!r}{types})"


def _noise_of(text):
    """The noise that was asked for; that of rows is an argument of fit, not of the model."""
    return "learn" if text in ("", "learn") or text.startswith("column:") else float(text)
