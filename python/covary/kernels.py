"""The kernels, made from the core's registry: one function each, by name."""

import inspect
from numbers import Integral

from . import _covary
from ._covary import Kernel, parse


def fixed(kernel):
    """The kernel, or a number, with nothing to learn. Every parameter must be given."""
    return _covary.fixed(kernel if isinstance(kernel, Kernel) else parse(str(kernel)))


def on(columns, kernel):
    """The kernel on some columns only: names, or numbers from 1 as in expressions."""
    several = isinstance(columns, (list, tuple))
    names = [c if isinstance(c, Integral) else _covary.quoted(c) for c in (columns if several else [columns])]
    text = ", ".join(str(n) for n in names)
    return parse(f"on([{text}], {kernel})" if several else f"on({text}, {kernel})")


def _constructor(entry):
    """The function that makes the kernel of an entry."""
    name = entry["name"]

    def make(*args, **kwargs):
        return _covary.make(name, args, kwargs)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    make.__signature__ = inspect.Signature(
        [inspect.Parameter(p, kind, default=None) for p in entry["parameters"]], return_annotation=Kernel
    )
    make.__name__ = make.__qualname__ = name
    make.__module__ = __name__
    make.__doc__ = f"{entry['about']}\n\n{entry['formula']}\n\nWhat is not given is learned."
    return make


names = [entry["name"] for entry in _covary.registry()]
globals().update({entry["name"]: _constructor(entry) for entry in _covary.registry()})
__all__ = ["fixed", "on", "parse", *names]
