"""Gaussian processes: what will I see at x, and how sure are you?

    model = covary.GP("se() + linear()").fit(X, y)
    mean, sd, lower, upper = model.predict(X_new, interval=95)

Every kernel of the registry is a function here: covary.se(lengthscale=[1, 2]) * covary.periodic(period=12) + 0.5.
"""

import atexit as _atexit
from importlib.metadata import version as _version

from . import kernels
from ._covary import Gaussian, Kernel, Stopping, divergence, finish as _finish, machine, wasserstein
from .classifier import Classifier
from .files import load
from .gp import GP, Check, Coefficient, Model, Prediction
from .kernels import *  # noqa: F403  every kernel of the registry, by its name
from .placement import HeldOut, Placement
from .placing import criteria, place
from .regression import BayesianLinear, KernelRidge, LeastSquares, Ridge
from .replays import LearningCurve, Replay, replay
from .risks import Risk, risk
from .selection import Pool, Suggestion, strategies, suggest
from .streams import Offer, Stream

_atexit.register(_finish)

__version__ = _version("covary")
__all__ = [
    "GP",
    "BayesianLinear",
    "Check",
    "Classifier",
    "Coefficient",
    "Gaussian",
    "HeldOut",
    "Kernel",
    "KernelRidge",
    "LearningCurve",
    "LeastSquares",
    "Model",
    "Offer",
    "Placement",
    "Pool",
    "Prediction",
    "Replay",
    "Ridge",
    "Risk",
    "Stopping",
    "Stream",
    "Suggestion",
    "criteria",
    "divergence",
    "load",
    "machine",
    "place",
    "replay",
    "risk",
    "strategies",
    "suggest",
    "wasserstein",
    *kernels.__all__,
]
