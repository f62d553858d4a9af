"""Classification by support vector machines, one against the rest, over any kernel."""

import os

import numpy as np

from . import _covary
from ._covary import Kernel, RecordKernel, default_names, parse
from .arrays import rows
from .numeric import is_missing, values_of
from .parameters import Parameters
from .records import further_rows, table_of
from .unfitted import NotFittedError

DEFAULT = "se()"


def coded(y, classes) -> np.ndarray:
    """The number of each label among the classes."""
    labels = values_of(y).reshape(-1)
    known = list(classes)
    numbers = {c: i for i, c in enumerate(known)}
    for label in labels.tolist():
        if label not in numbers:
            there = ", ".join(map(str, known))
            raise ValueError(f"y: expected one of the classes {there}, found {label!r}")
    return np.array([numbers[label] for label in labels.tolist()], np.intp)


def _kinds(y):
    """The labels as an array, which has no number that is not one."""
    labels = values_of(y)
    if labels.ndim != 1 and labels.shape[1:] != (1,):
        raise ValueError(f"y: expected one label for each row, found shape {labels.shape}")
    labels = labels.reshape(-1)
    for i, label in enumerate(labels.tolist() if labels.dtype.kind in "fO" else ()):
        if is_missing(label) or label in (np.inf, -np.inf):
            place = f"y: index {y.index[i]!r}" if hasattr(y, "iloc") else f"y[{i}]"
            raise ValueError(f"{place}: expected a label, found {label!r}")
    return labels


def _ordered(labels):
    """Each label once, in ascending order."""
    try:
        return np.unique(labels)
    except TypeError:
        raise ValueError("y: expected labels of one type, all words or all numbers") from None


class Classifier(Parameters):
    """A support vector machine. Labels may be of any type; `classes` are in ascending order.

    kernel: an expression, or a Kernel; length-scales that it leaves open come from the columns' spreads. None: se() of
        numbers, and what GP has for other types.
    penalty: the cost of a point on the wrong side; inf: a hard margin.
    types, graph: as in GP.
    """

    _sort = "classifier"
    _machine: _covary.Classifier | None = None
    _schema: _covary.Schema | None = None  # None: numbers

    def __init__(
        self,
        kernel: str | Kernel | RecordKernel | None = None,
        penalty: float = 10.0,
        *,
        tolerance: float = 1e-6,
        threads: int = 0,
        types: dict[str, str | list] | None = None,
        graph=None,
    ):
        if not isinstance(kernel, Kernel | RecordKernel | str | None):
            raise TypeError(f"kernel: expected a Kernel or an expression, found {kernel!r}")
        if isinstance(kernel, str):
            _covary.check_names(kernel)
        self.kernel = kernel
        self.penalty = penalty
        self.tolerance = tolerance
        self.threads = threads
        self.types = types
        self.graph = graph

    @property
    def fitted(self) -> bool:
        """Whether it has learned from labels."""
        return self._machine is not None

    def _learned(self) -> _covary.Classifier:
        if self._machine is None:
            raise NotFittedError.of(self)
        return self._machine

    def fit(self, X, y, *, classes=None) -> "Classifier":
        """Learns from rows X and labels y, and returns itself. Ctrl-C leaves it as it was.

        classes: all possible classes, if some of them have no label yet.
        """
        labels = _kinds(y)
        kinds = _ordered(labels if classes is None else np.asarray(classes))
        table = table_of(X, self.kernel, self.types, self.graph, otherwise=DEFAULT)
        x = rows(table.x, "X", 1)
        names = table.names or default_names(x.shape[1])
        kernel = _covary.scaled(table.kernel, x, names, table.schema)
        self._schema = table.schema
        self._take(x, coded(labels, kinds.tolist()), kernel, names, kinds, None)
        return self

    def _take(self, x, numbers, kernel, names, kinds, before):
        if len(x) != len(numbers):
            raise ValueError(f"fit: {len(x)} rows of X and {len(numbers)} labels")
        machine = _covary.train(
            kernel,
            x,
            numbers.tolist(),
            columns=names,
            schema=self._schema,
            penalty=self.penalty,
            tolerance=self.tolerance,
            before=before,
            threads=self.threads,
        )
        self._machine, self._kernel, self._features, self.classes = machine, kernel, names, kinds
        self._x, self._numbers = x, numbers

    def _points(self, X, what="X"):
        """The rows of X as they were learned from: columns by name, each of its type."""
        self._learned()
        return further_rows(self._schema, self._features, X, what)

    def _rows(self, X):
        """Rows with the columns that were learned from."""
        x = rows(self._points(X), "X")
        if x.shape[1] != len(self._features):
            raise ValueError(f"X: expected {len(self._features)} columns, as the model has, found {x.shape[1]}")
        return x

    def tell(self, X, y) -> "Classifier":
        """This classifier given more labels, its kernel kept: a new one. Only what is new costs."""
        before, x = self._learned(), self._rows(X)
        new = Classifier.__new__(Classifier)
        new.__dict__.update(self.__dict__)
        numbers = np.concatenate([self._numbers, coded(_kinds(y), self.classes.tolist())])
        new._take(
            np.asfortranarray(np.vstack([self._x, x])), numbers, self._kernel, self._features, self.classes, before
        )
        return new

    def predict(self, X) -> np.ndarray:
        """The class of each row of X."""
        machine = self._learned()
        return self.classes[machine.predict(self._rows(X), self.threads)]

    def decision(self, X) -> np.ndarray:
        """rows x classes: f of each class against the rest. 0 is the separator, 1 and -1 the edges of the margin."""
        return self._learned().decision(self._rows(X), self.threads)

    def score(self, X, y) -> float:
        """The share of the rows of X whose class is y."""
        return float(np.mean(self.predict(X) == _kinds(y)))

    @property
    def kernel_(self) -> Kernel:
        """The kernel with every parameter given."""
        self._learned()
        return self._kernel

    @property
    def features(self) -> list[str]:
        """The names of the columns of X."""
        self._learned()
        return self._features

    @property
    def notes(self) -> list[str]:
        """Remarks on the training."""
        return self._learned().notes

    def save(self, path: str | os.PathLike) -> None:
        """Writes a classifier file, whole or not at all: kernel, penalty, classes and the rows that were learned from."""
        self._learned()
        if self._schema is not None:
            raise ValueError("save: a classifier file holds columns of numbers alone; pickle keeps those of other types")
        names = self.classes.tolist()
        for name in names:
            if not isinstance(name, (str, int, float)):
                raise ValueError(f"classes: a file holds words, numbers and truth values, found {type(name).__name__}")
        _covary.save_classifier(
            os.fspath(path),
            kernel=self._kernel,
            asked=str(self.kernel or DEFAULT),
            penalty=self.penalty,
            tolerance=self.tolerance,
            features=self._features,
            classes=names,
            X=self._x,
            label=self._numbers.tolist(),
        )

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Classifier":
        """The classifier in a file that `save` wrote, trained again on its rows."""
        kept = _covary.load_classifier(os.fspath(path))
        new = cls(kept["asked"], kept["penalty"], tolerance=kept["tolerance"])
        names = kept["features"]
        numbers, kinds = np.array(kept["label"], np.intp), np.array(kept["classes"])
        new._take(np.asfortranarray(kept["X"]), numbers, parse(kept["kernel"], names), names, kinds, None)
        return new

    def __copy__(self):
        new = Classifier.__new__(Classifier)
        new.__dict__.update(self.__dict__)
        return new

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __getstate__(self):
        state = dict(self.__dict__)
        state.pop("_machine", None)
        if self._schema is not None:
            state["_kernel"] = str(self._kernel)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self._schema is not None:
            self._kernel = _covary.parse_over(self._kernel, self._schema)
        if "_x" in state:
            self._take(self._x, self._numbers, self._kernel, self._features, self.classes, None)

    def __repr__(self):
        return f"Classifier(kernel={str(self.kernel or DEFAULT)!r}, penalty={self.penalty!r})"
