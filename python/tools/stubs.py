"""Writes the type stubs of the compiled module and of the kernels into the folder given. Needs nanobind."""

import pathlib
import sys

from nanobind.stubgen import StubGen

import covary
from covary import _covary

HEAD = '''"""The kernels, made from the core's registry. Written by python/tools/stubs.py."""

from collections.abc import Callable, Sequence

from ._covary import Kernel as Kernel, RecordKernel as RecordKernel, parse as parse

AnyKernel = Kernel | RecordKernel
Value = float | str | Sequence[float] | None

def fixed(kernel: AnyKernel | float) -> AnyKernel:
    """The kernel, or a number, with nothing to learn. Every parameter must be given."""

def on(columns: str | int | Sequence[str | int], kernel: AnyKernel | str) -> AnyKernel:
    """The kernel on some columns only: names, or numbers from 1 as in expressions."""

def function(f: Callable, diag: Callable | None = None, *, name: str | None = None, **parameters: float) -> Kernel:
    """A function of two blocks as a kernel: f(A, B, **parameters) is n x m for n rows of A and m rows of B."""

def parsed(kernel: AnyKernel | str | None) -> AnyKernel | None:
    """A Kernel, that of an expression, or None. Raises TypeError for anything else."""

def as_kernel(kernel: AnyKernel | str | Callable | None) -> AnyKernel | str | None:
    """What a model takes as its kernel: a Kernel, an expression that can be read, a function made one, or None."""
'''


def function(entry):
    """The declaration of one kernel."""
    arguments = ", ".join(f"{p}: Value = None" for p in entry["parameters"])
    kind = "Kernel" if entry["over"] == "rows" else "RecordKernel"
    return f'\ndef {entry["name"]}({arguments}) -> {kind}:\n    """{entry["about"]}"""\n'


def kernels():
    """The text of kernels.pyi."""
    names = ", ".join(f'"{n}"' for n in covary.kernels.__all__)
    listed = f"\nnames: list[str]\n__all__ = [{names}]\n"
    return HEAD + "".join(map(function, _covary.registry())) + listed


def unworded():
    """The compiled module as it was before covary.binding put its own functions before the module's."""
    owners = [_covary, *(m for m in vars(_covary).values() if isinstance(m, type))]
    for owner in owners:
        for name, member in list(vars(owner).items()):
            if isinstance(member, property) and hasattr(member.fset, "__wrapped__"):
                setattr(owner, name, property(member.fget, member.fset.__wrapped__, doc=member.__doc__))
            elif hasattr(getattr(owner, name), "__wrapped__"):
                setattr(owner, name, getattr(owner, name).__wrapped__)


def compiled():
    """The text of _covary.pyi."""
    unworded()
    stubs = StubGen(_covary)
    stubs.put(_covary)
    return stubs.get()


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    (folder / "kernels.pyi").write_text(kernels())
    (folder / "_covary.pyi").write_text(compiled())
