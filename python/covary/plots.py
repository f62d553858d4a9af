"""Pictures of models, checks and placements on Matplotlib, which is imported here only when one is drawn."""

import textwrap

import numpy as np

from . import _covary
from .binding import check_whole, is_number

BLUE, VERMILION, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#6e6e6e"  # distinct to color-blind readers
CURVES = [GREY, BLUE, VERMILION, GREEN, "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933", "#882255"]
MOST_PANELS = 12
MARGIN = 0.04  # of a range, around it
MANY = 300  # rows that are more than dots with outlines, or marks, can show
PRIOR = (-5.0, 5.0)  # the default range of a column without data
PIN = 12.5  # points across
NUMBERS = ("number", "integer", "boolean", "date", "datetime")  # types of columns that have an axis


def pyplot():
    """Matplotlib's, or an ImportError that says what to do."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError("plot needs Matplotlib: pip install matplotlib") from None
    return plt


def _axes(ax, **size):
    return ax if ax is not None else pyplot().subplots(layout="constrained", **size)[1]


def _title(ax, text):
    """Above the axes, in as many lines as their width asks for."""
    title = ax.set_title(text, fontsize="medium")
    ax.figure.canvas.figure.draw_without_rendering()
    share = ax.get_window_extent().width / title.get_window_extent().width
    title.set_text(textwrap.fill(text, max(10, int(0.9 * share * len(text)))))


def _line(values, points, given, margin=MARGIN):
    """Evenly spaced over what was given, or over the values and a little further."""
    if given is not None:
        return np.linspace(*given, points)
    low, high = float(np.min(values)), float(np.max(values))
    pad = margin * (high - low) if high > low else 0.5
    return np.linspace(low - pad, high + pad, points)


class _Shown:
    """What a picture of a model needs: rows that it learned from, names, and the range of each column."""

    def __init__(self, model, given):
        self.fitted = model.fitted
        learned = model._learned() if model.fitted else None
        pairs = None if given is None else np.atleast_2d(np.asarray(given, dtype=object))
        columns = len(learned.features) if learned else 1 if pairs is None else len(pairs)
        self.features = learned.features if learned else _covary.default_names(columns)
        self.target = learned.target if learned else None
        self.x, self.y = (learned.x, learned.y) if learned else (np.empty((0, columns)), np.empty(0))
        self.ranges = [None if learned else PRIOR] * columns if pairs is None else self._checked(pairs, given)
        schema = learned.schema if learned else None
        self.types = ["number"] * columns if schema is None else schema.types
        if schema is not None and not schema.all_numbers:
            k = next(k for k, t in enumerate(self.types) if t not in NUMBERS)
            raise ValueError(f"plot: expected columns of numbers and dates, column '{self.features[k]}' holds a {self.types[k]}")

    def _checked(self, pairs, given):
        for pair in pairs:
            if len(pairs) != len(self.features) or len(pair) != 2 or not all(map(is_number, pair)) or not pair[0] < pair[1]:
                each = "" if len(self.features) == 1 else f" of each of the {len(self.features)} columns"
                raise ValueError(f"range: expected (low, high){each}, found {given!r}")
        return [tuple(map(float, pair)) for pair in pairs]

    def label(self, of):
        """Of the axis of values."""
        return of if self.target is None else self.target

    def mark_dates(self, axis, k):
        """Ticks of column k as dates: days and seconds from 1970-01-01."""
        if self.types[k] == "date":
            axis.axis_date()
        if self.types[k] == "datetime":
            axis.set_major_formatter(lambda v, _: str(np.datetime64(int(v), "s")).replace("T", "\n"))


def model_plot(model, ax, of, interval, sd, points, samples, seed, given):
    """Of one column a band, of two a map, of more a panel for each."""
    pyplot()
    check_whole("samples", samples, 0)
    if points is not None:
        check_whole("points", points, 2)
    shown = _Shown(model, given)
    columns = len(shown.features)
    draws = (samples, seed)
    if columns == 1:
        return _curve(model, shown, _axes(ax), of, interval, points or 400, draws)
    if columns > 2:
        return _panels(model, shown, ax, of, interval, points or 120, draws)
    if samples:
        raise ValueError("samples: they are drawn as lines, over one column or in panels; a map of two has none")
    return _map(model, shown, _axes(ax), of, sd, points or 80)


def _band(ax, x, p, of, interval):
    ax.fill_between(x, p.lower, p.upper, color=BLUE, alpha=0.25, lw=0, zorder=2, label=f"{interval:g} % of {of}")
    ax.plot(x, p.mean, color=BLUE, zorder=4, label=f"mean of {of}")
    for edge in (p.lower, p.upper):  # seen where data lie on the band
        ax.plot(x, edge, color=BLUE, lw=0.6, alpha=0.8, zorder=2.5)


def _drawn(model, ax, x, at, of, draws):
    """Functions drawn at the points, as lines over x."""
    count, seed = draws
    if not count:
        return
    functions = model.sample(at, count, seed, of)
    label = f"{count} samples of {of}" if count > 1 else f"a sample of {of}"
    for k in range(count):
        ax.plot(x, functions[:, k], color=GREEN, lw=0.9, alpha=0.9, zorder=3, label=label if k == 0 else None)


def _curve(model, shown, ax, of, interval, points, draws):
    x = _line(shown.x[:, 0], points, shown.ranges[0])
    _band(ax, x, model.predict(x, of, interval), of, interval)
    _drawn(model, ax, x, x, of, draws)
    n = len(shown.y)
    if n:
        size, alpha = float(np.clip(18 * 300 / n, 3, 18)), float(np.clip(1000 / n, 0.35, 1))
        below = 3 if n <= MANY else 1  # many dots lie under the band, which they would hide
        ax.scatter(shown.x[:, 0], shown.y, s=size, color="black", alpha=alpha, zorder=below, lw=0, label="data")
    ax.set(xlabel=shown.features[0], ylabel=shown.label(of), xlim=(x[0], x[-1]))
    shown.mark_dates(ax.xaxis, 0)
    ax.legend()
    return ax


def _map(model, shown, ax, of, sd, points):
    x, y = (_line(shown.x[:, k], points, shown.ranges[k]) for k in (0, 1))
    p = model.predict(_covary.grid_points(x, y), of)
    z, what = (p.sd, f"sd of {of}") if sd else (p.mean, f"mean of {of}")
    style = {"cmap": "cividis" if sd else "viridis", "shading": "gouraud", "rasterized": True}
    mesh = ax.pcolormesh(x, y, z.reshape(points, points), **style)
    ax.figure.colorbar(mesh, ax=ax, label=what if shown.target is None else f"{shown.target}: {what}")
    n = len(shown.y)
    if n:
        outline = {"edgecolors": "black", "lw": 0.7} if n <= MANY else {"lw": 0, "alpha": 0.6}
        size = 14 if n <= MANY else float(np.clip(3000 / n, 1, 6))
        ax.scatter(*shown.x.T, s=size, color="white", label="data", clip_on=False, **outline)
    ax.set(xlabel=shown.features[0], ylabel=shown.features[1], xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    shown.mark_dates(ax.xaxis, 0)
    shown.mark_dates(ax.yaxis, 1)
    return ax


def _rug(ax, values):
    """Marks along the axis where the data are; a subset of equal density where there are too many."""
    shown = np.sort(values)
    shown = shown if len(shown) <= MANY else shown[np.linspace(0, len(shown) - 1, MANY // 2).astype(int)]
    style = {"color": "black", "ms": 6, "mew": 0.7, "alpha": 0.6, "zorder": 1}
    ax.plot(shown, np.zeros(len(shown)), "|", transform=ax.get_xaxis_transform(), **style)


def _panels(model, shown, axes, of, interval, points, draws):
    fixed = [sum(r) / 2 if r else None for r in shown.ranges]
    middle = np.array(fixed, float) if len(shown.y) == 0 else _covary.column_medians(shown.x)
    count = min(len(middle), MOST_PANELS)
    axes = _panel_axes(axes, count)
    for k, ax in enumerate(axes):
        x = _line(shown.x[:, k], points, shown.ranges[k], 0)
        at = _covary.slice_points(middle, k, x)
        _band(ax, x, model.predict(at, of, interval), of, interval)
        _drawn(model, ax, x, at, of, draws)
        _rug(ax, shown.x[:, k])
        ax.set(
            xlabel=shown.features[k],
            ylabel=shown.label(of) if ax.get_subplotspec() is None or ax.get_subplotspec().is_first_col() else None,
            xlim=(x[0], x[-1]),
        )
        shown.mark_dates(ax.xaxis, k)
    axes[0].legend()
    said = "the other columns at their medians" if len(shown.y) else "the other columns in the middle of their ranges"
    said += f"; the first {count} of {len(middle)} columns" if count < len(middle) else ""
    axes[0].figure.suptitle(said[0].upper() + said[1:], fontsize="medium")
    return axes


def _panel_axes(axes, shown):
    """As many as are needed, those given or new ones that share their heights."""
    if axes is not None:
        given = np.ravel(axes)
        if len(given) < shown:
            raise ValueError(f"ax: expected {shown} axes, one for each column, found {len(given)}")
        return given[:shown]
    across = shown if shown <= 4 else 3 if shown <= 9 else 4
    down = -(-shown // across)
    size = (3.2 * across, 2.8 * down + 0.4)
    _, grid = pyplot().subplots(down, across, sharey=True, squeeze=False, figsize=size, layout="constrained")
    for ax in grid.flat[shown:]:
        ax.set_axis_off()
    return grid.ravel()[:shown]


def check_plot(check, ax):
    """The coverage of intervals against their level: on the diagonal the two agree."""
    ax = _axes(ax, figsize=(5, 5))
    inside = np.sort(np.abs(2 * check.pit - 1)) * 100  # the smallest interval that holds each
    held = np.arange(1, len(inside) + 1) / len(inside) * 100
    ax.plot([0, 100], [0, 100], color=GREY, lw=1, ls="--", label="as promised")
    ax.step([0, *inside, 100], [0, *held, 100], where="post", color=BLUE, label=f"{check.n} observations")
    ax.plot(list(check.coverage), list(check.coverage.values()), "o", color=VERMILION, ms=5, label="50, 90, 95, 99 %")
    ax.set(xlabel="interval [%]", ylabel="observations inside [%]", xlim=(0, 100), ylim=(0, 102), aspect="equal")
    ax.legend(loc="upper left")
    _title(ax, check.verdict)
    return ax


def replay_plot(replay, ax):
    """The error of each strategy as labels come."""
    ax = _axes(ax)
    for c, color, line in zip(replay.curves, CURVES, ["-", "--", "-.", ":"] * 3):
        ax.fill_between(c.labels, c.lower, c.upper, color=color, alpha=0.12, lw=0)
        ax.plot(c.labels, c.mean, color=color, ls=line, label=c.strategy)
    ax.set(xlabel="labels", ylabel="error", ylim=(0, None))
    ax.margins(x=0)
    ax.set_title("mean and middle 80 % of the repeats", fontsize="medium")
    ax.legend()
    return ax


def placement_map(placement, ax, label):
    """The remaining sd, the sensors by number, existing sensors, and forbidden places."""
    pyplot()
    places = placement.places
    if places.x is None or places.x.shape[1] != 2:
        there = 0 if places.x is None else places.x.shape[1]
        raise ValueError(f"plot draws a map over two coordinates, there are {there}")
    span = np.nanmax(places.x, axis=0) - np.nanmin(places.x, axis=0)
    even = span.min() > 0 and span.max() <= 4 * span.min()  # meters against meters
    tall = float(np.clip(5.2 * span[1] / span[0], 2.5, 7)) + 1.1 if even else 4.8
    whole, ax = ax is None, _axes(ax, figsize=(6.8, tall))
    dots = ax.scatter(*places.x.T, c=placement.remaining_sd, cmap="cividis", s=_dot_size(len(places)), marker="s", lw=0)
    unit = f" [{placement.unit}]" if placement.unit else ""
    ax.figure.colorbar(dots, ax=ax, label=f"sd that is left{unit}")
    _marks(ax, placement)
    ax.set(xlabel=places.axes[0], ylabel=places.axes[1])
    if even:
        ax.set_aspect("equal")
    ax.figure.legend(loc="outside lower center", ncols=2, frameon=False) if whole else ax.legend()
    if label:
        _numbers(ax, places.x[placement.indices])
    return ax


def _dot_size(count):
    return float(np.clip(6000 / count, 4, 90))


def _marks(ax, placement):
    x, chosen = placement.places.x, list(placement.indices)
    edge = {"edgecolors": "black", "lw": 0.8}
    sorts = [
        ("to be predicted", placement.targets, {"marker": "D", "color": "none", "s": 30, **edge}),
        ("not allowed", placement.forbidden, {"marker": "X", "color": "white", "s": 45, **edge}),
        ("stands already", placement.existing, {"marker": "^", "color": "white", "s": 70, **edge}),
        ("new sensor, in the order of choice", chosen, {"color": VERMILION, "edgecolors": "white", "s": PIN**2}),
    ]
    for name, which, style in sorts:
        which = [i for i in which if i not in placement.targets] if name == "not allowed" else which
        if len(which):
            ax.scatter(*x[which].T, zorder=3, label=name, **style)


def _numbers(ax, x):
    """On each pin its number; beside it where pins touch, on the side that is freest."""
    ax.figure.draw_without_rendering()
    at = ax.transData.transform(x) * 72 / ax.figure.dpi  # in points
    taken = list(at)
    for rank, place in enumerate(at):
        others = np.array([t for i, t in enumerate(taken) if i != rank]).reshape(-1, 2)
        crowded = len(others) and np.hypot(*(others - place).T).min() < PIN
        offset = _freest(place, others) if crowded else np.zeros(2)
        if crowded:
            taken.append(place + offset)
        style = {"color": "black" if crowded else "white", "fontsize": 8, "fontweight": "bold"}
        text = ax.annotate(str(rank + 1), x[rank], offset, textcoords="offset points", zorder=4, **style)
        text.set(ha="center", va="center_baseline")
        if crowded:
            text.set_path_effects([_outline()])


def _freest(place, others):
    """Of eight sides, the one farthest from everything else."""
    angle = np.arange(8) * np.pi / 4
    sides = PIN * 0.95 * np.column_stack([np.cos(angle), np.sin(angle)])
    room = [np.hypot(*(others - place - side).T).min() for side in sides]
    return sides[int(np.argmax(room))]


def _outline():
    from matplotlib import patheffects

    return patheffects.withStroke(linewidth=2.5, foreground="white")
