"""The section on defaults: what every learner and penalty reaches on eight texts, with no setting.

Nothing was chosen on the last two texts, nor on the test parts of the others.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.lm_texts import Sentences
from benchmarks.page import table
from laconic import ClassMixture, KneserNey, LanguageModel, LogLinear
from laconic.lm.mixture import all_parts
from laconic.text.docstrings import docstring_corpus

ORDER, MOST, FEW = 5, 60_000, 30_000  # words to learn from; the latter where a run is quick
EVERY, BLOCK = 10, 50  # of texts without a test part every tenth block of 50 lines is one
TOKEN = re.compile(r"\w+|[^\w\s]")
WORDS = "modified Kneser-Ney"
LEARNERS: dict[str, Any] = {
    WORDS: KneserNey(),
    "default": None,
    "Kneser-Ney + classes": ClassMixture(KneserNey()),
    "groups": LogLinear("nested-groups"),
    "ridge": LogLinear("nested-ridge"),
    "lasso": LogLinear("nested-lasso"),
    "tree": LogLinear("nested-tree"),
    "tree-inf": LogLinear("nested-tree-inf"),
}
HELD_BACK = ("Spanish newswire", "Beige Book")
TEXT = """\
## Eight texts with defaults

`LanguageModel(order={order}, learner=..)` with every learner's own defaults, on the first \
{most:,} words of each text. Perplexity of the words that the training text has, and of ends of \
sentences (`perplexity(X, unknown=False)`). Percentages are against modified Kneser-Ney of the \
same order, whose counts and discounts are those of lmplz. `default` is `LanguageModel()`: \
log-linear n-grams mixed with n-grams of 100, 300 and 1,000 classes; `Kneser-Ney + classes` is \
its control, the same mixture without log-linear n-grams, and `groups` is that without classes. \
Defaults were chosen on validation parts of the first six texts; the last two, {held_back}, were \
held back until all was decided.
"""


def corpora(data: Path, most: int) -> Iterator[tuple[str, Sentences, Sentences]]:
    """Yield names, training texts of at most `most` words, and test texts of a third of that."""
    for name, folder, start in (
        ("Penn Treebank", "ptb", "ptb."),
        ("WikiText-2", "wikitext2", "wiki."),
        ("Reuters-21578", "reuters21578", "reuters."),
        ("BBC news", "bbc_news", "bbc."),
    ):
        end = ".tokens.gz" if folder == "wikitext2" else ".txt.gz"
        yield (
            name,
            _first(_split(data / folder / f"{start}train{end}"), most),
            _first(_split(data / folder / f"{start}test{end}"), most // 3),
        )
    yield "Brown", *_cut(_split(data / "brown" / "brown.txt.gz"), most)
    documents = docstring_corpus()[0]
    yield "docstrings", *_cut(_tokens(text.split("\n") for text in documents), most)
    yield (
        HELD_BACK[0],
        _first(_columns(data / "conll2002" / "esp.train.gz"), most),
        _first(_columns(data / "conll2002" / "esp.testb.gz"), most // 3),
    )
    with gzip.open(data / "beige_book" / "docs.jsonl.gz", "rt", encoding="utf-8") as rows:
        lines = (json.loads(row)["text"].split("\n") for row in rows)
        yield HELD_BACK[1], *_cut(_tokens(lines), most)


def _split(file: Path) -> Iterator[list[str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield line.split()


def _tokens(documents: Iterable[list[str]]) -> Iterator[list[str]]:
    return (TOKEN.findall(line) for lines in documents for line in lines)


def _columns(file: Path) -> Iterator[list[str]]:
    """The first column of a CoNLL file."""
    words: list[str] = []
    for row in _split(file):
        if not row:
            yield words
        words = [*words, row[0]] if row else []
    yield words


def _first(text: Iterable[list[str]], most: int) -> Sentences:
    """Return the first sentences, of at most `most` words."""
    found: Sentences = []
    for words in filter(None, text):
        most -= len(words)
        if most < 0:
            break
        found.append(words)
    return found


def _cut(text: Iterable[list[str]], most: int) -> tuple[Sentences, Sentences]:
    """Return a text without every tenth block of lines, and these blocks."""
    parts: tuple[Sentences, Sentences] = ([], [])
    for number, words in enumerate(_first(text, most + most // (EVERY - 1))):
        parts[number // BLOCK % EVERY == EVERY - 1].append(words)
    return parts


def learned(
    learner: Any, train: Sentences, test: Sentences
) -> tuple[float, float, float, float, int]:
    """Perplexities of known words and of all, CPU seconds, certificate, n-grams with a weight."""
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # discounts of few n-grams; certificates are in the table
        model = LanguageModel(ORDER, learner).fit(train)
    seconds = time.process_time() - began
    report, score = model.report_, model.evaluate(test)
    return (
        score.perplexity(unknown=False),
        score.perplexity(),
        seconds,
        report.certificate,
        report.features_kept,
    )


def section(data: Path, quick: bool = False, corpus: Path | None = None) -> str:
    """The section of the page; `corpus` is a text of one's own instead, a sentence per line."""
    most = FEW if quick else MOST
    texts: Iterable[tuple[str, Sentences, Sentences]] = (
        corpora(data, most) if corpus is None else [(corpus.name, *_cut(_lines(corpus), most))]
    )
    known, total, rows, costs = {}, {}, [], []
    for name, train, test in texts:
        for learner, how in LEARNERS.items():
            found = learned(how, train, test)
            known[name, learner], total[name, learner] = found[:2]
            costs.append((learner, *found[2:]))
            print(name, learner, found, flush=True)
        rows.append(
            [
                name,
                sum(map(len, train)),
                f"{known[name, WORDS]:.1f}",
                *(
                    _percent(known[name, learner], known[name, WORDS])
                    for learner in LEARNERS
                    if learner != WORDS
                ),
                _percent(total[name, "default"], total[name, WORDS]),
            ]
        )
    names = [row[0] for row in rows]
    rows.append(
        [
            "mean",
            "",
            "",
            *(_mean(known, names, learner) for learner in LEARNERS if learner != WORDS),
            _mean(total, names, "default"),
        ]
    )
    columns = [
        "text",
        "words",
        WORDS,
        *(name for name in LEARNERS if name != WORDS),
        "default, unknown words too",
    ]
    return "\n".join(
        [
            TEXT.format(order=ORDER, most=most, held_back=" and ".join(HELD_BACK)),
            table(columns, rows),
            "\nOver the texts: CPU seconds of one thread, from lists of words to the model, the \n"
            "largest certificate (relative duality gap), and n-grams with a weight, mean:\n",
            table(["learner", "CPU s", "largest certificate", "n-grams"], _costs(costs)),
        ]
    )


def _percent(one: float, other: float) -> str:
    return f"{100 * (one / other - 1):+.1f} %"


def _mean(found: dict[tuple[str, str], float], names: list[str], learner: str) -> str:
    """The mean over texts of logarithms of ratios, as a percentage."""
    logs = [math.log(found[name, learner] / found[name, WORDS]) for name in names]
    return _percent(math.exp(float(np.mean(logs))), 1.0)


def _costs(costs: list[tuple[str, float, float, int]]) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for learner in LEARNERS:
        own = np.array([each[1:] for each in costs if each[0] == learner], float)
        gap = np.nanmax(own[:, 1]) if np.isfinite(own[:, 1]).any() else math.nan
        rows.append(
            [
                learner,
                float(own[:, 0].mean()),
                "–" if gap != gap else f"{gap:.0e}",
                int(own[:, 2].mean()),
            ]
        )
    return rows


def _lines(corpus: Path) -> Sentences:
    """The lines of a file, or of all files of a folder, as words."""
    files = sorted(corpus.iterdir()) if corpus.is_dir() else [corpus]
    return [
        line.split()
        for file in files
        for line in file.read_text("utf-8").split("\n")
        if line.strip()
    ]


SIZES = (10_000, 20_000, 50_000, 100_000)
SMALL = """\
## Perplexity against size

The models of order {order} of the Penn Treebank piece of the section above, cut down to numbers \
of n-grams (words and classes together) by relative entropy (Stolcke 1998, as SRILM), and \
perplexities of known words and ends of sentences of its test text. `learned anew`: \
`prune(size, X, refit=LogLinear())`. The last column is the best against pruned Kneser-Ney.
"""


def sizes(data: Path, quick: bool = False) -> str:
    """The section on models of a given number of n-grams."""
    _, train, test = next(corpora(data, FEW if quick else MOST))
    models = {name: LanguageModel(ORDER, LEARNERS[name]) for name in (WORDS, "groups", "default")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in models.values():
            model.fit(train)
    rows: list[list[Any]] = []
    smallest = max(
        sum(part.model.n_words for part in all_parts(model.model_, model.others_))
        for model in models.values()
    )
    for size in (size for size in SIZES if smallest < size):
        found = [models[WORDS].prune(size, train), models["groups"].prune(size, train)]
        found += [models[name].prune(size, train, LogLinear()) for name in ("groups", "default")]
        perplexities = [model.perplexity(test, unknown=False) for model in found]
        rows.append(
            [
                f"{size:,}",
                *(f"{each:.1f}" for each in perplexities),
                _percent(min(perplexities), perplexities[0]),
            ]
        )
    whole = [models[name].perplexity(test, unknown=False) for name in (WORDS, "groups", "default")]
    rows.append(
        [
            "all",
            f"{whole[0]:.1f}",
            f"{whole[1]:.1f}",
            "–",
            f"{whole[2]:.1f}",
            _percent(whole[2], whole[0]),
        ]
    )
    columns = [WORDS, "groups", "groups, learned anew", "default, learned anew", "best"]
    return "\n".join([SMALL.format(order=ORDER), table(["n-grams", *columns], rows)])
