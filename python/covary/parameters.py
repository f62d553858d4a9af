"""The arguments of a model's constructor, by name: what scikit-learn's `clone` and searches ask for."""

import inspect
from typing import Self

from ._covary import did_you_mean


class Parameters:
    """get_params and set_params, for classes whose constructor keeps each argument under its own name."""

    _sort = "regressor"

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict:
        """The arguments of the constructor, by name. deep: for scikit-learn, which asks; nothing is nested here."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params) -> Self:
        """Other arguments, for the next fit; itself. What was learned stays until then."""
        known = self._names()
        for name in params:
            if name not in known:
                there = ", ".join(known)
                raise ValueError(
                    f"set_params: {type(self).__name__} has no argument '{name}'{did_you_mean(name, known)} "
                    f"(it has: {there})"
                )
        checked = type(self)(**(self.get_params() | params))  # what the constructor refuses is refused
        for name in params:
            setattr(self, name, getattr(checked, name))
        return self

    def __sklearn_tags__(self):
        """What scikit-learn's searches and cross-validation want to know."""
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        sorts = {"regressor_tags": RegressorTags()} if self._sort == "regressor" else {"classifier_tags": ClassifierTags()}
        return Tags(estimator_type=self._sort, target_tags=TargetTags(required=True), **sorts)

    def __sklearn_is_fitted__(self) -> bool:
        return self.fitted
