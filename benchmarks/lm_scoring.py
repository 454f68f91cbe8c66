"""Kneser-Ney on whole corpora, words scored in a second, and sizes of files, beside KenLM where it
is installed.

KenLM's Python package scores; its programs `lmplz` and `build_binary` are used where they are found
on the path.
"""

from __future__ import annotations

import importlib.util
import math
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.lm_texts import Sentences, penn, sentences
from benchmarks.page import table
from benchmarks.timing import cpu_seconds_so_far, interleaved
from laconic import KneserNey, LanguageModel
from laconic.lm.arpa import read_arpa
from laconic.lm.backoff import arpa_of

ORDER = 5
TEXT = """\
## Kneser-Ney beside KenLM

Modified Kneser-Ney on one thread. `lmplz` gets the same lines with `<unk>` spelled `<UNK>`, which \
makes it a word like others, as it is here; the largest difference is
that of log10 probabilities over all n-grams, and `lmplz` uses several threads and the disk.
"""
SCORING = """\
## Words a second

The test part of the Penn Treebank text, {words:,} words and ends of sentences, by the Kneser-Ney \
model of order {order} of its training part; KenLM reads our ARPA file. Words for each CPU second \
of one thread, best of
{repeats} turns taken one after the other:
"""
SIZES = """
### Size

The same model as files and pruned (contexts weighed by the training text):
"""


def section(data: Path, quick: bool = False) -> str:
    """Training, what comes out, and files, beside KenLM's programs."""
    corpora = {
        "Penn Treebank": penn(data),
        "WikiText-2": sentences(data / "wikitext2" / "wiki.train.tokens.gz"),
    }
    if quick:
        corpora = {name: text[:2000] for name, text in corpora.items()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, test = _model_and_test(data, quick)
        return "\n".join(
            [
                TEXT,
                training(corpora, folder),
                SIZES,
                sizes(model, corpora["Penn Treebank"], test, folder),
            ]
        )


def speed(data: Path, quick: bool = False) -> str:
    """The section on scoring, beside KenLM's Python package."""
    with tempfile.TemporaryDirectory() as name:
        return "\n".join(scoring(*_model_and_test(data, quick), Path(name)))


def _model_and_test(data: Path, quick: bool) -> tuple[LanguageModel, Sentences]:
    model = LanguageModel(ORDER, KneserNey()).fit(penn(data)[: 2000 if quick else None])
    return model, penn(data, "test")[: 500 if quick else None]


def training(corpora: dict[str, Sentences], folder: Path) -> str:
    """Return CPU seconds from lists of words to a model, and the difference to `lmplz`."""
    rows = []
    for name, text in corpora.items():
        began = cpu_seconds_so_far()
        model = LanguageModel(ORDER, KneserNey()).fit(_spelled(text))
        seconds = cpu_seconds_so_far() - began
        rows.append(
            [name, sum(map(len, text)), sum(model.n_ngrams_), seconds, *_lmplz(model, text, folder)]
        )
    return table(["text", "words", "n-grams", "CPU s", "lmplz, CPU s", "largest difference"], rows)


def _spelled(text: Sentences) -> list[str]:
    return [" ".join("<UNK>" if word == "<unk>" else word for word in words) for words in text]


def _lmplz(model: LanguageModel, text: Sentences, folder: Path) -> tuple[float, float]:
    """CPU seconds of lmplz and the largest difference of a log10 probability.

    NaN where it is not installed.
    """
    if shutil.which("lmplz") is None:
        return math.nan, math.nan
    lines, arpa = folder / "lines.txt", folder / "lmplz.arpa"
    lines.write_text("\n".join(_spelled(text)) + "\n", encoding="utf-8")
    began = cpu_seconds_so_far()
    command = [
        "lmplz",
        "-o",
        str(ORDER),
        "-S",
        "1G",
        "-T",
        str(folder),
        "--discount_fallback",
        "--text",
        str(lines),
        "--arpa",
        str(arpa),
    ]
    subprocess.run(command, check=True, capture_output=True)
    seconds = cpu_seconds_so_far() - began
    ours, theirs = arpa_of(model.model_, model.encoder_.words), read_arpa(arpa)
    number = {word: i for i, word in enumerate(ours.vocabulary)}
    worst = 0.0
    for mine, other in zip(ours.tables, theirs.tables, strict=True):
        known = dict(zip(map(tuple, mine.words.tolist()), mine.log10_prob.tolist(), strict=True))
        for words, prob in zip(other.words.tolist(), other.log10_prob.tolist(), strict=True):
            ngram = tuple(number[theirs.vocabulary[word]] for word in words)
            if ngram != (number["<s>"],):  # which nobody asks for
                worst = max(worst, abs(known[ngram] - prob))
    return seconds, worst


def scoring(model: LanguageModel, test: Sentences, folder: Path) -> list[str]:
    """Words a second: all at once from ids, from strings, and word by word."""
    lines, encoded, repeats = [" ".join(words) for words in test], model.encoder_.encode(test), 5

    def word_by_word() -> None:
        for words in test:
            state = model.start()
            for word in words:
                state, _ = model.score(state, word)
            model.score(state, "</s>")

    competitors: dict[str, Callable[[], Any]] = {
        "laconic: evaluate(ids)": lambda: model.evaluate(encoded),
        "laconic: evaluate(strings)": lambda: model.evaluate(lines),
        "laconic: log_prob(string)": lambda: [model.log_prob(line) for line in lines],
        "laconic: score(state, word)": word_by_word,
    }
    note = "\nThe package kenlm is not installed: rows of it are missing."
    if importlib.util.find_spec("kenlm") is not None:
        model.to_arpa(folder / "ours.arpa")
        peer = _kenlm(folder / "ours.arpa", lines, test)
        note = (
            "\nlog10 probability of the text: "
            f"{model.evaluate(lines).log_prob / math.log(10):.3f}, by KenLM "
            f"{sum(peer.pop('total')()):.3f}."
        )
        competitors |= peer
    times = interleaved(competitors, repeats, clock=time.thread_time)
    rows = [[name, f"{len(encoded.tokens) / each.best:,.0f}"] for name, each in times.items()]
    return [
        SCORING.format(words=len(encoded.tokens), order=ORDER, repeats=repeats),
        table(["how", "words a second"], rows),
        note,
    ]


def _kenlm(arpa: Path, lines: list[str], test: Sentences) -> dict[str, Callable[[], Any]]:
    import kenlm

    peer = kenlm.Model(str(arpa))

    def word_by_word() -> None:
        state, after = kenlm.State(), kenlm.State()
        for words in test:
            peer.BeginSentenceWrite(state)
            for word in [*words, "</s>"]:
                peer.BaseScore(state, word, after)
                state, after = after, state

    return {
        "total": lambda: [peer.score(line) for line in lines],
        "kenlm: score(string)": lambda: [peer.score(line) for line in lines],
        "kenlm: full_scores(string)": lambda: [list(peer.full_scores(line)) for line in lines],
        "kenlm: BaseScore(state, word)": word_by_word,
    }


def sizes(model: LanguageModel, train: Sentences, test: Sentences, folder: Path) -> str:
    """Megabytes of files, and perplexities after pruning."""
    rows = []
    n_all = sum(model.n_ngrams_)
    for size in (
        n_all,
        *(n for n in (1_000_000, 300_000, 100_000, 30_000) if len(model.encoder_) < n < n_all),
    ):
        began = time.process_time()
        each = model if size == n_all else model.prune(size, train)
        seconds = time.process_time() - began
        each.save(folder / "model")
        each.to_arpa(folder / "model.arpa")
        megabytes = [(folder / name).stat().st_size / 1e6 for name in ("model", "model.arpa")]
        rows.append(
            [
                f"{size:,}",
                f"{each.perplexity(test):.1f}",
                seconds if each is not model else math.nan,
                *megabytes,
                _binary(folder),
            ]
        )
    return table(
        [
            "n-grams",
            "perplexity",
            "CPU s of pruning",
            "model file, MB",
            "ARPA file, MB",
            "KenLM binary, MB",
        ],
        rows,
    )


def _binary(folder: Path) -> float:
    """Megabytes of the file that KenLM makes of the ARPA file; NaN where it is not installed."""
    if shutil.which("build_binary") is None:
        return math.nan
    target = folder / "model.binary"
    subprocess.run(
        ["build_binary", str(folder / "model.arpa"), str(target)], check=True, capture_output=True
    )
    return target.stat().st_size / 1e6
