"""TextClassifier: documents in, labels out, with what is known about the text as the regularizer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from laconic.estimators import structure
from laconic.estimators.linear import SparseClassifier
from laconic.estimators.structure import PLAIN, STRUCTURED, Family, Training
from laconic.estimators.summary import GroupSummary, with_examples
from laconic.penalties import L1, ElasticNet, OverlapGroupLasso, Penalty, PenaltySum, Ridge
from laconic.solvers import Progress
from laconic.text.documents import DocumentEncoder
from laconic.text.io import PathLike

Array = NDArray[np.float64]
TFIDF = ("tfidf", "logtfidf")
WEIGHTINGS = ("count", "binary", *TFIDF)


class Prepared(NamedTuple):
    """Everything of a fit that does not depend on strengths: matrix, labels, groups, and maps of added features."""

    X: sp.csr_matrix
    labels: NDArray
    families: tuple[Family, ...]
    added: tuple[sp.csr_matrix, ...]
    training: Training
    encoder: DocumentEncoder
    idf: Array | None


class TextClassifier(ClassifierMixin, BaseEstimator):
    """min_w sum_d log-loss(y_d, x_d w + b) + sum_r strength_r Omega_r(w) + lasso |w|_1 + ridge |w|^2 / 2 over bags of words.

    Parameters
    ----------
    regularizer : "lasso", "ridge", "elastic", "sentence", "tree", "topics", "brown", or a sum such as "sentence+topics"
    strength : float, or a mapping from regularizer to float; for lasso, ridge and elastic the strength of that penalty
    lasso : float, the extra lasso term of elastic and of all structured regularizers
    ridge : float, an extra ridge term of the structured regularizers
    weighting : "count", "binary", "tfidf", or "logtfidf", which takes 1 + log(count) for the count
    ngrams : int, features are n-grams up to this length
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
    ):
        self.regularizer = regularizer
        self.strength = strength
        self.lasso = lasso
        self.ridge = ridge
        self.weighting = weighting
        self.ngrams = ngrams
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

    def parts(self) -> list[str]:
        """The regularizers of the sum, checked."""
        names = [name.strip() for name in str(self.regularizer).split("+")]
        for name in names:
            if name not in PLAIN + STRUCTURED:
                raise ValueError(f"regularizer is a sum of {', '.join(PLAIN + STRUCTURED)}; got {self.regularizer!r}")
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
        documents = list(documents)
        if len(documents) != len(labels):
            raise ValueError(f"there are {len(documents)} documents but {len(labels)} labels")
        if not documents:
            raise ValueError("there are no documents to learn from")
        encoder = DocumentEncoder(self.lowercase, self.ngrams, self.boundary)
        encoded = encoder.grow(documents, self.min_count)
        n = len(encoder.vocab)
        if n == 0:
            raise ValueError("the documents hold no words (tokens of two or more letters or digits)")
        training = Training(documents, encoded, encoded.counts(n), encoder.vocab)
        idf = self._idf(training.counts)
        wanted = {*names, *self.features}
        topics = structure.topics_of(training, self.n_topics, self.n_top, self.random_state) if "topics" in wanted else None
        clusters = structure.clusters_of(training, self.clusters, self.n_clusters) if "brown" in wanted else None
        families: list[Family] = []
        for name in names:
            if name == "sentence":
                families.append(structure.sentence_family(training))
            elif name == "tree":
                families.append(structure.tree_family(training, self.neutral_label))
            elif name == "topics" and topics is not None:
                families.append(structure.topic_family(topics, n))
            elif name == "brown" and clusters is not None:
                families.append(structure.brown_family(clusters, n))
        added = []
        for name in self.features:
            if name == "topics" and topics is not None:
                added.append(structure.topic_features(topics, n))
            elif name == "brown" and clusters is not None:
                added.append(structure.cluster_features(clusters, n))
            else:
                raise ValueError(f"features is a tuple of 'topics' and 'brown'; got {name!r}")
        X = self._weigh(training.counts, idf)
        return Prepared(X, np.asarray(labels), tuple(families), tuple(added), training, encoder, idf)

    def adapt(self, prepared: Prepared) -> Prepared:
        """What this model needs of a richer preparation, under its own weighting: one set of topics serves many models."""
        idf = self._idf(prepared.training.counts)
        families = tuple(family for family in prepared.families if family.name in self.parts())
        return prepared._replace(X=self._weigh(prepared.training.counts, idf), idf=idf, families=families)

    def adopt_preparation(self, prepared: Prepared) -> TextClassifier:
        """Take over the vocabulary and idf of prepared data."""
        self.encoder_ = prepared.encoder
        self.idf_ = prepared.idf
        self.width_ = len(prepared.encoder.vocab)
        return self

    def _idf(self, counts: sp.csr_matrix) -> Array | None:
        if self.weighting not in TFIDF:
            return None
        in_documents = np.bincount(counts.indices, minlength=counts.shape[1])
        return np.log((1 + counts.shape[0]) / (1 + in_documents)) + 1

    def _weigh(self, counts: sp.csr_matrix, idf: Array | None) -> sp.csr_matrix:
        """Counts as they are, as 0/1, or as tf-idf with rows of length 1."""
        X = counts.astype(np.float64)
        if self.weighting == "binary":
            X.data[:] = 1.0
        elif self.weighting in TFIDF:
            if self.weighting == "logtfidf":
                X.data = 1.0 + np.log(X.data)
            X = X @ sp.diags(idf)
            length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
            X = sp.diags(1.0 / np.where(length > 0, length, 1.0)) @ X
        return sp.csr_matrix(X)

    def penalty_for(self, prepared: Prepared) -> Penalty:
        """The penalty that the parameters state, on the prepared groups; added features carry only the lasso or ridge."""
        names = self.parts()
        n_words = prepared.X.shape[1]
        n_all = n_words + sum(part.shape[1] for part in prepared.added)
        strength = {name: self._strength_of(name) for name in names}
        if names[0] == "lasso":
            return L1(strength["lasso"])
        if names[0] == "ridge":
            return Ridge(strength["ridge"])
        if names[0] == "elastic":
            return _elastic(self.lasso, strength["elastic"])
        terms: list[Penalty] = [_elastic(self.lasso, self.ridge) if self.ridge else L1(self.lasso)]
        for family in prepared.families:
            groups = family.groups if n_all == n_words else _wider(family.groups, n_all)
            terms.append(OverlapGroupLasso(groups, strength=strength[family.name]))
        return PenaltySum(terms)

    def _strength_of(self, name: str) -> float:
        if isinstance(self.strength, Mapping):
            if name not in self.strength:
                raise ValueError(f"strength has no entry for {name!r}; it has {sorted(self.strength)}")
            return float(self.strength[name])
        return float(self.strength)

    def fit(
        self, documents: Sequence[Any], labels: Sequence[Any], callback: Callable[[Progress], bool | None] | None = None
    ) -> TextClassifier:
        """Learn the weights of words. A callback sees each step's Progress and may stop the fit by returning True."""
        prepared = self.prepare(documents, labels)
        return self.fit_prepared(prepared, callback=callback).describe_groups(prepared)

    def fit_prepared(
        self, prepared: Prepared, start: Array | None = None, callback: Callable[[Progress], bool | None] | None = None
    ) -> TextClassifier:
        """Learn the weights for the present strengths from prepared data, from a warm start if one is given."""
        self.adopt_preparation(prepared)
        X = (
            sp.hstack([prepared.X, *(prepared.X @ part for part in prepared.added)], format="csr")
            if prepared.added
            else prepared.X
        )
        inner = SparseClassifier(self.penalty_for(prepared), tol=self.tol, max_iter=self.max_iter, n_jobs=self.n_jobs)
        inner.set_params(class_weight=self.class_weight)
        problem = inner.build_problem(X, prepared.labels)
        inner.adopt(problem, inner.solve(problem, start, callback))
        self.n_features_total_ = X.shape[1]
        self.n_features_selected_ = inner.n_selected_
        n_words = prepared.X.shape[1]
        self.coef_ = inner.coef_[:, :n_words].copy()
        first = n_words
        for part in prepared.added:
            # An added feature is a sum of words, so its weight is a weight on each of them.
            self.coef_ += (part @ inner.coef_[:, first : first + part.shape[1]].T).T
            first += part.shape[1]
        self.intercept_ = inner.intercept_
        self.classes_ = inner.classes_
        self.solution_ = inner.result_.x
        self.certificate_ = inner.certificate_
        self.objective_ = inner.objective_
        self.converged_ = inner.converged_
        self.interrupted_ = inner.result_.interrupted
        self.n_iter_ = inner.n_iter_
        self.loss_ = inner.loss_
        self.families_ = prepared.families
        self.selected_ = self._selected(prepared.families)
        self.groups_ = {name: GroupSummary(len(kept), int(kept.sum())) for name, kept in self.selected_.items()}
        return self

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

    def alive(self) -> NDArray[np.bool_]:
        """Which features of the vocabulary have a weight that is not zero."""
        alive = np.zeros(len(self.encoder_.vocab), dtype=bool)
        alive[: self.width_] = np.any(self.coef_ != 0, axis=0)
        return alive

    def vectorize(self, documents: Sequence[Any]) -> sp.csr_matrix:
        """Documents x features, weighted as in training."""
        check_is_fitted(self, "encoder_")
        return self.weigh(self.encoder_.encode(list(documents)).counts(len(self.encoder_.vocab)))

    def weigh(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        """Counts of the vocabulary's words as rows of the features that have weights, weighted as in training."""
        X = self._weigh(counts, self.idf_)
        # A loaded tf-idf model knows more words than have weights: they count towards the length of rows alone.
        return X if X.shape[1] == self.width_ else X[:, : self.width_]

    def decision_function(self, documents: Sequence[Any]) -> Array:
        """Scores: (n,) for the second of two classes, (n, K) otherwise."""
        check_is_fitted(self, "coef_")
        return self.score_rows(self.vectorize(documents))

    def score_rows(self, X: sp.csr_matrix) -> Array:
        """decision_function of vectorized documents."""
        scores = X @ self.coef_.T + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, documents: Sequence[Any]) -> NDArray:
        """The most probable label of each document."""
        check_is_fitted(self, "coef_")
        return self.predict_rows(self.vectorize(documents))

    def predict_rows(self, X: sp.csr_matrix) -> NDArray:
        """Predict for vectorized documents."""
        scores = self.score_rows(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    def predict_log_proba(self, documents: Sequence[Any]) -> Array:
        """Log-probabilities of the labels, (n, K)."""
        scores = self.decision_function(documents)
        if scores.ndim == 1:
            scores = np.stack([np.zeros_like(scores), scores], axis=1)
        top = scores.max(axis=1, keepdims=True)
        return scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))

    def predict_proba(self, documents: Sequence[Any]) -> Array:
        """Probabilities of the labels, (n, K)."""
        return np.exp(self.predict_log_proba(documents))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray:
        """Words and n-grams, in the order of the weights."""
        check_is_fitted(self)
        return np.asarray(self.encoder_.vocab.words[: self.width_], dtype=object)

    def save(self, path: PathLike) -> None:
        """Write the model to a file that laconic.load reads: arrays and JSON, without the features that have no weight."""
        from laconic.estimators.storage import save_model  # imported late: storage knows the estimators

        save_model(self, path)


def _elastic(lasso: float, ridge: float) -> ElasticNet:
    total = lasso + ridge
    return ElasticNet(total, l1_ratio=lasso / total if total > 0 else 0.0)


def _wider(groups: Any, n_features: int) -> Any:
    """The same groups over more features."""
    return type(groups)(groups.index, groups.ptr, groups.weight, n_features, groups.parent)
