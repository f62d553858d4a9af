"""Posterior densities of the parameters of an expensive likelihood, from few evaluations."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from .. import _covary
from ..binding import check_number
from ..gp import GP

Domain = Mapping[str, tuple[float, float]]


class Estimate(NamedTuple):
    """An estimate, and its interval given the evaluations."""

    value: float
    lower: float
    upper: float


class PosteriorDensity:
    """The posterior density at points: those of a grid, or drawn ones for more than three parameters.

    Estimates are those of the process's mean; their intervals come from draws of the process.
    """

    def __init__(self, density: _covary.Density):
        self._density = density
        self.names: list[str] = density.names
        self.points: np.ndarray = density.points  # m x d
        self.density: np.ndarray = density.density  # m
        self.mass: np.ndarray = density.mass  # m: sums to 1
        self.log_joint: np.ndarray = density.log_joint  # m: -inf where the density is 0
        self.sd: np.ndarray = density.sd  # m: of the log density
        self.mean: np.ndarray = density.mean  # d
        self.covariance: np.ndarray = density.covariance  # d x d
        self.log_evidence = Estimate(*density.log_evidence)
        self.means = [Estimate(*e) for e in density.means]
        self.sds = [Estimate(*e) for e in density.sds]
        self.effective_points: float = density.effective_points
        self.notes: list[str] = density.notes

    def density_at(self, sds: float) -> np.ndarray:
        """m: the density for a log density that many standard deviations from its mean, the evidence as it is."""
        return self._density.density_at(sds)

    def expectation(self, f) -> Estimate:
        """The posterior expectation of f: a function of rows (m x d -> m numbers), or its values at the points."""
        values = f(self.points) if callable(f) else f
        return Estimate(*self._density.expectation(np.asarray(values, float)))

    def sample(self, n: int, seed: int = 1) -> np.ndarray:
        """n x d: draws of the parameters. The same seed gives the same numbers."""
        check_number("n", n)
        return self._density.sample(n, seed)

    def __repr__(self):
        return f"<covary.PosteriorDensity: {', '.join(self.names)}, {len(self.mass)} points>"


def _words(domain: Domain, prior) -> list[tuple[str, float, float, str]]:
    """Name, low, high and prior of each parameter."""
    if not isinstance(domain, Mapping):
        raise ValueError(f"domain: expected {{name: (low, high)}}, found {domain!r}")
    each = dict.fromkeys(domain, prior or "uniform") if prior is None or isinstance(prior, str) else dict(prior)
    for name in each:
        if name not in domain:
            raise ValueError(f"prior: there is no parameter {name!r}, there are {', '.join(domain)}")
    out = []
    for name, bounds in domain.items():
        try:
            low, high = (float(b) for b in bounds)
        except (TypeError, ValueError):
            raise ValueError(f"domain: {name}: expected (low, high), found {bounds!r}") from None
        out.append((str(name), low, high, each.get(name, "uniform")))
    return out


class PosteriorSearch:
    """Where to evaluate an expensive log likelihood: ask, tell, ask, tell.

    domain: {name: (low, high)}. budget: evaluations at most. prior: "normal(mean=0, sd=2)" for all parameters, or
    {name: prior}; uniform over its range otherwise. strategy: see `strategies()`; "exponentiated-variance" takes less
    time and more evaluations where the density is narrow in its ranges. kernel, mean: of the log density;
    mean="auto" is "constant", from three parameters on "polynomial(degree=2)". noise: the variance of a log likelihood, None to
    fit it. tail: log densities further below the largest are compressed. start: quasi-random evaluations at first, 0 for
    5 for each parameter. candidates: looked at for each next one.
    """

    def __init__(
        self,
        domain: Domain,
        budget: int,
        *,
        prior: str | Mapping[str, str] | None = None,
        strategy: str = "expected-divergence",
        kernel: str = "se()",
        mean: str = "auto",
        noise: float | None = 1e-6,
        tail: float = 30.0,
        start: int = 0,
        candidates: int = 1000,
        seed: int = 1,
        threads: int = 0,
    ):
        variance = float("nan") if noise is None else float(noise)
        self._search = _covary.Search.begin(
            _words(domain, prior), budget, strategy, str(kernel), mean, variance, tail, start, candidates, seed, threads
        )

    def ask(self) -> np.ndarray:
        """d: the next parameters, the same until told."""
        return self._search.ask()

    def tell(self, log_likelihood: float) -> None:
        """Adds the log likelihood of the latest parameters; -inf means probability zero."""
        self._search.tell(float(log_likelihood))

    def density(self, *, draws: int = 200, percent: float = 95, seed: int = 1) -> PosteriorDensity:
        """The posterior density given the evaluations so far."""
        return PosteriorDensity(self._search.density(draws, percent, seed))

    @property
    def left(self) -> int:
        """Evaluations that are left."""
        return self._search.left

    @property
    def evaluated(self) -> np.ndarray:
        """n x d: the parameters so far."""
        return self._search.evaluated

    @property
    def log_likelihoods(self) -> np.ndarray:
        """n: their log likelihoods."""
        return self._search.log_likelihoods


def estimate_posterior(
    log_likelihood: Callable[[np.ndarray], float],
    domain: Domain,
    budget: int,
    *,
    draws: int = 200,
    percent: float = 95,
    **options,
) -> PosteriorDensity:
    """The posterior density from `budget` calls of log_likelihood(x), x an array of d parameters.

    domain and options: as PosteriorSearch has them. draws: of the process, for intervals that hold `percent` of them.
    """
    search = PosteriorSearch(domain, budget, **options)
    while search.left > 0:
        search.tell(log_likelihood(search.ask()))
    return search.density(draws=draws, percent=percent, seed=options.get("seed", 1))


def posterior(
    model: GP,
    domain: Domain | None = None,
    *,
    prior: str | Mapping[str, str] | None = None,
    grid: int | list[int] | None = None,
    points: int | None = None,
    joint: bool = False,
    impossible=None,
    draws: int = 200,
    percent: float = 95,
    seed: int = 1,
    threads: int = 0,
) -> PosteriorDensity:
    """The posterior density by a GP that was fitted to log likelihoods. What `covary posterior` does.

    domain: {name: (low, high)}, else the ranges of the rows; a parameter from a value to the same is held there. grid:
    points along each parameter, by default for up to three; points: drawn ones in its place. joint: the model holds log
    likelihood + log prior. impossible: rows whose log likelihood is -inf.
    """
    learned = model._learned()
    if domain is None:
        domain = {n: (c.min(), c.max()) for n, c in zip(learned.features, np.asarray(learned.x).T)}
    words = _words(domain, prior)
    if [w[0] for w in words] != learned.features:
        raise ValueError(f"domain: expected {', '.join(learned.features)}, found {', '.join(w[0] for w in words)}")
    d = len(words)
    counts: list[int] = []
    if points is None and (grid is not None or d <= 3):
        usual = grid if grid is not None else {1: 401, 2: 101, 3: 31}[d]
        counts = [usual] * d if isinstance(usual, int) else [int(g) for g in usual]
    blocked = None if impossible is None else np.atleast_2d(np.asarray(impossible, float))
    drawn = 10000 if points is None else points
    return PosteriorDensity(
        _covary.posterior_density(learned, words, counts, drawn, joint, blocked, draws, percent, seed, threads)
    )
