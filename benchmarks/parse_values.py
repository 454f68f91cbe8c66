"""A parser with a handful of weight values (Suzuki and Nagata 2013, Table 1, the parsing half): PA,
RDA, rounding and DC-ADMM.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page import table
from benchmarks.timing import interleaved, measure_in_subprocess
from benchmarks.treebanks import english, part_of
from laconic import Mira, OnlineDiscrete, Parser, Rda, load, quantize, save_compact, value_set
from laconic.models import file
from laconic.models.discrete.tuning import eta_grid
from laconic.models.discrete.values import degrees_of_freedom
from laconic.parse.discrete import PRUNER_VALUES, round_parts
from laconic.parse.metrics import tree_scores
from laconic.parse.store import pack
from laconic.text.treebanks import Treebank

ZETAS = (4, 2, 1)
LASSOS = (3e-5, 1e-4, 3e-4)
PASSES = 6
FEW = 16  # values, for which a compact file is written
PUBLISHED_MB = {"L2-PA": 124.5, "DC-ADMM, 8 values": 12.2}
# Table 1 of the paper, Penn Treebank: COMP, UAS, non-zero weights, degrees of freedom.
PUBLISHED = {
    "L2-PA": ("49.67", "93.51", "15.5 M", "5.59 M"),
    "L1-RDA": ("49.54", "93.48", "7.76 M", "3.56 M"),
    "QT, 8 values": ("38.58", "90.85", "6.32 M", "8"),
    "QT, 4 values": ("34.19", "89.42", "3.08 M", "4"),
    "QT, 2 values": ("30.42", "88.67", "3.08 M", "2"),
    "DC-ADMM, 8 values": ("49.83", "93.55", "5.81 M", "8"),
    "DC-ADMM, 4 values": ("48.97", "93.18", "4.11 M", "4"),
    "DC-ADMM, 2 values": ("46.56", "92.86", "6.37 M", "2"),
}


def section(data: Path, quick: bool = False) -> str:
    """The section of the page."""
    banks = english(data)
    train = part_of(banks.train, 0, 300) if quick else banks.train
    rows: list[list[Any]] = []
    sizes: dict[str, float] = {}

    def complete(parser: Parser, bank: Treebank = banks.dev) -> float:
        return tree_scores(bank.heads, parser.parse(bank)[0], bank.ptr).complete

    def add(name: str, parser: Parser, seconds: float, chosen: str) -> None:
        scores = tree_scores(banks.test.heads, parser.parse(banks.test)[0], banks.test.ptr)
        weights, n_values = parser.n_features_selected_, degrees_of_freedom(parser)
        sizes[name] = megabytes(parser) if n_values > FEW else megabytes(parser, compact=True)
        small = "–" if n_values > FEW else f"{sizes[name]:.2f}"
        row = [
            name,
            f"{100 * complete(parser):.2f}",
            f"{100 * scores.complete:.2f}",
            f"{100 * scores.uas:.2f}",
            weights,
        ]
        rows.append(
            [
                *row,
                n_values,
                f"{megabytes(parser):.1f}",
                small,
                seconds,
                chosen,
                *PUBLISHED.get(name, ("–",) * 4),
            ]
        )
        print(rows[-1], flush=True)

    start = time.process_time()
    dense = Parser("carreras", learner=Mira(PASSES), labels=False).fit(train)
    add("L2-PA", dense, time.process_time() - start, f"{PASSES} passes")
    sparse: dict[float, tuple[Parser, float]] = {}
    for lasso in LASSOS[:1] if quick else LASSOS:
        start = time.process_time()
        learner = Rda(lasso, epochs=PASSES, loss="hinge")
        sparse[lasso] = (
            Parser("carreras", learner=learner, labels=False).fit(train),
            time.process_time() - start,
        )
    lasso = max(sparse, key=lambda strength: complete(sparse[strength][0]))
    parser, seconds = sparse[lasso]
    add("L1-RDA", parser, seconds, f"λ = {lasso:g}")
    parser = round_parts(parser, 2 * ZETAS[0])
    for zeta in ZETAS[:1] if quick else ZETAS:
        start = time.process_time()
        tried = {eta: quantize(parser, value_set(eta, zeta)) for eta in eta_grid(parser, zeta)}
        eta = max(tried, key=lambda size: complete(tried[size]))
        add(f"QT, {2 * zeta} values", tried[eta], time.process_time() - start, f"η = {eta:.3g}")
    for zeta in ZETAS[:1] if quick else ZETAS:
        start = time.process_time()
        found = {}
        for eta in etas(parser, zeta):
            learner = OnlineDiscrete(value_set(eta, zeta), Mira(1), epochs=10, rho=0.02, growth=1.7)
            found[eta] = parser.relearned(learner, train)
        eta = max(found, key=lambda size: complete(found[size]))
        add(
            f"DC-ADMM, {2 * zeta} values", found[eta], time.process_time() - start, f"η = {eta:.3g}"
        )
        if zeta == ZETAS[0]:
            best = found[eta]
    head = [
        "model",
        "dev COMP",
        "COMP",
        "UAS",
        "weights",
        "DoF",
        "file MB",
        "compact MB",
        "CPU s",
        "chosen on dev",
    ]
    return "\n".join(
        [
            "## A handful of weight values\n",
            "The second-order model on the English Web Treebank (the paper: Penn Treebank with "
            "cluster features), without labels. COMP is the",
            "share of sentences all of whose heads are right. DC-ADMM makes passes of MIRA over "
            "the features that the L1-RDA model kept. `file`",
            "is the plain model file with the names of features, `compact` what "
            "`save_compact(names=False)` writes; both hold the pruner, whose",
            f"weights are rounded to {PRUNER_VALUES} values in the models below L1-RDA.\n",
            table([*head, "paper: COMP", "UAS", "weights", "DoF"], rows),
            compact_facts(best, banks.test, sizes),
        ]
    )


def etas(model: Parser, zeta: int) -> list[float]:
    """Two steps around the middle of the grid."""
    return eta_grid(model, zeta)[2:5:2]


def megabytes(parser: Parser, compact: bool = False) -> float:
    """The size of the model's plain or compact file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parser.laconic"
        if compact:
            save_compact(parser, path, names=False)
        else:
            file.save(path, "parse", *pack(parser))
        return path.stat().st_size / 2**20


def opening(path: Path) -> float:
    """Milliseconds of processor time of opening a model."""
    start = time.process_time()
    load(path)
    return 1000 * (time.process_time() - start)


def compact_facts(plain: Parser, test: Treebank, sizes: dict[str, float]) -> str:
    """The file of few values beside the dense model's, what a feature takes, opening, speed and
    sameness.
    """
    name = f"DC-ADMM, {2 * ZETAS[0]} values"
    ours, paper = (found["L2-PA"] / found[name] for found in (sizes, PUBLISHED_MB))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parser.compact"
        save_compact(plain, path, names=False)
        opened = min(measure_in_subprocess(opening, path).value for _ in range(5))
        compact = load(path)
        maps = compact.scorer_.kernel
        bits = 8 * compact._contents[0]["parser.feature_words"].nbytes / int(maps.sizes.sum())
        exact = np.mean([maps.exact(m) for m in range(len(maps.sizes))])
        same = all(
            np.array_equal(a, b)
            for a, b in zip(plain.parse(test)[:1], compact.parse(test)[:1], strict=True)
        )
        few = part_of(test, 0, min(len(test), 500))
        runs = {"plain": lambda: plain.parse(few), "compact": lambda: compact.parse(few)}
        rates = {
            kind: len(few.heads) / times.best
            for kind, times in interleaved(runs, clock=time.thread_time).items()
        }
    return "\n".join(
        [
            "### The compact file\n",
            f"The compact file of `{name}` is 1 / {ours:.1f} of the plain file of L2-PA "
            f"({sizes[name]:.2f} of {sizes['L2-PA']:.1f} MB); the paper",
            f"has 12.2 MB against 124.5 MB, 1 / {paper:.1f}. A feature takes {bits:.1f} bits, "
            f"code of its weight and all; {exact:.0%} of the templates",
            f"have exact maps. It opens in {opened:.1f} ms (aim: less than 20) of processor "
            "time, best of five in fresh processes after their imports. On",
            f"the first {len(few)} sentences of test text, one thread, best of five in turns: "
            f"{rates['plain']:,.0f} tokens a second of processor time from the plain model,",
            f"{rates['compact']:,.0f} from the compact one "
            f"({rates['compact'] / rates['plain']:.2f} times as many; aim: not fewer). Heads of "
            "all of the test",
            f"text are {'the same' if same else 'NOT the same'}.\n",
        ]
    )
