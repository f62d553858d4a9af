"""The error of a model that is used before it is fitted."""


class NotFittedError(ValueError, AttributeError):
    """The model has not learned yet. Both a ValueError and an AttributeError, as scikit-learn's is: hasattr is False."""

    @classmethod
    def of(cls, model, why: str = "") -> "NotFittedError":
        """The error of this model, with what is missing."""
        return cls(f"this {type(model).__name__} has not learned yet: call fit(X, y) first{f' ({why})' if why else ''}")
