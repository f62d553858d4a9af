"""scikit-learn's kernels as ours: a kernel of the core, and how its parameters and the noise follow from theirs.

A WhiteKernel is noise here, wherever it stands; numbers in front are gathered into one; a power is a product of equals.
So one of their parameters may have several places, and a place may take several: every place is the logarithm of a
product, `offset + sum of weights times theta`.
"""

from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np
from sklearn.gaussian_process import kernels as theirs

from .. import _covary


class Untranslatable(Exception):
    """Why the core cannot express a kernel."""


class Log(NamedTuple):
    """The logarithm of a product of parameters."""

    offset: float = 0.0
    weights: dict[int, float] = {}

    def __add__(self, other):
        shared = {j: self.weights.get(j, 0) + other.weights.get(j, 0) for j in {**self.weights, **other.weights}}
        return Log(self.offset + other.offset, shared)

    def times(self, factor):
        return Log(factor * self.offset, {j: factor * w for j, w in self.weights.items()})

    def __bool__(self):
        return self.offset != 0 or bool(self.weights)


ONE = Log()


@dataclass(frozen=True)
class Part:
    """scale * (the kernel of `text`) + noise. text: "" for a constant, None if there is noise alone."""

    text: str | None
    scale: Log = ONE
    rows: list[Log] = field(default_factory=list)  # the parameters of `text`, in the core's order
    variance: list[Log] | None = field(default_factory=lambda: [ONE])  # of `text`; None: it depends on x
    noise: list[Log] = field(default_factory=list)
    is_sum: bool = False

    @property
    def factor(self):
        return f"({self.text})" if self.is_sum else self.text

    @property
    def term(self):
        """Its expression as a term of a sum, with the parameters of that."""
        if self.text == "":
            return "constant(variance=1)", [self.scale]
        return (f"1 * {self.factor}", [self.scale, *self.rows]) if self.scale else (self.text, self.rows)

    @property
    def whole_variance(self):
        return None if self.variance is None else [self.scale + v for v in self.variance]


def _sum(a, b):
    noise = a.noise + b.noise
    smooth = [p for p in (a, b) if p.text is not None]
    if len(smooth) < 2:
        p = smooth[0] if smooth else a
        return Part(p.text, p.scale, p.rows, p.variance, noise, p.is_sum)
    (left, left_rows), (right, right_rows) = a.term, b.term
    known = a.variance is not None and b.variance is not None
    variance = a.whole_variance + b.whole_variance if known else None
    return Part(f"{left} + {right}", ONE, left_rows + right_rows, variance, noise, True)


def _product(a, b):
    noise = [n + m for n in a.noise for m in b.noise] + _noise_times(a, b) + _noise_times(b, a)
    if a.text is None or b.text is None:
        return Part(None, noise=noise)
    scale = a.scale + b.scale
    if "" in (a.text, b.text):
        p = a if b.text == "" else b
        return Part(p.text, scale, p.rows, p.variance, noise, p.is_sum)
    known = a.variance is not None and b.variance is not None
    variance = [v + w for v in a.variance for w in b.variance] if known else None
    return Part(f"{a.factor} * {b.factor}", scale, a.rows + b.rows, variance, noise)


def _noise_times(a, b):
    """The noise of a times the kernel of b: on the diagonal, where that is its variance."""
    if not a.noise or b.text is None:
        return []
    if b.variance is None:
        raise Untranslatable("noise times a kernel whose variance is not the same everywhere")
    return [n + v for n in a.noise for v in b.whole_variance]


def _arguments(kernel, positions):
    """Each hyper-parameter of a kernel that is not made of others, by name: its logarithms."""
    out = {}
    for h in kernel.hyperparameters:
        values = np.atleast_1d(getattr(kernel, h.name))
        if not (np.all(np.isfinite(values)) and np.all(values > 0)):
            raise Untranslatable(f"{h.name} is not positive")
        out[h.name] = [
            Log(float(np.log(v))) if h.fixed else Log(0.0, {next(positions): 1.0}) for v in values
        ]
    return out


def _lengths(logs, columns):
    """The argument of the core's kernel for one length-scale, or for one of every column."""
    if len(logs) not in (1, columns):
        raise Untranslatable(f"{len(logs)} length-scales for {columns} columns")
    return f"[{', '.join('1' * columns)}]" if len(logs) > 1 else "1"


def _stationary(name, logs, columns):
    return Part(f"{name}(lengthscale={_lengths(logs, columns)})", rows=logs)


def _rbf(k, logs, columns):
    return _stationary("se", logs["length_scale"], columns)


def _matern(k, logs, columns):
    names = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52", np.inf: "se"}
    if k.nu not in names:
        raise Untranslatable(f"nu={k.nu}: the core has 0.5, 1.5, 2.5 and infinity")
    return _stationary(names[k.nu], logs["length_scale"], columns)


def _rational_quadratic(k, logs, columns):
    return Part("rational_quadratic(lengthscale=1, alpha=1)", rows=logs["length_scale"] + logs["alpha"])


def _exp_sine_squared(k, logs, columns):
    if columns != 1:
        raise Untranslatable("its distance is that of all columns together; the core's is of one column")
    return Part("periodic(lengthscale=1, period=1)", rows=logs["length_scale"] + logs["periodicity"])


def _dot_product(k, logs, columns):
    linear = Part("linear(lengthscale=1)", rows=[ONE], variance=None)
    return _sum(Part("", logs["sigma_0"][0].times(2)), linear)


def _constant(k, logs, columns):
    return Part("", logs["constant_value"][0])


def _white(k, logs, columns):
    return Part(None, noise=logs["noise_level"])


_LEAVES = {
    theirs.RBF: _rbf,
    theirs.Matern: _matern,
    theirs.RationalQuadratic: _rational_quadratic,
    theirs.ExpSineSquared: _exp_sine_squared,
    theirs.DotProduct: _dot_product,
    theirs.ConstantKernel: _constant,
    theirs.WhiteKernel: _white,
}
_MOST = 8  # the highest power


def _part(kernel, columns, positions):
    kind = type(kernel)  # a subclass may mean something else
    if kind is theirs.Sum:
        return _sum(_part(kernel.k1, columns, positions), _part(kernel.k2, columns, positions))
    if kind is theirs.Product:
        return _product(_part(kernel.k1, columns, positions), _part(kernel.k2, columns, positions))
    if kind is theirs.Exponentiation:
        if kernel.exponent not in range(1, _MOST + 1):
            raise Untranslatable(f"the power {kernel.exponent}: the core has whole ones from 1 to {_MOST}")
        return reduce(_product, [_part(kernel.kernel, columns, positions)] * int(kernel.exponent))
    if kind not in _LEAVES:
        raise Untranslatable(f"{kind.__name__} is not a kernel of the core")
    return _LEAVES[kind](kernel, _arguments(kernel, positions), columns)


def _affine(logs, parameters):
    """offset and map of these logarithms."""
    weights = np.zeros((len(logs), parameters))
    for i, log in enumerate(logs):
        for j, w in log.weights.items():
            weights[i, j] = w
    return np.array([log.offset for log in logs]), weights


def translate(kernel, columns: int) -> _covary.Reparametrized:
    """The core's equal of a kernel on so many columns, in the kernel's own theta. Raises Untranslatable."""
    part = _part(kernel, columns, iter(range(kernel.n_dims)))
    if part.text is None:
        raise Untranslatable("it is noise alone")
    text, rows = part.term
    return _covary.Reparametrized(_covary.parse(text), *_affine(rows, kernel.n_dims), *_affine(part.noise, kernel.n_dims))
