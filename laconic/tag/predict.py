"""Predicting with a tagger: best labels, marginals, k best sequences, fixed labels, scores."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Array, Bools, Ints, Ints32
from laconic.core.inference import chain
from laconic.core.inference.chain import Chains
from laconic.core.ragged import cut
from laconic.core.report import Reported
from laconic.core.threads import thread_count
from laconic.models.loaded import check_fitted
from laconic.models.save import Saved
from laconic.tag.refit import has_probabilities, no_probabilities
from laconic.text.io import PathLike
from laconic.text.labels import Scheme, allowed_ends, allowed_transitions, convert_labels
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import AUTO, BIAS, PAIRS, Templates
from laconic.text.token_columns import Token, TokenColumns
from laconic.text.views import WordClusters

if TYPE_CHECKING:
    from laconic.models.compact.encoder import CompactEncoder
    from laconic.tag.compact import CompactTagWeights
    from laconic.tag.learn import Learner
    from laconic.tag.training import LabelWeights
    from laconic.tag.weights import TagWeights

TokenSentences: TypeAlias = TokenColumns | Iterable[Sequence[Token]]
FixedLabels: TypeAlias = Sequence[Sequence[str | Collection[str] | None]]
RefitScope: TypeAlias = Literal["templates", "features"]
REFIT_FEATURES: tuple[str, ...] = get_args(RefitScope)

# Whether a label with this letter opens a chunk (B), continues one (I), or may do either.
ROLES = {
    "IOB1": {"B": "B", "I": "BI"},
    "IOB2": {"B": "B", "I": "I"},
    "BIOES": {"B": "B", "I": "I", "E": "I", "S": "B", "L": "I", "U": "B"},
    "plain": {},
}


class RankedLabels(NamedTuple):
    """One of the best label sequences of a sentence, and its score."""

    labels: list[str]
    score: float


class TagPredictor(Reported, Saved):
    """The parameters of a tagger (see Tagger), and what it does once it is fitted."""

    columns_: tuple[str, ...]
    classes_: NDArray[np.str_]
    templates_: Templates
    templates_given_: Templates
    encoder_: SequenceEncoder | CompactEncoder
    weights_: TagWeights | CompactTagWeights
    scheme_: Scheme
    given_scheme_: Scheme
    _kernel: _core.Tagger | _core.CompactTagger

    def __init__(
        self,
        templates: PathLike | Templates = AUTO,
        learner: Learner | str | None = None,
        refit: Learner | str | None = None,
        refit_features: RefitScope = "templates",
        columns: Sequence[str] | None = None,
        scheme: Scheme | None = None,
        clusters: PathLike | WordClusters | None = None,
        constrained: bool = False,
        n_jobs: int | None = None,
        label: str = "label",
        class_weight: LabelWeights | None = None,
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
        self.label = label
        self.class_weight = class_weight

    def predict(self, X: TokenSentences, fixed: FixedLabels | None = None) -> list[list[str]]:
        """Return the best labels of every sentence.

        Parameters
        ----------
        X : list of list of tokens, or TokenColumns
            Sentences.
        fixed : list of list of (str, collection of str or None), optional
            Labels that are known beforehand: one, or those that a token may have; None where
            nothing is known.

        Returns
        -------
        list of list of str
            One label per token, in the scheme of the training data.
        """
        tokens = self._tokens(X)
        return list(cut(self.predict_flat(tokens, fixed), tokens.ptr))

    def _loaded_kernel(self) -> _core.Tagger | _core.CompactTagger:
        """Return the kernel that scores."""
        return self._kernel

    def predict_flat(self, tokens: TokenColumns, fixed: FixedLabels | None = None) -> list[str]:
        """Return the labels of all tokens one after the other; see `predict`."""
        check_fitted(self)
        columns, ptr = self.encoder_.encode(tokens)
        if fixed is None and not self.constrained:
            ids = self._loaded_kernel().tag(columns, ptr, self._n_threads())
        else:
            chains = self._restrict(self._chains(columns, ptr), fixed)
            ids, score = chain.best(chains, self._n_threads())
            if not np.all(np.isfinite(score)):
                where = int(np.flatnonzero(~np.isfinite(score))[0])
                raise ValueError(
                    f"sentence {where}: no sequence of labels agrees with what is fixed or allowed"
                )
        return self._in_given_scheme(self.classes_[ids].tolist(), ptr)

    def predict_proba(self, X: TokenSentences) -> list[Array]:
        """Return the probabilities of labels; see `predict_marginals`, which this is.

        A UserWarning says where they are none: weights that were not learned as a CRF's (by Mira,
        say) rank the labels of a token, but how sure they are has no meaning.

        Parameters
        ----------
        X : list of list of tokens, or TokenColumns
            Sentences.

        Returns
        -------
        list of arrays of shape (length of the sentence, number of classes)
            One column per label of `classes_`.
        """
        check_fitted(self)
        if not has_probabilities(self.report_.learner):
            warnings.warn(no_probabilities(self.report_.learner), UserWarning, stacklevel=2)
        return self.predict_marginals(X)

    def predict_marginals(self, X: TokenSentences) -> list[Array]:
        """Return the marginals of labels in the CRF with these weights, whatever learned them.

        Parameters
        ----------
        X : list of list of tokens, or TokenColumns
            Sentences.

        Returns
        -------
        list of arrays of shape (length of the sentence, number of classes)
            One column per label of `classes_`.
        """
        tokens = self._tokens(X)
        chains = self._chains(*self.encoder_.encode(tokens))
        if self.constrained:
            chains = self._restrict(chains, None)
        node = chain.marginals(chains, self._n_threads()).node
        return np.split(node, tokens.ptr[1:])[:-1]

    def predict_k_best(self, X: TokenSentences, k: int) -> list[list[RankedLabels]]:
        """Return the best label sequences of every sentence.

        Parameters
        ----------
        X : list of list of tokens, or TokenColumns
            Sentences.
        k : int
            Number of sequences per sentence, at most.

        Returns
        -------
        list of list of (labels, score)
            Different sequences, best first.
        """
        tokens = self._tokens(X)
        chains = self._chains(*self.encoder_.encode(tokens))
        if self.constrained:
            chains = self._restrict(chains, None)
        answers = []
        for paths, scores in chain.k_best(chains, k, self._n_threads()):
            ptr = np.array([0, paths.shape[1]])
            ranked: dict[tuple[str, ...], float] = {}
            for path, score in zip(paths, scores.tolist(), strict=True):
                # Sequences may be equal in the scheme of the training data: the best one counts.
                labels = self._in_given_scheme(self.classes_[path].tolist(), ptr)
                ranked.setdefault(tuple(labels), score)
            answers.append([RankedLabels(list(labels), score) for labels, score in ranked.items()])
        return answers

    def score(self, X: TokenSentences, y: Sequence[Sequence[str]]) -> float:
        """Return the F1 of chunks, or the share of right labels where labels are not of chunks.

        Parameters
        ----------
        X : list of list of tokens, or TokenColumns
            Sentences.
        y : list of list of str
            The right labels.
        """
        from laconic.tag.training import flat_labels
        from laconic.text.metrics import chunk_scores

        tokens = self._tokens(X)
        gold, found = flat_labels(tokens, y), self.predict_flat(tokens)
        if self.given_scheme_ == "plain":
            return float(np.mean(np.array(gold) == np.array(found))) if gold else 0.0
        return chunk_scores(gold, found, tokens.ptr).f1

    def feature_names(self, template: int, rows: Sequence[int] | None = None) -> Iterable[str]:
        """Yield the kept features of a template as text, such as word[-1]=the|pos[0]=NN.

        Parameters
        ----------
        template : int
            Number of the template in `templates_`.
        rows : sequence of int, optional
            Numbers of features; all of the template if None.
        """
        atoms = self.templates_[template].atoms
        pairs = PAIRS if self.templates_[template].pairs else ""
        every = self.weights_.atoms[template]
        for values in (every if rows is None else every[rows]).tolist():
            named = (
                f"{atom}={self.encoder_.value_name(atom.view, v)}"
                for atom, v in zip(atoms, values, strict=True)
            )
            yield pairs + ("|".join(named) or BIAS)

    def _tokens(self, X: TokenSentences) -> TokenColumns:
        check_fitted(self)
        return TokenColumns.of(X, self.columns_)

    def _n_threads(self) -> int:
        return thread_count(self.n_jobs)

    def _chains(self, columns: Ints32, ptr: Ints) -> Chains:
        scores = (
            self._loaded_kernel()
            .scores(columns, ptr, self._n_threads())
            .reshape(-1, len(self.classes_))
        )
        if not self._loaded_kernel().has_pairs:
            return Chains.make(scores, ptr, self.weights_.edge, self.weights_.start)
        size = len(self.classes_)
        edges = self._loaded_kernel().edges(columns, ptr, self._n_threads()).reshape(-1, size, size)
        return Chains.make(scores, ptr, edges, self.weights_.start)

    def _restrict(self, chains: Chains, fixed: FixedLabels | None) -> Chains:
        """Return chains with only what is fixed and, if constrained, what the scheme allows."""
        labels = self.classes_.tolist()
        allowed = np.ones(chains.scores.shape, dtype=bool)
        # Fixed labels are in the scheme of the training data: converting back must not change them.
        constrained = self.constrained or (fixed is not None and self.scheme_ != self.given_scheme_)
        moves = allowed_transitions(labels, self.scheme_ if constrained else "plain")
        if constrained:
            last = chains.ptr[1:][np.diff(chains.ptr) > 0] - 1
            allowed[last] &= allowed_ends(labels, self.scheme_)
        if fixed is not None:
            if [len(sentence) for sentence in fixed] != np.diff(chains.ptr).tolist():
                raise ValueError(
                    "fixed must have one entry per token: a label, or None where it is not known"
                )
            allowed &= self._allowed([entry for sentence in fixed for entry in sentence])
        return chains.allow(allowed, moves[:-1], moves[-1])

    def _allowed(self, entries: Sequence[str | Collection[str] | None]) -> Bools:
        """Return which classes each token may have, (n_tokens, n_classes)."""
        choices = [
            entry if entry is None else (entry,) if isinstance(entry, str) else tuple(sorted(entry))
            for entry in entries
        ]
        distinct = {choice: k for k, choice in enumerate(dict.fromkeys(choices))}
        table = np.ones((len(distinct), len(self.classes_)), dtype=bool)
        for choice, k in distinct.items():
            if choice is not None:
                parts = [self._agreeing(label) for label in choice]
                table[k] = np.any(parts, axis=0) if parts else False
        rows = np.fromiter(map(distinct.__getitem__, choices), np.intp, len(choices))
        return np.asarray(table[rows])

    def _agreeing(self, label: str) -> Bools:
        """Return which of the classes may stand for a label in the scheme of the training data."""
        if self.scheme_ == self.given_scheme_:
            agrees: Bools = self.classes_ == label
        else:
            kind, role = label[1:], ROLES[self.given_scheme_].get(label[:1], "O")
            of_class = [
                ROLES[self.scheme_].get(name[:1], "O") if name[1:] == kind else ""
                for name in self.classes_.tolist()
            ]
            agrees = np.array([not set(role).isdisjoint(other) for other in of_class])
        if not agrees.any():
            raise ValueError(f"the fixed label {label!r} was not seen in training")
        return agrees

    def _in_given_scheme(self, labels: list[str], ptr: Ints) -> list[str]:
        """Return labels in the scheme of the training data."""
        if self.scheme_ == self.given_scheme_:
            return labels
        return convert_labels(labels, ptr, self.given_scheme_)
