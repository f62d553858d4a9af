"""scikit-learn's GaussianProcessRegressor, computed by the core."""

import warnings
from functools import cache, cached_property

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from ..gp import GP
from ..kernels import fixed
from .translate import Untranslatable, translate


class DelegatedWarning(UserWarning):
    """The core cannot express the kernel: scikit-learn computes in its place, at its own speed."""


@cache
def _default_kernel():
    """What this version of scikit-learn takes if no kernel is given."""
    return Theirs(optimizer=None).fit([[0.0]], [0.0]).kernel_


class GaussianProcessRegressor(Theirs):
    """scikit-learn's estimator, with its constructor, attributes, methods, kernels and numbers.

    Hyper-parameters are found by the core's optimizer, from the same starts and within the same bounds. A kernel that
    the core cannot express is left to scikit-learn, with a DelegatedWarning that says why, and the reason is kept in
    `delegated_`. `L_` and `alpha_` are made when they are asked for.
    """

    def fit(self, X, y):
        """Learns from rows X and targets y (n, or n x targets), and returns itself. Ctrl-C leaves it as it was."""
        self._validate_params()
        draft = object.__new__(type(self))
        draft.__dict__.update(self.__dict__)
        draft._fit(X, y)
        self.__dict__ = draft.__dict__
        return self

    def _fit(self, X, y):
        for name in ("L_", "alpha_", "model_", "delegated_", "_posterior", "_tied"):
            self.__dict__.pop(name, None)
        self.kernel_ = clone(_default_kernel() if self.kernel is None else self.kernel)
        try:
            if not self.kernel_.requires_vector_input:
                raise Untranslatable("its inputs need not be rows of numbers")
            rows, targets = validate_data(self, X, y, multi_output=True, y_numeric=True)
            self._tied = translate(self.kernel_, rows.shape[1])
        except Untranslatable as why:
            self._delegate(X, y, str(why))
            return
        self._keep(rows, targets)
        self._learn()
        self._condition()

    def _delegate(self, X, y, why):
        warnings.warn(f"{self.kernel_} is left to scikit-learn: {why}", DelegatedWarning, stacklevel=4)
        self.delegated_ = why
        super().fit(X, y)

    def _keep(self, X, y):
        """The data, with y normalized if that is wanted."""
        seen = y.shape[1] if y.ndim > 1 else 1
        if self.n_targets not in (None, seen):
            raise ValueError(
                "The number of targets seen in `y` is different from the parameter "
                f"`n_targets`. Got {seen} != {self.n_targets}."
            )
        if np.iterable(self.alpha) and len(self.alpha) != len(y):
            if len(self.alpha) != 1:
                raise ValueError(
                    "alpha must be a scalar or an array with same number of entries as y. "
                    f"({len(self.alpha)} != {len(y)})"
                )
            self.alpha = self.alpha[0]
        self._y_train_mean, self._y_train_std = np.zeros(y.shape[1:] or 1), np.ones(y.shape[1:] or 1)
        if self.normalize_y:
            spread = np.std(y, axis=0)
            self._y_train_mean = np.mean(y, axis=0)
            self._y_train_std = np.where(spread < 10 * np.finfo(spread.dtype).eps, 1.0, spread)
            y = (y - self._y_train_mean) / self._y_train_std
        self.X_train_ = X.copy() if self.copy_X_train else X
        self.y_train_ = y.copy() if self.copy_X_train else y

    @property
    def _data(self):
        """X, y and the known noise of each row, as the core wants them."""
        variances = np.array(np.broadcast_to(self.alpha, len(self.y_train_)), float)
        return self.X_train_, self.y_train_.reshape(len(self.y_train_), -1), variances

    def _learn(self):
        """The best of the searches from the kernel's own theta and from n_restarts_optimizer others."""
        self._rng = check_random_state(self.random_state)
        bounds = self.kernel_.bounds
        if self.optimizer is None or self.kernel_.n_dims == 0:
            self.log_marginal_likelihood_value_ = self.log_marginal_likelihood(
                self.kernel_.theta, clone_kernel=False
            )
            return
        if self.n_restarts_optimizer > 0 and not np.isfinite(bounds).all():
            raise ValueError(
                "Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite."
            )
        search = self._constrained_optimization
        found = [search(self._loss, self.kernel_.theta, bounds)]
        for _ in range(self.n_restarts_optimizer):
            found.append(search(self._loss, self._rng.uniform(bounds[:, 0], bounds[:, 1]), bounds))
        theta, loss = min(found, key=lambda f: f[1])
        self.kernel_.theta = theta
        self.kernel_._check_bounds_params()
        self.log_marginal_likelihood_value_ = -loss

    def _constrained_optimization(self, obj_func, initial_theta, bounds):
        """By the core, or by the caller's own optimizer; of a delegated kernel, by scikit-learn."""
        if self.optimizer != "fmin_l_bfgs_b" or "_tied" not in self.__dict__:
            return super()._constrained_optimization(obj_func, initial_theta, bounds)
        theta, _, converged, _, stopped = self._tied.maximize(
            *self._data, initial_theta, bounds[:, 0], bounds[:, 1]
        )
        if not converged:
            warnings.warn(f"the search for hyper-parameters stopped: {stopped}", ConvergenceWarning, stacklevel=6)
        theta = self.kernel_.clone_with_theta(theta).theta  # as a kernel keeps it: rounded
        return theta, -self.log_marginal_likelihood(theta)

    def _loss(self, theta, eval_gradient=True):
        """What a caller's own optimizer minimizes."""
        if not eval_gradient:
            return -self.log_marginal_likelihood(theta, clone_kernel=False)
        value, gradient = self.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)
        return -value, -gradient

    def _condition(self):
        self._posterior = self._tied.posterior(*self._data, self.kernel_.theta)
        if self._posterior is None:
            raise np.linalg.LinAlgError(
                f"The kernel, {self.kernel_}, is not returning a positive definite matrix. Try gradually increasing "
                "the 'alpha' parameter of your GaussianProcessRegressor estimator."
            )

    @cached_property
    def L_(self):
        """The lower factor of the covariance of the training rows, n x n."""
        return self._fitted().lower

    @cached_property
    def alpha_(self):
        """The weights of the training rows: n, or n x targets."""
        return self._fitted().alpha.reshape(self.y_train_.shape)

    @cached_property
    def model_(self):
        """What was learned as a covary.GP, for its other verbs: of one target that is not normalized."""
        if self.normalize_y or self.alpha_.ndim > 1:
            raise AttributeError("model_: expected one target, and normalize_y=False")
        X, y, variances = self._data
        alike = np.all(variances == variances[0])
        sds = None if alike else np.sqrt(self._posterior.noise + variances)
        noise = float(self._posterior.noise + variances[0]) if alike else "learn"
        return GP(fixed(self._posterior.kernel), "zero", noise).fit(X, y[:, 0], noise_sd=sds)

    def _fitted(self):
        if "_posterior" not in self.__dict__:
            raise NotFittedError("this GaussianProcessRegressor is not fitted yet: call fit(X, y) first")
        return self._posterior

    def predict(self, X, return_std=False, return_cov=False):
        """The mean at rows X; with it the standard deviation of each row, or the covariance of all, of an observation.

        Before `fit`, of the prior.
        """
        if "_posterior" not in self.__dict__ or (return_std and return_cov):
            return super().predict(X, return_std=return_std, return_cov=return_cov)
        X = self._rows(X)
        if return_cov:
            mean, covariance = self._posterior.joint(X)
            return self._in_units(mean), self._squared_units(covariance)
        if return_std:
            mean, variance = self._posterior.marginals(X)
            return self._in_units(mean), np.sqrt(self._squared_units(variance))
        return self._in_units(self._posterior.mean(X))

    def _rows(self, X):
        """X as it was checked at fit; what is plainly right is not checked at length."""
        plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2
        if plain and X.shape[1] == self.n_features_in_ and "feature_names_in_" not in self.__dict__:
            if len(X) and np.isfinite(X.sum()):
                return X
        return validate_data(self, X, reset=False)

    def _in_units(self, mean):
        """rows x targets, or the rows alone of one target, in the units of y."""
        mean = self._y_train_std * mean + self._y_train_mean
        return mean[:, 0] if mean.shape[1] == 1 else mean

    def _squared_units(self, variance):
        """The same of variances or covariances, which all targets share but for their units."""
        each = np.multiply.outer(variance, self._y_train_std**2)
        return each[..., 0] if each.ndim > variance.ndim and each.shape[-1] == 1 else each

    def log_marginal_likelihood(self, theta=None, eval_gradient=False, clone_kernel=True):
        """Of the training data at theta (None: at what was learned), and its gradient in theta.

        clone_kernel=False sets kernel_ to theta.
        """
        if theta is None or "_tied" not in self.__dict__:
            return super().log_marginal_likelihood(theta, eval_gradient, clone_kernel)
        if not clone_kernel:
            self.kernel_.theta = theta
        value, gradient = self._tied.evidence(*self._data, theta, eval_gradient)
        return (np.float64(value), gradient) if eval_gradient else np.float64(value)

    def __getstate__(self):
        return {k: v for k, v in super().__getstate__().items() if k != "_tied"}

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_posterior" in self.__dict__:
            self._tied = translate(self.kernel_, self.X_train_.shape[1])
