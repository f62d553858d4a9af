"""Model files: what `save` or the command wrote, as the model that it is."""

import os

from . import _covary
from .binding import path_text
from .classifier import Classifier
from .gp import GP, Model
from .regression import BayesianLinear, KernelRidge, LeastSquares, Ridge

_KINDS = {"gp": GP} | {kind._kind: kind for kind in (LeastSquares, Ridge, BayesianLinear, KernelRidge)}


def load(path: str | os.PathLike) -> Model | Classifier:
    """The model or the Classifier in a file that `save` or the command wrote."""
    if _covary.is_classifier_file(path_text(path)):
        return Classifier.load(path)
    model = _covary.Model.load(path_text(path))
    return _KINDS[model.asked["model"]]._of(model)
