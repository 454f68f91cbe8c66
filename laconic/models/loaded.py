"""Models that were loaded from compact files: they predict, and need NumPy and the kernels alone.

scikit-learn is imported only where it asks for something, or where a model has to learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from laconic.core.parameters import HasParameters

if TYPE_CHECKING:
    from sklearn.utils import Tags


def check_fitted(model: object, attributes: str | None = None) -> None:
    """Raise scikit-learn's NotFittedError unless a model is fitted.

    Fitted models have `attributes`, or any that end in "_"; `__sklearn_is_fitted__` knows better.
    """
    knows = getattr(model, "__sklearn_is_fitted__", None)
    if knows is not None:
        fitted = bool(knows())
    elif attributes is not None:
        fitted = hasattr(model, attributes)
    else:
        fitted = any(name.endswith("_") and name[:2] != "__" for name in vars(model))
    if not fitted:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model, attributes)


class Loaded(HasParameters):
    """What compact models have in common: parameters, and no `fit`."""

    def fit(self, *data: object, **options: object) -> NoReturn:
        """Raise a ValueError: a compact model does not learn."""
        raise ValueError(
            "a compact model predicts and does not learn: use the model from which it was made"
        )

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(two_d_array=False, string=True),
        )
