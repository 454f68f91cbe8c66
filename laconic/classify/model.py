"""TextClassifier: documents in, labels out, with what is known about the text as the regularizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from laconic.classify import structure
from laconic.classify.predict import TextPredictor
from laconic.classify.preparation import (
    Lexicon,
    Prepared,
    added_features,
    constituent_examples,
    encode_training,
    families_of,
    training_rows,
)
from laconic.classify.structure import PLAIN, STRUCTURED, Family
from laconic.classify.summary import GroupSummary, with_examples
from laconic.classify.weighting import WEIGHTINGS, contrast_of, idf_of, weighted
from laconic.core.arrays import Array
from laconic.core.penalties import (
    L1,
    Discrete,
    ElasticNet,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    Ridge,
)
from laconic.core.report import Callback
from laconic.linear.model import SparseClassifier
from laconic.models.save import Saved
from laconic.text.documents import DocumentEncoder


class TextClassifier(Saved, TextPredictor):
    """min_w sum_d log-loss(y_d, x_d w + b) + sum_r strength_r Omega_r(w) + lasso |w|_1 + ridge |w|^2 / 2 over bags of words.

    Parameters
    ----------
    regularizer : "lasso", "ridge", "elastic", "sentence", "tree", "topics", "brown", or a sum such as "sentence+topics"
    strength : float, or a mapping from regularizer to float; for lasso, ridge and elastic the strength of that penalty
    lasso : float, the extra lasso term of elastic and of all structured regularizers
    ridge : float, an extra ridge term of the structured regularizers
    refit : float or None, the words that were kept get their final weights from a ridge of this strength alone
    contrast : float, before they are penalised words are scaled by |log-ratio of their shares of examples in the classes| to
        this power: words that tell the classes apart in training cost less (try 0.5; at 0 all cost the same)
    constituents : float, the weight as a training example, where a document weighs 1, of each distinct phrase of the trees
        whose label tells its class (see preparation.constituent_examples); contrast counts them as documents
    weighting : "count", "binary", "tfidf", or "logtfidf", which takes 1 + log(count) for the count
    ngrams : int, features are n-grams up to this length
    prefixes : tuple of int, the first so many letters of longer words are features too: one weight for `bore`, `bored`, `boring`
    min_count : int, features seen less often in training are dropped
    lowercase : bool
    boundary : "auto", "line" or "double-space", how strings are split into sentences
    neutral_label : str or None, the tree regularizer takes only constituents with this label
    n_topics, n_top : int, the topics regularizer: topics, and words a topic
    n_clusters : int, Brown clusters learned from the training text
    clusters : path of a `paths` file, or (Vocab, Clusters), instead of learning them
    features : tuple of "topics" and "brown": these also as features, folded back into the weights of words
    tol, max_iter, class_weight, n_jobs : as in SparseClassifier
    random_state : int, seed of the topics
    values : None, or the values that weights may take (see laconic.value_set), for lasso, ridge and elastic
    """

    def __init__(
        self,
        regularizer: str = "lasso",
        strength: float | Mapping[str, float] = 1.0,
        lasso: float = 1.0,
        weighting: str = "count",
        ngrams: int = 1,
        min_count: int = 1,
        lowercase: bool = True,
        boundary: Any = "auto",
        neutral_label: str | None = None,
        n_topics: int = 1000,
        n_top: int = 10,
        n_clusters: int = 5000,
        clusters: Any = None,
        features: tuple[str, ...] = (),
        tol: float = 1e-3,
        max_iter: int | None = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        ridge: float = 0.0,
        contrast: float = 0.0,
        constituents: float = 0.0,
        refit: float | None = None,
        values: Iterable[float] | None = None,
        prefixes: tuple[int, ...] = (),
    ):
        self.regularizer = regularizer
        self.strength = strength
        self.lasso = lasso
        self.ridge = ridge
        self.refit = refit
        self.contrast = contrast
        self.constituents = constituents
        self.values = values
        self.weighting = weighting
        self.ngrams = ngrams
        self.prefixes = prefixes
        self.min_count = min_count
        self.lowercase = lowercase
        self.boundary = boundary
        self.neutral_label = neutral_label
        self.n_topics = n_topics
        self.n_top = n_top
        self.n_clusters = n_clusters
        self.clusters = clusters
        self.features = features
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def parts(self) -> list[str]:
        """The regularizers of the sum, checked."""
        names = [name.strip() for name in str(self.regularizer).split("+")]
        for name in names:
            if name not in PLAIN + STRUCTURED:
                raise ValueError(
                    f"regularizer is a sum of {', '.join(PLAIN + STRUCTURED)}; got {self.regularizer!r}"
                )
        if len(names) > 1 and any(name in PLAIN for name in names):
            raise ValueError(
                f"only structured regularizers are added up (the lasso has its own strength); got {self.regularizer!r}"
            )
        return names

    def prepare(self, documents: Sequence[Any], labels: Sequence[Any]) -> Prepared:
        """Encode the documents and build the groups: all that can be reused while strengths are tuned."""
        names = self.parts()
        if self.weighting not in WEIGHTINGS:
            raise ValueError(f"weighting is one of {', '.join(WEIGHTINGS)}; got {self.weighting!r}")
        encoder = DocumentEncoder(self.lowercase, self.ngrams, self.boundary, self.prefixes)
        training = encode_training(documents, labels, encoder, self.min_count)
        idf = idf_of(training.counts, self.weighting)
        wanted = {*names, *self.features}
        topics = (
            structure.topics_of(training, self.n_topics, self.n_top, self.random_state)
            if "topics" in wanted
            else None
        )
        clusters = (
            structure.clusters_of(training, self.clusters, self.n_clusters)
            if "brown" in wanted
            else None
        )
        lexicon = Lexicon(topics, clusters)
        families = families_of(names, training, lexicon, self.neutral_label)
        added = added_features(self.features, lexicon, len(encoder.vocab))
        if not 0 <= self.constituents < np.inf:
            raise ValueError(
                f"constituents must be a weight of at least 0, got {self.constituents!r}"
            )
        gold = np.asarray(labels)
        examples = constituent_examples(training, gold, encoder) if self.constituents else None
        prepared = Prepared(
            training.counts, gold, families, added, training, encoder, idf, None, examples
        )
        return self._weighed(prepared)

    def adapt(self, prepared: Prepared) -> Prepared:
        """What this model needs of a richer preparation, under its own weighting: one set of topics serves many models."""
        idf = idf_of(prepared.training.counts, self.weighting)
        families = tuple(family for family in prepared.families if family.name in self.parts())
        examples = prepared.examples if self.constituents else None
        return self._weighed(prepared._replace(idf=idf, families=families, examples=examples))

    def _weighed(self, prepared: Prepared) -> Prepared:
        """The same under this model's weighting and contrast."""
        counts, examples = prepared.training.counts, prepared.examples
        X = weighted(counts, self.weighting, prepared.idf)
        if examples is not None:
            examples = examples._replace(X=weighted(examples.counts, self.weighting, prepared.idf))
        seen, labels = counts, prepared.labels
        if examples is not None:
            seen = sp.vstack([counts, examples.counts], format="csr")
            labels = np.concatenate([labels, examples.labels])
        contrast = contrast_of(X, seen, labels, self.contrast)
        return prepared._replace(X=X, contrast=contrast, examples=examples)

    def adopt_preparation(self, prepared: Prepared) -> TextClassifier:
        """Take over the vocabulary and idf of prepared data."""
        self.encoder_ = prepared.encoder
        self.idf_ = prepared.idf
        self.width_ = len(prepared.encoder.vocab)
        return self

    def penalty_for(self, prepared: Prepared) -> Penalty:
        """The penalty that the parameters state, on the prepared groups; added features carry only the lasso or ridge."""
        names = self.parts()
        n_words = prepared.X.shape[1]
        n_all = n_words + sum(part.shape[1] for part in prepared.added)
        strength = {name: self._strength_of(name) for name in names}
        if self.values is not None and (
            names[0] not in PLAIN or self.contrast or self.features or self.refit
        ):
            raise ValueError(
                "values go with the regularizers lasso, ridge and elastic, without contrast, features and refit"
            )
        if names[0] in PLAIN:
            makers: dict[str, Callable[[float], ElasticNet]] = {
                "lasso": L1,
                "ridge": Ridge,
                "elastic": partial(_elastic, self.lasso),
            }
            penalty = makers[names[0]](strength[names[0]])
            return penalty if self.values is None else Discrete.under(penalty, self.values)
        terms: list[Penalty] = [_elastic(self.lasso, self.ridge) if self.ridge else L1(self.lasso)]
        for family in prepared.families:
            groups = family.groups if n_all == n_words else _wider(family.groups, n_all)
            terms.append(OverlapGroupLasso(groups, strength=strength[family.name]))
        return PenaltySum(terms)

    def _strength_of(self, name: str) -> float:
        if isinstance(self.strength, Mapping):
            if name not in self.strength:
                raise ValueError(
                    f"strength has no entry for {name!r}; it has {sorted(self.strength)}"
                )
            return float(self.strength[name])
        return float(self.strength)

    def fit(
        self,
        documents: Sequence[Any],
        labels: Sequence[Any],
        callback: Callback | None = None,
    ) -> TextClassifier:
        """Learn the weights of words. A callback sees the Event of each step and may stop the fit by returning True."""
        prepared = self.prepare(documents, labels)
        return self.fit_prepared(prepared, callback=callback).describe_groups(prepared)

    def fit_prepared(
        self,
        prepared: Prepared,
        start: Array | None = None,
        callback: Callback | None = None,
    ) -> TextClassifier:
        """Learn the weights for the present strengths from prepared data, from a warm start if one is given."""
        self.adopt_preparation(prepared)
        inner = SparseClassifier(
            self.penalty_for(prepared), tol=self.tol, max_iter=self.max_iter, n_jobs=self.n_jobs
        )
        inner.set_params(class_weight=self.class_weight)
        X, labels, weight = training_rows(prepared, self.constituents)
        problem = inner.build_problem(X, labels, weight)
        inner.adopt(problem, inner.solve(problem, start, callback))
        self.n_features_total_ = X.shape[1]
        self.n_features_selected_ = inner.n_selected_
        self.classes_ = inner.classes_
        self.solution_ = inner.result_.x
        self.certificate_ = inner.certificate_
        self.objective_ = inner.objective_
        self.converged_ = inner.converged_
        self.interrupted_ = inner.result_.interrupted
        self.n_iter_ = inner.n_iter_
        self.loss_ = inner.loss_
        self.families_ = prepared.families
        self._adopt_weights(inner.coef_, inner.intercept_, prepared)
        if self.refit is not None:
            self.__dict__.update(self.refitted(prepared, self.refit, callback).__dict__)
        return self

    def refitted(
        self,
        prepared: Prepared,
        strength: float,
        callback: Callback | None = None,
    ) -> TextClassifier:
        """The same features with weights under a ridge of `strength` alone, since what chose them also shrank them.

        The objective remains that of the choice; certificate and convergence are the worse of the two fits.
        """
        if not 0 < strength < np.inf:
            raise ValueError(
                f"refit must be None or the strength of a ridge above 0, got {strength!r}"
            )
        model = copy(self).set_params(refit=strength)
        if self.n_features_selected_ == 0 or self.interrupted_:
            return model
        n_all, n_outputs = self.n_features_total_, self.coef_.shape[0]
        kept = np.flatnonzero(
            np.any(self.solution_[: n_all * n_outputs].reshape(n_all, n_outputs) != 0, axis=1)
        )
        X, labels, weight = training_rows(prepared, self.constituents)
        inner = SparseClassifier(
            Ridge(strength), tol=self.tol, max_iter=self.max_iter, n_jobs=self.n_jobs
        )
        inner.set_params(class_weight=self.class_weight)
        problem = inner.build_problem(X[:, kept], labels, weight)
        inner.adopt(problem, inner.solve(problem, None, callback))
        weights = np.zeros((n_outputs, n_all))
        weights[:, kept] = inner.coef_
        model.certificate_ = max(self.certificate_, inner.certificate_)
        model.converged_ = self.converged_ and inner.converged_
        model.interrupted_ = inner.result_.interrupted
        model.n_iter_ = self.n_iter_ + inner.n_iter_
        model._adopt_weights(weights, inner.intercept_, prepared)
        return model

    def _adopt_weights(self, weights: Array, intercept: Array, prepared: Prepared) -> None:
        """Weights of words out of weights of scaled words and of added features, and the groups that hold any."""
        first = prepared.X.shape[1]
        self.coef_ = weights[:, :first] * (1.0 if prepared.contrast is None else prepared.contrast)
        for part in prepared.added:
            # An added feature is a sum of words, so its weight is a weight on each of them.
            self.coef_ += (part @ weights[:, first : first + part.shape[1]].T).T
            first += part.shape[1]
        self.intercept_ = intercept
        self.selected_ = self._selected(prepared.families)
        self.groups_ = {
            name: GroupSummary(len(kept), int(kept.sum())) for name, kept in self.selected_.items()
        }

    def describe_groups(self, prepared: Prepared) -> TextClassifier:
        """Add to groups_ a few kept and dropped groups in words; apart from fitting, since a tuned grid needs it once."""
        for family in prepared.families:
            self.groups_[family.name] = with_examples(
                self.groups_[family.name], family, prepared.training, self.boundary, self.coef_
            )
        return self

    def _selected(self, families: Sequence[Family]) -> dict[str, NDArray[np.bool_]]:
        """Which groups of each regularizer hold a weight that is not zero."""
        alive = self.alive().astype(np.float64)
        chosen = {}
        for family in families:
            index, inner = OverlapGroupLasso(family.groups).copied()
            chosen[family.name] = inner.norms(alive[index]) > 0
        return chosen


def _elastic(lasso: float, ridge: float) -> ElasticNet:
    total = lasso + ridge
    return ElasticNet(total, l1_ratio=lasso / total if total > 0 else 0.0)


def _wider(groups: Any, n_features: int) -> Any:
    """The same groups over more features."""
    return type(groups)(groups.index, groups.ptr, groups.weight, n_features, groups.parent)
