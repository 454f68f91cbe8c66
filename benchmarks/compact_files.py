"""Compact files: their sizes beside plain ones and CRFsuite's, opening, memory, speed, sameness,
and damaged files.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import compact_fuzz
from benchmarks.compact_accuracy import ADMM, ETAS, comp, scored, unlabelled, with_pairs
from benchmarks.compact_structures import structures
from benchmarks.corpora import Task, load
from benchmarks.page import table
from benchmarks.tag_chunking import corpus, held_out
from benchmarks.tag_ner_parts import Part, read_part
from benchmarks.timing import interleaved, measure_in_subprocess
from laconic.classify.model import TextClassifier
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.core.solvers.online import Perceptron
from laconic.core.solvers.online_sparse import Sparseptron
from laconic.models.discrete.tuning import tune_values
from laconic.models.discrete.values import quantize
from laconic.models.save import load as load_model
from laconic.models.save import save_compact
from laconic.tag.crf import Crf
from laconic.tag.model import Tagger
from laconic.text.metrics import chunk_scores
from laconic.text.views import WordClusters

CLUSTERS = "brown_clusters/bllip-clusters.txt.gz"
LEAST_COUNT = 20  # of a word in the text from which the clusters were made: 44,625 words
LASSO, ZETA = 0.03, 4  # the lasso that the section `accuracy` has chosen on development text
BUDGET, STEPS, SHARES = 8, (2, 4, 8), (0.999, 0.9999, 1.0)
FUZZED = 100_000
QUICK = 120
TEXT = """\
## Files

`plain` is what `model.save` writes, `compact` what `save_compact` does: with names, so that the \
model can be inspected, and without. CRFsuite's
file holds the very (feature, label) pairs that have weights in the L1-CRF, as attributes \
`template=value|value`; python-crfsuite wrote
it after one iteration over them, since the size does not depend on the values of weights. Weights \
of pairs of labels are left out there,
which CRFsuite does not have."""
NAMES = """\
### Names

CoNLL 2003, English: the L1-CRF of [Table 1](#names-table-1-and-fig-3-a) (its templates, lasso \
{lasso}) and DC-ADMM with 8 values as there, but for the
clusters: both models have those of the {words:,} words that the BLLIP text has at least {least} \
times. A file is no use without them, and of all
316,710 words each would take 8.5 bits for its cluster and 14 to be told from words in none: more \
than all weights do. On testa the L1-CRF
has COMP {dev:.2f}, and 8 values {tried}; the best of these is the one below."""
CHUNKS = """\
### A chunker

CoNLL-2000: {budget} templates of `chunking72` chosen by the sparseptron (d = 1), then 10 passes \
of the averaged perceptron over their
features. Weights are rounded to steps of equal size, transitions stay as they are (a file holds \
them as numbers in any case). The
number of values, and of which share of the weights the largest value is the upper bound, are \
chosen on every tenth sentence of
train, left out of the learning: the fewest values within 0.25 of the best. The perceptron then \
learned from all of train."""
DOCUMENTS = """\
### Documents

A pair of newsgroups, lasso, 8 values by rounding at the eta that does best on development \
messages. With tf-idf the words without weights go
on counting in the length of rows and have to be known."""
USE = """\
### Opening and predicting

`open`: `laconic.load` in a fresh process after its imports, the file in the system's cache, the \
best of five; `memory`: what opening and one
prediction add to that process. Tokens a second of processor time on test text, one thread, plain \
and compact in turns: `from strings`
as users call it, the best of five, `from columns` the kernels alone, the best of 15. `same`: \
equal labels for all of the test text."""


class Files(NamedTuple):
    """A model in plain and compact files."""

    title: str
    plain: Path
    named: Path
    nameless: Path

    @classmethod
    def write(cls, title: str, model: Any, folder: Path, plain: Any = None) -> Files:
        """All three files; `plain` is another model for the plain one."""
        name = title.replace(" ", "-")
        files = cls(title, *(folder / f"{name}.{kind}" for kind in ("plain", "named", "nameless")))
        (model if plain is None else plain).save(files.plain)
        save_compact(model, files.named, names=True)
        save_compact(model, files.nameless, names=False)
        return files

    def row(self, *facts: Any) -> list[Any]:
        """Sizes and ratios."""
        sizes = [path.stat().st_size for path in self[1:]]
        return [
            self.title,
            *facts,
            *sizes,
            f"1 / {sizes[0] / sizes[1]:.1f}",
            f"1 / {sizes[0] / sizes[2]:.1f}",
        ]


SIZES = ["plain, bytes", "compact with names", "without", "ratio with names", "without"]


def section(data: Path, quick: bool = False) -> str:
    """All tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        about_names, names, text = names_files(data, folder, quick)
        about, chunks, tokens = chunker_files(data, folder, quick)
        documents = documents_files(folder, load("science", data), quick)
        used = table(USED, [use_row(names, text), use_row(chunks, tokens)])
        compared = structures(load_model(names.plain), load_model(names.nameless), text.tokens)
        fuzzed = compact_fuzz.report(folder, 700 if quick else FUZZED)
    return (
        "\n\n".join(
            part.rstrip("\n")
            for part in (TEXT, about_names, about, documents, USE, used, compared, fuzzed)
            if part
        )
        + "\n"
    )


def names_files(data: Path, folder: Path, quick: bool) -> tuple[str, Files, Part]:
    """The sizes of English names."""
    train, dev, test = (read_part(data, "English", part) for part in ("train", "testa", "testb"))
    if quick:
        train, dev, test = (part.first(QUICK) for part in (train, dev, test))
    clusters = WordClusters.read(data / CLUSTERS, LEAST_COUNT)
    learner = Crf("lasso", LASSO, tol=2e-4, max_iter=20 if quick else 150)
    lasso = Tagger(with_pairs(), learner, scheme="IOB2", clusters=clusters, n_jobs=1).fit(
        train.tokens, train.labels
    )
    solver = DiscreteAdmm(**(ADMM | ({"max_iter": 3} if quick else {})))
    options: dict[str, Any] = {
        "score": lambda model: comp(model, dev),
        "solver": solver,
        "features": "data",
    }
    few, trials = tune_values(
        lasso,
        (train.tokens, train.labels),
        None,
        ZETA,
        ETAS[ZETA][: 1 if quick else None],
        **options,
    )
    files = Files.write("8 values", few, folder)
    itself = Files.write("L1-CRF itself", lasso, folder)
    against = files._replace(title="8 values beside the L1-CRF", plain=itself.plain)
    peer = crfsuite_bytes(lasso, folder)
    head = ["model", "COMP on testb", "F1", "weights", *SIZES]
    rows = []
    for entry, model in ((itself, lasso), (files, few), (against, few)):
        scores = scored(model, test)
        rows.append(
            entry.row(
                f"{100 * scores.complete:.2f}", f"{100 * scores.f1:.2f}", model.n_features_selected_
            )
        )
    tenth, twentieth = (
        size / files.nameless.stat().st_size for size in (itself.plain.stat().st_size, peer)
    )
    verdict = (
        f"CRFsuite's file for the L1-CRF's features has {peer:,} bytes. The compact file of 8 "
        f"values without names is 1 / {tenth:.1f} of the "
        f"plain L1-CRF (aim: a tenth, {_reached(tenth >= 10)}) and 1 / {twentieth:.1f} of "
        "CRFsuite's (aim: a twentieth, "
        f"{_reached(twentieth >= 20)})."
    )
    tried = ", ".join(f"{trial.score:.2f} (eta {trial.eta:g})" for trial in trials)
    intro = NAMES.format(
        lasso=LASSO, words=len(clusters), least=LEAST_COUNT, dev=comp(lasso, dev), tried=tried
    )
    return "\n\n".join([intro, table(head, rows).rstrip(), verdict]), files, test


def crfsuite_bytes(model: Tagger, folder: Path) -> int:
    """Return the size of CRFsuite's file of the (feature, label) pairs with weights.

    It is trained on each of them once.
    """
    import pycrfsuite

    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    trainer.set_params(
        {"c1": 0.0, "c2": 1.0, "max_iterations": 1, "feature.possible_states": False}
    )
    labels = model.classes_.tolist()
    for m, (template, weights) in enumerate(
        zip(model.templates_, model.weights_.weights, strict=True)
    ):
        if template.pairs:
            continue
        names = [
            f"{m}="
            + "|".join(
                model.encoder_.value_name(atom.view, v)
                for atom, v in zip(template.atoms, values, strict=True)
            )
            for values in model.weights_.atoms[m].tolist()
        ]
        rows, columns = np.nonzero(weights)
        trainer.append(
            [[names[row]] for row in rows.tolist()], [labels[column] for column in columns.tolist()]
        )
    trainer.train(str(folder / "crfsuite"))
    return (folder / "crfsuite").stat().st_size


def chunker_files(data: Path, folder: Path, quick: bool) -> tuple[str, Files, Part]:
    """The smallest chunker at F1 of 93."""
    given = corpus(data, quick)
    apart = held_out(given.train)
    learn, hold, every, test = (
        unlabelled(tokens) for tokens in (apart.train, apart.test, given.train, given.test)
    )
    first = Tagger("chunking72", Sparseptron(BUDGET), Perceptron(10), n_jobs=1)
    first.fit(learn.tokens, learn.labels)
    tried = []
    for n in STEPS:
        for share in SHARES:
            few = with_steps(first, n, share)
            tried.append((f1(few, hold), -n, share, few.n_features_selected_))
    # The fewest values, then the fewest weights, within a quarter of a point of the best.
    top = max(score for score, *_ in tried)
    _, n, share, _ = max(
        (row for row in tried if row[0] >= top - 0.25), key=lambda row: (row[1], -row[3])
    )
    plain = Tagger(first.templates_, Perceptron(10), n_jobs=1).fit(every.tokens, every.labels)
    few = with_steps(plain, -n, share)
    files = Files.write(f"chunker, {-2 * n} values", few, folder)
    held = [
        [-2 * n, f"{100 * share:g} %", f"{score:.2f}", weights]
        for score, n, share, weights in tried
    ]
    listed = table(["values", "largest", "F1 held out", "weights"], held)
    head = ["model", "F1 on test", "weights", *SIZES]
    rows = [files.row(f"{f1(few, test):.2f}", few.n_features_selected_)]
    size = files.nameless.stat().st_size
    verdict = (
        f"{size:,} bytes at F1 {f1(few, test):.2f}, before rounding {f1(plain, test):.2f} (aim: "
        "below 300,000 bytes at 93, "
        f"{_reached(size < 300_000 and f1(few, test) >= 93)})."
    )
    intro = CHUNKS.format(budget=BUDGET)
    return "\n\n".join([intro, listed.rstrip(), table(head, rows).rstrip(), verdict]), files, test


def with_steps(model: Tagger, n: int, share: float) -> Tagger:
    """The model with weights rounded to n steps of equal size on either side of 0, transitions as
    they are.

    The largest value is the quantile `share` of the sizes of weights.
    """
    step = (
        float(
            np.quantile(
                np.abs(np.concatenate([part[part != 0] for part in model.weights_.weights])), share
            )
        )
        / n
    )
    few = quantize(model, [side * step * k for side in (-1, 1) for k in range(1, n + 1)])
    few.weights_ = few.weights_._replace(edge=model.weights_.edge, start=model.weights_.start)
    few.__setstate__(few.__dict__)
    return few


def f1(model: Tagger, part: Part) -> float:
    """F1 of chunks in percent."""
    gold = [label for labels in part.labels for label in labels]
    return 100 * chunk_scores(gold, model.predict_flat(part.tokens), part.tokens.ptr).f1


def documents_files(folder: Path, task: Task, quick: bool) -> str:
    """Sizes and sameness of classifiers."""
    train, test = (
        part.take(np.arange(min(QUICK, len(part)))) if quick else part
        for part in (task.train, task.test)
    )
    rows = []
    for weighting, strength in (("binary", 1.0), ("tfidf", 0.3)):
        model = TextClassifier(strength=strength, weighting=weighting).fit(
            train.texts, train.labels
        )
        few, _ = tune_values(model, None, (task.dev.texts, task.dev.labels), ZETA)
        files = Files.write(f"{weighting}, 8 values", few, folder)
        found = [load_model(path) for path in files[1:]]
        same = all(
            other.predict(test.texts).tolist() == found[0].predict(test.texts).tolist()
            for other in found[1:]
        )
        calls = {
            str(k): partial(model.predict, test.texts)
            for k, model in enumerate((found[0], found[2]))
        }
        rates = [len(test) / times.best for times in interleaved(calls).values()]
        accuracy = f"{100 * few.score(test.texts, test.labels):.1f}"
        rows.append(files.row(accuracy, few.n_features_selected_, *rates, "yes" if same else "NO"))
    head = [
        "model",
        "accuracy on test",
        "weights",
        "documents a second: plain",
        "compact",
        "same",
        *SIZES,
    ]
    return "\n\n".join([DOCUMENTS, table(head, rows)])


USED = [
    "model",
    "open plain, ms",
    "with names, ms",
    "without, ms",
    "memory plain, MB",
    "without names, MB",
    "from strings: plain",
    "compact",
    "from columns: plain",
    "compact",
    "same",
]


def use_row(files: Files, test: Part) -> list[Any]:
    """Opening, memory, tokens a second and sameness."""
    opened = [
        min(measure_in_subprocess(opening, path, None).value[0] for _ in range(5))
        for path in files[1:]
    ]
    few = Part(test.tokens, test.labels).first(100).tokens
    memory = [
        measure_in_subprocess(opening, path, few).value[1] for path in (files.plain, files.nameless)
    ]
    plain, named, nameless = (load_model(path).set_params(n_jobs=1) for path in files[1:])
    labels = plain.predict_flat(test.tokens)
    same = labels == named.predict_flat(test.tokens) == nameless.predict_flat(test.tokens)
    n_tokens = int(test.tokens.ptr[-1])
    rates = []
    calls: dict[str, Callable[[], Any]] = {
        str(k): _whole(model, test) for k, model in enumerate((plain, nameless))
    }
    rates += [
        n_tokens / times.best for times in interleaved(calls, clock=time.thread_time).values()
    ]
    calls = {str(k): _kernel(model, test) for k, model in enumerate((plain, nameless))}
    rates += [
        n_tokens / times.best for times in interleaved(calls, 15, clock=time.thread_time).values()
    ]
    return [files.title, *opened, *memory, *rates, "yes" if same else "NO"]


def _whole(model: Any, test: Part) -> Callable[[], Any]:
    return lambda: model.predict_flat(test.tokens)


def _kernel(model: Any, test: Part) -> Callable[[], Any]:
    columns, ptr = model.encoder_.encode(test.tokens)
    return lambda: model._kernel.tag(columns, ptr, 1)


def opening(path: Path, tokens: Any) -> tuple[float, float]:
    """Return milliseconds of opening a model, and megabytes that it and a prediction add."""
    before = _resident()
    began = time.perf_counter()
    model = load_model(path)
    seconds = time.perf_counter() - began
    if tokens is not None:
        model.predict_flat(tokens)
    return 1000 * seconds, _resident() - before


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * 4096 / 1e6


def _reached(yes: bool) -> str:
    return "reached" if yes else "missed"
