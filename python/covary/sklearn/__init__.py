"""What scikit-learn's users know, on Covary's models."""

from .query import ActiveLearner

__all__ = ["ActiveLearner"]
