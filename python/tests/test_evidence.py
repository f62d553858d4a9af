"""The marginal likelihood at any parameters, which estimators in Python are built on."""

import numpy as np
import pytest
from conftest import same_bits

import covary
from covary import _covary

KERNEL = 1.3 * covary.se(lengthscale=[0.8, 2])


def test_value_is_that_of_a_fitted_model(data):
    fitted = covary.GP(covary.fixed(KERNEL), mean="zero", noise=0.04).fit(*data)
    value, _ = _covary.evidence(KERNEL, "zero", 0.04, *data, KERNEL.theta)
    np.testing.assert_allclose(value, fitted.log_marginal_likelihood, rtol=1e-10)


@pytest.mark.parametrize("noise", [None, 0.04])
def test_gradient_is_that_of_differences(noise, data):
    theta = np.append(KERNEL.theta, [] if noise else np.log(0.04))
    value, gradient = _covary.evidence(KERNEL, "constant", noise, *data, theta)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        up = _covary.evidence(KERNEL, "constant", noise, *data, theta + step, gradient=False)
        down = _covary.evidence(KERNEL, "constant", noise, *data, theta - step, gradient=False)
        assert up[1] is None
        np.testing.assert_allclose(gradient[i], (up[0] - down[0]) / 2e-5, rtol=1e-5, atol=1e-6)
    assert same_bits(value, _covary.evidence(KERNEL, "constant", noise, *data, theta)[0])


def test_theta_of_another_length_is_refused(data):
    with pytest.raises(ValueError, match="theta: expected 4 numbers, found 3"):
        _covary.evidence(KERNEL, "zero", None, *data, KERNEL.theta)
