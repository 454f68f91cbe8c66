"""Online learning in the kernel against a slow tagger in plain Python, and rules of learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plain_tagger import PlainTagger, Task

from laconic._core import OnlineRule, Reading, StructuredLoss
from laconic.core.losses import ChainHinge, ChainLog, ChainPerceptron
from laconic.core.penalties import L1
from laconic.core.solvers.online import (
    LOSSES,
    Examples,
    Mira,
    OnlineLearner,
    Perceptron,
    Sentences,
    StochasticGradient,
)
from laconic.core.solvers.online_sparse import Fobos, Rda, Sparseptron

SEEDS = range(4)
EPOCHS = 3


def both(
    seed: int, loss: str, step: float, pairs: bool = False, zero: bool = False, **rule: Any
) -> tuple[Any, PlainTagger]:
    """Return the kernel and the plain tagger after some epochs by the same rule; losses agree."""
    task = Task.random(seed, pairs)
    plain = PlainTagger(task, None if zero else seed)
    kernel = plain.load(task.kernel())
    order = np.tile(np.arange(len(task.ptr) - 1), EPOCHS)
    reading = (
        Reading.dual
        if rule.get("dual")
        else Reading.plain
        if "lasso" not in rule
        else Reading.by_row
        if rule.get("by_row")
        else Reading.by_weight
    )
    options = {name: rule[name] for name in ("ridge", "lasso", "every") if name in rule}
    value, _ = kernel.learn(
        kernel.number(task.columns, task.ptr),
        task.gold,
        order,
        OnlineRule(
            loss=LOSSES[loss],
            step=step,
            aggressive=rule.get("aggressive", False),
            grow=rule.get("grow", True),
            averaged=rule.get("averaged", False),
            reading=reading,
            **options,
        ),
    )
    expected = sum(
        plain.learn(int(s), loss, step, **{k: v for k, v in rule.items() if k != "averaged"})
        for s in order
    )
    np.testing.assert_allclose(value, expected, rtol=1e-4)
    return kernel, plain


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pairs", [False, True], ids=["single", "pairs"])
@pytest.mark.parametrize("grow", [True, False], ids=["grow", "no growth"])
@pytest.mark.parametrize(
    "rule",
    [
        {"loss": "perceptron", "step": 1.0},
        {"loss": "perceptron", "step": 0.3, "ridge": 0.1},
        {"loss": "hinge", "step": 0.5},
        {"loss": "hinge", "step": np.inf, "aggressive": True},
        {"loss": "hinge", "step": 0.05, "aggressive": True},
        {"loss": "log", "step": 0.2},
        {"loss": "log", "step": 0.2, "ridge": 0.3},
    ],
    ids=[
        "perceptron",
        "perceptron with ridge",
        "hinge",
        "mira",
        "mira bounded",
        "log",
        "log with ridge",
    ],
)
def test_steps(seed: int, pairs: bool, grow: bool, rule: dict[str, Any]) -> None:
    kernel, plain = both(seed, pairs=pairs, grow=grow, **rule)
    plain.agrees(kernel)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "rule",
    [{"loss": "perceptron", "step": 1.0}, {"loss": "hinge", "step": np.inf, "aggressive": True}],
    ids=str,
)
def test_averages(seed: int, rule: dict[str, Any]) -> None:
    kernel, plain = both(seed, averaged=True, **rule)
    plain.agrees(kernel)
    kernel.finish_sums()
    plain.agrees(kernel, {part: total / plain.rounds for part, total in plain.total.items()})


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ridge", [0.01, 0.3, 1.6])
def test_averages_of_weights_that_shrink(seed: int, ridge: float) -> None:
    kernel, plain = both(seed, "log", 0.5, pairs=True, averaged=True, ridge=ridge)
    plain.agrees(kernel)
    kernel.finish_sums()
    plain.agrees(kernel, {part: total / plain.rounds for part, total in plain.total.items()})


@pytest.mark.parametrize("seed", SEEDS)
def test_a_perceptron_from_zero(seed: int) -> None:
    kernel, plain = both(seed, "perceptron", 1.0, zero=True, averaged=True)
    plain.agrees(kernel, tol=0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("by_row", [False, True], ids=["weights", "rows"])
@pytest.mark.parametrize("ridge", [0.0, 0.4])
def test_lazy_dues_are_proximal_steps(seed: int, every: int, by_row: bool, ridge: float) -> None:
    kernel, plain = both(
        seed,
        "perceptron",
        0.7,
        lasso=0.15 if by_row else 0.05,
        every=every,
        by_row=by_row,
        ridge=ridge,
    )
    kernel.compact(by_row)
    plain.agrees(kernel)
    assert sum(weight == 0 for weight in plain.w.values()), "some weights were thresholded"


@pytest.mark.parametrize(
    ("seed", "loss"),
    [*((seed, "log") for seed in SEEDS), *((seed, "perceptron") for seed in (0, 1, 3, 4))],
)
def test_dual_averages(
    seed: int, loss: str
) -> None:  # seeds where no two paths of a perceptron tie
    kernel, plain = both(seed, loss, 0.8, zero=True, dual=True, lasso=0.06)
    expected = sum(w != 0 and part[0] not in ("edge", "start") for part, w in plain.w.items())
    assert kernel.nonzeros.sum() == expected
    kernel.finish_sums()
    plain.agrees(kernel)
    assert kernel.nonzeros.sum() == expected
    assert 0 < expected < len(plain.sums)


def test_a_large_debt_of_others_is_not_paid_twice() -> None:
    task = Task.random(0)
    kernel = task.kernel()
    kernel.defer_penalty(np.full(4, 2.0**24 + 1))
    order = np.arange(len(task.ptr) - 1)
    kernel.learn(
        kernel.number(task.columns, task.ptr),
        task.gold,
        order,
        OnlineRule(loss=StructuredLoss.log, step=1.0, reading=Reading.by_weight),
    )
    before = [kernel.features(m)[1] for m in range(4)]
    for _ in range(1000):
        kernel.defer_penalty(np.full(4, 1e-4))
        kernel.learn(
            kernel.number(task.columns, task.ptr),
            task.gold,
            order,
            OnlineRule(loss=StructuredLoss.log, step=0.0, reading=Reading.by_weight),
        )
    kernel.compact(False)
    for m, weights in enumerate(before):
        expected = np.sign(weights) * np.maximum(np.abs(weights) - 0.1, 0)
        np.testing.assert_allclose(
            kernel.features(m)[1],
            expected[expected.reshape(-1, 3).any(axis=1).repeat(3)],
            atol=1e-3,
        )


def test_shrinking_templates() -> None:
    kernel, plain = both(1, "perceptron", 1.0)
    norms, memory = kernel.norms, kernel.bytes
    for part in plain.w:
        plain.w[part] *= {0: 0.5, 1: 0.0, 2: 1.0, 3: 0.25}.get(part[0][0], 1.0)
    kernel.shrink(np.array([0.5, 0, 1, 0.25]))
    plain.agrees(kernel)
    np.testing.assert_allclose(kernel.norms, norms * [0.5, 0, 1, 0.25], rtol=1e-6)
    assert kernel.sizes[1] == 0 and kernel.bytes < memory
    for _ in range(200):
        kernel.shrink(np.full(4, 0.9))
    np.testing.assert_allclose(kernel.norms, norms * [0.5, 0, 1, 0.25] * 0.9**200, rtol=1e-4)
    rest = {
        part: weight * (1 if isinstance(part[0], str) else 0.9**200)
        for part, weight in plain.w.items()
    }
    plain.agrees(kernel, rest, tol=1e-6)


def test_compacting_gives_memory_back() -> None:
    rng = np.random.default_rng(0)
    task = Task.random(0)
    kernel = task.kernel()
    kernel.add_features(
        0,
        np.arange(5000, dtype=np.int32)[:, None],
        rng.choice([0.1, 3.0], (5000, 3), p=[0.99, 0.01]).astype(np.float32),
    )
    memory = kernel.bytes
    kernel.defer_penalty(np.ones(4))
    kernel.compact(False)
    assert 0 < kernel.sizes[0] < 500 and kernel.bytes < 0.2 * memory


def test_features_added_while_averages_are_kept() -> None:
    kernel, plain = both(2, "perceptron", 1.0, averaged=True)
    fresh = (0, (77,))
    kernel.add_features(0, np.array([[77]], np.int32), np.array([[1, 2, 3]], np.float32))
    kernel.shrink(np.array([1.0, 0.0, 1.0, 1.0]))
    kernel.add_features(1, np.array([[5, 5]], np.int32), np.array([[1, 2, 3]], np.float32))
    task = plain.task
    kernel.learn(
        kernel.number(task.columns, task.ptr),
        task.gold,
        np.zeros(8, np.int64),
        OnlineRule(loss=StructuredLoss.log, step=1.0, averaged=True),
    )
    kernel.finish_sums()
    rows = dict(
        zip(
            kernel.features(0)[0].tolist(),
            kernel.features(0)[1].reshape(-1, 3).tolist(),
            strict=True,
        )
    )
    np.testing.assert_allclose(
        rows[fresh[1][0]], np.array([1, 2, 3]) * 8 / (plain.rounds + 8), rtol=1e-5
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pairs", [False, True], ids=["single", "pairs"])
def test_rows_that_are_known_are_those_that_would_be_found(seed: int, pairs: bool) -> None:
    """One kernel keeps the numbers of its features, the other numbers them again all the time."""
    task = Task.random(seed, pairs)
    keeps, asks = task.kernel(), task.kernel()
    seen = keeps.number(task.columns, task.ptr)
    rng = np.random.default_rng(seed)
    for turn in range(12):
        order, factor = (
            rng.integers(0, len(task.ptr) - 1, 5),
            rng.choice([0.0, 0.5, 1.0], len(keeps.sizes)),
        )
        for kernel in (keeps, asks):
            numbered = seen if kernel is keeps else kernel.number(task.columns, task.ptr)
            rule = OnlineRule(loss=StructuredLoss.perceptron, step=1.0, reading=Reading.by_weight)
            kernel.learn(numbered, task.gold, order, rule)
            kernel.shrink(factor)
            if turn % 3 == 1:
                kernel.defer_penalty(np.full(len(factor), 0.3))
                kernel.compact(False)
    for m in range(len(keeps.sizes)):
        for mine, other in zip(keeps.features(m), asks.features(m), strict=True):
            np.testing.assert_array_equal(mine, other)


def test_other_averages_under_way_are_refused() -> None:
    kernel, plain = both(2, "perceptron", 1.0, averaged=True)
    task = plain.task
    arrays = (kernel.number(task.columns, task.ptr), task.gold, np.arange(3))
    log = StructuredLoss.log
    for averaged, reading in (
        (False, Reading.plain),
        (False, Reading.dual),
        (True, Reading.by_weight),
    ):
        with pytest.raises(ValueError, match="averages"):
            rule = OnlineRule(loss=log, step=1.0, averaged=averaged, reading=reading)
            kernel.learn(*arrays, rule)
    kernel.finish_sums()
    kernel.learn(*arrays, OnlineRule(loss=log, step=1.0))


def test_a_copy_goes_its_own_way() -> None:
    kernel, plain = both(3, "perceptron", 1.0, averaged=True)
    kernel.copy().finish_sums()
    plain.agrees(kernel)


def data(seed: int = 0) -> tuple[Any, Examples]:
    task = Task.random(seed)
    kernel = task.kernel()
    return kernel, Examples.of(kernel, Sentences(task.columns, task.ptr, task.gold))


LEARNERS = [
    Perceptron(3),
    Perceptron(3, averaged=False),
    Mira(3),
    Mira(3, C=0.1, averaged=False),
    StochasticGradient("log", 3),
    StochasticGradient("hinge", 3, strength=0.1, averaged=True),
    Rda(0.01, 3),
    Fobos(0.01, epochs=3),
    Fobos({"label-group": 0.01, "ridge": 0.1}, "label-group+ridge", every=5, epochs=3, loss="log"),
    Sparseptron(2, epochs=3, every=3),
    Sparseptron(2, 3, 3, "log", "group+lasso", {"lasso": 0.01}),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: repr(learner)[:60])
def test_the_same_seed_gives_the_same_weights(learner: OnlineLearner) -> None:
    found = []
    for _ in range(2):
        kernel, sentences = data()
        run = learner.run(kernel, sentences)
        found.append(
            [part.tolist() for m in range(4) for part in kernel.features(m)]
            + [part.tolist() for part in kernel.transitions()]
        )
        assert [epoch.done for epoch in run.trace] == [1, 2, 3] and not run.interrupted
        assert all(0 <= epoch.wrong <= 1 and epoch.held for epoch in run.trace)
    assert found[0] == found[1]
    if isinstance(learner, Sparseptron):
        assert np.count_nonzero(kernel.sizes) <= learner.budget
    rows = [kernel.features(m)[1].reshape(-1, 3) for m in range(4)]
    assert all(part.any(axis=1).all() for part in rows), "no row of zeros is left"


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: repr(learner)[:60])
def test_a_callback_stops_and_what_was_learned_stays(learner: OnlineLearner) -> None:
    for stop in (lambda _: True, interrupt):
        kernel, sentences = data()
        run = learner.run(kernel, sentences, stop)
        assert run.interrupted and len(run.trace) == 1
        assert np.any(kernel.transitions()[0])


def interrupt(_: Any) -> bool:
    raise KeyboardInterrupt


def test_nothing_grows_without_growth() -> None:
    for learner in LEARNERS:
        kernel, sentences = data()
        learner.run(kernel, sentences, grow=False)
        assert kernel.sizes.sum() == 0 and np.any(kernel.transitions()[0])


def test_a_lasso_paid_now_and_then_is_paid_at_the_end_too() -> None:
    never, epochs, due = 1000, 4, 0.7
    found = []
    for lasso in (0.0, due * np.sqrt(epochs) / never):
        kernel, sentences = data()
        Fobos(lasso, every=never, epochs=epochs).run(kernel, sentences)
        found.append(np.concatenate([kernel.features(m)[1].ravel() for m in range(4)]))
    free, paid = found
    expected = np.sign(free) * np.maximum(0, np.abs(free) - due)
    assert 0 < np.count_nonzero(expected) < np.count_nonzero(free)
    np.testing.assert_allclose(
        np.sort(paid[paid != 0]), np.sort(expected[expected != 0]), rtol=1e-5
    )


@pytest.mark.parametrize(
    "bad",
    [
        Perceptron(0),
        Mira(C=0),
        Mira(C=np.nan),
        StochasticGradient("other"),
        StochasticGradient(step=0),
        StochasticGradient(step=np.inf),
        StochasticGradient(strength=-1),
        StochasticGradient(strength=np.nan),
        Rda(strength=-1),
        Rda(strength=np.nan),
        Rda(gain=np.inf),
        Fobos(strength=np.nan),
        Fobos(every=0),
        Sparseptron(0),
        Sparseptron(every=0),
        Sparseptron(penalty="group+lasso", strength={"lasso": np.nan}),
        Sparseptron(step=np.inf),
    ],
    ids=repr,
)
def test_bad_parameters_are_refused(bad: OnlineLearner) -> None:
    kernel, sentences = data()
    with pytest.raises(ValueError, match="must"):
        bad.run(kernel, sentences)


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (Fobos(penalty="labels"), "no penalty called 'labels'"),
        (Sparseptron(penalty="ridge"), "Sparseptron shrinks group or coarse-to-fine .*: use Fobos"),
        (Fobos(penalty="l0"), "label-group and groups of templates, .* L0 cannot wait: use Crf"),
        (Fobos(penalty=L1(positive=True)), "L1 with positive=True cannot wait: use Crf"),
        (Fobos(penalty="label-group+lasso"), "SparseGroupLasso cannot wait: use Crf"),
        (Rda(penalty="ridge"), "Rda takes the lasso, .* got Ridge: use Fobos, or Crf"),
        (StochasticGradient(strength=1.0, penalty="lasso"), "got L1: use Fobos, or Crf"),
        (StochasticGradient(penalty="lasso"), "got L1: use Fobos, or Crf"),
    ],
    ids=repr,
)
def test_penalties_that_cannot_wait_are_refused(learner: OnlineLearner, sentence: str) -> None:
    kernel, sentences = data()
    with pytest.raises(ValueError, match=sentence) as caught:
        learner.run(kernel, sentences)
    assert "\n" not in str(caught.value)


def test_batches_and_online_learners_number_losses_alike() -> None:
    assert {
        "log": ChainLog.kind,
        "hinge": ChainHinge.kind,
        "perceptron": ChainPerceptron.kind,
    } == LOSSES
    assert len(set(LOSSES.values())) == 3
