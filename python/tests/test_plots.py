"""Pictures show the numbers that predict gives, and say what they show."""

import sys

import numpy as np
import pytest

import covary
import covary.plots

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def curve():
    x = np.linspace(0, 5, 30)
    return covary.GP("se(lengthscale=1)", noise=0.01).fit(x, np.sin(x))


@pytest.fixture(scope="module")
def five():
    X = np.random.default_rng(1).uniform(0, 1, (50, 5))
    return covary.GP("se(lengthscale=1)", noise=0.01).fit(X, X[:, 0] + np.sin(5 * X[:, 1]))


@pytest.fixture(scope="module")
def placed():
    X = np.random.default_rng(1).uniform(0, 100, (200, 2))
    ask = {"existing": [0, 1], "forbidden": [2, 3], "targets": [[50.0, 110.0]], "unit": "K"}
    return covary.place(X, 12, "variance", kernel="4 * matern52(lengthscale=30)", noise=0.1, **ask)


def legend(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


@pytest.mark.parametrize("of", ["f", "y"])
def test_a_curve_is_what_predict_gives(curve, of):
    ax = curve.plot(of=of, interval=90)
    x, mean = ax.lines[0].get_data()
    p = curve.predict(x, of, 90)
    np.testing.assert_array_equal(mean, p.mean)
    edge = ax.collections[0].get_paths()[0].vertices
    assert edge[:, 1].max() == p.upper.max() and edge[:, 1].min() == p.lower.min()
    assert legend(ax) == [f"90 % of {of}", f"mean of {of}", "data"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "y")


def drawn(ax):
    """The samples that are drawn, functions x points."""
    return np.array([line.get_ydata() for line in ax.lines if line.get_color() == covary.plots.GREEN])


# Plot draws samples and a prior.
def test_samples_are_those_of_sample(curve, five):
    ax = curve.plot(samples=3, seed=5, points=50)
    np.testing.assert_array_equal(drawn(ax).T, curve.sample(ax.lines[0].get_xdata(), 3, 5))
    assert "3 samples of f" in legend(ax)
    assert len(drawn(five.plot(samples=2, points=9)[3])) == 2
    with pytest.raises(ValueError, match="samples: they are drawn as lines"):
        covary.GP("se(lengthscale=1)", "zero", 0.1).plot(samples=1, range=[(0, 1), (0, 1)])


def test_the_prior_is_drawn_before_any_data():
    prior = covary.GP("4 * se(lengthscale=1)", "constant(7)", 0.1)
    ax = prior.plot(samples=2, points=20)
    assert legend(ax) == ["95 % of f", "mean of f", "2 samples of f"] and ax.get_xlim() == (-5, 5)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), 7)
    np.testing.assert_array_equal(drawn(ax).T, prior.sample(np.linspace(-5, 5, 20), 2, 1))
    assert prior.plot(range=(0, 3)).get_xlim() == (0, 3)
    assert prior.plot(range=[(0, 3), (1, 2)], sd=True, points=5).get_ylim() == (1, 2)
    assert len(prior.plot(range=[(0, 1)] * 3, points=5)) == 3
    with pytest.raises(covary.NotFittedError, match="'lengthscale' was not given"):
        covary.GP("se()", "zero").plot()


@pytest.mark.parametrize(
    "asked, message",
    [
        ({"samples": -1}, "samples: expected a whole number, 0 or more, found -1"),
        ({"samples": "a"}, r"samples: expected a whole number, found 'a' \(str\)"),
        ({"points": 1}, "points: expected a whole number, 2 or more, found 1"),
        ({"points": 2.5}, r"points: expected a whole number, found 2\.5"),
        ({"range": (None, 1)}, r"range: expected \(low, high\), found \(None, 1\)"),
        ({"range": "ab"}, r"range: expected \(low, high\), found 'ab'"),
    ],
)
def test_what_cannot_be_drawn_is_said(curve, asked, message):
    with pytest.raises((TypeError, ValueError), match=message):
        curve.plot(**asked)


def test_an_interval_below_one_percent_is_a_share(curve):
    with pytest.raises(ValueError, match=r"interval: .* did you mean 95\?"):
        curve.plot(interval=0.95)


def test_a_range_of_one_s_own(curve):
    assert curve.plot(range=(-3, 9)).get_xlim() == (-3, 9)
    for wrong in [(1, 0), (1,), [(0, 1), (0, 1)], (0, float("nan"))]:
        with pytest.raises(ValueError, match=r"range: expected \(low, high\), found"):
            curve.plot(range=wrong)


# The band stays visible, and a rug is no bar.
@pytest.mark.parametrize("n", [50, 1000, 3000])
def test_many_points_do_not_hide_the_band(n):
    x = np.linspace(0, 1, n)
    gp = covary.GP("fixed(se(lengthscale=1))", noise=0.01).fit(x, np.sin(9 * x))
    ax = gp.plot(of="y")
    dots = next(c for c in ax.collections if c.get_label() == "data")
    assert (dots.get_zorder() < ax.collections[0].get_zorder()) == (n > covary.plots.MANY)
    X = np.random.default_rng(1).uniform(size=(n, 3))
    rug = covary.GP("fixed(se(lengthscale=1))", noise=0.01).fit(X, X[:, 0]).plot(points=5)[0].lines[-1]
    assert len(rug.get_xdata()) == min(n, covary.plots.MANY // 2 if n > covary.plots.MANY else n)


@pytest.mark.parametrize("sd", [False, True])
def test_a_map_is_what_predict_gives(model, sd):
    ax = model.plot(sd=sd, points=11)
    x, y = np.moveaxis(np.asarray(ax.collections[0].get_coordinates()), 2, 0)
    p = model.predict(np.column_stack([x.ravel(), y.ravel()]))
    np.testing.assert_allclose(ax.collections[0].get_array().ravel(), p.sd if sd else p.mean, rtol=1e-12)
    assert ax.figure.axes[1].get_ylabel() == ("y: sd of f" if sd else "y: mean of f")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")


def test_of_many_columns_a_panel_each_with_the_others_at_their_medians(five):
    axes = five.plot(points=9)
    assert [a.get_xlabel() for a in axes] == ["x1", "x2", "x3", "x4", "x5"]
    assert "medians" in axes[0].figure.get_suptitle()
    x, mean = axes[1].lines[0].get_data()
    at = np.tile(np.median(five._learned().x, axis=0), (9, 1))
    at[:, 1] = x
    np.testing.assert_allclose(mean, five.predict(at).mean, rtol=1e-12)


def test_given_axes_are_used_and_returned(curve, five, placed):
    _, axes = plt.subplots(2, 4)
    assert curve.plot(axes[0, 0]) is axes[0, 0] and curve.check().plot(axes[0, 1]) is axes[0, 1]
    assert placed.plot(axes[0, 2]) is axes[0, 2]
    with pytest.raises(ValueError, match="expected 5 axes, one for each column, found 4"):
        five.plot(axes[1])


def test_a_check_is_on_the_diagonal_where_it_promises(curve):
    check = curve.check()
    ax = check.plot()
    x, y = ax.lines[1].get_data()
    for percent, covered in check.coverage.items():
        assert y[np.searchsorted(x, percent, "right") - 1] == pytest.approx(covered)
    assert ax.get_title().replace("\n", " ") == check.verdict


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_a_verdict_stays_above_its_axes(curve, layout):
    figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout=layout)
    for ax in axes:
        curve.check().plot(ax)
    figure.canvas.draw()
    for ax in axes:
        title, box = ax.title.get_window_extent(), ax.get_window_extent()
        assert box.x0 <= title.x0 and title.x1 <= box.x1
        assert title.y1 <= figure.bbox.y1


def test_a_placement_shows_each_sort_of_place(placed):
    ax = placed.plot()
    shown = {c.get_label(): np.asarray(c.get_offsets()) for c in ax.collections}
    x = placed.places.x
    np.testing.assert_array_equal(shown["new sensor, in the order of choice"], x[placed.indices])
    np.testing.assert_array_equal(shown["stands already"], x[[0, 1]])
    np.testing.assert_array_equal(shown["not allowed"], x[[2, 3]])
    np.testing.assert_array_equal(shown["to be predicted"], [[50.0, 110.0]])
    np.testing.assert_array_equal(ax.collections[0].get_array(), placed.remaining_sd)
    assert [t.get_text() for t in ax.texts] == [str(i) for i in range(1, 13)]
    assert ax.figure.axes[1].get_ylabel() == "sd that is left [K]"


def test_numbers_do_not_overlap(placed):
    ax = placed.plot()
    ax.figure.canvas.draw()
    boxes = [t.get_window_extent() for t in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_placement_without_two_coordinates_has_no_map():
    with pytest.raises(ValueError, match="over two coordinates, there are 0"):
        covary.place(None, 1, covariance=np.eye(3) + 1).plot()
    with pytest.raises(ValueError, match="over two coordinates, there are 1"):
        covary.place(np.arange(3.0), 1, kernel="se(lengthscale=1)").plot()


def test_without_matplotlib_it_says_what_to_do(curve, placed, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for act in (curve.plot, curve.check().plot, placed.plot):
        with pytest.raises(ImportError, match="plot needs Matplotlib: pip install matplotlib"):
            act()
