"""What searches over strengths have in common: an estimator around the chosen estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import AnyArray, Array, MatrixLike
from laconic.core.report import Reported
from laconic.linear.base import SparseLinear, available
from laconic.models.save import Saved


def _has(name: str) -> Callable[[Any], bool]:
    """Return whether the estimator inside has a method of this name."""

    def check(search: StrengthSearch) -> bool:
        getattr(getattr(search, "best_estimator_", search.estimator), name)
        return True

    return check


class StrengthSearch(Saved, Reported, MetaEstimatorMixin, BaseEstimator):
    """A linear model whose strength, and perhaps further parameters, are chosen from the data.

    Predicts, scores and shows its weights as `best_estimator_` does.
    """

    estimator: SparseLinear
    best_estimator_: Any
    best_strength_: float
    best_score_: float
    best_params_: dict[str, object]
    strengths_: Array
    parameters: Mapping[str, Sequence[object]] | None

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags, tags.input_tags = inner.target_tags, inner.input_tags
        return tags

    def settings(self) -> Iterator[tuple[dict[str, object], SparseLinear]]:
        """Yield the further parameters, and the estimator with them, once per combination."""
        for given in ParameterGrid(dict(self.parameters or {})):
            estimator = clone(self.estimator)
            estimator.set_params(penalty=estimator.chosen_penalty(), strength=None)
            known = estimator.get_params()
            named = {self._full_name(name, known): value for name, value in given.items()}
            yield given, estimator.set_params(**named)

    @staticmethod
    def _full_name(name: str, known: Mapping[str, object]) -> str:
        """Return a parameter of the estimator, its penalty or its loss by its full name."""
        if name.removeprefix("penalty__") == "strength":
            raise ValueError("the strength is searched by itself: give strengths=, not a parameter")
        for full in (name, f"penalty__{name}", f"loss__{name}"):
            if full in known:
                return full
        own = sorted(key for key in known if key.startswith("penalty__"))
        raise ValueError(
            f"neither the estimator nor its penalty has a parameter {name!r}; "
            f"the penalty has {', '.join(own)}"
        )

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return int(self._inner("n_features_in_"))

    @property
    def feature_names_in_(self) -> AnyArray:
        """Names of the features, where the training data had names."""
        names: AnyArray = self._inner("feature_names_in_")
        return names

    @property
    def classes_(self) -> AnyArray:
        """Classes of a classifier."""
        classes: AnyArray = self._inner("classes_")
        return classes

    @property
    def coef_(self) -> Array:
        """Weights of the best estimator."""
        coef: Array = self._inner("coef_")
        return coef

    @property
    def intercept_(self) -> Any:
        """Intercept of the best estimator."""
        return self._inner("intercept_")

    @property
    def n_selected_(self) -> int:
        """Number of features with a weight that is not zero."""
        return int(self._inner("n_selected_"))

    def _inner(self, name: str) -> Any:
        if "best_estimator_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has {name} only once it is fitted")
        return getattr(self.best_estimator_, name)

    def _best(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> AnyArray:
        """Return the predictions of the best estimator."""
        predicted: AnyArray = self._best().predict(X, offset)
        return predicted

    @available(_has("decision_function"))
    def decision_function(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        """Return the scores of the best estimator."""
        scores: Array = self._best().decision_function(X, offset)
        return scores

    @available(_has("predict_proba"))
    def predict_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        """Return the probabilities of the best estimator."""
        probabilities: Array = self._best().predict_proba(X, offset)
        return probabilities

    @available(_has("predict_log_proba"))
    def predict_log_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        """Return the logarithms of predict_proba."""
        logarithms: Array = self._best().predict_log_proba(X, offset)
        return logarithms

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the score of the best estimator: accuracy of a classifier, R^2 of a regressor."""
        return float(self._best().score(X, y, sample_weight))
