"""The defaults section of the classify page: no option given, beside tuned peers on the same texts.

Every fit runs in a process of its own, one after the other, with the texts as its only input.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from benchmarks import corpora
from benchmarks.page import mcnemar, number, percent, table
from benchmarks.timing import measure_in_subprocess

SEEDS = (0, 1, 2, 3, 4)
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
FEW_COSTS = (0.1, 1.0, 10.0)
LASSO_COSTS = (0.3, 1.0, 3.0, 10.0, 30.0)
FEW_LASSO_COSTS = (1.0, 3.0, 10.0)
LARGE = 100_000  # documents times classes above which peers have the short grid, all one seed
FOLDS = 5
TEST_SHARE = 0.2
OURS, TUNED = "laconic", "SVM, C by folds"
ALL_GROUPS = "all 20 newsgroups"
TITLE = "## Defaults"
TEXT = f"""\
No option is given: `TextClassifier(random_state=seed).fit(texts, labels)` chooses words, penalty,
strengths and refit on folds of the training texts. Means over {len(SEEDS)} seeds of the folds, for
us and for {TUNED}; other peers have one. Peers get the same texts:
*SVM* is `TfidfVectorizer()` and `LinearSVC()` as they are; *{TUNED}* has sublinear tf-idf and C
from {COSTS} by accuracy on {FOLDS} folds; *ridge* is `LogisticRegressionCV` and *lasso* liblinear's
with C from {LASSO_COSTS}, both on sublinear tf-idf by folds; *n-grams SVM* has
words, pairs of words and pieces of 3 to 6 letters, as fastText has. On {ALL_GROUPS} the grids of
peers are {FEW_COSTS} and {FEW_LASSO_COSTS}, and all have one seed.
Words are features with a weight; CPU seconds and MB (peak of the process beyond texts and imports)
are those of the whole fit, search included. p is McNemar's exact test between the predictions of
{OURS} and of {TUNED} with the same seed, the median over seeds. sst and convote are the texts
alone, without trees and sentence marks; their dev part is used by nobody."""


class Corpus(NamedTuple):
    """A corpus as a newcomer has it: texts and labels."""

    name: str
    train: Sequence[str]
    train_labels: NDArray[np.str_]
    test: Sequence[str]
    test_labels: NDArray[np.str_]

    @property
    def is_large(self) -> bool:
        """Whether peers get the short grid, and all of them one seed."""
        return len(self.train) * len(np.unique(self.train_labels)) > LARGE


class Run(NamedTuple):
    """One fit: what it predicts on test, features with a weight, and what it cost."""

    predictions: NDArray[np.str_]
    words: int
    cpu_seconds: float
    megabytes: float

    def accuracy(self, corpus: Corpus) -> float:
        """Return the share of right predictions on test."""
        return float(np.mean(self.predictions == corpus.test_labels))


class Fitted(NamedTuple):
    """What a fit sends back from its process."""

    predictions: NDArray[np.str_]
    words: int
    cpu_seconds: float


def newcomer(corpus: Corpus, seed: int) -> Fitted:
    """Fit TextClassifier as it is."""
    from laconic import TextClassifier

    began = time.process_time()
    model = TextClassifier(random_state=seed).fit(corpus.train, corpus.train_labels)
    seconds = time.process_time() - began
    words = int(np.count_nonzero(np.any(model.coef_ != 0, axis=0)))
    return Fitted(np.asarray(model.predict(corpus.test)), words, seconds)


def folds_of(seed: int) -> StratifiedKFold:
    """Return the folds of a seed."""
    return StratifiedKFold(FOLDS, shuffle=True, random_state=seed)


def searched(classifier: Any, name: str, costs: Sequence[float], seed: int) -> GridSearchCV:
    """Return a classifier whose C is chosen by folds."""
    return GridSearchCV(classifier, {name: list(costs)}, cv=folds_of(seed))


def classifier_named(name: str, corpus: Corpus, seed: int) -> tuple[Any, Any]:
    """Return vectorizer and classifier of a peer."""
    plain, words = TfidfVectorizer(), TfidfVectorizer(sublinear_tf=True)
    costs = FEW_COSTS if corpus.is_large else COSTS
    if name == "SVM":
        return plain, LinearSVC()
    if name == TUNED:
        return words, searched(LinearSVC(), "C", costs, seed)
    if name == "ridge, by folds":
        return words, LogisticRegressionCV(
            Cs=list(costs), cv=folds_of(seed), max_iter=1000, use_legacy_attributes=False
        )
    if name == "lasso, by folds":
        grid = FEW_LASSO_COSTS if corpus.is_large else LASSO_COSTS
        one = LogisticRegression(solver="liblinear", l1_ratio=1.0, random_state=0)
        return words, searched(OneVsRestClassifier(one), "estimator__C", grid, seed)
    pairs = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
    letters = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 6))
    return make_union(pairs, letters), LinearSVC()


def peer(name: str, corpus: Corpus, seed: int) -> Fitted:
    """Fit a peer of scikit-learn."""
    began = time.process_time()
    model = make_pipeline(*classifier_named(name, corpus, seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(corpus.train, corpus.train_labels)
    seconds = time.process_time() - began
    last = model[-1]
    last = getattr(last, "best_estimator_", last)
    weights = [one.coef_ for one in getattr(last, "estimators_", [last])]
    words = int(np.count_nonzero(np.any(sp.csr_array(np.vstack(weights)).toarray() != 0, axis=0)))
    return Fitted(np.asarray(model.predict(corpus.test)), words, seconds)


PEERS = ("SVM", TUNED, "ridge, by folds", "lasso, by folds", "n-grams SVM")


def measured(call: Callable[..., Fitted], *arguments: Any) -> Run:
    """Return a fit in a process of its own."""
    done = measure_in_subprocess(call, *arguments)
    return Run(*done.value, done.peak_megabytes)


def runs_of(corpus: Corpus, quick: bool) -> dict[str, list[Run]]:
    """Return the runs of each competitor, one per seed."""
    seeds = SEEDS[:1] if quick or corpus.is_large else SEEDS
    found = {OURS: [measured(newcomer, corpus, seed) for seed in seeds]}
    for name in PEERS:
        own = seeds if name == TUNED else seeds[:1]
        found[name] = [measured(peer, name, corpus, seed) for seed in own]
    return found


def pages_corpora(data: Path, quick: bool) -> Iterator[Corpus]:
    """Yield the ten tasks of the page, and all newsgroups."""
    for stripped in (False, True):
        for name in corpora.NEWSGROUPS if stripped else corpora.NAMES:
            task = corpora.load(name, data, stripped)
            whole = task.pool or task.train
            yield Corpus(task.name, whole.texts, whole.labels, task.test.texts, task.test.labels)
            if quick:
                return
    parts = [corpora.newsgroups(data, part) for part in ("train", "test")]
    yield Corpus(ALL_GROUPS, parts[0].texts, parts[0].labels, parts[1].texts, parts[1].labels)


def corpora_of(folder: Path) -> Iterator[Corpus]:
    """Yield the corpora of a folder: subfolders with train.* and test.*, and other files.

    Of a file without a test part a fifth of each label is held out. Every form that `laconic train`
    reads will do.
    """
    from laconic.text.jsonl import read_documents

    def parts(path: Path) -> tuple[list[str], NDArray[np.str_]]:
        read = read_documents(path)
        return [str(text) for text in read.documents], np.array(read.labels)

    for place in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        files = {path.name.split(".")[0]: path for path in sorted(place.glob("*.*"))}
        if "train" in files and "test" in files:
            yield Corpus(place.name, *parts(files["train"]), *parts(files["test"]))
        elif place == folder:
            for name, path in files.items():
                texts, labels = parts(path)
                rows = train_test_split(
                    np.arange(len(texts)), test_size=TEST_SHARE, random_state=0, stratify=labels
                )
                train, test = ([texts[row] for row in part] for part in rows)
                yield Corpus(name, train, labels[rows[0]], test, labels[rows[1]])


def section(data: Path, quick: bool, corpus: Path | None = None) -> str:
    """Return the section as Markdown, for the corpora of the page or of another folder."""
    chosen = pages_corpora(data, quick) if corpus is None else corpora_of(corpus)
    results = [(each, runs_of(each, quick)) for each in chosen]
    if not results:
        raise SystemExit(f"{corpus}: expected files of texts with labels, found none.")
    accuracies, costs = [], []
    for each, runs in results:
        mean = {name: float(np.mean([r.accuracy(each) for r in rs])) for name, rs in runs.items()}
        spread = float(np.std([run.accuracy(each) for run in runs[OURS]]))
        pairs = zip(runs[OURS], runs[TUNED], strict=False)
        p_value = float(
            np.median(
                [
                    mcnemar(each.test_labels, *(r.predictions for r in pair)).p_value
                    for pair in pairs
                ]
            )
        )
        ours = f"{percent(mean.pop(OURS))} ± {percent(spread)}"
        accuracies.append([each.name, ours, *map(percent, mean.values()), number(p_value)])
        costs += [
            [
                each.name if name == OURS else "",
                name,
                len(rs),
                round(np.mean([run.words for run in rs])),
                float(np.mean([run.cpu_seconds for run in rs])),
                float(np.max([run.megabytes for run in rs])),
            ]
            for name, rs in runs.items()
        ]
    means = {
        name: float(np.mean([np.mean([r.accuracy(c) for r in runs[name]]) for c, runs in results]))
        for name in (OURS, *PEERS)
    }
    accuracies.append(["**mean**", *map(percent, means.values()), ""])
    return "\n".join(
        [
            TITLE,
            "",
            TEXT,
            "",
            "### Accuracy on test, percent",
            "",
            table(["corpus", OURS, *PEERS, "p"], accuracies),
            "### Words, CPU seconds, memory",
            "",
            table(["corpus", "model", "seeds", "words", "CPU s", "MB"], costs),
        ]
    )
