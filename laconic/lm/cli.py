"""The verbs for language models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from laconic.cli.console import Bar
from laconic.core.ragged import cut
from laconic.errors import InputError
from laconic.lm.running import END, START, UNKNOWN
from laconic.lm.sentences import iterate_sentences, read_sentences
from laconic.text.io import atomic_writer

if TYPE_CHECKING:
    from laconic.lm.model import LanguageModel

UTF8 = "utf-8"
LN10 = math.log(10)


def predict(
    model: LanguageModel, input_path: str, output: str, bar: Bar, *, encoding: str = UTF8
) -> dict[str, Any]:
    """Write a line for each word and each end of a sentence, a blank line after each sentence.

    A line is the word, its log10 probability and the n-gram that gave it, which shows <unk> for words that the model does not know.
    """
    n_sentences = n_words = n_unknown = 0
    known = model.encoder_.words
    with atomic_writer(output) as stream:
        for batch in iterate_sentences(input_path, encoding):
            text = model.encoder_.encode(batch)
            for sentence, ids, log_probs, lengths in zip(
                batch,
                cut(text.tokens.tolist(), text.ptr),
                model.log_probs(text),
                model.ngram_lengths(text),
                strict=True,
            ):
                seen = [START, *(known[i] for i in ids)]
                rows = zip(
                    [*sentence.split(), END],
                    (log_probs / LN10).tolist(),
                    lengths.tolist(),
                    strict=True,
                )
                for end, (word, log10, length) in enumerate(rows, 2):
                    stream.write(f"{word}\t{log10:.6f}\t{' '.join(seen[end - length : end])}\n")
                stream.write("\n")
                n_unknown += seen.count(UNKNOWN)
            n_sentences, n_words = n_sentences + len(batch), n_words + len(text.tokens) - len(batch)
            bar.describe(f"scoring: {n_sentences:,} sentences, {n_words:,} words")
    return {"sentences": n_sentences, "words": n_words, "unknown": n_unknown}


def evaluate(
    model: LanguageModel, gold_path: str, bar: Bar, *, encoding: str = UTF8
) -> dict[str, Any]:
    """Perplexities, and the size of the model."""
    bar.describe("reading")
    sentences = read_sentences(gold_path, encoding)
    bar.describe("scoring")
    return {**scores(model, sentences), "ngrams": sum(model.n_ngrams_)}


def scores(model: LanguageModel, sentences: list[str]) -> dict[str, Any]:
    """Counts, the log10 probability of all words and ends, and perplexities in four ways of counting."""
    found = model.evaluate(sentences)
    return {
        "sentences": found.sentences,
        "words": found.words,
        "unknown": found.unknown,
        "log10_prob": found.log_prob / LN10,
        "perplexity": found.perplexity(),
        "perplexity_known": found.perplexity(unknown=False),
        "perplexity_without_ends": found.perplexity(ends=False),
        "perplexity_known_without_ends": found.perplexity(unknown=False, ends=False),
    }


def account(model: LanguageModel) -> dict[str, Any]:
    """What was learned: by whom, how well solved, and how much of what there was."""
    report = model.report_
    facts = {"order": model.order, "vocabulary": len(model.encoder_)}
    kept = {"features_nonzero": report.features_kept, "groups_selected": report.groups_kept}
    if not report.learner:
        return {**facts, "learner": None, **kept}
    return {
        **facts,
        "learner": report.learner,
        "objective": report.objective,
        "certificate": report.certificate,
        "passes": report.n_iter,
        "interrupted": report.interrupted,
        "features_total": report.features_total,
        "features_nonzero": report.features_kept,
        "groups_total": report.groups_total,
        "groups_selected": report.groups_kept,
    }


def orders(model: LanguageModel) -> list[dict[str, Any]]:
    """A row for each order of n-grams."""
    from laconic.lm.explain import order_rows

    return [row._asdict() for row in order_rows(model)]


def inspect(
    model: LanguageModel,
    n: int,
    as_json: bool,
    *,
    complete: str | None = None,
    sample: int | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """The longest contexts and the heaviest n-grams; or how a sentence goes on; or sentences drawn from the model."""
    if seed is not None and sample is None:
        raise InputError("--seed goes with --sample.")
    wanted: dict[str, Any] = {}
    if complete is not None:
        wanted["completions"] = _completions(model, complete, n)
    if sample is not None:
        wanted["sentences"] = [
            {"sentence": " ".join(words)} for words in model.sample(sample, seed or 0)
        ]
    if wanted:
        return wanted
    from laconic.lm.explain import heaviest_ngrams, longest_contexts

    longest, heaviest = (
        [row._asdict() for row in rows]
        for rows in (longest_contexts(model, n), heaviest_ngrams(model, n))
    )
    if as_json:
        return {**account(model), "orders": orders(model), "contexts": longest, "ngrams": heaviest}
    return {
        **account(model),
        "n-grams by order": orders(model),
        "longest contexts, and what comes then": longest,
        "n-grams with the largest weights": heaviest,
    }


def export(model: LanguageModel, output: str) -> dict[str, Any]:
    """An ARPA file."""
    model.to_arpa(output)
    return {"ngrams": sum(model.n_ngrams_)}


def _completions(model: LanguageModel, words: str, n: int) -> list[dict[str, Any]]:
    if {START, END} & set(words.split()):
        raise InputError(
            f"--complete takes the first words of a sentence, without {START} or {END}."
        )
    return [
        {"word": word, "probability": math.exp(log_prob), "log10": log_prob / LN10}
        for word, log_prob in (model.complete(words, n) if n else [])
    ]
