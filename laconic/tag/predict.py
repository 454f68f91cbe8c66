"""Predicting with a tagger: best labels, marginals, several best sequences, fixed and forbidden labels, scores, inspection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from laconic.core.inference import chain
from laconic.core.inference.chain import Chains
from laconic.core.ragged import cut
from laconic.core.report import Reported
from laconic.models.save import Saved
from laconic.tag.weights import TagWeights
from laconic.text.labels import allowed_ends, allowed_transitions, convert_labels
from laconic.text.metrics import chunk_scores
from laconic.text.sequences import SequenceEncoder, TokenColumns
from laconic.text.templates import BIAS, PAIRS, Templates

Labels = list[list[str]]


# Whether a token with a letter opens a chunk (B), goes on with one (I), or may do either.
ROLES = {
    "IOB1": {"B": "B", "I": "BI"},
    "IOB2": {"B": "B", "I": "I"},
    "BIOES": {"B": "B", "I": "I", "E": "I", "S": "B", "L": "I", "U": "B"},
    "plain": {},
}


def flat_labels(tokens: TokenColumns, y: Any) -> list[str]:
    """The labels of all sentences one after the other; ValueError if there is not one a token."""
    lengths = np.diff(tokens.ptr).tolist()
    if len(y) != len(lengths):
        raise ValueError(f"there are {len(lengths)} sentences, but labels for {len(y)}")
    for s, (labels, length) in enumerate(zip(y, lengths, strict=True)):
        if isinstance(labels, str):
            raise ValueError(
                f"sentence {s} needs a list of labels, one a token, but has the string {labels!r}"
            )
        if len(labels) != length:
            raise ValueError(f"sentence {s} has {length} tokens, but {len(labels)} labels")
    return [str(label) for labels in y for label in labels]


class Ranked(NamedTuple):
    """One of the best label sequences of a sentence and its score."""

    labels: list[str]
    score: float


class TagPredictor(Reported, Saved, BaseEstimator):
    """The parameters of a tagger (see Tagger), and what it does once it is fitted."""

    classes_: NDArray[Any]
    templates_: Templates
    encoder_: SequenceEncoder
    weights_: TagWeights
    templates_given_: Templates
    scheme_: Any
    given_scheme_: Any
    _kernel: Any

    def __init__(
        self,
        templates: Any = "chunking",
        learner: Any = None,
        refit: Any = None,
        refit_features: str = "templates",
        columns: Sequence[str] = ("word", "pos"),
        scheme: str | None = None,
        clusters: Any = None,
        constrained: bool = False,
        n_jobs: int | None = None,
    ):
        self.templates = templates
        self.learner = learner
        self.refit = refit
        self.refit_features = refit_features
        self.columns = columns
        self.scheme = scheme
        self.clusters = clusters
        self.constrained = constrained
        self.n_jobs = n_jobs

    def predict(self, X: Any, fixed: Sequence[Sequence[str | None]] | None = None) -> Labels:
        """The best labels of every sentence. `fixed` gives labels that are known beforehand, None where they are not."""
        tokens = self._tokens(X)
        return list(cut(self.predict_flat(tokens, fixed), tokens.ptr))

    def predict_flat(
        self, tokens: TokenColumns, fixed: Sequence[Sequence[str | None]] | None = None
    ) -> list[str]:
        """The labels of all tokens one after the other, in the scheme of the training data."""
        check_is_fitted(self)
        columns, ptr = self.encoder_.encode(tokens)
        if fixed is None and not self.constrained:
            ids = self._kernel.tag(columns, ptr, self._n_threads())
        else:
            chains = self._restrict(self._chains(columns, ptr), fixed)
            ids, score = chain.best(chains, self._n_threads())
            if not np.all(np.isfinite(score)):
                where = int(np.flatnonzero(~np.isfinite(score))[0])
                raise ValueError(
                    f"sentence {where}: no sequence of labels agrees with what is fixed or allowed"
                )
        return self._given(self.classes_[ids].tolist(), ptr)

    def predict_marginals(self, X: Any) -> list[NDArray[np.float64]]:
        """Probabilities of the labels `classes_` at every token of each sentence, (length, L): those of a CRF with these weights."""
        tokens = self._tokens(X)
        chains = self._chains(*self.encoder_.encode(tokens))
        if self.constrained:
            chains = self._restrict(chains, None)
        node = chain.marginals(chains, self._n_threads()).node
        return np.split(node, tokens.ptr[1:])[:-1]

    def predict_k_best(self, X: Any, k: int) -> list[list[Ranked]]:
        """Up to k different label sequences for each sentence, best first."""
        tokens = self._tokens(X)
        chains = self._chains(*self.encoder_.encode(tokens))
        if self.constrained:
            chains = self._restrict(chains, None)
        answers = []
        for paths, scores in chain.k_best(chains, k, self._n_threads()):
            ptr = np.array([0, paths.shape[1]])
            ranked: dict[tuple[str, ...], float] = {}
            for path, score in zip(paths, scores.tolist(), strict=True):
                # Different sequences may come out the same in the scheme of the training data: the best of them counts.
                ranked.setdefault(tuple(self._given(self.classes_[path].tolist(), ptr)), score)
            answers.append([Ranked(list(labels), score) for labels, score in ranked.items()])
        return answers

    def score(self, X: Any, y: Any) -> float:
        """F1 of chunks, or the share of right labels where labels are not of chunks."""
        tokens = self._tokens(X)
        gold, found = flat_labels(tokens, y), self.predict_flat(tokens)
        if self.given_scheme_ == "plain":
            return float(np.mean(np.array(gold) == np.array(found))) if gold else 0.0
        return chunk_scores(gold, found, tokens.ptr).f1

    def feature_names(self, template: int, rows: Any = slice(None)) -> Iterable[str]:
        """The kept features of a template (or the numbered ones) as text, such as word[-1]=the|pos[0]=NN."""
        atoms = self.templates_[template].atoms
        pairs = PAIRS if self.templates_[template].pairs else ""
        for values in self.weights_.atoms[template][rows].tolist():
            named = (
                f"{atom}={self.encoder_.value_name(atom.view, v)}"
                for atom, v in zip(atoms, values, strict=True)
            )
            yield pairs + ("|".join(named) or BIAS)

    def _tokens(self, X: Any) -> TokenColumns:
        check_is_fitted(self)
        return X if isinstance(X, TokenColumns) else TokenColumns.from_sentences(X, self.columns)

    def _n_threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def _chains(self, columns: NDArray[np.int32], ptr: NDArray[np.int64]) -> Chains:
        scores = self._kernel.scores(columns, ptr, self._n_threads()).reshape(
            -1, len(self.classes_)
        )
        if not self._kernel.has_pairs:
            return Chains.make(scores, ptr, self.weights_.edge, self.weights_.start)
        size = len(self.classes_)
        edges = self._kernel.edges(columns, ptr, self._n_threads()).reshape(-1, size, size)
        return Chains.make(scores, ptr, edges, self.weights_.start)

    def _restrict(self, chains: Chains, fixed: Sequence[Sequence[str | None]] | None) -> Chains:
        """Only what the scheme allows (if constrained) and what is fixed."""
        labels = self.classes_.tolist()
        allowed = np.ones(chains.scores.shape, dtype=bool)
        # What is fixed is in the scheme of the training data: the way back to it must keep labels what they are.
        constrained = self.constrained or (fixed is not None and self.scheme_ != self.given_scheme_)
        moves = allowed_transitions(labels, self.scheme_ if constrained else "plain")
        if constrained:
            last = chains.ptr[1:][np.diff(chains.ptr) > 0] - 1
            allowed[last] &= allowed_ends(labels, self.scheme_)
        if fixed is not None:
            if [len(sentence) for sentence in fixed] != np.diff(chains.ptr).tolist():
                raise ValueError(
                    "fixed must have an entry for every token: a label, or None where it is not known"
                )
            flat = [label for sentence in fixed for label in sentence]
            agreeing = {
                label: self._agreeing(label) for label in dict.fromkeys(flat) if label is not None
            }
            for token, label in enumerate(flat):
                if label is not None:
                    allowed[token] &= agreeing[label]
        return chains.allow(allowed, moves[:-1], moves[-1])

    def _agreeing(self, label: str) -> NDArray[np.bool_]:
        """Which of the classes may stand for a label in the scheme of the training data."""
        agrees = self.classes_ == label
        if self.scheme_ != self.given_scheme_:
            kind, role = label[1:], ROLES[self.given_scheme_].get(label[:1], "O")
            of_class = [
                ROLES[self.scheme_].get(name[:1], "O") if name[1:] == kind else ""
                for name in self.classes_.tolist()
            ]
            agrees = np.array([not set(role).isdisjoint(other) for other in of_class])
        if not agrees.any():
            raise ValueError(f"the fixed label {label!r} was not seen in training")
        return agrees

    def _given(self, labels: list[str], ptr: NDArray[np.int64]) -> list[str]:
        return (
            labels
            if self.scheme_ == self.given_scheme_
            else convert_labels(labels, ptr, self.given_scheme_)
        )
