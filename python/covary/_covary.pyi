"""Gaussian processes: the core. Use the package covary instead."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def machine() -> str:
    """The numerical libraries in use: BLAS, its kernels, threads."""

def did_you_mean(name: str, known: Sequence[str]) -> str:
    """", did you mean 'x'?" for the nearest name, or nothing."""

class Kernel:
    """A kernel: an immutable value. + and * compose; repr is the expression."""

    def __init__(self) -> None: ...

    __array_ufunc__: None = None

    def __pow__(self, arg: float, /) -> Kernel: ...

    def __truediv__(self, arg: float, /) -> Kernel: ...

    @overload
    def __add__(self, arg: Kernel, /) -> Kernel: ...

    @overload
    def __add__(self, arg: float, /) -> Kernel: ...

    def __radd__(self, arg: float, /) -> Kernel: ...

    @overload
    def __mul__(self, arg: Kernel, /) -> Kernel: ...

    @overload
    def __mul__(self, arg: float, /) -> Kernel: ...

    def __rmul__(self, arg: float, /) -> Kernel: ...

    def __eq__(self, arg: Kernel, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __sub__(self, arg: object | None, /) -> Kernel: ...

    def __rsub__(self, arg: object | None, /) -> Kernel: ...

    def __neg__(self) -> Kernel: ...

    def __rtruediv__(self, arg: object | None, /) -> Kernel: ...

    def __rpow__(self, arg: object | None, /) -> Kernel: ...

    def __repr__(self) -> str: ...

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def parameters(self, columns: Sequence[str] = []) -> list:
        """
        Name, role, value (None: not given) and whether it is fixed, of each parameter.
        """

    @property
    def theta(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Logarithms of the parameters to learn; nan: not given."""

    def with_theta(self, theta: object) -> Kernel:
        """The same kernel at other parameters."""

    def cross(self, a: object, b: object | None = None, columns: Sequence[str] = []) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """n x m: the covariances of the rows of a and those of b (a)."""

    def diag(self, a: object, columns: Sequence[str] = []) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """n: the variance at each row."""

def parse(text: str, columns: Sequence[str] = []) -> object:
    """
    The kernel of an expression. columns: the names that on(...) may use; else any.
    """

def parse_over(text: str, columns: Schema) -> Kernel:
    """The kernel of an expression over typed columns."""

def fixed(kernel: object) -> object:
    """The kernel with nothing to learn. Every parameter must be given."""

def quoted(name: str) -> str:
    """A column's name as expressions have it."""

def make(name: str, args: tuple, kwargs: dict) -> object:
    """A kernel of the registry by name. Nothing given, or None: learned."""

def registry() -> list:
    """
    Every kernel: name, formula, about, over (rows, nodes, texts, sets or graphs), parameters, columns, settings.
    """

def function(f: object, diag: object | None, name: str, parameters: dict) -> Kernel:
    """A function over blocks as a kernel: f(A, B, **parameters) is n x m."""

def on(columns: str, kernel: object) -> object:
    """
    The kernel, or expression, on some columns only, as an expression has them.
    """

class Network:
    """A weighted, undirected graph whose nodes a column names."""

def network(edges: Sequence[tuple[str, str, float]], nodes: Sequence[str] = []) -> Network:
    """
    Of edges (from, to, weight); nodes: those that come first, and may have no edge.
    """

class Schema:
    """The types of the columns of records. Copies share their codes."""

    @staticmethod
    def of(columns: list, network: Network | None, where: Callable) -> Schema:
        """
        From (name, cells, type, levels, dates) of each column. where(column, row): how errors call a cell.
        """

    def encode(self, columns: list, where: Callable, kernel: object | None = None, beside: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """
        rows x columns: numbers, dates and codes; kernel: what has to read them, beside the first row of `beside`.
        """

    def used(self, kernel: object | None) -> list[int]:
        """The columns that a model with this kernel reads."""

    def only(self, columns: Sequence[int]) -> Schema: ...

    def text(self, column: int, value: float) -> str:
        """A value as a table has it."""

    def default_kernel(self, numbers: str = 'matern52()') -> str: ...

    def __getstate__(self) -> list: ...

    def __setstate__(self, arg: list, /) -> None: ...

    @property
    def names(self) -> list[str]: ...

    @property
    def types(self) -> list[str]: ...

    @property
    def missing_levels(self) -> list[bool]:
        """Whether a missing cell is a level, of each column."""

    @property
    def plain(self) -> bool:
        """Numbers alone."""

    @property
    def all_numbers(self) -> bool:
        """No column has codes."""

class RecordKernel:
    """
    A kernel that reads columns by their types: texts, sets, graphs, nodes, dates with units. An immutable value; + and * compose it with any other.
    """

    __array_ufunc__: None = None

    def __add__(self, arg: object, /) -> object: ...

    def __radd__(self, arg: object, /) -> object: ...

    def __mul__(self, arg: object, /) -> object: ...

    def __rmul__(self, arg: object, /) -> object: ...

    def __eq__(self, arg: RecordKernel, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def cross(self, a: object, b: object | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """
        n x m: the covariances of the texts, sets or graphs of a and those of b (a).
        """

    def diag(self, a: object) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """n: the variance of each."""

def object_kind(text: str) -> str:
    """text, set or graph: what an expression is over; empty: rows."""

def check_names(text: str) -> None:
    """
    Raises ValueError unless the expression can be read, and every kernel and parameter in it exists.
    """

class Gaussian:
    """The multivariate normal distribution N(mean, covariance)."""

    def __init__(self, mean: object, covariance: object) -> None: ...

    def __len__(self) -> int: ...

    @property
    def mean(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def covariance(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]: ...

    @property
    def sd(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def rank(self) -> int:
        """Directions that have variance."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def marginal(self, which: object) -> Gaussian:
        """The marginal of the components `which` (from 0), in that order."""

    def conditional(self, known: object, values: object) -> Gaussian:
        """The conditional of the other components given those in `known`."""

    def affine(self, a: object, b: object) -> Gaussian:
        """The distribution of a x + b."""

    def plus(self, noise: object) -> Gaussian:
        """The distribution of x + e, e independent with this covariance."""

    def log_density(self, x: object) -> float:
        """The log density on the support; -inf off it."""

    def entropy(self) -> float:
        """The entropy in nats; -inf if the covariance is singular."""

    def mutual_information(self, a: object, b: object) -> float:
        """Mutual information of the components a and b, in nats."""

    def sample(self, n: int, seed: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """components x n draws."""

    def ellipse(self, percent: float, count: int = 101) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """The ellipse of two components: 2 x count points."""

def divergence(p: Gaussian, q: Gaussian) -> float:
    """The Kullback-Leibler divergence of q from p, in nats."""

def wasserstein(p: Gaussian, q: Gaussian) -> float:
    """The 2-Wasserstein distance."""

def r_squared(mean: object, y: object) -> float:
    """R^2, as defined in scikit-learn."""

class Model:
    """A model learned or loaded. Immutable: threads may share it."""

    @property
    def kernel(self) -> str:
        """Of y / scale, every parameter given."""

    @property
    def learned_kernel(self) -> object:
        """The same as a Kernel."""

    @property
    def mean(self) -> str: ...

    @property
    def noise_variance(self) -> float:
        """Of y / scale; 0 if every row has its own."""

    @property
    def scale(self) -> float:
        """1 unless squares of y would not fit into a number: a power of two."""

    @property
    def features(self) -> list[str]: ...

    @property
    def target(self) -> str: ...

    @property
    def x(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]: ...

    @property
    def y(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def log_marginal_likelihood(self) -> float: ...

    @property
    def notes(self) -> list[str]: ...

    @property
    def parameters(self) -> list: ...

    @property
    def coefficients(self) -> list:
        """Name, value and sd of each weight; none of a process."""

    @property
    def trend(self) -> list:
        """Name, value and sd of each term of a process's mean that was learned."""

    @property
    def residual_sd(self) -> float: ...

    @property
    def freedom(self) -> float: ...

    @property
    def schema(self) -> Schema | None:
        """The types of the columns; None: they are numbers."""

    @property
    def types(self) -> dict:
        """What a summary says of each column; none of numbers alone."""

    @property
    def approximate(self) -> bool:
        """Whether its posterior approximates the exact one."""

    @property
    def asked(self) -> dict:
        """The request: model, kernel, options."""

    @property
    def summary(self) -> str: ...

    def predict(self, X: object, of: str = 'f', interval: float | None = None, sd: bool = True, threads: int = 0, calibrated: bool = False, draws: int = 0, seed: int = 1) -> tuple:
        """mean, sd, lower, upper."""

    def unseen(self, X: object) -> dict:
        """By column, the categories of X that no row of the model has."""

    def joint(self, X: object, of: str = 'f', threads: int = 0) -> Gaussian:
        """The Gaussian of all rows together."""

    def sample(self, X: object, n: int, seed: int, of: str = 'f') -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """rows x n draws."""

    def condition(self, X: object, y: object, threads: int = 0) -> Model:
        """The model given more rows, parameters kept."""

    def check(self, folds: int = 0, refit: bool = False, seed: int = 1, threads: int = 0) -> dict:
        """
        Each observation predicted from the others: scores, mean, sd, standardized.
        """

    def check_on(self, X: object, y: object, noise_sd: object | None = None, threads: int = 0) -> dict:
        """The same of new rows."""

    def forward(self, column: int, initial: float = 0.5, horizon: int = 0, origins: int = 10, refit: bool = False, threads: int = 0) -> dict:
        """Rolling-origin forecasts along a column."""

    def text(self) -> str:
        """The model file as text."""

    def save(self, path: str) -> None: ...

    @staticmethod
    def load(path: str) -> Model: ...

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def __copy__(self) -> Model: ...

    def __deepcopy__(self, memo: object) -> Model: ...

def prior(kernel: object | None, mean: object | None, noise: float | None, X: object, features: Sequence[str] | None, transform: str = '', schema: Schema | None = None) -> Model:
    """
    A model that has seen no rows, over the columns of X: every parameter must be given.
    """

def evidence(kernel: Kernel, mean: str, noise: float | None, X: object, y: object, theta: object, gradient: bool = True, columns: Sequence[str] = [], threads: int = 0) -> tuple:
    """
    The log marginal likelihood and its gradient at theta: the kernel's, then the logarithm of the noise variance if that is None.
    """

class ReparametrizedPosterior:
    """A process of mean zero given data: threads may share it."""

    def mean(self, X: object, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """rows x targets."""

    def marginals(self, X: object, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """Means, and the variance of each row."""

    def joint(self, X: object, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]]:
        """Means, and the covariance of all rows."""

    @property
    def lower(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """The factor L of the covariance, n x n."""

    @property
    def kernel(self) -> Kernel:
        """The kernel, without noise."""

    @property
    def noise(self) -> float:
        """The variance of observations to come."""

    @property
    def alpha(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """The weights, n x targets."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[str, float, Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]], /) -> None: ...

class Reparametrized:
    """A kernel and a noise in parameters t: theta = offset + map t."""

    def __init__(self, kernel: Kernel, offset: object, map: object, noise_offset: object, noise_map: object) -> None: ...

    def evidence(self, X: object, y: object, variances: object, theta: object, gradient: bool = True, threads: int = 0) -> tuple:
        """The log marginal likelihood, and its gradient or None."""

    def maximize(self, X: object, y: object, variances: object, theta: object, lower: object, upper: object, threads: int = 0) -> tuple:
        """
        The best parameters, their log marginal likelihood, whether the search converged, evaluations, and why it stopped. Ctrl-C stops it.
        """

    def posterior(self, X: object, y: object, variances: object, theta: object, threads: int = 0) -> ReparametrizedPosterior | None:
        """None if the covariance is not positive definite."""

def learn(X: object, y: object, *, kernel: object | None, mean: object | None, noise: float | None, noise_sd: object | None, features: Sequence[str] | None, target: str, prior: str, objective: str, starts: int, seed: int, max_seconds: float | None, threads: int, bounds: Mapping[str, tuple[float, float]], transform: str = '', inference: str = 'auto', device: str = 'cpu', schema: Schema | None = None) -> Model:
    """Learns a model. Ctrl-C stops it."""

def default_names(count: int) -> list[str]:
    """x1, x2, ..."""

def finish() -> None:
    """Waits for work that Ctrl-C gave up; called at exit."""

def learn_linear(X: object, y: object, *, model: str, basis: str, penalty: float | str, prior_sd: float | str, noise: float | str, intercept: bool, standardize: bool, side: str, undetermined: str, features: Sequence[str] | None, target: str, threads: int, schema: Schema | None = None) -> Model:
    """
    Learns weights of explicit features: model is linear, ridge or bayes. Ctrl-C stops it.
    """

def learn_kernel_ridge(X: object, y: object, *, kernel: object | None, mean: object | None, penalty: float | str, features: Sequence[str] | None, target: str, prior: str, starts: int, seed: int, max_seconds: float | None, threads: int, bounds: Mapping[str, tuple[float, float]], schema: Schema | None = None) -> Model:
    """Learns kernel ridge regression. Ctrl-C stops it."""

def column_medians(X: object) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """The median of each column."""

def slice_points(at: object, moving: int, to: object) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
    """Points that are `at` but for one column, which takes the values `to`."""

def grid_points(x: object, y: object) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
    """Every pair of values, the first moving fastest."""

class Field:
    """The prior of a field at n places."""

    def __len__(self) -> int: ...

    @property
    def noise(self) -> float:
        """A sensor's variance, as the model has it; else 0."""

    @property
    def mean(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The mean of the readings; empty: unknown."""

    @property
    def notes(self) -> list[str]: ...

    @property
    def words(self) -> str:
        """Its source, in words."""

    @staticmethod
    def of_kernel(kernel: object, X: object, columns: Sequence[str], nugget: float, schema: Schema | None = None) -> Field: ...

    @staticmethod
    def of_covariance(covariance: object, nugget: float) -> Field: ...

    @staticmethod
    def of_models(models: Sequence[Model], X: object, draws: int, seed: int, nugget: float, noise_given: bool, threads: int) -> Field:
        """Given the models' data; several are averaged."""

    @staticmethod
    def of_history(readings: object, names: Sequence[str], shrinkage: float | None, nugget: float, noisy: bool, kernel: Kernel | None, X: object | None, columns: Sequence[str], seed: int, threads: int) -> Field:
        """From readings, times x places; drawn to the kernel if there is one."""

def criteria() -> list:
    """
    What makes a set of sensors good: name, formula, unit, certificate, about.
    """

def check_criterion(name: str) -> None:
    """Raises ValueError, with the nearest name, unless there is one."""

class Places:
    """Where sensors may stand, and what they are for."""

def places(*, noise: float | None, noise_sd: object | None, names: Sequence[str], candidates: int, existing: Sequence[int], forbidden: Sequence[int], targets: Sequence[int], cost: object | None, budget: float | None, at: object | None, min_distance: float, group: Sequence[int], per_group: int) -> Places: ...

def place(field: Field, places: Places, criterion: str, *, candidates: int, k: int | None, search: str, set: Sequence[int], held_out: object | None, times: Sequence[str], repeats: int, max_seconds: float | None, neighbors: int | None, unit: str, seed: int, threads: int) -> dict:
    """Places sensors. Ctrl-C stops it."""

class Classifier:
    """Classes 0, 1, ... told apart by support vector machines. Immutable."""

    def decision(self, X: object, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """rows x classes: f of each against the rest."""

    def predict(self, X: object, threads: int = 0) -> list[int]:
        """The class of each row."""

    def separator(self, class_: int) -> dict:
        """support, weights, offset, margin."""

    @property
    def notes(self) -> list[str]: ...

def scaled(kernel: object, X: object, columns: Sequence[str], schema: Schema | None = None) -> Kernel:
    """The kernel in full, from the columns' spreads."""

def train(kernel: Kernel, X: object, label: Sequence[int], *, columns: Sequence[str], penalty: float, tolerance: float, before: Classifier | None, threads: int, schema: Schema | None = None) -> Classifier:
    """A classifier. Ctrl-C stops it."""

def save_classifier(path: str, *, kernel: Kernel, asked: str, penalty: float, tolerance: float, features: Sequence[str], classes: Sequence[bool | int | float | str], X: object, label: Sequence[int]) -> None:
    """Writes a classifier file, whole or not at all."""

def load_classifier(path: str) -> dict:
    """What save_classifier was given."""

def is_classifier_file(path: str) -> bool:
    """Whether a file begins as one."""

class StrategyInput:
    """What a strategy is shown: candidates, labels, the belief about f."""

    @property
    def mean(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """m x c: of f at each candidate, given the labels."""

    @property
    def variance(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """m: of f; pending candidates count as labelled."""

    @property
    def noise(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """m: variance of a label."""

    @property
    def labelled(self) -> list[int]:
        """n: candidates with a label, in the order they came."""

    @property
    def pending(self) -> list[int]:
        """Candidates that were asked for and have no label yet."""

    @property
    def labels(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """n x c: numbers; of two classes -1 and 1, of more a column for each."""

    @property
    def classes(self) -> list[int]:
        """n: classes from 0 on; empty for numbers."""

    @property
    def kinds(self) -> int:
        """Number of classes; 0 for numbers."""

    @property
    def seed(self) -> int:
        """Of this choice."""

    def __len__(self) -> int: ...

    def covariance(self, candidate: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """
        m: of f at each candidate with f at this one, given the labels and the pending.
        """

    def prior_covariance(self, rows: Sequence[int], columns: Sequence[int]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """Of f under the kernel: a number for each pair."""

class Selector:
    """Candidates, their labels, and what to label next."""

    def suggest(self, n: int) -> dict: ...

    def tell(self, indices: object, labels: object) -> None: ...

    def replace(self, model: Model) -> None:
        """Another kernel for the same candidates and labels."""

    def coverage(self, seed: int) -> list[str]:
        """Parts of the pool that the labels do not represent, in words."""

    @property
    def mean(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def sd(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The scores of the latest suggest."""

    @property
    def open(self) -> int: ...

    @staticmethod
    def of_model(model: Model, X: object, strategy: object, costs: object | None, random_share: float, repeats: bool, minimize: bool, seed: int, threads: int) -> Selector: ...

    @staticmethod
    def of_classes(kernel: Kernel, penalty: float, tolerance: float, X: object, kinds: int, known_X: object, known: object, strategy: object, costs: object | None, random_share: float, repeats: bool, minimize: bool, seed: int, threads: int) -> Selector: ...

def suggest(model: Model, X: object, n: int, strategy: str, costs: object | None, random_share: float, where: Sequence[str], minimize: bool, seed: int, threads: int) -> dict:
    """What to measure next. Ctrl-C stops it."""

def strategies() -> list:
    """
    What to label next: name, formula, parameters, question, reference, for, about.
    """

def gradients(model: Model, X: object, threads: int) -> tuple:
    """Gradients of mean and variance with respect to X."""

class DomainAxis:
    """What one column of a domain may be."""

def range_axis(name: str, lower: float, upper: float, step: float) -> DomainAxis: ...

def list_axis(name: str, values: Sequence[str]) -> DomainAxis: ...

def suggest_over(model: Model, over: Sequence[DomainAxis], n: int, strategy: str, where: Sequence[str], minimize: bool, seed: int, threads: int) -> dict:
    """What to measure next in a domain. Ctrl-C stops it."""

def label_pool(kernel: Kernel, X: object, labels: Sequence[int], kinds: int, n: int, factor: float, percent: float, seed: int, threads: int) -> dict:
    """Labels for all rows from those of a few. Ctrl-C stops it."""

class StreamOptions:
    pass

def stream_options(*, budget: int, length: int, rate: float, memory: int, start: int, random_share: float, forget: str, seed: int, threads: int, strategy: str) -> StreamOptions: ...

class NumberStream:
    """A stream for a Gaussian process."""

    def __init__(self, model: Model, options: StreamOptions) -> None: ...

    @property
    def model(self) -> Model:
        """The model of the points that are kept."""

    def offer(self, x: object) -> dict:
        """The next point, one row: whether to ask."""

    def tell(self, label: float) -> None:
        """The label of the point that was asked for."""

    def offer_many(self, X: object, label: Callable[[int], float]) -> list[int]:
        """The rows asked for; label(i) gives that of row i."""

    @property
    def summary(self) -> dict: ...

class ClassStream:
    """A stream for support vector machines."""

    def __init__(self, kernel: Kernel, kinds: int, penalty: float, tolerance: float, options: StreamOptions) -> None: ...

    def predict(self, X: object) -> list[int]: ...

    def offer(self, x: object) -> dict:
        """The next point, one row: whether to ask."""

    def tell(self, label: float) -> None:
        """The label of the point that was asked for."""

    def offer_many(self, X: object, label: Callable[[int], float]) -> list[int]:
        """The rows asked for; label(i) gives that of row i."""

    @property
    def summary(self) -> dict: ...

class Density:
    """A posterior density at points. Immutable."""

    @property
    def names(self) -> list[str]: ...

    @property
    def points(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]: ...

    @property
    def density(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def mass(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def log_joint(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def sd(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def mean(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def covariance(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]: ...

    @property
    def log_evidence(self) -> tuple: ...

    @property
    def means(self) -> list: ...

    @property
    def sds(self) -> list: ...

    @property
    def effective_points(self) -> float: ...

    @property
    def notes(self) -> list[str]: ...

    def density_at(self, sds: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """For a log density so many sds from its mean."""

    def expectation(self, values: object) -> tuple:
        """Of values at the points: estimate, lower, upper."""

    def sample(self, n: int, seed: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """n x d."""

def posterior_density(model: Model, prior: Sequence[tuple[str, float, float, str]], counts: Sequence[int], points: int, joint: bool, impossible: object | None, draws: int, percent: float, seed: int, threads: int) -> Density:
    """Ctrl-C stops it."""

class Search:
    """Where to evaluate a log likelihood."""

    @staticmethod
    def begin(prior: Sequence[tuple[str, float, float, str]], budget: int, strategy: str, kernel: str, mean: str, noise: float, tail: float, start: int, candidates: int, seed: int, threads: int) -> Search: ...

    def ask(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The next parameters. Ctrl-C stops it."""

    def tell(self, log_likelihood: float) -> None: ...

    def density(self, draws: int, percent: float, seed: int) -> Density:
        """Ctrl-C stops it."""

    @property
    def left(self) -> int: ...

    @property
    def evaluated(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]: ...

    @property
    def log_likelihoods(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

class ReplayOptions:
    def __init__(self) -> None: ...

    @property
    def strategies(self) -> list[str]: ...

    @strategies.setter
    def strategies(self, arg: Sequence[str], /) -> None: ...

    @property
    def budget(self) -> int: ...

    @budget.setter
    def budget(self, arg: int, /) -> None: ...

    @property
    def start(self) -> int: ...

    @start.setter
    def start(self, arg: int, /) -> None: ...

    @property
    def batch(self) -> int: ...

    @batch.setter
    def batch(self, arg: int, /) -> None: ...

    @property
    def repeats(self) -> int: ...

    @repeats.setter
    def repeats(self, arg: int, /) -> None: ...

    @property
    def test_share(self) -> float: ...

    @test_share.setter
    def test_share(self, arg: float, /) -> None: ...

    @property
    def random_share(self) -> float: ...

    @random_share.setter
    def random_share(self, arg: float, /) -> None: ...

    @property
    def relearn(self) -> float: ...

    @relearn.setter
    def relearn(self, arg: float, /) -> None: ...

    @property
    def penalty(self) -> float: ...

    @penalty.setter
    def penalty(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def minimize(self) -> bool: ...

    @minimize.setter
    def minimize(self, arg: bool, /) -> None: ...

    def stop(self, largest_sd: float = 0.0, gain: float = 0.0, change: float = 0.0, rounds: int = 3) -> None: ...

class ReplayData:
    pass

def replay_data(X: object, y: object, kinds: int, costs: object | None, X_test: object | None, y_test: object | None) -> ReplayData: ...

class ReplayModel:
    """A kernel, a trend and a noise, before anything is learned."""

def replay_model(kernel: str, mean: str, noise: float | None, columns: Sequence[str], schema: Schema | None = None) -> ReplayModel: ...

def replay(data: ReplayData, model: ReplayModel, options: ReplayOptions, memory: int | None, forget: str, reach: float | None) -> dict:
    """
    Strategies on data whose labels are known; memory: in a stream. Ctrl-C stops it.
    """

def risk(losses: object, probabilities: object, open: object, percent: float) -> dict: ...

class Stopping:
    """
    When to stop labelling: rules that are 0 are off, the first that holds ends it.
    """

    def __init__(self, *, largest_sd: float = 0.0, gain: float = 0.0, change: float = 0.0, rounds: int = 3) -> None:
        """
        largest_sd: no candidate's f is less certain, in units of y. gain: the next label brings less, per cost. change: predictions moved by less in each of so many rounds.
        """

    def round(self, labels: int, largest_sd: float = float('nan'), gain: float = float('inf'), change: float = float('inf')) -> None:
        """
        After a round: labels so far, the largest sd of f, the gain per cost of the latest choice, and how far predictions moved.
        """

    @property
    def reason(self) -> str:
        """The rule that holds, in words, or ''."""

    @property
    def remaining(self) -> int:
        """Labels until the largest sd is likely there; -1: not known."""

    def forecast(self, unit: str = '') -> str:
        """'about 12 more labels to reach 0.5 K', or ''."""
