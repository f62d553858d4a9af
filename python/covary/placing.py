"""Sensor placement: the locations that best predict the rest of the field."""

from numbers import Integral

import numpy as np

from . import _covary
from ._covary import Kernel, RecordKernel, default_names
from .arrays import rows
from .binding import check_number
from .fields import check_source, field_of, models_of
from .frames import columns_of, is_frame, labels_of, numbers, taken, to_array
from .kernels import parsed
from .placement import HeldOut, Placement
from .places import Places, column, flags, places_of, typed_places
from .readings import readings_of, times_of
from .records import points, table_of

MOST_AXES = 3  # columns that are taken for coordinates unasked, where only names matter


def criteria() -> list[dict]:
    """The placement criteria, choices of `criterion`: name, formula, unit, certificate, about."""
    return _covary.criteria()


NEEDS = [
    ("shrinkage", ["history"]),
    ("draws", ["model"]),
    ("per_group", ["groups"]),
    ("costs", ["budget"]),
    ("budget", ["costs"]),
    ("repeats", ["held_out"]),
    ("max_seconds", ["optimal"]),
    ("held_out", ["history", "model"]),
]


def _is_given(value):
    return value is not None and value is not False


def _check_belongs(given):
    """Refuses arguments that need another one."""
    for name, others in NEEDS:
        if _is_given(given[name]) and not any(_is_given(given[o]) for o in others):
            raise ValueError(f"{name} needs {' or '.join(others)}")


def _check_numbers(given):
    """Counts are whole, and 1 or more."""
    if given["neighbors"] is not None and given["criterion"].replace("_", "-") != "local-mutual-information":
        raise ValueError("neighbors needs criterion='local-mutual-information'")
    for name in ("k", "draws", "per_group", "repeats", "neighbors"):
        value = given[name]
        if value is not None and not (isinstance(value, Integral) and value >= 1):
            raise ValueError(f"{name}: expected a whole number, 1 or more, found {value!r}")
    for name in ("max_seconds", "budget", "noise", "min_distance", "nugget"):
        if given[name] is not None:
            check_number(name, given[name])
    if given["max_seconds"] is not None and not given["max_seconds"] > 0:
        raise ValueError(f"max_seconds: expected more than 0, found {given['max_seconds']}")
    if given["coordinates"] is not None and not is_frame(given["candidates"]):
        raise ValueError("coordinates: they are columns, and the candidates are no frame")


def _search(given):
    """How the sensors are found."""
    ways = [w for w in ("refine", "optimal", "robust", "evaluate") if _is_given(given[w])]
    if len(ways) > 1:
        raise ValueError(f"{' and '.join(ways)} do not go together")
    if ways == ["evaluate"] and given["k"] is not None:
        raise ValueError("k does not go with evaluate, which gives the set")
    if ways != ["evaluate"] and given["k"] is None and given["budget"] is None:
        raise ValueError("the number of sensors is missing: give k, or costs and budget")
    return ways[0] if ways else "greedy"


def _places(given, models):
    """The candidates, whatever says where they are."""
    candidates, by_name = given["candidates"], given["history"] is not None or given["covariance"] is not None
    if candidates is None:
        if not by_name:
            raise ValueError("candidates: the coordinates of the places are needed")
        return _named_places(given)
    if models and models[0].schema is not None:
        x = rows(points(models[0], candidates, "candidates"), "candidates", 1)
        return typed_places(candidates, given["names"], x, models[0].features, models[0].schema)
    if isinstance(parsed(given["kernel"]), RecordKernel) or given["types"] or given["graph"] is not None:
        return _typed(given)
    used = [given[n] for n in ("forbidden", "costs", "groups", "noise_sd") if isinstance(given[n], str)]
    axes = models[0].features if models and is_frame(candidates) and columns_of(candidates) else given["coordinates"]
    most = MOST_AXES if by_name and given["kernel"] is None else None
    return places_of(candidates, given["names"], axes, used, most)


def _typed(given):
    """Candidates that a kernel reads by the types of their columns."""
    candidates, kernel = given["candidates"], given["kernel"]
    if kernel is None or given["history"] is not None:
        raise ValueError("types and graph need a kernel over the candidates")
    table = candidates
    if is_frame(candidates):
        used = [given[n] for n in ("names", "forbidden", "costs", "groups", "noise_sd") if isinstance(given[n], str)]
        axes = given["coordinates"] or [n for n in labels_of(candidates) if n not in used]
        table = taken(candidates, axes)
    read = table_of(table, kernel, given["types"], given["graph"])
    axes = read.names or default_names(np.shape(read.x)[1])
    return typed_places(candidates, given["names"], rows(read.x, "candidates", 1), axes, read.schema)


def _named_places(given):
    """The columns of a history or of a covariance."""
    table = given["history"] if given["history"] is not None else given["covariance"]
    names = given["names"] if given["names"] is not None else columns_of(table)
    count = np.shape(to_array(table))[1] if np.ndim(to_array(table)) == 2 else 0
    if names is not None and len(names) != count:
        raise ValueError(f"names: {len(names)} for {count} places")
    return Places(map(str, names if names is not None else range(count)), None, [], names is not None)


def _of_candidates(given, name):
    """An argument with a value for each candidate, or the name of a column of theirs."""
    value = given[name]
    if isinstance(value, str):
        if not is_frame(given["candidates"]):
            raise ValueError(f"{name}: '{value}' would be a column, and the candidates are no frame")
        value = column(given["candidates"], value, name)
    if value is None or name in ("groups", "forbidden"):
        return None if value is None else to_array(value)
    return numbers(value, name)


def _forbidden(given, places):
    if isinstance(given["forbidden"], str):
        return flags(_of_candidates(given, "forbidden"), "forbidden")
    return [] if given["forbidden"] is None else places.listed(to_array(given["forbidden"]), "forbidden")


def _groups(given, places):
    """A number for every candidate."""
    groups = _of_candidates(given, "groups")
    if groups is None:
        return []
    numbers = np.unique(np.asarray(groups).astype(str), return_inverse=True)[1].tolist()
    if len(numbers) != places.candidates:
        raise ValueError(f"groups: {len(numbers)} for {places.candidates} candidates")
    return numbers


def _elsewhere(given):
    """Names that may be places without being candidates: columns of what is known by name."""
    table = given["history"] if given["history"] is not None else given["covariance"]
    return columns_of(table) or () if table is not None and given["candidates"] is not None else ()


def _where(given, places, roles):
    """Where sensors may stand: the core's problem."""
    if given["min_distance"] > 0 and places.x is None:
        raise ValueError("min_distance needs the coordinates of the places")
    return _covary.places(
        noise=given["noise"],
        noise_sd=_of_candidates(given, "noise_sd"),
        names=places.names,
        candidates=places.candidates,
        existing=roles["existing"],
        forbidden=roles["forbidden"],
        targets=roles["targets"],
        cost=_of_candidates(given, "costs"),
        budget=given["budget"],
        at=places.x,
        min_distance=given["min_distance"],
        group=_groups(given, places),
        per_group=1 if given["per_group"] is None else given["per_group"],
    )


def place(
    candidates=None,
    k: int | None = None,
    criterion: str = "mutual-information",
    *,
    model=None,
    kernel: str | Kernel | RecordKernel | None = None,
    history=None,
    covariance=None,
    shrinkage: float | str | None = None,
    draws: int | None = None,
    nugget: float = 0.0,
    noise: float | None = None,
    noise_sd=None,
    names=None,
    coordinates: list[str] | None = None,
    existing=None,
    targets=None,
    forbidden=None,
    costs=None,
    budget: float | None = None,
    min_distance: float = 0.0,
    groups=None,
    per_group: int | None = None,
    refine: bool = False,
    optimal: bool = False,
    max_seconds: float | None = None,
    robust: bool = False,
    evaluate=None,
    held_out=None,
    repeats: int | None = None,
    neighbors: int | None = None,
    unit: str = "",
    types: dict[str, str | list] | None = None,
    graph=None,
    seed: int = 1,
    threads: int = 0,
) -> Placement:
    """Chooses k sensor locations that best predict the rest of the field. What `covary place` does.

    candidates: the coordinates of the places, or a frame; its columns may then be named below. Not needed
        with a history or a covariance, whose columns are the places.
    criterion: what makes a set good, see `criteria()`. neighbors: how many places each is compared with by
        local-mutual-information (50).

    The prior of the field, one of:
    model: a GP that has learned, given its data; several are averaged. draws: number of draws of its uncertain
        hyper-parameters to average over.
    kernel: over the coordinates, every parameter given. types, graph: of the candidates' columns, as in GP.
    covariance: places x places.
    history: past readings, times x places, nan where missing. shrinkage: of the sample covariance towards its target,
        0 to 1, or "auto"; with a kernel the target is its covariances, and its parameters are learned.
    nugget: variance of each place alone, part of the field. noise: the variance of a sensor's error (else the
        model's, or 0); noise_sd: its standard deviation at each place.

    Which places: existing sensors and targets are numbers or names of candidates, or coordinates; forbidden are
    numbers, names, booleans or a column. costs go with a budget, groups with at most per_group sensors in each.

    How: greedy, or refine (swaps), optimal (proven, within max_seconds), robust (after the loss of any one); evaluate
    scores a set instead. held_out: later readings to score on, beside `repeats` random sets.
    """
    given = dict(locals())
    criterion = str(criterion).replace("_", "-")
    _covary.check_criterion(criterion)
    check_source(given)
    _check_belongs(given)
    _check_numbers(given)
    search = _search(given)
    models = [] if model is None else models_of(model)
    places = _places(given, models)
    standing = places.found(existing, "existing", _elsewhere(given))
    before = len(places)
    aims = places.found(targets, "targets", _elsewhere(given))
    closed = _forbidden(given, places) + list(range(before, len(places)))
    field = field_of(given, places, models)
    roles = {"existing": standing, "forbidden": closed, "targets": aims}
    answer = _covary.place(
        field,
        _where(given, places, roles),
        criterion,
        candidates=places.candidates,
        k=k,
        search=search,
        set=[] if evaluate is None else places.listed(evaluate, "evaluate"),
        held_out=None if held_out is None else readings_of(held_out, places, "held_out", places.candidates),
        times=[] if held_out is None else times_of(held_out, places),
        repeats=200 if repeats is None else repeats,
        max_seconds=max_seconds,
        neighbors=neighbors,
        unit=unit,
        seed=seed,
        threads=threads,
    )
    return _placement(answer, places, field.notes, roles, unit)


def _placement(answer, places, notes, roles, unit):
    indices = np.asarray(answer.pop("indices"), np.intp)
    held = answer.pop("held_out")
    return Placement(
        indices=indices,
        names=[places.names[i] for i in indices],
        unit=unit,
        notes=[*notes, *answer.pop("words")],
        held_out=None if held is None else HeldOut(**held),
        places=places,
        **roles,
        **answer,
    )
