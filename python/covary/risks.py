"""The risk of a model whose labels were chosen by a strategy."""

from dataclasses import dataclass

from . import _covary


@dataclass(frozen=True)
class Risk:
    """The mean loss over what is not labelled, corrected for how labels were chosen; naive: as if at random."""

    corrected: float
    lower: float
    upper: float
    standard_error: float
    effective: float  # effective sample size: as informative as this many random labels
    percent: float  # of the interval
    naive: float
    naive_lower: float
    naive_upper: float
    text: str

    def __str__(self):
        return self.text


def risk(losses, probabilities, open, percent: float = 95) -> Risk:
    """Estimates the risk from the loss of predicting each label before it was known, the probability of its choice,
    and the number of open candidates then.

    A Suggestion has the last two. A share of the choices must be random (random_share). Losses are 0 or 1 (a class
    was missed), or squared errors.
    """
    return Risk(**_covary.risk(losses, probabilities, open, percent))
