"""Pictures of models, checks and placements on Matplotlib, which is imported here only when one is drawn."""

import textwrap

import numpy as np

from . import _covary

BLUE, VERMILION, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#6e6e6e"  # told apart by colour-blind people
CURVES = [GREY, BLUE, VERMILION, GREEN, "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933", "#882255"]
MOST_PANELS = 12
MARGIN = 0.04  # of a range, around it
PIN = 12.5  # points across


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


def _range(values, points, margin=MARGIN):
    """Evenly spaced over the values, and a little further."""
    low, high = float(np.min(values)), float(np.max(values))
    pad = margin * (high - low) if high > low else 0.5
    return np.linspace(low - pad, high + pad, points)


def model_plot(model, ax, of, interval, sd, points):
    """Of one column a band, of two a map, of more a panel for each."""
    pyplot()
    columns = len(model.features)
    if columns == 1:
        return _curve(model, _axes(ax), of, interval, points or 400)
    if columns == 2:
        return _map(model, _axes(ax), of, sd, points or 80)
    return _panels(model, ax, of, interval, points or 120)


def _band(ax, x, p, of, interval):
    ax.fill_between(x, p.lower, p.upper, color=BLUE, alpha=0.2, lw=0, label=f"{interval:g} % of {of}")
    ax.plot(x, p.mean, color=BLUE, label=f"mean of {of}")


def _curve(model, ax, of, interval, points):
    learned = model._learned()
    x = _range(learned.x[:, 0], points)
    _band(ax, x, model.predict(x, of, interval), of, interval)
    size = 18 if len(learned.y) <= 300 else 6
    ax.scatter(learned.x[:, 0], learned.y, s=size, color="black", zorder=3, lw=0, label="data")
    ax.set(xlabel=model.features[0], ylabel=model.target)
    ax.margins(x=0)
    ax.legend()
    return ax


def _map(model, ax, of, sd, points):
    learned = model._learned()
    x, y = (_range(learned.x[:, k], points) for k in (0, 1))
    p = model.predict(_covary.grid_points(x, y), of)
    z, what = (p.sd, f"sd of {of}") if sd else (p.mean, f"mean of {of}")
    style = {"cmap": "cividis" if sd else "viridis", "shading": "gouraud", "rasterized": True}
    mesh = ax.pcolormesh(x, y, z.reshape(points, points), **style)
    ax.figure.colorbar(mesh, ax=ax, label=f"{model.target}: {what}")
    ax.scatter(*learned.x.T, s=14, color="white", edgecolors="black", lw=0.7, label="data", clip_on=False)
    ax.set(xlabel=model.features[0], ylabel=model.features[1])
    return ax


def _panels(model, axes, of, interval, points):
    learned = model._learned()
    middle = _covary.column_medians(learned.x)
    shown = min(len(middle), MOST_PANELS)
    axes = _panel_axes(axes, shown)
    for k, ax in enumerate(axes):
        x = _range(learned.x[:, k], points, 0)
        _band(ax, x, model.predict(_covary.slice_points(middle, k, x), of, interval), of, interval)
        ax.plot(learned.x[:, k], np.zeros(len(learned.x)), "|", color="black", ms=6, transform=ax.get_xaxis_transform())
        ax.set(
            xlabel=model.features[k],
            ylabel=model.target if ax.get_subplotspec() is None or ax.get_subplotspec().is_first_col() else None,
        )
        ax.margins(x=0)
    axes[0].legend()
    said = "the other columns at their medians"
    said += f"; the first {shown} of {len(middle)} columns" if shown < len(middle) else ""
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
    """How many observations intervals of each size hold: on the diagonal they hold what they promise."""
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
    for c, colour, line in zip(replay.curves, CURVES, ["-", "--", "-.", ":"] * 3):
        ax.fill_between(c.labels, c.lower, c.upper, color=colour, alpha=0.12, lw=0)
        ax.plot(c.labels, c.mean, color=colour, ls=line, label=c.strategy)
    ax.set(xlabel="labels", ylabel="error", ylim=(0, None))
    ax.margins(x=0)
    ax.set_title("mean and middle 80 % of the repeats", fontsize="medium")
    ax.legend()
    return ax


def placement_map(placement, ax, label):
    """What stays unknown, the sensors by number, those that stand already, and where none may stand."""
    pyplot()
    places = placement.places
    if places.x is None or places.x.shape[1] != 2:
        there = 0 if places.x is None else places.x.shape[1]
        raise ValueError(f"plot draws a map over two coordinates, there are {there}")
    span = np.nanmax(places.x, axis=0) - np.nanmin(places.x, axis=0)
    even = span.min() > 0 and span.max() <= 4 * span.min()  # metres against metres
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
