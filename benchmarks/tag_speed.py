"""Speed and memory of tagging beside CRFsuite, one thread, the same 72 templates.

Every competitor in a process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page import table
from benchmarks.tag_chunking import Split, corpus, labels_of
from benchmarks.timing import Measured, measure_in_subprocess
from laconic.core.solvers.online import Mira, Perceptron
from laconic.core.solvers.online_sparse import Sparseptron
from laconic.tag.crf import Crf
from laconic.tag.model import Tagger
from laconic.text.metrics import chunk_scores
from laconic.text.template_sets import chunking72
from laconic.text.templates import Templates
from laconic.text.token_columns import TokenColumns
from laconic.text.views import make_view

ITERATIONS = 50
TEXT = f"""\
## Speed and memory

CoNLL-2000, `chunking72`, one thread, from the file on disk to a model in memory: reading, making \
features and training together. CRFsuite
(python-crfsuite) gets the same features as strings, made in Python and appended sentence by \
sentence; `without strings` leaves their making out of its time. Peak memory
is what the process added after its imports. L-BFGS and OWL-QN run {ITERATIONS} iterations each; \
in the rows to the same objective ours
stop as soon as their objective is down to that of CRFsuite after its {ITERATIONS}. Objectives are \
the same function: CRFsuite's c2 |w|^2 is
a ridge of 2 c2, on transitions too, and there are no weights of first labels. Our quasi-Newton \
steps begin with a diagonal curvature
from the counts of features, CRFsuite's with a multiple of the identity: iterations are not the \
same steps. Another run of Wapiti on two
threads, quoted, took 386 s for 54 iterations of the L1-CRF."""


def section(data: Path, quick: bool = False) -> str:
    """All tables."""
    return (
        "\n\n".join(
            part.rstrip("\n")
            for part in (TEXT, training(data, quick), TAGGING, tagging(data, quick))
        )
        + "\n"
    )


def ours(data: Path, quick: bool, learner: Any, enough: float = -np.inf) -> dict[str, Any]:
    """Train on one thread, until the objective is down to `enough` if given, and tag the test
    sentences.
    """
    began = time.perf_counter()
    split = corpus(data, quick)
    stop = None if enough == -np.inf else (lambda progress: bool(progress.value <= enough))
    model = Tagger("chunking72", learner, n_jobs=1).fit(split.train, labels_of(split.train), stop)
    seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        "weights": model.n_features_selected_,
        "f1": f1(split, model.predict_flat(split.test)),
        "objective": model.objective_,
    }


def crfsuite(data: Path, quick: bool, algorithm: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The same with python-crfsuite."""
    import pycrfsuite

    began = time.perf_counter()
    split = corpus(data, quick)
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    strings = append_sentences(trainer, split.train, labels_of(split.train), chunking72())
    trainer.set_params(parameters)
    path = f"crfsuite-{time.time_ns()}.model"
    try:
        trainer.train(path)
        seconds = time.perf_counter() - began
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        test = list(features_as_strings(split.test, chunking72()))
        tag_began = time.perf_counter()
        predicted = [label for sequence in test for label in tagger.tag(sequence)]
        tag_seconds = time.perf_counter() - tag_began
        weights = tagger.info().state_features
        tagger.close()
    finally:
        Path(path).unlink(missing_ok=True)
    return {
        "seconds": seconds,
        "strings": strings,
        "tag_seconds": tag_seconds,
        "weights": len(weights),
        "f1": f1(split, predicted),
        "objective": trainer.logparser.last_iteration.get("loss", np.nan)
        if trainer.logparser.last_iteration
        else np.nan,
    }


def f1(split: Split, predicted: list[str]) -> float:
    """F1 of chunks in percent."""
    return 100 * chunk_scores(list(split.test.column("label")), predicted, split.test.ptr).f1


def append_sentences(
    trainer: Any, tokens: TokenColumns, labels: list[list[str]], templates: Templates
) -> float:
    """Give a trainer of CRFsuite sentences one by one, as their strings are made.

    Returns the seconds that the strings took; those of one sentence are in memory at a time.
    """
    seconds = 0.0
    sequences = features_as_strings(tokens, templates)
    for gold in labels:
        began = time.perf_counter()
        sequence = next(sequences)
        seconds += time.perf_counter() - began
        trainer.append(sequence, gold)
    return seconds


def features_as_strings(tokens: TokenColumns, templates: Templates) -> Iterator[list[list[str]]]:
    """The features of each sentence as CRFsuite takes them: a list of strings a token."""
    views = {name: make_view(name, tokens.names) for name in templates.views}
    columns = {
        name: list(map(view.function, tokens.column(view.column))) for name, view in views.items()
    }
    atoms = [[(atom.view, atom.offset) for atom in template.atoms] for template in templates]
    for begin, end in zip(tokens.ptr[:-1].tolist(), tokens.ptr[1:].tolist(), strict=True):
        padded = {
            view: ["_B"] * 5 + values[begin:end] + ["_E"] * 5 for view, values in columns.items()
        }
        yield [
            [
                f"{m}=" + "|".join([padded[view][t + 5 + offset] for view, offset in places])
                for m, places in enumerate(atoms)
            ]
            for t in range(end - begin)
        ]


def training(data: Path, quick: bool) -> str:
    """One row an algorithm: ours and CRFsuite's, in turn."""
    n = 2 if quick else ITERATIONS
    passes = 2 if quick else 15
    rows = []
    for name, learner, algorithm in (
        (f"averaged perceptron, {passes} passes", Perceptron(passes), "ap"),
        (f"passive-aggressive / MIRA, {passes} passes", Mira(passes, C=1.0), "pa"),
    ):
        mine = measure_in_subprocess(ours, data, quick, learner)
        rows.append(
            line(
                name,
                mine,
                measure_in_subprocess(crfsuite, data, quick, algorithm, {"max_iterations": passes}),
            )
        )
    for name, solver, strengths in (
        ("L2-CRF", "L-BFGS", {"c1": 0.0, "c2": 1.0}),
        ("L1-CRF", "OWL-QN", {"c1": 0.5, "c2": 1e-4}),
    ):
        alike = {
            "feature.possible_transitions": True,
            "max_iterations": n,
        }  # all pairs of labels, as we have them
        peer = measure_in_subprocess(crfsuite, data, quick, "lbfgs", {**strengths, **alike})
        mine = measure_in_subprocess(ours, data, quick, crf(n, strengths))
        rows.append(line(f"{name}, {n} iterations of {solver}", mine, peer))
        mine = measure_in_subprocess(ours, data, quick, crf(n, strengths), peer.value["objective"])
        rows.append(line(f"{name} to the same objective", mine, peer))
    columns = [
        "algorithm",
        "ours, s",
        "CRFsuite, s",
        "ratio",
        "without strings, s",
        "ratio",
        "ours, MB",
        "CRFsuite, MB",
        "memory",
    ]
    return table([*columns, "our F1", "its F1", "our objective", "its objective"], rows)


def crf(iterations: int, strengths: dict[str, float]) -> Crf:
    """CRFsuite's function, and no other end than a number of iterations."""
    c1, c2 = strengths["c1"], strengths["c2"]
    return Crf(
        "ridge+lasso",
        {"ridge": 2 * c2, "lasso": c1},
        start=False,
        penalise_transitions=True,
        tol=1e-12,
        max_iter=iterations,
    )


def line(name: str, mine: Measured, peer: Measured) -> list[Any]:
    """Seconds and memory side by side."""
    a, b = mine.value, peer.value
    loading = b["seconds"] - b["strings"]
    scores = [f"{a['f1']:.2f}", f"{b['f1']:.2f}", objective(a), objective(b)]
    memory = [
        mine.peak_megabytes,
        peer.peak_megabytes,
        f"1 / {peer.peak_megabytes / mine.peak_megabytes:.1f}",
    ]
    ratios = [f"{b['seconds'] / a['seconds']:.1f}", loading, f"{loading / a['seconds']:.1f}"]
    return [name, a["seconds"], b["seconds"], *ratios, *memory, *scores]


def objective(found: dict[str, Any]) -> str:
    """Where there is one."""
    return (
        "–"
        if not np.isfinite(found["objective"]) or not found["objective"]
        else f"{found['objective']:,.1f}"
    )


TAGGING = """\
### Tagging

Test sentences of CoNLL-2000 repeated ten times, one thread. `from columns`: integer columns to \
labels, feature expansion and
decoding in it, the best of five; `from strings`: tokens as Python strings to labels as strings."""


def tagging(data: Path, quick: bool) -> str:
    """Tokens a second of models with budgets, and of all templates."""
    split = corpus(data, quick)
    rows = []
    for name, learner, refit in (
        ("B = 10", Sparseptron(10), Perceptron(10)),
        ("B = 30, d = 1", Sparseptron(30), Perceptron(10)),
        ("B = 30, d = log2, as in the paper", Sparseptron(30, group_weight="log"), Perceptron(10)),
        ("72 templates", Perceptron(10), None),
    ):
        model = Tagger("chunking72", learner, refit, n_jobs=1).fit(
            split.train, labels_of(split.train)
        )
        columns, ptr = model.encoder_.encode(split.test)
        many = np.tile(columns, 10), np.concatenate([[0], np.cumsum(np.tile(np.diff(ptr), 10))])
        seconds = min(clock(model._loaded_kernel().tag, *many, 1) for _ in range(5))
        whole = min(clock(model.predict_flat, split.test) for _ in range(5))
        n_tokens = columns.shape[1]
        rows.append(
            [
                name,
                len(model.templates_),
                model.n_features_selected_,
                10 * n_tokens / seconds,
                n_tokens / whole,
            ]
        )
    return table(
        ["model", "templates", "weights", "tokens a second, from columns", "from strings"], rows
    )


def clock(call: Any, *arguments: Any) -> float:
    """Seconds of one call."""
    began = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - began
