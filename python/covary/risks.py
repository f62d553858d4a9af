"""How wrong a model is that chose its own labels."""

from dataclasses import dataclass

from . import _covary


@dataclass(frozen=True)
class Risk:
    """The mean loss over what is not labelled, corrected for how labels were chosen; naive: as if by chance."""

    corrected: float
    lower: float
    upper: float
    standard_error: float
    effective: float  # as many labels by chance would say as much
    percent: float  # of the interval
    naive: float
    naive_lower: float
    naive_upper: float
    text: str

    def __str__(self):
        return self.text


def risk(losses, probabilities, open, percent: float = 95) -> Risk:
    """From the loss at each label before it was told, the probability it was chosen with, and among how many.

    A Suggestion has the last two. A share of the choices must be by chance (random_share). Losses are 0 or 1 (a class
    was missed), or squared errors.
    """
    return Risk(**_covary.risk(losses, probabilities, open, percent))
