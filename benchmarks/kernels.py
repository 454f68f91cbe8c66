"""Processor time of the hottest kernels, of this build beside another one: python -m
benchmarks.kernels --other PATH

PATH is a `_core` module of the same interface, compiled with other flags, by another compiler or
from older sources. Builds take turns in processes of their own, on one thread and the same made-up
data; the least time of each counts.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS, REPEATS = 5, 3
AT_LEAST = 0.05  # seconds that are measured at once


def load(path: str) -> Any:
    """The kernels at a path."""
    spec = importlib.util.spec_from_file_location("_core", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(n: int, n_words: int, seed: int = 0) -> np.ndarray:
    """Numbers of words, few of them frequent."""
    uniform = np.random.default_rng(seed).random(n)
    return (n_words**uniform - 1).astype(np.int32)


def sentences(n: int, length: int) -> np.ndarray:
    """Where sentences of one length begin."""
    return np.arange(0, n + 1, length, dtype=np.int64)


def tagging(core: Any) -> dict[str, Callable[[], object]]:
    """Online learning and tagging with 12 templates over three views, 20 labels."""
    n, n_labels = 12000, 20
    columns = np.stack([words(n, 5000, 1), words(n, 300, 2), words(n, 40, 3)])
    ptr, gold = sentences(n, 20), (columns[2] % n_labels).astype(np.int32)
    atoms = [[(view, offset)] for view in range(3) for offset in (-1, 0, 1)]
    atoms += [[(2, -1), (2, 0)], [(0, 0), (2, -1)], [(1, 0), (1, 1)]]
    atom_ptr = np.cumsum([0, *map(len, atoms)])
    view, offset = np.array([atom for part in atoms for atom in part], np.int32).T.copy()
    expander = core.Expander(atom_ptr, view, offset)
    order = np.arange(len(ptr) - 1)

    def learned() -> Any:
        tagger = core.Tagger(expander, np.zeros(len(atoms), np.uint8), n_labels)
        rule = core.OnlineRule(loss=core.StructuredLoss.perceptron, step=1.0, averaged=True)
        tagger.learn(tagger.number(columns, ptr), gold, order, rule)
        return tagger

    tagger = learned()
    ids, sizes = expander.number(columns, ptr)
    shape = core.ChainShape(n_labels=n_labels)
    design = core.ChainDesign(ids, sizes, ptr, gold, shape)
    weights = np.random.default_rng(0).normal(size=design.n_weights) * 0.1
    gradient = np.empty_like(weights)
    return {
        "tagger: online learning": learned,
        "tagger: tagging": lambda: tagger.tag(columns, ptr),
        "crf: value and gradient": lambda: design.evaluate(
            core.StructuredLoss.log, 1.0, weights, gradient
        ),
    }


def parsing(core: Any) -> dict[str, Callable[[], object]]:
    """Learning, scoring and decoding of models of orders 1 to 3."""
    n = 1500
    columns, ptr = np.stack([words(n, 2000, 4), words(n, 40, 5)]), sentences(n, 15)
    places = np.arange(n, dtype=np.int32) % 15
    gold = np.where(places == 0, 0, places).astype(np.int32)
    none = np.zeros(0, np.int64), np.zeros(0, np.int32)
    tasks: dict[str, Callable[[], object]] = {}
    for name, model, kinds in (
        ("order 1", core.TreeModel.arcs, (0,)),
        ("order 2", core.TreeModel.siblings, (0, 1)),
        ("order 3", core.TreeModel.grand_siblings, (0, 1, 2, 3)),
    ):
        short = n if model != core.TreeModel.grand_siblings else n // 5
        given = np.ascontiguousarray(columns[:, :short]), ptr[: short // 15 + 1]
        kind = np.repeat(np.array(kinds, np.int32), 4)
        two = np.tile(np.array([0, 1], np.int32), len(kind))
        view = np.repeat(np.tile(np.array([0, 1], np.int32), len(kind) // 2), 2)
        offset = np.tile(np.array([0, 0, 0, 0, -1, 0, 0, 1], np.int32), len(kind) // 4)
        templates = core.PartTemplates(
            kind,
            np.full(len(kind), 2, np.int32),
            np.full(len(kind), -1, np.int32),
            np.arange(0, 2 * len(kind) + 1, 2),
            two,
            view,
            offset,
        )
        shape = core.TreeShape(model=model, crossing=False, single_root=False)
        rule = core.OnlineRule(
            loss=core.StructuredLoss.hinge, step=np.inf, aggressive=True, averaged=True
        )

        def learned(
            templates: Any = templates, shape: Any = shape, given: Any = given, rule: Any = rule
        ) -> Any:
            parser = core.Parser(templates, shape)
            seen = parser.number(*given, *none)
            heads = np.ascontiguousarray(gold[: given[0].shape[1]])
            parser.learn(seen, heads, np.arange(len(given[1]) - 1), rule)
            return parser

        parser = learned()
        if name == "order 1":
            tasks["parser: online learning"] = learned
        tasks[f"parser: {name}"] = lambda parser=parser, given=given: parser.parse(*given, *none)
    return tasks


def numeric(core: Any) -> dict[str, Callable[[], object]]:
    """Products of rows, coordinate descent, proximal steps of trees."""
    random = np.random.default_rng(6)
    n, p, per_row = 4000, 20000, 60
    index = np.sort(words(n * per_row, p, 7).reshape(n, per_row), axis=1)
    kept = np.concatenate([np.ones((n, 1), bool), np.diff(index, axis=1) > 0], axis=1)
    ptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64)
    matrix = core.Matrix.from_compressed(ptr, index[kept], random.random(ptr[-1]), p, True)
    target = (random.random(n) < 0.5).astype(float)
    blocks = core.Blocks(np.arange(p + 1), np.arange(p), p)
    kernel = core.Descent(
        matrix, core.LossKind.logistic, target, np.ones(n), 1, blocks, np.zeros(p)
    )
    terms = core.SeparableTerms(lasso=np.full(1, 3.0), ridge=np.zeros(1), centre=np.zeros(1))
    limits = core.DescentLimits(tolerance=1e-4, max_rounds=10)
    working = np.arange(2000)

    def descend() -> None:
        kernel.descend(working, terms, np.zeros(p), np.zeros(1), np.zeros(n), limits)

    weights, scores, gradient = random.normal(size=p), np.empty(n), np.empty(p)

    def products() -> None:
        for _ in range(10):
            matrix.score(weights, scores)
            matrix.pull(scores, gradient)

    size = 300000
    parent = np.arange(size) // 3 - 1
    forest = core.Forest(parent, np.arange(size + 1), np.arange(size), np.ones(size), size)
    point, out = random.normal(size=size), np.empty(size)
    return {
        "rows: products": products,
        "coordinate descent": descend,
        "tree prox, 2-norm": lambda: forest.prox(
            point, np.zeros(1), 0.1, core.Norm.two, False, out
        ),
        "tree prox, infinity norm": lambda: forest.prox(
            point, np.zeros(1), 0.1, core.Norm.infinity, False, out
        ),
    }


def others(core: Any) -> dict[str, Callable[[], object]]:
    """Clusters, mining, language models and codes."""
    n = 60000
    text, ptr = words(n, 3000, 8), sentences(n, 20)
    tree = core.ContextTree(text, ptr, 3000, 4, False)
    weights = np.full(len(tree.target()), 0.1)
    gradient = np.empty_like(weights)
    members = np.sort(words(400 * 20, 300, 9).reshape(400, 20), axis=1)
    kept = np.concatenate([np.ones((400, 1), bool), np.diff(members, axis=1) > 0], axis=1)
    sets = core.SetStructures(
        np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64), members[kept], 300
    )
    every = np.arange(400)
    shown = core.SidedOutputs(
        structure=every, label=np.zeros(400, np.int32), side=(every % 2).astype(np.int32)
    )
    options = core.SearchOptions(n_labels=1, threshold=4, most_order=4, memory=1 << 28)
    random = np.random.default_rng(10)
    size, n_words = 48, 600
    nodes = np.arange(size, dtype=np.int32)
    trees = core.CodeTrees(
        np.arange(size + 1, dtype=np.int32), nodes, np.full(size, -1, np.int32), np.ones(size)
    )
    basis = random.normal(size=(size, 200)) / np.sqrt(200)
    terms = core.CodeTerms(gram=(basis @ basis.T).ravel(), curvature=np.ones(size), strength=0.1)
    rows = random.normal(size=(n_words, 200))
    products = (rows @ basis.T).astype(np.float32).ravel()
    squares = (rows**2).sum(axis=1)
    ends = core.CodeLimits(tolerance=1e-4, most_steps=100)

    def codes() -> None:
        core.solve_codes(trees, terms, products, squares, ends, np.zeros_like(products), 1)

    def mine() -> None:
        core.Miner(20, 4, 3).mine(sets, shown, np.zeros(1), options)

    return {
        "Brown clusters": lambda: core.brown_merges(text, ptr, 3000, 60, 2),
        "mining: search": mine,
        "contexts: likelihood": lambda: tree.loss(weights, gradient),
        "coding: codes": codes,
    }


def once(task: Callable[[], object], count: int = 1) -> float:
    """Return the processor time of one call, the mean of `count`."""
    begin = time.process_time()
    for _ in range(count):
        task()
    return (time.process_time() - begin) / count


def measured(core: Any) -> dict[str, float]:
    """The least processor time of every task."""
    found = {}
    for make in (tagging, parsing, numeric, others):
        for name, task in make(core).items():
            times = [once(task)]
            count = max(1, int(np.ceil(AT_LEAST / times[0])))
            for _ in range(REPEATS):
                times.append(once(task, count))
            found[name] = min(times)
    return found


def compare(mine: str, other: str, rounds: int) -> None:
    """Print both times of every task and their ratio."""
    least: list[dict[str, float]] = [{}, {}]
    for _ in range(rounds):
        for times, path in zip(least, (mine, other), strict=True):
            command = [sys.executable, "-m", "benchmarks.kernels", "--measure", path]
            now = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            times.update({name: min(times.get(name, np.inf), took) for name, took in now.items()})
    print(f"{'':28}{'this, ms':>10}{'other, ms':>11}{'ratio':>8}")
    for name, took in least[0].items():
        before = least[1][name]
        print(f"{name:28}{1e3 * took:10.2f}{1e3 * before:11.2f}{took / before:8.3f}")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--other", help="the other build: the path of a _core module")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(load(given.measure))))
        return
    from laconic import _core

    mine = str(Path(_core.__file__).resolve())
    compare(mine, given.other or mine, given.rounds)


if __name__ == "__main__":
    main()
