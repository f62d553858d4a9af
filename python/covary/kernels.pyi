"""The kernels, made from the core's registry. Written by python/tools/stubs.py."""

from collections.abc import Callable, Sequence

from ._covary import Kernel as Kernel, parse as parse

Value = float | Sequence[float] | None

def fixed(kernel: Kernel | float) -> Kernel:
    """The kernel, or a number, with nothing to learn. Every parameter must be given."""

def on(columns: str | int | Sequence[str | int], kernel: Kernel | str) -> Kernel:
    """The kernel on some columns only: names, or numbers from 1 as in expressions."""

def function(f: Callable, diag: Callable | None = None, *, name: str | None = None, **parameters: float) -> Kernel:
    """A function of two blocks as a kernel: f(A, B, **parameters) is n x m for n rows of A and m rows of B."""

def as_kernel(kernel: Kernel | str | Callable) -> Kernel | str:
    """What a model takes as its kernel: a Kernel, an expression that can be read, or a function made one."""

def constant(variance: Value = None) -> Kernel:
    """an unknown level; a number in a sum is the same"""

def se(lengthscale: Value = None) -> Kernel:
    """very smooth functions"""

def matern12(lengthscale: Value = None) -> Kernel:
    """rough, continuous functions"""

def matern32(lengthscale: Value = None) -> Kernel:
    """functions with one derivative"""

def matern52(lengthscale: Value = None) -> Kernel:
    """functions with two derivatives"""

def rational_quadratic(lengthscale: Value = None, alpha: Value = None) -> Kernel:
    """smooth functions of many length-scales at once"""

def periodic(lengthscale: Value = None, period: Value = None) -> Kernel:
    """functions that repeat exactly"""

def cosine(period: Value = None) -> Kernel:
    """pure oscillations, of one column"""

def linear(lengthscale: Value = None) -> Kernel:
    """straight lines through the origin"""

def polynomial(degree: Value = None, offset: Value = None) -> Kernel:
    """polynomials with all interactions"""

names: list[str]
__all__ = ["fixed", "function", "on", "parse", "constant", "se", "matern12", "matern32", "matern52", "rational_quadratic", "periodic", "cosine", "linear", "polynomial"]
