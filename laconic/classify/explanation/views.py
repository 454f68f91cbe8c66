"""An explanation of a document as lines of text, whose words are marked by what they add."""

from __future__ import annotations

from typing import Any, NamedTuple

from laconic.classify.explanation.contributions import Explanation


class MarkedPiece(NamedTuple):
    """A piece of a sentence and its share of the largest contribution of a word, -1 to 1."""

    text: str
    share: float


class SentenceView(NamedTuple):
    """A sentence cut at its words, and what it adds."""

    contribution: float
    pieces: list[MarkedPiece]


def marked_sentences(explanation: Explanation, label: object = None) -> list[SentenceView]:
    """Return the sentences with the words marked by what they add to the score of a label."""
    k = explanation.place(label)
    by_word, by_sentence = explanation.by_word[k], explanation.by_sentence[k].tolist()
    largest = float(abs(by_word).max(initial=0.0)) or 1.0
    share = (by_word / largest).tolist()
    return [
        SentenceView(
            total, [MarkedPiece(p.text, share[p.word] if p.word >= 0 else 0.0) for p in pieces]
        )
        for total, pieces in zip(by_sentence, explanation.pieces(), strict=True)
    ]


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign; 0 has none.

    >>> signed(1.234), signed(-0.5), signed(0.0001)
    ('+1.23', '-0.50', '0.00')
    """
    shown = f"{value:+.{digits}f}"
    return shown.lstrip("+-") if float(shown) == 0 else shown


def score_line(explanation: Explanation, label: object = None) -> str:
    """Return the score of a label as the sum that it is, and what it means."""
    k = explanation.place(label)
    score, intercept = float(explanation.scores[k]), float(explanation.intercepts[k])
    total = f"{signed(score)} = {signed(intercept)} {signed(score - intercept)}"
    meaning = "score"
    if explanation.given is not None:
        meaning = "log-odds"
    elif len(explanation.labels) == 2:
        meaning = f"log-odds against {explanation.labels.tolist()[1 - k]}"
    parts = "intercept, words and columns" if explanation.columns else "intercept, words"
    return f"{meaning} {total} ({parts})"


def label_rows(explanation: Explanation, n: int) -> list[dict[str, Any]]:
    """Return the most probable labels with their scores."""
    names = explanation.labels.tolist()
    return [
        {
            "label": names[k],
            "probability": float(explanation.probabilities[k]),
            "score": float(explanation.scores[k]),
            "intercept": float(explanation.intercepts[k]),
        }
        for k in explanation.order[:n].tolist()
    ]
