"""The commands for language models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.compression import Compression
from laconic.cli.console import Bar
from laconic.cli.options import SENTENCES_HELP, UTF8, Encoding
from laconic.cli.training import fit_facts
from laconic.core.ragged import cut
from laconic.errors import InputError
from laconic.lm.running import END, START, UNKNOWN
from laconic.lm.scores import LN10, model_facts, orders, scores
from laconic.lm.sentences import iterate_sentences, read_sentences
from laconic.lm.train import train as train
from laconic.models.option import Option
from laconic.text.io import atomic_writer

if TYPE_CHECKING:
    from laconic.lm.model import LanguageModel


def predict(
    model: LanguageModel,
    input_path: Annotated[str, Option(SENTENCES_HELP)],
    output: str,
    bar: Bar,
    *,
    per_sentence: Annotated[
        bool,
        Option(
            "Write one line per sentence instead: log10 probability, perplexity, number of words "
            "and of unknown ones, mean length of the n-grams used, sentence."
        ),
    ] = False,
    nbest: Annotated[
        float | None,
        Option(
            "The input holds lists 'number ||| words ||| .. ||| score'; write them with the best "
            "first, scores plus this weight times the log probability of the words.",
            metavar="WEIGHT",
            minimum=0,
        ),
    ] = None,
    lattices: Annotated[
        float | None,
        Option(
            "The input holds word lattices in HTK's format; write 'name ||| words ||| score' of "
            "the best path of each: acoustic scores plus this weight times the log probability of "
            "the words.",
            metavar="WEIGHT",
            minimum=0,
        ),
    ] = None,
    encoding: Encoding = UTF8,
) -> dict[str, Any]:
    """Write one line per word and end of a sentence: word, log10 probability, and n-gram used.

    A blank line follows each sentence; n-grams show <unk> for words that the model does not know.
    """
    if [nbest is not None, lattices is not None, per_sentence].count(True) > 1:
        raise InputError("--nbest, --lattices and --per-sentence do not go with each other.")
    if nbest is not None:
        return _rescore(model, input_path, output, nbest, encoding)
    if lattices is not None:
        return _search(model, input_path, output, lattices, encoding)
    return _scored(model, input_path, output, bar, per_sentence, encoding)


def _scored(
    model: LanguageModel, path: str, output: str, bar: Bar, per_sentence: bool, encoding: str
) -> dict[str, Any]:
    """Write the scores of sentences, and return how many there were."""
    write = _sentence_line if per_sentence else _word_lines
    n_sentences = n_words = n_unknown = 0
    known = model.encoder_.words
    with atomic_writer(output) as stream:
        for batch in iterate_sentences(path, encoding):
            text = model.encoder_.encode(batch)
            for sentence, ids, log_probs, lengths in zip(
                batch,
                cut(text.tokens.tolist(), text.ptr),
                model.log_probs(text),
                model.ngram_lengths(text),
                strict=True,
            ):
                seen = [START, *(known[i] for i in ids)]
                stream.write(write(sentence, seen, (log_probs / LN10).tolist(), lengths.tolist()))
                n_unknown += seen.count(UNKNOWN)
            n_sentences, n_words = n_sentences + len(batch), n_words + len(text.tokens) - len(batch)
            bar.describe(f"scoring: {n_sentences:,} sentences, {n_words:,} words")
    return {"sentences": n_sentences, "words": n_words, "unknown": n_unknown}


def _word_lines(sentence: str, seen: list[str], log10: list[float], lengths: list[int]) -> str:
    """Return a line per word and end of a sentence, and a blank one."""
    rows = zip([*sentence.split(), END], log10, lengths, strict=True)
    return (
        "".join(
            f"{word}\t{each:.6f}\t{' '.join(seen[end - length : end])}\n"
            for end, (word, each, length) in enumerate(rows, 2)
        )
        + "\n"
    )


def _sentence_line(sentence: str, seen: list[str], log10: list[float], lengths: list[int]) -> str:
    """Return the line of a sentence; its end counts as a word in the perplexity."""
    total, n = math.fsum(log10), len(log10)
    numbers = (f"{total:.6f}", f"{10 ** min(-total / n, 300):.6g}", f"{n - 1}")
    mean = f"{sum(lengths) / n:.2f}"
    return "\t".join([*numbers, f"{seen.count(UNKNOWN)}", mean, sentence]) + "\n"


def _rescore(
    model: LanguageModel, input_path: str, output: str, weight: float, encoding: str
) -> dict[str, Any]:
    """Write lists of hypotheses with the best first."""
    from laconic.lm.rescoring import read_lists, rescored

    n_lists = n_changed = 0
    with atomic_writer(output) as stream:
        for hypotheses in read_lists(input_path, encoding):
            ordered = rescored(model, hypotheses, weight)
            stream.writelines(each.line(score) + "\n" for each, score in ordered)
            n_lists, n_changed = n_lists + 1, n_changed + (ordered[0][0] is not hypotheses[0])
    return {"lists": n_lists, "other_best": n_changed}


def _search(
    model: LanguageModel, input_path: str, output: str, weight: float, encoding: str
) -> dict[str, Any]:
    """Write the best path of every lattice."""
    from laconic.lm.lattices import best_path, read_lattices

    n_lattices = n_words = 0
    with atomic_writer(output) as stream:
        for lattice in read_lattices(input_path, encoding):
            best = best_path(model, lattice, weight)
            stream.write(f"{lattice.name} ||| {' '.join(best.words)} ||| {best.score:.6f}\n")
            n_lattices, n_words = n_lattices + 1, n_words + len(best.words)
    return {"lattices": n_lattices, "words": n_words}


def evaluate(
    model: LanguageModel,
    gold: Annotated[str, Option(SENTENCES_HELP)],
    bar: Bar,
    *,
    encoding: Encoding = UTF8,
) -> dict[str, Any]:
    """Return perplexities."""
    bar.describe("reading")
    sentences = read_sentences(gold, encoding)
    bar.describe("scoring")
    return {**scores(model, sentences), "ngrams": model.n_features_selected_}


def inspect(
    model: LanguageModel,
    n: int,
    as_json: bool,
    *,
    complete: Annotated[
        str | None,
        Option("Show the -n most likely words after these, instead.", metavar="WORDS"),
    ] = None,
    sample: Annotated[
        int | None,
        Option("Show this number of sentences drawn from the model, instead.", minimum=1),
    ] = None,
    seed: Annotated[int | None, Option("Seed of --sample.", metavar="N", minimum=0)] = None,
) -> dict[str, Any]:
    """Show the longest contexts and the n-grams with the largest weights."""
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

    facts = {**model_facts(model), **fit_facts(model)}
    longest, heaviest = (
        [row._asdict() for row in rows]
        for rows in (longest_contexts(model, n), heaviest_ngrams(model, n))
    )
    if as_json:
        return {**facts, "orders": orders(model), "contexts": longest, "ngrams": heaviest}
    return {
        **facts,
        "n-grams by order": orders(model),
        "longest contexts, and what comes then": longest,
        "n-grams with the largest weights": heaviest,
    }


def compress(model: LanguageModel, output: str, settings: Compression, bar: Bar) -> dict[str, Any]:
    """Write the n-grams in few bits; the values of each order are learned from its own."""
    from laconic.lm.compact import VALUES, CompactLanguageModel, pack
    from laconic.models.file import save

    given = {
        name for name in ("data", "dev", "eta", "lasso") if getattr(settings, name) is not None
    }
    if given or not settings.names:
        flag = sorted(given)[0] if given else "no-names"
        raise InputError(f"--{flag} does not go with language models, whose values are learned.")
    plain = model.plain() if isinstance(model, CompactLanguageModel) else model
    n_values = settings.values or VALUES
    bar.describe("packing")
    save(output, "lm.compact", *pack(plain, n_values=n_values))
    return {"values": n_values, "ngrams": sum(plain.n_ngrams_), "interrupted": False, "notes": []}


def export(model: LanguageModel, output: str) -> dict[str, Any]:
    """Write an ARPA file."""
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


def answer(model: LanguageModel, given: Any) -> dict[str, Any]:
    """Return the log probability of the words of a text, and the likeliest words after them."""
    if not isinstance(given, str):
        raise InputError("an input is a text, whose words are between blanks.")
    return {"log_prob": model.log_prob(given), "next": dict(model.complete(given))}
