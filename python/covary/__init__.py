"""Gaussian processes: what will I see at x, and how sure are you?

    model = covary.GP("se() + linear()").fit(X, y)
    mean, sd, lower, upper = model.predict(X_new, interval=95)

Every kernel of the registry is a function here: covary.se(lengthscale=[1, 2]) * covary.periodic(period=12) + 0.5.
"""

import atexit as _atexit
from importlib.metadata import version as _version

from . import binding as _binding, kernels  # the binding first: it rewords what the compiled module raises
from ._covary import Gaussian, Kernel, RecordKernel, Stopping, did_you_mean as _did_you_mean, divergence, finish as _finish
from ._covary import machine, wasserstein
from .classifier import Classifier
from .design.domains import DomainSuggestion
from .files import load
from .gp import GP, Check, Coefficient, Gradients, Model, Prediction
from .kernels import *  # noqa: F403  every kernel of the registry, by its name
from .design.learners import ActiveLearner
from .design.labelling import LabelledPool, label_pool
from .placement import HeldOut, Placement
from .placing import criteria, place
from .design.posteriors import Estimate, PosteriorDensity, PosteriorSearch, estimate_posterior, posterior
from .regression import BayesianLinear, KernelRidge, LeastSquares, Ridge
from .replays import LearningCurve, Replay, replay
from .risks import Risk, risk
from .selection import Pool, Suggestion, strategies, suggest
from .streams import Offer, Stream
from .unfitted import NotFittedError

_atexit.register(_finish)


def __getattr__(name):
    """What is not there, with the name that may be meant."""
    raise AttributeError(f"module 'covary' has no attribute '{name}'{_did_you_mean(name, __all__)}")


__version__ = _version("covary")
__all__ = [
    "GP",
    "ActiveLearner",
    "BayesianLinear",
    "Check",
    "Classifier",
    "Coefficient",
    "DomainSuggestion",
    "Estimate",
    "Gaussian",
    "Gradients",
    "HeldOut",
    "Kernel",
    "KernelRidge",
    "LabelledPool",
    "LearningCurve",
    "LeastSquares",
    "Model",
    "NotFittedError",
    "Offer",
    "Placement",
    "Pool",
    "PosteriorDensity",
    "PosteriorSearch",
    "Prediction",
    "RecordKernel",
    "Replay",
    "Ridge",
    "Risk",
    "Stopping",
    "Stream",
    "Suggestion",
    "criteria",
    "divergence",
    "estimate_posterior",
    "label_pool",
    "load",
    "machine",
    "place",
    "posterior",
    "replay",
    "risk",
    "strategies",
    "suggest",
    "wasserstein",
    *kernels.__all__,
]
