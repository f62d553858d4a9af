"""scikit-learn's estimators of what covary learns."""

from .linear import BayesianLinear, KernelRidge, Ridge

__all__ = ["BayesianLinear", "KernelRidge", "Ridge"]
