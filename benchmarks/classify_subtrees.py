"""The subtrees section of the classify page: newsgroup messages parsed by our own parser, its
subtrees as groups.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import corpora, treebanks
from benchmarks.classify_compare import QUICK
from benchmarks.classify_models import PAPER, UNIT, Bench, Grid, cell, seconds
from benchmarks.corpora import NEWSGROUPS, Task
from benchmarks.page import mcnemar, number, percent, table
from benchmarks.peers import Outcome
from benchmarks.treebanks import Banks
from laconic import Mira, Parser, WordTagger, text_trees
from laconic.core.ragged import cut, pointers
from laconic.parse.metrics import punctuation_of, tree_scores
from laconic.parse.texts import MOST_TOKENS
from laconic.text.treebanks import Treebank
from laconic.text.trees import Tree

EPOCHS, TAG_EPOCHS, FOLDS = 4, 5, 4
GRIDS = {"count": PAPER, "tfidf": UNIT}
TITLES = {
    "count": "Unigram counts, the paper's protocol and grids",
    "tfidf": "tf-idf, the grids of the section above",
}
ROWS = ("lasso", "sentence", "tree")
TEXT = f"""\
The parse-tree regularizer on newsgroups, with one group for each dependency subtree of two words \
or more. From plain text to subtrees
there is nothing but laconic: sentences and tokens by rule, coarse and fine tags by a tagger of \
words, heads by a parser of order 2
({TAG_EPOCHS} and {EPOCHS} passes of MIRA, few of them to keep this page cheap), both learned from \
the English Web Treebank, the parser
from tags that taggers of the other three quarters of its sentences predicted. A sentence of more \
than {MOST_TOKENS} tokens (tables,
lists) is parsed in pieces of {MOST_TOKENS}. Only training
documents are parsed: trees hang over the words that are counted in the plain text, so that dev \
and test are read as they are. Headers,
quotes and signatures are parsed like sentences. Protocol as above: strengths tuned on dev by \
accuracy, the chosen setting fitted anew.
The paper used constituents of the Berkeley parser; its figures for these tasks are missing in our \
copy of its Table 5.3, so that
there is nothing to set beside ours. p is McNemar's exact test on the test documents, not \
corrected for the number of tests."""


class Measured(NamedTuple):
    """One task: its models by (regularizer, weighting), how much was parsed, and the numbers of
    groups.
    """

    title: str
    gold: Sequence[str]
    models: dict[tuple[str, str], Outcome]
    n_tokens: int
    n_sentences: int
    groups: dict[str, int]


def section(data: Path, quick: bool = False) -> str:
    """Learn the parser, parse and fit everything, and lay the tables out. One thread."""
    with threadpool_limits(1):
        banks = treebanks.english(data)
        began = time.process_time()
        parser = english_parser(treebanks.part_of(banks.train, 0, 300) if quick else banks.train)
        learning = time.process_time() - began
        jobs = [(name, stripped) for stripped in (False, True) for name in NEWSGROUPS]
        tasks = [
            corpora.load(name, data, stripped) for name, stripped in jobs[: 1 if quick else None]
        ]
        began = time.process_time()
        trees = text_trees(parser, [text for task in tasks for text in task.train.texts])
        parsing = time.process_time() - began
        by_task = cut(trees, pointers([len(task.train) for task in tasks]))
        found = [measure(task, own, quick) for task, own in zip(tasks, by_task, strict=True)]
        return layout(found, parser_table(parser, banks, learning), parsing)


def english_parser(bank: Treebank) -> Parser:
    """A parser of plain text, without names of relations, which groups do not need."""
    return Parser(
        "carreras",
        learner=Mira(EPOCHS),
        labels=False,
        tagger=WordTagger(learner=Mira(TAG_EPOCHS), folds=FOLDS),
    ).fit(bank)


def measure(task: Task, trees: list[list[Tree]], quick: bool = False) -> Measured:
    """The three models of both weightings, tuned, with the training documents as trees."""
    task = replace(task, train=replace(task.train, sentences=trees))
    bench = Bench(task, ROWS[1:], neutral_label=None)
    models = {}
    for weighting, grid in GRIDS.items():
        chosen: Grid = QUICK if quick else grid
        for row in ROWS:
            models[row, weighting] = bench.tuned(row, weighting, chosen)
            print(
                task.name,
                row,
                weighting,
                cell(models[row, weighting]),
                seconds(models[row, weighting]),
                flush=True,
            )
    sizes = {family.name: len(family.groups) for family in bench.prepared.families}
    every = [tree for document in trees for tree in document]
    return Measured(
        task.name,
        task.test.labels.tolist(),
        models,
        sum(len(t.words) for t in every),
        len(every),
        sizes,
    )


def layout(found: Sequence[Measured], about_parser: str, parsing: float) -> str:
    """All tables."""
    parts = [
        "## Dependency subtrees on newsgroups",
        TEXT,
        "### The parser, from words alone",
        about_parser,
    ]
    for weighting, title in TITLES.items():
        parts += [f"### {title}", accuracy_table(found, weighting)]
    parts += [
        "### Parsing, groups and seconds",
        SECONDS_TEXT.format(number(parsing)),
        seconds_table(found),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


SECONDS_TEXT = """\
Parsing the training documents of all tasks took {} CPU seconds, each distinct sentence once. \
Fits: wall-clock seconds on unigram counts
of the chosen fit from zero to a certificate of 1e-3 / the whole grid at 1e-2, on a machine that \
other work shared heavily."""


def accuracy_table(found: Sequence[Measured], weighting: str) -> str:
    """A row a task: the three regularizers, the best in bold, and whether the subtrees differ from
    the others.
    """
    rows = []
    for task in found:
        ours = [task.models[row, weighting] for row in ROWS]
        top = max(outcome.accuracy for outcome in ours)
        cells = [f"**{cell(o)}**" if o.accuracy == top else cell(o) for o in ours]
        tests = [
            mcnemar(task.gold, ours[-1].predictions, other.predictions).p_value
            for other in ours[:-1]
        ]
        rows.append([task.title, *cells, *(f"{p:.2f}" for p in tests)])
    return table(["task", *ROWS, "p, tree and lasso", "p, tree and sentence"], rows)


def seconds_table(found: Sequence[Measured]) -> str:
    """What parsing and fitting cost, and how many groups there are."""
    rows = []
    for task in found:
        counts = [number(task.n_sentences), number(task.n_tokens)]
        sizes = [number(task.groups[name]) for name in ROWS[1:]]
        rows.append(
            [task.title, *counts, *sizes, *(seconds(task.models[row, "count"]) for row in ROWS)]
        )
    named = ["sentences", "words", "sentence groups", "subtree groups"]
    return table(["task", *named, *(f"{row}, s" for row in ROWS)], rows)


def parser_table(parser: Parser, banks: Banks, learning: float) -> str:
    """What the parser does on sentences whose tags it predicts itself."""
    tagger = parser.tagger_
    assert tagger is not None
    rows = []
    for name, bank in (("dev", banks.dev), ("test", banks.test)):
        began = time.process_time()
        heads, _ = parser.parse(bank)
        rate = len(heads) / (time.process_time() - began)
        tags = tagger.filled(bank.tokens)
        right = [
            np.mean(np.array(tags.column(c)) == np.array(bank.tokens.column(c)))
            for c in ("coarse", "fine")
        ]
        scores = tree_scores(bank.heads, heads, bank.ptr, None, None, punctuation_of(bank.tokens))
        rows.append(
            [
                name,
                *map(percent, right),
                percent(scores.uas),
                percent(scores.uas_words),
                rate,
                learning,
            ]
        )
    columns = [
        "English Web Treebank",
        "coarse tags",
        "fine tags",
        "UAS",
        "UAS, no punct.",
        "tokens/s",
        "learning, CPU s",
    ]
    return table(columns, rows)
