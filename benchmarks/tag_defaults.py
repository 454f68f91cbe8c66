"""Tags of small treebanks by `Tagger()` and by CRFsuite, each as it is, from the same features."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page import mcnemar, percent, table
from benchmarks.tag_speed import append_sentences, features_as_strings
from laconic.core.solvers.online import Mira
from laconic.tag.auto import AutoLearner
from laconic.tag.conll import read_columns
from laconic.tag.model import Tagger
from laconic.tag.train import labelled
from laconic.text.auto_templates import auto_templates
from laconic.text.token_columns import TokenColumns

BANKS = (
    "ud_raw/Tamil-TTB",
    "ud_raw/Uyghur-UDT",
    "ud/Slovenian-SST-r2.13",
    "ud_raw/Vietnamese-VTB",
    "ud_raw/Turkish-IMST",
    "ud_raw/Italian-ParTUT",
    "ud_raw/French-Sequoia",
)
MOST_QUICK = 30  # sentences
TEXT = """\
## Tags of small treebanks, nothing chosen

UPOS of words alone, trained on train, scored on test; one thread, seconds of processor time. \
`Tagger()` chooses its budget and group weight on held-out sentences of train; `--budget auto` \
takes the smallest budget within a standard error of the best. CRFsuite (python-crfsuite, its \
defaults: L-BFGS, c2 = 1, as many iterations as it wants) gets the features of the same 31 \
templates as strings; its seconds are without making them. p is that of McNemar's exact test \
over tokens, `Tagger()` against CRFsuite. The sets of budgets and group weights that `Tagger()` \
tries were chosen on the dev parts (of Slovenian, a fifth of train), CoNLL-2000 beside them; \
test was scored once."""


def section(data: Path, quick: bool = False) -> str:
    """A row per treebank."""
    rows = [row(data / name, quick) for name in BANKS[: 1 if quick else None]]
    columns = ["treebank", "tokens", "Tagger()", "CRFsuite", "p", "--budget auto", "all templates"]
    columns += ["s", "CRFsuite, s", "weights", "CRFsuite", "--budget auto"]
    return f"{TEXT}\n\n{table(columns, rows)}"


def row(folder: Path, quick: bool) -> list[Any]:
    """Accuracies, seconds and sizes on one treebank."""
    tokens, labels = part(folder, "train", quick)
    test, test_labels = part(folder, "test", quick)
    gold = np.array([label for sentence in test_labels for label in sentence])
    learners = (None, AutoLearner("auto"), Mira())
    ours, small, every = (fitted(tokens, labels, test, learner) for learner in learners)
    peer = crfsuite(tokens, labels, test)
    right = [percent(float(np.mean(found[0] == gold))) for found in (ours, peer, small, every)]
    p_value = mcnemar(gold, ours[0], peer[0]).p_value
    accuracies = [right[0], right[1], p_value, right[2], right[3]]
    costs = [ours[1], peer[1], ours[2], peer[2], small[2]]
    return [folder.name, int(tokens.ptr[-1]), *accuracies, *costs]


def part(folder: Path, name: str, quick: bool) -> tuple[TokenColumns, list[list[str]]]:
    """The words and the UPOS of one part of a treebank."""
    whole = read_columns(folder / f"{name}.conllu.gz", ("word", "upos"))
    return labelled(whole.some(np.arange(MOST_QUICK)) if quick else whole)


def fitted(
    tokens: TokenColumns, labels: list[list[str]], test: TokenColumns, learner: Any
) -> tuple[np.ndarray[Any, Any], float, int]:
    """The labels of test, seconds of training, and the number of weights."""
    began = time.process_time()
    model = Tagger(learner=learner, n_jobs=1).fit(tokens, labels)
    seconds = time.process_time() - began
    return np.array(model.predict_flat(test)), seconds, model.n_features_selected_


def crfsuite(
    tokens: TokenColumns, labels: list[list[str]], test: TokenColumns
) -> tuple[np.ndarray[Any, Any], float, int]:
    """The same of CRFsuite."""
    import pycrfsuite

    templates = auto_templates(tokens.names)
    trainer = pycrfsuite.Trainer(verbose=False)
    append_sentences(trainer, tokens, labels, templates)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        began = time.process_time()
        trainer.train(path)
        seconds = time.process_time() - began
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        found = [tagger.tag(sequence) for sequence in features_as_strings(test, templates)]
        n_weights = len(tagger.info().state_features) + len(tagger.info().transitions)
        tagger.close()
    return np.array([label for labels in found for label in labels]), seconds, n_weights
