"""The native interface of regression."""

import concurrent.futures
import copy
import pickle
import threading
import time

import numpy as np
import pytest
from conftest import WAYS, same_bits

import covary


def test_predictions_of_y_have_the_noise_of_f_added(model, grid):
    f, y = model.predict(grid), model.predict(grid, of="y")
    assert same_bits(f.mean, y.mean)
    np.testing.assert_allclose(y.sd**2 - f.sd**2, 0.01, rtol=1e-9)


def test_intervals_are_around_the_mean(model, grid):
    mean, sd, lower, upper = model.predict(grid, interval=95)
    np.testing.assert_allclose(upper - mean, 1.959963984540054 * sd, rtol=1e-9)
    np.testing.assert_allclose(upper - mean, mean - lower, rtol=1e-9)
    assert model.predict(grid).lower is None


def test_joint_has_the_marginals_of_predict(model, grid):
    g, p = model.joint(grid), model.predict(grid)
    np.testing.assert_allclose(g.mean, p.mean, rtol=1e-10)
    np.testing.assert_allclose(g.sd, p.sd, rtol=1e-6)


def test_samples_depend_on_the_seed_alone(model, grid):
    assert same_bits(model.sample(grid, 4, 9), model.sample(grid, 4, 9))
    assert not same_bits(model.sample(grid, 4, 9), model.sample(grid, 4, 10))
    assert model.sample(grid, 4, 9).shape == (25, 4)


def test_samples_have_the_moments_of_the_joint(model, grid):
    draws, g = model.sample(grid[:3], 20000, 1), model.joint(grid[:3])
    np.testing.assert_allclose(draws.mean(axis=1), g.mean, atol=5 * g.sd.max() / np.sqrt(20000))
    np.testing.assert_allclose(np.cov(draws), g.covariance, atol=0.05 * g.sd.max() ** 2)


def test_conditioning_is_fitting_to_all_rows(data, grid):
    X, y = data
    gp = covary.GP("fixed(1.5 * se(lengthscale=0.8))", mean="zero", noise=0.01)
    whole = copy.deepcopy(gp).fit(X, y)
    part = gp.fit(X[:30], y[:30])
    told = part.condition(X[30:], y[30:])
    np.testing.assert_allclose(told.predict(grid).mean, whole.predict(grid).mean, rtol=1e-9)
    np.testing.assert_allclose(told.log_marginal_likelihood, whole.log_marginal_likelihood, rtol=1e-9)
    assert len(part._model.y) == 30


def test_learning_finds_a_better_model_than_a_guess(data, model):
    learned = covary.GP("se()").fit(*data)
    assert learned.log_marginal_likelihood > model.log_marginal_likelihood
    assert {p["name"] for p in learned.parameters} >= {"noise", "lengthscale.x1", "lengthscale.x2"}
    assert all(p["value"] is not None for p in learned.kernel_.parameters())
    assert f"log marginal likelihood {learned.log_marginal_likelihood:.6f}\n" in learned.summary
    noise = learned.noise_variance
    assert f"noise   variance {noise:.6g} (sd {noise**0.5:.6g})\n" in learned.summary
    assert not learned.summary.endswith("\n")


def test_the_summary_has_few_digits_and_the_kernel_all(data):
    gp = covary.GP("fixed(1.23456789 * se(lengthscale=0.8))", noise=0).fit(*data)
    assert gp.summary.startswith("kernel  fixed(1.23457 * se(lengthscale=0.8))\nmean    constant\nnoise   none\n")
    assert str(gp.kernel_) == "fixed(1.23456789 * se(lengthscale=0.8))"


def test_noise_of_each_row(data, grid):
    gp = covary.GP("fixed(1.5 * se(lengthscale=0.8))", noise=0.04)
    each = copy.copy(gp).fit(*data, noise_sd=np.full(40, 0.2))
    np.testing.assert_allclose(each.predict(grid).mean, gp.fit(*data).predict(grid).mean, rtol=1e-12)
    each = copy.copy(gp).fit(*data, noise_sd=np.linspace(0.1, 0.3, 40))
    assert "\nnoise   one sd per row, 0.1 to 0.3\n" in each.summary
    assert pickle.loads(pickle.dumps(each)).summary == each.summary


def test_bounds_hold(data):
    learned = covary.GP("se()", bounds={"noise": (0.5, 2)}).fit(*data)
    assert 0.5 <= learned.noise_variance <= 2


def test_kernel_objects_and_expressions_are_the_same(data):
    a = covary.GP(1.5 * covary.se(lengthscale=[0.8, 2]), noise=0.01).fit(*data)
    b = covary.GP("1.5 * se(lengthscale=[0.8, 2])", noise=0.01).fit(*data)
    assert a.log_marginal_likelihood == b.log_marginal_likelihood


def test_check_predicts_each_row_from_the_others(data):
    X, y = data
    gp = covary.GP("fixed(1.5 * se(lengthscale=0.8))", mean="zero", noise=0.01)
    check = gp.fit(X, y).check()
    others = covary.GP(gp.kernel, mean="zero", noise=0.01).fit(X[1:], y[1:]).predict(X[:1], of="y")
    np.testing.assert_allclose(check.mean[0], others.mean[0], rtol=1e-8)
    np.testing.assert_allclose(check.sd[0], others.sd[0], rtol=1e-8)
    np.testing.assert_allclose(check.rmse, np.sqrt(np.mean((y - check.mean) ** 2)), rtol=1e-12)
    np.testing.assert_allclose(check.standardized, (y - check.mean) / check.sd, rtol=1e-12)
    assert set(check.coverage) == {50, 90, 95, 99} and check.verdict in str(check)
    assert gp.check(folds=5).n == 40


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("told", [False, True], ids=["fitted", "told"])
def test_a_model_comes_back_with_the_same_bits(way, told, data, grid, tmp_path):
    model = covary.GP("se() + linear()", mean="linear").fit(*data)
    model = model.condition(grid, grid[:, 1]) if told else model
    again = WAYS[way](model, tmp_path)
    assert repr(again) == repr(model) and again.parameters == model.parameters
    assert same_bits(again.predict(grid).mean, model.predict(grid).mean)
    assert same_bits(again.predict(grid).sd, model.predict(grid).sd)
    assert same_bits(again.sample(grid, 2, 3), model.sample(grid, 2, 3))


@pytest.mark.parametrize("way", ["pickle", "copy", "deepcopy"])
def test_a_model_that_has_not_learned_comes_back(way):
    again = WAYS[way](covary.GP(covary.se(lengthscale=2), noise=0.5, bounds={"noise": (1, 2)}), None)
    assert again.__dict__ == covary.GP(covary.se(lengthscale=2), noise=0.5, bounds={"noise": (1, 2)}).__dict__
    assert not again.fitted


def test_sixteen_threads_see_the_same_bits(model, grid):
    expected = model.predict(grid, interval=95)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for p in pool.map(lambda _: model.predict(grid, interval=95), range(160)):
            assert all(same_bits(a, b) for a, b in zip(p, expected))


def longest_wait(act):
    """How long another Python thread stood still while act() ran, and how long that took."""
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(time.perf_counter())

    other = threading.Thread(target=tick)
    other.start()
    begin = time.perf_counter()
    act()
    end = time.perf_counter()
    done.set()
    other.join()
    times = [begin, *(t for t in ticks if begin < t < end), end]
    return max(b - a for a, b in zip(times, times[1:])), end - begin


def lets_others_run(act):
    """Whether another thread ran in the midst of act(rows), on enough rows to tell. Had the core kept the interpreter
    for itself, the other thread would have stood still for all of act(), in every try and however busy the machine is."""
    rows, tries = 1500, 0
    while tries < 5:
        waited, took = longest_wait(lambda: act(rows))
        if took < 0.05:
            rows *= 2
        elif waited < took / 2:
            return True
        else:
            tries += 1
    return False


def test_other_threads_run_while_the_core_works():
    x = np.random.default_rng(2).uniform(-2, 2, (1500, 4))
    gp = covary.GP("fixed(se(lengthscale=1))", noise=0.1).fit(x, x[:, 0])
    assert lets_others_run(lambda rows: gp.predict(np.tile(x, (rows // 150, 1))))
    assert lets_others_run(lambda rows: gp.sample(np.resize(x, (rows, 4)) + np.arange(rows)[:, None], 2))
    assert lets_others_run(lambda rows: gp.fit(np.resize(x, (rows, 4)) + np.arange(rows)[:, None], np.arange(rows)))
    assert not lets_others_run(lambda rows: sum(range(1000 * rows)))  # a call that does keep the interpreter


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda m, X, y: covary.GP("se("), "expected"),
        (lambda m, X, y: covary.GP(noise="lern"), "expected 'learn' or a variance"),
        (lambda m, X, y: covary.GP(noise=-1).fit(X, y), "noise"),
        (lambda m, X, y: covary.GP("sse()"), "did you mean 'se'"),
        (lambda m, X, y: covary.GP("mattern52()"), "no kernel is named 'mattern52', did you mean 'matern52'"),
        (lambda m, X, y: covary.GP("2 * se(lengthscal=1)"), "did you mean 'lengthscale'"),
        (lambda m, X, y: covary.GP(mean="constnt").fit(X, y), "constant"),
        (lambda m, X, y: covary.GP(prior="strong").fit(X, y), "expected 'weak' or 'none', found 'strong'"),
        (lambda m, X, y: covary.GP(objective="loo").fit(X, y), "expected 'evidence' or 'leave-one-out'"),
        (lambda m, X, y: covary.GP().fit(X, y[:-1]), "40"),
        (lambda m, X, y: covary.GP().fit(X[:0], y[:0]), "row"),
        (lambda m, X, y: covary.GP().fit(X, np.full(40, np.nan)), "y"),
        (lambda m, X, y: covary.GP().fit(X, np.zeros((40, 2))), "one number for each row"),
        (lambda m, X, y: covary.GP().fit(X, y, noise_sd=y[:3] ** 2), "3"),
        (lambda m, X, y: covary.GP().predict(X), "has not learned yet: call fit"),
        (lambda m, X, y: m.predict(X, of="z"), "expected 'f'"),
        (lambda m, X, y: m.predict(X, interval=100), "100"),
        (lambda m, X, y: m.predict(X, interval=0.95), r"interval: .* found 0\.95; did you mean 95\?"),  # B2
        (lambda m, X, y: m.predict(X, "y", 0.9, calibrated=True), r"interval: .* did you mean 90\?"),
        (lambda m, X, y: m.predict(X, interval=np.float32(0.5)), r"interval: .* did you mean 50\?"),
        (lambda m, X, y: m.predict(X, interval=np.nan), "interval: .* found nan$"),
        (lambda m, X, y: m.predict(X, interval=-95), "interval: .* found -95$"),
        (lambda m, X, y: covary.Gaussian([0, 0], np.eye(2)).ellipse(0.95), r"percent: .* did you mean 95\?"),
        (lambda m, X, y: covary.risk([0, 1], [0.5, 0.5], [9, 8], 0.95), r"percent: .* did you mean 95\?"),
        (lambda m, X, y: m.predict(X, calibrated=True), "calibrated: expected an interval, in percent"),
        (lambda m, X, y: m.predict(X, "f", 90, calibrated=True), "are of observations: leave of='f' out"),
        (lambda m, X, y: m.predict(X, interval=99, calibrated=True), "99 % needs 99 observations, the model has 40"),
        (lambda m, X, y: m.predict(X, marginalize=0), "marginalize: expected True, or 2 draws or more, found 0"),
        (lambda m, X, y: m.predict(X, marginalize=True, sd=False), "marginalize: .* found sd=False"),
        (lambda m, X, y: m.predict(X, "y", 90, marginalize=8, calibrated=True), "marginalize: .* found calibrated"),
        (lambda m, X, y: m.sample(X, 0), "at least 1 draw"),
        (lambda m, X, y: m.condition(X, y[:3]), "40 rows of X and 3 observations"),
        (lambda m, X, y: m.check(refit=True), "refit"),
        (lambda m, X, y: covary.load("nowhere.json"), "no such file"),
    ],
)
def test_mistakes_are_value_errors_with_the_core_s_words(act, message, model, data):
    with pytest.raises(ValueError, match=message):
        act(model, *data)


def test_marginalized_predictions_are_mixtures():
    x = np.arange(10.0)
    model = covary.GP("se()").fit(x, np.sin(x) + 0.1 * np.cos(37 * x))
    at = [0.5, 4.5, 12.0]
    plug_in = model.predict(at, of="y", interval=95)
    mixture = model.predict(at, of="y", interval=95, marginalize=True)
    again = model.predict(at, of="y", interval=95, marginalize=32, seed=1)
    np.testing.assert_array_equal(mixture.upper, again.upper)
    assert not np.array_equal(mixture.sd, plug_in.sd)
    assert not np.array_equal(mixture.sd, model.predict(at, of="y", marginalize=True, seed=2).sd)
    assert np.all(mixture.lower < mixture.mean) and np.all(mixture.mean < mixture.upper)
    assert np.all(mixture.sd > model.predict(at, marginalize=True).sd)  # the noise


def test_columns_of_an_expression_are_for_fit_to_know(data):
    gp = covary.GP('features("x1, x1*x2") + on([x1, x2], se(lengthscale=[1, 2]))')
    assert gp.fit(*data).fitted
    with pytest.raises(ValueError, match="no column is named 'depth'"):
        covary.GP('features("depth")').fit(*data)


def test_a_failed_fit_leaves_the_model_as_it_was(data, grid):
    gp = covary.GP("se()").fit(*data)
    before = gp.predict(grid).mean
    with pytest.raises(ValueError):
        gp.fit(data[0], data[1][:-1])
    assert same_bits(gp.predict(grid).mean, before)


def test_too_large_for_memory_is_refused_before_it_starts():
    n = 300_000
    with pytest.raises(MemoryError, match="GiB"):
        covary.GP("se()", inference="exact()").fit(np.arange(n, dtype=float), np.ones(n))


def test_a_file_that_cannot_be_written(model, tmp_path):
    with pytest.raises(RuntimeError, match="cannot be written"):
        model.save(tmp_path / "no" / "folder.json")


def test_the_mean_alone_has_the_same_bits(model, grid):
    assert same_bits(model.predict(grid, sd=False).mean, model.predict(grid).mean)
    assert model.predict(grid, sd=False)[1:] == (None, None, None)
    with pytest.raises(ValueError, match="interval: expected none with sd=False"):
        model.predict(grid, interval=95, sd=False)


def test_inducing_points_approximate_and_are_exact_with_all_rows(tmp_path):
    x = np.linspace(0, 8, 80)[:, None]
    y = np.sin(x[:, 0]) + 0.1 * np.sin(777 * x[:, 0])
    exact, few, all_rows = (
        covary.GP("se(lengthscale=1)", inference=i).fit(x, y) for i in ("exact()", "inducing(12)", "inducing(100)")
    )
    at = np.array([[0.05], [3.3], [9.0]])
    np.testing.assert_allclose(all_rows.predict(at).mean, exact.predict(at).mean, atol=1e-5)
    np.testing.assert_allclose(few.predict(at[:2]).mean, exact.predict(at[:2]).mean, atol=0.05)
    assert "12 inducing points, optimized, stand for 80 inputs" in few.summary
    few.save(tmp_path / "m.json")
    back = covary.load(tmp_path / "m.json")
    assert back.inference == "inducing(points=12)"
    assert same_bits(back.predict(at).mean, few.predict(at).mean)
    with pytest.raises(ValueError, match="there is no inference 'sparse'"):
        covary.GP(inference="sparse()").fit(x, y)
