"""The prior of a field: from models, a kernel, a covariance matrix or past readings."""

import numpy as np

from . import _covary
from .binding import is_number
from .gp import Model
from .kernels import parsed
from .readings import covariance_of, readings_of


def check_source(given):
    """Checks that exactly one prior of the field is given; a kernel beside a history is its shrinkage target."""
    named = [n for n in ("model", "history", "covariance", "kernel") if given[n] is not None]
    if not named:
        raise ValueError("the prior of the field is missing: give history, covariance, model or kernel")
    if len(named) > 1 and named != ["history", "kernel"]:
        raise ValueError(f"{' and '.join(named)} do not go together: each is a complete prior of the field")


def models_of(model):
    """One or several models, checked: all over the same columns."""
    models = list(model) if isinstance(model, (list, tuple)) else [model]
    for m in models:
        if not isinstance(m, Model):
            raise ValueError(f"model: expected a GP that has learned, or several, found {type(m).__name__}")
        if m.features != models[0].features:
            raise ValueError(f"model: one is over {m.features}, one over {models[0].features}")
    learned = [m._learned() for m in models]
    if len(learned) > 1 and any(m.schema is not None and not m.schema.all_numbers for m in learned):
        raise ValueError("model: expected one model, as columns of categories, texts, sets or graphs have codes of each")
    return learned


def field_of(given, places, models):
    """The prior of the field before any new sensor."""
    nugget, seed, threads, kernel = given["nugget"], given["seed"], given["threads"], parsed(given["kernel"])
    if kernel is not None and (places.x is None or not np.isfinite(places.x).all()):
        raise ValueError("kernel: every place needs coordinates")
    if models:
        _check_models(given, places, models)
        noise_given = given["noise"] is not None or given["noise_sd"] is not None
        return _covary.Field.of_models(models, places.x, given["draws"] or 0, seed, nugget, noise_given, threads)
    if given["history"] is not None:
        return _of_history(given, places, kernel)
    if given["covariance"] is not None:
        return _covary.Field.of_covariance(covariance_of(given["covariance"], places), nugget)
    return _covary.Field.of_kernel(kernel, places.x, places.axes, nugget, places.schema)


def _check_models(given, places, models):
    expected, found = len(models[0].features), 0 if places.x is None else places.x.shape[1]
    if found != expected:
        raise ValueError(f"candidates: expected {expected} columns, as the model has, found {found}")
    if given["draws"] and len(models) > 1:
        raise ValueError("draws needs one model, not several")


def _of_history(given, places, kernel):
    shrinkage = given["shrinkage"]
    if shrinkage is None:
        shrinkage = "auto" if kernel else 0.0
    auto = isinstance(shrinkage, str) and shrinkage == "auto"
    if not auto and not (is_number(shrinkage) and 0 <= shrinkage <= 1):
        raise ValueError(f"shrinkage: expected 'auto', or 0 to 1, found {shrinkage!r}")
    return _covary.Field.of_history(
        readings_of(given["history"], places, "history", len(places)),
        places.names,
        None if auto else shrinkage,
        given["nugget"],
        given["noise_sd"] is not None or (given["noise"] or 0) > 0,
        kernel,
        places.x,
        places.axes,
        given["seed"],
        given["threads"],
    )
