"""Estimators for scikit-learn: the same interface as theirs, computed by the core.

    from covary.sklearn import GaussianProcessRegressor  # instead of sklearn.gaussian_process

Needs scikit-learn 1.6 or newer.
"""

try:
    import sklearn as _needed  # noqa: F401
except ImportError as error:
    raise ImportError("covary.sklearn needs scikit-learn 1.6 or newer: pip install scikit-learn") from error

from .gpr import DelegatedWarning, GaussianProcessRegressor
from .linear import BayesianLinear, KernelRidge, Ridge
from .query import ActiveLearner

__all__ = ["ActiveLearner", "BayesianLinear", "DelegatedWarning", "GaussianProcessRegressor", "KernelRidge", "Ridge"]
