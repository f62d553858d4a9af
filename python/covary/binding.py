"""Error messages for arguments of the wrong type: the argument, the expected type, and the value found.

Importing this module wraps every function, method and setter of the compiled module in one that rewords the binding's
TypeError. It is imported before anything else takes a function from there. The types are those of the signatures that
the binding reports.
"""

import functools
import os
import re
from numbers import Integral

import numpy as np

from . import _covary
from ._covary import did_you_mean

RAW = "incompatible function arguments"
WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "True or False",
    "None": "None",
    "object": "something",
    "tuple[float, float]": "a pair of numbers",
}


def is_number(value):
    """One number, of any type."""
    return hasattr(type(value), "__float__") and np.ndim(value) == 0


LOOKS = {
    "int": lambda v: isinstance(v, Integral),
    "float": is_number,
    "str": lambda v: isinstance(v, str),
    "bool": lambda v: isinstance(v, bool),
    "None": lambda v: v is None,
    "object": lambda v: v is not None,
    "tuple[float, float]": lambda v: np.ndim(v) == 1 and len(v) == 2 and all(map(is_number, v)),
}


def _split(text, separator):
    """The parts of a text at a separator, not splitting within brackets."""
    parts, depth, last = [], 0, ""
    for c in text:
        depth += (c in "[(") - (c in "])")
        if c == separator and depth == 0:
            parts.append(last.strip())
            last = ""
        else:
            last += c
    return [p for p in [*parts, last.strip()] if p]


def _inside(kind):
    """The types of the elements of a sequence or a mapping."""
    return _split(kind[kind.index("[") + 1 : -1], ",")


def _named(kind):
    """A type in words."""
    if "Sequence[" in kind:
        return f"a list of {_named(_inside(kind)[0]).removeprefix('a ')}s".replace("texts", "text")
    if "Mapping[" in kind:
        return f"a dict of text to {_named(_inside(kind)[1])}"
    if "Callable[" in kind:
        return "a function"
    return WORDS.get(kind, f"a {kind.split('.')[-1]}")


def _fits(kind, value):
    """Whether a value appears to be of the type; only the binding can decide exactly."""
    if "Sequence[" in kind:
        return not isinstance(value, str) and np.iterable(value) and all(_fits(_inside(kind)[0], v) for v in value)
    if "Mapping[" in kind:
        key, held = _inside(kind)
        return isinstance(value, dict) and all(_fits(key, k) and _fits(held, v) for k, v in value.items())
    if "Callable[" in kind:
        return callable(value)
    return LOOKS.get(kind, lambda v: type(v).__name__ == kind.split(".")[-1])(value)


class Signature:
    """The arguments of one function of the module."""

    def __init__(self, text):
        self.names, self.kinds, self.needed, self.positional = [], {}, [], 0
        only_named = False
        for part in _split(text[text.index("(") + 1 :].rpartition(") -> ")[0], ","):
            if part in ("*", "/"):
                only_named = only_named or part == "*"
                continue
            name, _, kind = (p.strip() for p in part.partition(":"))
            kind, _, default = (p.strip() for p in kind.partition("="))
            self.names.append(name)
            self.kinds[name] = _split(kind, "|") or ["object"]
            self.positional += not only_named
            if not default and name != "self":
                self.needed.append(name)

    def problem(self, call, args, kwargs):
        """The error message for a call."""
        taken = [n for n in self.names if n != "self"]
        if len(args) > self.positional:
            return f"{call}() takes {_count(self.positional - ('self' in self.names))}, found {_count(len(args) - 1)}"
        given = dict(zip(self.names, args)) | kwargs
        for name in kwargs:
            if name not in self.names:
                there = f"it has: {', '.join(taken)}" if taken else "it takes none"
                return f"{call}() has no argument '{name}'{did_you_mean(name, taken)} ({there})"
        for name in self.needed:
            if name not in given:
                return f"{call}() needs the argument '{name}'"
        return self._misfit(given) or self._out_of_range(given) or f"{call}(): an argument is of the wrong type"

    def _misfit(self, given):
        for name, value in given.items():
            kinds = self.kinds[name]
            if name != "self" and not any(_fits(k, value) for k in kinds):
                return f"{name}: expected {' or '.join(map(_named, kinds))}, found {found_words(value)}"
        return None

    def _out_of_range(self, given):
        for name, value in given.items():
            if "int" in self.kinds[name] and isinstance(value, Integral):
                low, high = (0, 2**64 - 1) if name == "seed" else (-(2**31), 2**31 - 1)
                if not low <= value <= high:
                    return f"{name}: expected a whole number from {low} to {high}, found {value}"
        return None


def _count(n):
    return f"{n} argument{'' if n == 1 else 's'}"


def found_words(value):
    """A value and its type, cut short."""
    text = repr(value)
    if value is None:
        return text
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


def worded(call, name=None):
    """The function, with TypeErrors that name the argument. name: of what is set, for the setter of an attribute."""
    said = getattr(call, "__nb_signature__", None)
    if not said:
        return call
    signature = Signature(re.sub(r"\barg\b", name, said[0][0]) if name else said[0][0])

    @functools.wraps(call, assigned=() if name else functools.WRAPPER_ASSIGNMENTS)  # a setter has no name
    def reworded(*args, **kwargs):
        try:
            return call(*args, **kwargs)
        except TypeError as error:
            if RAW not in str(error):
                raise
            raise TypeError(signature.problem(name or call.__name__, args, kwargs)) from None

    return reworded


def _worded_class(kind):
    for name, member in list(vars(kind).items()):
        if isinstance(member, property) and member.fset is not None:
            setattr(kind, name, property(member.fget, worded(member.fset, name), doc=member.__doc__))
        elif not name.startswith("__") and type(member).__name__ == "nb_method":
            setattr(kind, name, worded(member))
        elif type(member).__name__ == "nb_func":
            setattr(kind, name, staticmethod(worded(member)))


def check_number(name, value):
    """Raises TypeError unless it is a number, for what is compared before the compiled module sees it."""
    if not is_number(value):
        raise TypeError(f"{name}: expected a number, found {found_words(value)}")


def check_whole(name, value, least):
    """Raises unless it is a whole number, so large or larger."""
    if not isinstance(value, Integral):
        raise TypeError(f"{name}: expected a whole number, found {found_words(value)}")
    if value < least:
        raise ValueError(f"{name}: expected a whole number, {least} or more, found {value}")


def path_text(path) -> str:
    """A path as text. Raises TypeError for anything else."""
    if isinstance(path, (str, os.PathLike)):
        return os.fsdecode(path)
    raise TypeError(f"path: expected text or a pathlib.Path, found {found_words(path)}")


for _name, _member in list(vars(_covary).items()):
    if type(_member).__name__ == "nb_func":
        setattr(_covary, _name, worded(_member))
    elif isinstance(_member, type):
        _worded_class(_member)
