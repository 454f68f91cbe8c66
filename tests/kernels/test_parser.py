"""The kernel parser: scores, gradients and weights agree with each other for every model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from laconic import _core
from laconic._core import StructuredLoss
from laconic.core.inference.tree import MODELS
from laconic.parse.templates import PartTemplates, part_templates_from
from laconic.parse.weights import Candidates, TreeShape, features_of, load_kernel, make_kernel
from laconic.text.sequences import SequenceEncoder
from laconic.text.token_columns import TokenColumns

NO = Candidates()
SHAPES = [
    *(TreeShape(model) for model in MODELS),
    TreeShape("arcs", crossing=True),
    TreeShape("carreras", single_root=True),
]
WORDS = [
    [
        ("a", "a", "N", "NN", "_"),
        ("b", "b", "V", "VB", "x"),
        ("c", "b", "N", "NN", "_"),
        ("a", "a", "P", ".", "_"),
    ]
]


def rule(loss: StructuredLoss, step: float, **more: Any) -> _core.OnlineRule:
    return _core.OnlineRule(loss=loss, step=step, **more)


def setting(shape: TreeShape) -> tuple[Any, Any, Any, PartTemplates]:
    """A kernel, its sentences as arrays and as training data, and its templates."""
    every = part_templates_from("third")
    templates = every.subset(m for m, template in enumerate(every) if template.kind in shape.kinds)
    tokens = TokenColumns.from_sentences(WORDS, ("word", "lemma", "coarse", "fine", "morph"))
    encoder = SequenceEncoder(templates.views, tokens.names)
    data = encoder.grow(tokens)
    kernel = make_kernel(templates, encoder, shape)
    return kernel, data, kernel.number(*data, *NO), templates


def randomize(kernel: Any, seen: Any, data: Any, shape: TreeShape) -> None:
    """Some steps towards some trees, so that weights are not zero."""
    order = np.zeros(1, np.int64)
    for heads in ([2, 0, 2, 2], [0, 1, 1, 3], [3, 3, 0, 3]):
        kernel.learn(seen, np.array(heads, np.int32), order, rule(StructuredLoss.hinge, 0.37))


def all_trees(kernel: Any, data: Any) -> tuple[np.ndarray, np.ndarray]:
    count, heads, scores = kernel.k_best(*data, *NO, 10000)
    return heads.reshape(count[0], -1), scores


@pytest.mark.parametrize("shape", SHAPES, ids=str)
class TestKernel:
    def test_k_best_and_parts_of_trees_agree(self, shape: TreeShape) -> None:
        kernel, data, seen, _ = setting(shape)
        randomize(kernel, seen, data, shape)
        heads, scores = all_trees(kernel, data)
        n_trees = {True: 125, False: 55}[shape.crossing] if not shape.single_root else 30
        assert len({tuple(row) for row in heads.tolist()}) == len(heads) == n_trees
        assert np.all(np.diff(scores) <= 1e-9)
        best, score = kernel.parse(*data, *NO)
        assert best.tolist() == heads[0].tolist() or np.isclose(scores[0], scores[1])
        assert score[0] == pytest.approx(scores[0])
        for row, value in zip(heads, scores, strict=True):
            gold, order = np.ascontiguousarray(row), np.zeros(1, np.int64)
            loss, wrong = kernel.copy().learn(
                seen, gold, order, rule(StructuredLoss.perceptron, 0.0)
            )
            assert wrong == np.count_nonzero(row != best)
            assert loss == pytest.approx(score[0] - value, abs=1e-6)

    def test_log_loss_and_its_gradient(self, shape: TreeShape) -> None:
        if shape.model in MODELS[3:]:
            pytest.skip("marginals are those of orders 1 and 2")
        kernel, data, seen, _ = setting(shape)
        randomize(kernel, seen, data, shape)
        heads, scores = all_trees(kernel, data)
        gold, order, step = np.ascontiguousarray(heads[3]), np.zeros(1, np.int64), 1e-4
        loss, _ = kernel.learn(seen, gold, order, rule(StructuredLoss.log, step))
        assert loss == pytest.approx(np.logaddexp.reduce(scores) - scores[3], abs=1e-6)
        again, _ = kernel.learn(seen, gold, order, rule(StructuredLoss.log, 0.0))
        assert loss - again > 0
        fresh, _, fresh_seen, _ = setting(shape)
        start, _ = fresh.learn(fresh_seen, gold, order, rule(StructuredLoss.log, step))
        squared = float(np.sum(fresh.norms**2)) / step**2
        end, _ = fresh.learn(fresh_seen, gold, order, rule(StructuredLoss.log, 0.0))
        assert (start - end) / step == pytest.approx(squared, rel=2e-2)

    def test_all_candidates_are_as_none(self, shape: TreeShape) -> None:
        kernel, data, seen, _ = setting(shape)
        randomize(kernel, seen, data, shape)
        heads = [h for m in range(1, 5) for h in range(5) if h != m]
        every = Candidates(np.array([0, 4, 8, 12, 16]), np.array(heads, np.int32))
        assert kernel.parse(*data, *every)[1] == pytest.approx(kernel.parse(*data, *NO)[1])

    def test_features_are_named_and_put_back(self, shape: TreeShape) -> None:
        kernel, data, seen, templates = setting(shape)
        randomize(kernel, seen, data, shape)
        found = features_of(kernel, seen, templates)
        assert [len(part) for part in found.atoms] == kernel.nonzeros.tolist()
        twin = load_kernel(setting(shape)[0], found)
        assert twin.sizes.tolist() == [len(part) for part in found.atoms]
        np.testing.assert_allclose(all_trees(twin, data)[1], all_trees(kernel, data)[1], atol=1e-5)

    def test_learning_separates(self, shape: TreeShape) -> None:
        kernel, data, seen, _ = setting(shape)
        gold, order = np.array([2, 0, 2, 2], np.int32), np.zeros(1, np.int64)
        steps = rule(StructuredLoss.hinge, np.inf, aggressive=True, averaged=True)
        for _ in range(100):
            loss, _ = kernel.learn(seen, gold, order, steps)
        assert 0 <= loss < 1e-6
        kernel.finish_sums()
        assert kernel.parse(*data, *NO)[0].tolist() == gold.tolist()

    def test_k_best_steps_put_gold_ahead_of_all_trees(self, shape: TreeShape) -> None:
        kernel, data, seen, _ = setting(shape)
        gold, order = np.array([2, 0, 2, 2], np.int32), np.zeros(1, np.int64)
        steps = rule(StructuredLoss.hinge, np.inf, aggressive=True)
        kernel.learn(seen, gold, order, steps, 200)
        heads, scores = all_trees(kernel, data)
        of_gold = scores[np.all(heads == gold, axis=1)][0]
        assert np.all(of_gold - scores >= np.count_nonzero(heads != gold, axis=1) - 1e-3)


def test_bad_arrays_raise() -> None:
    kernel, data, seen, _ = setting(TreeShape())
    for ptr, head in (
        ([0, 1], [1]),
        ([0, 1, 1, 1, 1], [5]),
        ([0, 1, 1, 1, 1], [1]),
        ([0, 2, 1, 1, 1], [2, 3]),
    ):
        with pytest.raises(ValueError, match="candidate"):
            kernel.parse(*data, np.array(ptr, np.int64), np.array(head, np.int32))
    with pytest.raises(ValueError, match="gold"):
        kernel.learn(
            seen, np.zeros(3, np.int32), np.zeros(1, np.int64), rule(StructuredLoss.log, 1.0)
        )
    with pytest.raises(TypeError):
        _core.TreeShape(model=9, crossing=False, single_root=False)  # type: ignore[arg-type]
