"""The kernels, made from the core's registry: one function each, by name."""

import inspect
from numbers import Integral, Real

from . import _covary
from ._covary import Kernel, RecordKernel, parse

AnyKernel = Kernel | RecordKernel


def fixed(kernel):
    """The kernel, or a number, with nothing to learn. Every parameter must be given."""
    if not isinstance(kernel, AnyKernel | str | Real):
        raise TypeError(f"fixed: expected a kernel or a number, found {kernel!r}")
    return _covary.fixed(kernel if isinstance(kernel, AnyKernel) else parse(str(kernel)))


def on(columns, kernel):
    """The kernel on some columns only: names, or numbers from 1 as in expressions."""
    several = isinstance(columns, (list, tuple))
    for column in columns if several else [columns]:
        if not isinstance(column, (str, Integral)):
            raise TypeError(f"columns: expected names, or numbers from 1, found {column!r}")
    names = [c if isinstance(c, Integral) else _covary.quoted(c) for c in (columns if several else [columns])]
    text = ", ".join(str(n) for n in names)
    return _covary.on(f"[{text}]" if several else text, kernel)


def function(f, diag=None, *, name=None, **parameters):
    """A function of two blocks as a kernel: f(A, B, **parameters) is n x m for n rows of A and m rows of B.

    parameters: positive numbers, which learning begins with (fixed(...) keeps them); keyword-only arguments of
    f whose default is a number are parameters too. One called lengthscale, variance or period is learned as one.
    diag(A, **parameters): the variance at each row; without it, it is taken from small blocks f(A, A).
    name: its name in expressions, by default that of f.

    Gradients are central differences: f is called twice more for each parameter. An exception in f is raised
    by the call that evaluates the kernel. f may be called from any thread, one at a time. pickle keeps the model
    if it keeps f; a model file cannot hold f, so save refuses.
    """
    called = name or getattr(f, "__name__", "function")
    called = "function" if called == "<lambda>" else called
    if not callable(f):
        raise ValueError(f"function: expected a function of two blocks, found {f!r}")
    for parameter, value in parameters.items():
        if not isinstance(value, Real):
            raise ValueError(f"{called}: {parameter}: expected a positive number, found {value!r}")
    return _covary.function(f, diag, called, _numbers(f) | parameters)


def _numbers(f):
    """The keyword-only arguments of f that have a number as their default."""
    try:
        arguments = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # not every callable says what it takes
        return {}
    only = [a for a in arguments if a.kind is a.KEYWORD_ONLY]
    return {a.name: a.default for a in only if isinstance(a.default, Real) and not isinstance(a.default, bool)}


def parsed(kernel):
    """A Kernel, that of an expression, or None. Raises TypeError for anything else."""
    if not isinstance(kernel, AnyKernel | str | None):
        raise TypeError(f"kernel: expected a Kernel or an expression, found {kernel!r}")
    return parse(kernel) if isinstance(kernel, str) else kernel


def as_kernel(kernel):
    """What a model takes as its kernel: a Kernel, an expression that can be read, a function made one, or None."""
    if kernel is None or isinstance(kernel, AnyKernel):
        return kernel
    if callable(kernel):
        return function(kernel)
    if not isinstance(kernel, str):
        raise TypeError(f"kernel: expected a Kernel, an expression or a function of two blocks, found {kernel!r}")
    _covary.check_names(kernel)
    return kernel


def _constructor(entry):
    """The function that makes the kernel of an entry."""
    name = entry["name"]

    def make(*args, **kwargs):
        return _covary.make(name, args, kwargs)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    make.__signature__ = inspect.Signature(
        [inspect.Parameter(p, kind, default=None) for p in entry["parameters"]],
        return_annotation=Kernel if entry["over"] == "rows" else RecordKernel,
    )
    make.__name__ = make.__qualname__ = name
    make.__module__ = __name__
    make.__doc__ = f"{entry['about']}\n\n{entry['formula']}\n\nWhat is not given is learned."
    return make


names = [entry["name"] for entry in _covary.registry()]
globals().update({entry["name"]: _constructor(entry) for entry in _covary.registry()})
__all__ = ["fixed", "function", "on", "parse", *names]
