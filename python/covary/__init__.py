"""Gaussian processes: what will I see at x, and how sure are you?

    model = covary.GP("se() + linear()").fit(X, y)
    mean, sd, lower, upper = model.predict(X_new, interval=95)

Every kernel of the registry is a function here: covary.se(lengthscale=[1, 2]) * covary.periodic(period=12) + 0.5.
"""

import atexit as _atexit
from importlib.metadata import version as _version

from . import kernels
from ._covary import Gaussian, Kernel, divergence, finish as _finish, machine, wasserstein
from .files import load
from .gp import GP, Check, Model, Prediction
from .kernels import *  # noqa: F403  every kernel of the registry, by its name
from .regression import BayesianLinear, Coefficient, KernelRidge, LeastSquares, Ridge

_atexit.register(_finish)

__version__ = _version("covary")
__all__ = [
    "GP",
    "BayesianLinear",
    "Check",
    "Coefficient",
    "Gaussian",
    "Kernel",
    "KernelRidge",
    "LeastSquares",
    "Model",
    "Prediction",
    "Ridge",
    "divergence",
    "load",
    "machine",
    "wasserstein",
    *kernels.__all__,
]
