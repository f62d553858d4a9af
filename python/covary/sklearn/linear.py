"""Ridge, Bayesian linear and kernel ridge regression as scikit-learn's estimators."""

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import regression


class _Regressor(RegressorMixin, BaseEstimator):
    """Hands over to a model of covary, which is kept as model_."""

    def _make(self):
        """The model of the parameters."""
        raise NotImplementedError

    def fit(self, X, y) -> Self:
        """Learns from rows X (n x d) and observations y (n)."""
        named = {"target": str(getattr(y, "name", None) or "y")}
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        if hasattr(self, "feature_names_in_"):
            named["features"] = list(self.feature_names_in_)
        self.model_ = self._make()._fit(X, y, **named)
        self._take()
        return self

    def _take(self):
        """Sets the attributes that scikit-learn's estimators have, from the model."""

    def predict(self, X, return_std: bool = False, of: str = "f") -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Predicts at each row of X; with return_std also the standard deviation: of the function f, or of an
        observation y (with noise). With the noise unknown it is the scale of Student's t, the standard error."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        p = self.model_.predict(X, of, sd=return_std)
        return (p.mean, p.sd) if return_std else p.mean


class _Linear(_Regressor):
    """With coef_ and intercept_."""

    def _take(self):
        values = np.array([c.value for c in self.model_.coefficients])
        self.intercept_ = float(values[0]) if self.fit_intercept else 0.0
        self.coef_ = values[1:] if self.fit_intercept else values


class Ridge(_Linear):
    """Ridge regression: least |y - X w - intercept|^2 + alpha |w|^2.

    alpha: as in scikit-learn's Ridge (0: least squares); None or "learn": chosen by exact leave-one-out.
    Afterwards: coef_, intercept_, alpha_, and model_, the covary.Ridge.
    """

    def __init__(self, alpha: float | str | None = "learn", *, fit_intercept: bool = True, threads: int = 0):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.threads = threads

    def _make(self):
        rest = {"intercept": self.fit_intercept, "threads": self.threads}
        if not isinstance(self.alpha, str) and self.alpha == 0:
            return regression.LeastSquares(**rest)
        return regression.Ridge(_penalty(self.alpha), standardize=False, **rest)

    def _take(self):
        super()._take()
        self.alpha_ = getattr(self.model_, "penalty_", 0.0)


class BayesianLinear(_Linear):
    """Bayesian linear regression: a normal prior on every weight, the intercept's is flat.

    prior_sd: prior sd of every weight; None or "learn": by evidence. noise: the variance of an observation, likewise.
    standardize: the prior is of the weight per standard deviation of its column.
    Afterwards: coef_, coef_sd_, intercept_, prior_sd_, and model_, the covary.BayesianLinear.
    """

    def __init__(
        self,
        prior_sd: float | str | None = "learn",
        noise: float | str | None = "learn",
        *,
        fit_intercept: bool = True,
        standardize: bool = True,
        threads: int = 0,
    ):
        self.prior_sd = prior_sd
        self.noise = noise
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.threads = threads

    def _make(self):
        prior_sd, noise = ("learn" if v is None else v for v in (self.prior_sd, self.noise))
        rest = {"intercept": self.fit_intercept, "standardize": self.standardize, "threads": self.threads}
        return regression.BayesianLinear(prior_sd, noise=noise, **rest)

    def _take(self):
        super()._take()
        self.coef_sd_ = np.array([c.sd for c in self.model_.coefficients[bool(self.fit_intercept) :]])
        self.prior_sd_ = self.model_.prior_sd_


class KernelRidge(_Regressor):
    """Kernel ridge regression: (K + alpha I) a = y, and k(x)'a at x.

    alpha: as in scikit-learn's KernelRidge; None or "learn": chosen by exact leave-one-out.
    kernel: an expression or a Kernel; what fixed(...) does not keep is learned by leave-one-out.
    mean: "zero", as in scikit-learn, or a trend beside the kernel: "constant", "linear".
    Afterwards: alpha_, kernel_, and model_, the covary.KernelRidge.
    """

    def __init__(
        self,
        alpha: float | str | None = "learn",
        *,
        kernel="matern52()",
        mean: str = "zero",
        starts: int = 8,
        seed: int = 1,
        threads: int = 0,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.mean = mean
        self.starts = starts
        self.seed = seed
        self.threads = threads

    def _make(self):
        rest = {"starts": self.starts, "seed": self.seed, "threads": self.threads}
        return regression.KernelRidge(self.kernel, _penalty(self.alpha), self.mean, **rest)

    def _take(self):
        self.alpha_ = self.model_.penalty_
        self.kernel_ = self.model_.kernel_


def _penalty(alpha):
    return "leave-one-out" if alpha is None or (isinstance(alpha, str) and alpha == "learn") else alpha
