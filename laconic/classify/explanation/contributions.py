"""What each word, phrase and sentence of a document adds to the score of each label, exactly.

    score_k = b_k + sum_f x_f W_kf          x_f: the value of feature f, c_f times in the document

Each of the c_f occurrences adds x_f W_kf / c_f. An n-gram adds to its words in equal parts, a
prefix to its word; a sentence adds what its words add. So words, sentences and features each sum to
the score less its intercept: with tf-idf too, whose row length is one number of the document.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array, Ints
from laconic.models.kind import find
from laconic.text.documents import sentence_text, sentences_of
from laconic.text.frames import DocumentRows
from laconic.text.tokens import word_spans

if TYPE_CHECKING:
    from laconic.classify.predict import TextPredictor

PAGE = "laconic.classify.explanation.page:fragment"  # pages are leaves: nothing imports them
SMALLEST = 1e-300  # sum of two probabilities, so that neither is divided by zero


class FeatureShare(NamedTuple):
    """One feature of a document: times * value * weight = contribution."""

    feature: str
    times: int
    value: float
    weight: float
    contribution: float


class ColumnShare(NamedTuple):
    """A feature beside the text: its value in the document, and its weight for each label (K,)."""

    name: str
    value: float
    weight: Array


class Occurrences(NamedTuple):
    """Where the known features of a document stand, one entry per occurrence.

    feature   id of the feature
    sentence  number of the sentence
    span      (n, 2) the words that it covers, numbered through the document: first, behind last
    """

    feature: Ints
    sentence: Ints
    span: Ints


class Piece(NamedTuple):
    """A piece of a sentence, and the number of the word it is in the document; -1 if it is none."""

    text: str
    word: int


@dataclass(frozen=True)
class Explanation:
    """The score of one document, taken apart.

    Parameters
    ----------
    labels : ndarray of shape (K,)
        The labels of the model.
    scores, intercepts : ndarray of shape (K,)
        Scores of the labels and the part that no word adds. Of two labels, each has the log-odds
        against the other; of more, the difference of two scores is the log-odds between the labels.
    words : list of list of str
        The words of each sentence, as the model reads them.
    texts : list of str
        The sentences as they were written.
    occurrences : Occurrences
        Where the known features stand.
    shares : ndarray of shape (K, n_occurrences)
        What each occurrence adds to the score of each label.
    probabilities : ndarray of shape (K,)
        Probability of each label.
    names : ndarray of str
        Spelling of the feature of each occurrence.
    values : ndarray
        Value of one occurrence of each: x_f / c_f.
    columns : tuple of ColumnShare
        Columns beside the text, and what they add.
    given : tuple or None
        The labels that the document gets where it may have several: then each label has its own
        probability.
    """

    labels: NDArray[Any]
    scores: Array
    intercepts: Array
    words: list[list[str]]
    texts: list[str]
    occurrences: Occurrences
    shares: Array
    probabilities: Array
    names: NDArray[np.object_]
    values: Array
    columns: tuple[ColumnShare, ...] = ()
    given: tuple[Any, ...] | None = None

    @property
    def predicted(self) -> Any:
        """The label with the highest score, or the list of labels above their thresholds."""
        if self.given is not None:
            return list(self.given)
        return self.labels.tolist()[int(self.order[0])]

    @cached_property
    def order(self) -> Ints:
        """Labels from the highest score to the lowest; of equal ones that which `predict` gives."""
        return np.argsort(-self.scores, kind="stable")

    @cached_property
    def by_word(self) -> Array:
        """What each word of the document adds, (K, n_words): its own part and those of phrases."""
        span = self.occurrences.span
        lengths = span[:, 1] - span[:, 0]
        column = np.repeat(np.arange(len(span)), lengths)
        first = np.repeat(span[:, 0] - np.cumsum(lengths) + lengths, lengths)
        word = first + np.arange(int(lengths.sum()))
        spread = sp.csr_matrix(
            (1.0 / np.repeat(lengths, lengths), (column, word)),
            shape=(len(span), sum(map(len, self.words))),
        )
        return np.asarray((spread.T @ self.shares.T).T)

    @cached_property
    def by_sentence(self) -> Array:
        """What each sentence adds, (K, n_sentences)."""
        sums = [
            np.bincount(self.occurrences.sentence, weights=row, minlength=len(self.words))
            for row in self.shares
        ]
        return np.stack(sums)

    def place(self, label: object = None) -> int:
        """Return the row of a label, by default the predicted one; ValueError if there is none."""
        if label is None:
            return int(self.order[0])
        found = np.flatnonzero(self.labels == label)
        if len(found) != 1:
            known = ", ".join(map(str, self.labels))
            raise ValueError(f"the model knows the labels {known}; got {label!r}")
        return int(found[0])

    def features(self, label: object = None) -> list[FeatureShare]:
        """Return the features that have a weight for a label, largest contribution first."""
        row = self.shares[self.place(label)]
        ids, first, inverse = np.unique(
            self.occurrences.feature, return_index=True, return_inverse=True
        )
        k = self.place(label)
        beside = [
            FeatureShare(name, 1, value, float(weight[k]), float(value * weight[k]))
            for name, value, weight in self.columns
            if value * weight[k] != 0
        ]
        total = np.bincount(inverse.ravel(), weights=row, minlength=len(ids))
        count = np.bincount(inverse.ravel(), minlength=len(ids))
        words = [
            FeatureShare(
                str(self.names[first[f]]),
                int(count[f]),
                float(self.values[first[f]]),
                float(row[first[f]] / self.values[first[f]]),
                float(total[f]),
            )
            for f in np.flatnonzero(total).tolist()
        ]
        # Sums of one document's words differ in their last digits between forms of a model.
        return sorted(
            [*words, *beside],
            key=lambda share: (-float(f"{abs(share.contribution):.9g}"), share.feature),
        )

    def against(self, label: object, other: object) -> Explanation:
        """Return the same with the log-odds of `label` against `other` as the score of `label`.

        They are the difference of two scores, hence contributions are differences too.
        """
        first, second = self.place(label), self.place(other)
        if self.given is not None:
            raise ValueError("a document may have several labels, so that none is against another")
        if first == second:
            raise ValueError(f"log-odds are between two labels; got {label!r} twice")
        rows, sign = [second, first], np.array([-1.0, 1.0])
        scores = self.scores[first] - self.scores[second]
        if len(self.labels) == 2:
            scores /= 2
        half = 2 if len(self.labels) == 2 else 1
        intercept = (self.intercepts[first] - self.intercepts[second]) / half
        shares = (self.shares[first] - self.shares[second]) / half
        chances = self.probabilities[rows]
        return Explanation(
            self.labels[rows],
            sign * scores,
            sign * intercept,
            self.words,
            self.texts,
            self.occurrences,
            sign[:, None] * shares,
            chances / max(float(chances.sum()), SMALLEST),
            self.names,
            self.values,
            tuple(
                one._replace(weight=sign * (one.weight[first] - one.weight[second]) / half)
                for one in self.columns
            ),
        )

    def pieces(self) -> list[list[Piece]]:
        """Return the sentences as they were written, cut at their words."""
        cut, first = [], 0
        for text, words in zip(self.texts, self.words, strict=True):
            cut.append(list(_pieces(text, words, first)))
            first += len(words)
        return cut

    def as_dict(self, label: object = None) -> dict[str, Any]:
        """Return label, probabilities and contributions as plain values, as JSON has them."""
        labels = range(len(self.labels)) if label is None else [self.place(label)]
        names = self.labels.tolist()
        return {
            "label": self.predicted,
            "sentences": self.texts,
            "words": [word for sentence in self.words for word in sentence],
            "labels": [
                {
                    "label": names[k],
                    "probability": float(self.probabilities[k]),
                    "score": float(self.scores[k]),
                    "intercept": float(self.intercepts[k]),
                    "sentences": self.by_sentence[k].tolist(),
                    "words": self.by_word[k].tolist(),
                    "features": [share._asdict() for share in self.features(names[k])],
                }
                for k in labels
            ],
        }

    def _repr_html_(self) -> str:
        shown: str = find(PAGE)(self)
        return shown


def column_shares(model: TextPredictor, rows: list[Any]) -> tuple[ColumnShare, ...]:
    """Return the columns of one document, with their weights for each label."""
    weights = model.column_weights_
    if not isinstance(rows, DocumentRows) or weights is None:
        return ()
    if model.one_score:
        weights = np.concatenate([-weights, weights])
    values = model.column_rows(rows).toarray()[0]
    return tuple(map(ColumnShare, model.columns_.names, values.tolist(), weights.T))


def explain_document(model: TextPredictor, rows: list[Any]) -> Explanation:
    """Return what the parts of the one document in `rows` add to the score of each label."""
    check_is_fitted(model, "coef_")
    document = rows[0]
    encoder = model.encoder_
    sentences = sentences_of(document, model.encoder_.boundary)
    words = encoder.sentence_words(document)
    encoded = encoder.encode([document])
    first = np.cumsum([0, *map(len, words)])
    spans = [encoder.spans_of(unit) + first[s] for s, unit in enumerate(words)]
    span = np.concatenate(spans) if spans else np.zeros((0, 2), np.int64)
    sentence = np.repeat(np.arange(len(words)), np.diff(encoded.sentence_ptr))
    row = model.vectorize(rows)
    coef, intercept = model.coef_, np.asarray(model.intercept_)
    width = coef.shape[1]
    known = np.flatnonzero((encoded.feature >= 0) & (encoded.feature < width))
    feature = encoded.feature[known].astype(np.int64)
    value = row.toarray()[0, feature] / np.bincount(feature, minlength=width)[feature]
    scores = model.all_scores(rows)[0]
    probabilities = np.exp(model.log_proba_of(scores[None])[0])
    given = None if model.thresholds_ is None else tuple(model.decide(scores[None])[0])
    spelling = encoder.vocab.words
    names = np.array([spelling[f] for f in feature.tolist()], dtype=object)
    shares = coef[:, feature] * value
    if model.one_score:
        sign = np.array([-1.0, 1.0])
        scores, intercept = sign * scores, sign * intercept
        shares = sign[:, None] * shares
    return Explanation(
        model.classes_,
        scores,
        intercept,
        words,
        [sentence_text(unit) for unit in sentences],
        Occurrences(feature, sentence[known], span[known]),
        shares,
        probabilities,
        names,
        value,
        column_shares(model, rows),
        given,
    )


def _pieces(text: str, words: list[str], first: int) -> Iterable[Piece]:
    """Yield the pieces of a sentence; if its words are not to be found in it, the words."""
    spans = spans_in(text, words)
    if spans is None:
        for number, word in enumerate(words, first):
            yield Piece(word, number)
            yield Piece(" ", -1)
        return
    done = 0
    for number, (start, end) in enumerate(spans, first):
        if start > done:
            yield Piece(text[done:start], -1)
        yield Piece(text[start:end], number)
        done = end
    if done < len(text):
        yield Piece(text[done:], -1)


def spans_in(text: str, words: list[str]) -> list[tuple[int, int]] | None:
    """Return where the words stand in the text, None if some do not."""
    spans = word_spans(text)
    if [text[a:b].lower() for a, b in spans] == [word.lower() for word in words]:
        return spans
    if (some := _in_order(text, spans, words)) is not None:
        return some
    # The lower case of some letters is longer: of every character, the one that it comes from.
    lowered = [character.lower() for character in text]
    origin = [k for k, form in enumerate(lowered) for _ in form]
    whole, found, start = "".join(lowered), [], 0
    for word in words:
        start = whole.find(word.lower(), start)
        if start < 0:
            return None
        found.append((origin[start], origin[start + len(word) - 1] + 1))
        start += len(word)
    return found


def _in_order(
    text: str, spans: list[tuple[int, int]], words: list[str]
) -> list[tuple[int, int]] | None:
    """Return the spans of words where others, such as stop words, stand between them."""
    left, found = iter(spans), []
    for word in words:
        span = next((one for one in left if text[slice(*one)].lower() == word.lower()), None)
        if span is None:
            return None
        found.append(span)
    return found
