"""Estimators for scikit-learn: the same interface as theirs, computed by the core.

    from covary.sklearn import GaussianProcessRegressor  # instead of sklearn.gaussian_process

Needs scikit-learn 1.6 or newer.
"""

from .gpr import DelegatedWarning, GaussianProcessRegressor

__all__ = ["DelegatedWarning", "GaussianProcessRegressor"]
