"""Laws of losses: residual, convexity, Fenchel-Young and sample weights."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from laconic.core.arrays import Array
from laconic.core.checks.law import near, require
from laconic.core.losses import BoundLoss, Gold, Loss, Poisson, Tweedie
from laconic.core.losses.bound import PythonLoss
from laconic.core.losses.smoothed import Smoothed


def make_gold(loss: Loss, n_rows: int, n_classes: int, rng: np.random.Generator) -> Gold:
    """Return random targets and sample weights that the loss takes."""
    weight, n_outputs = rng.uniform(0.5, 2.0, n_rows), loss.n_outputs(n_classes)
    if loss.classifies:
        return Gold(rng.integers(n_classes, size=n_rows).astype(float), weight, n_outputs)
    if isinstance(loss, (Poisson, Tweedie)):
        counts = rng.poisson(2.0, size=n_rows).astype(float)
        return Gold(counts + (loss.parameter == 2), weight, n_outputs)
    return Gold(rng.normal(size=n_rows), weight, n_outputs)


def check_loss(loss: Loss, rng: np.random.Generator, n_rows: int = 12) -> None:
    """Check every law of a loss, for two classes and for three."""
    for n_classes in (2, 3):
        gold = make_gold(loss, n_rows, n_classes, rng)
        for size in (0.5, 5.0):
            scores = size * rng.normal(size=n_rows * gold.n_outputs)
            bound = loss.bind(gold)
            check_tangents(bound, scores, rng)
            if isinstance(bound, PythonLoss) and not loss.smooth:
                check_smoothing(bound, scores)
                check_slopes(bound, scores)
                bound = Smoothed(bound, 0.3)
            check_residual(bound, scores, rng)
            check_fenchel_young(bound, scores, rng)
            check_fenchel_young(loss.bind(gold), scores, rng)
        check_sample_weights(loss, gold, scores)
        if loss.per_score:
            check_outputs(loss, gold, rng)
    require(repr(clone(loss)) == repr(loss), "clone and repr of a loss")


def check_tangents(bound: BoundLoss, scores: Array, rng: np.random.Generator) -> None:
    """Check that the loss lies above its tangents, and is not negative."""
    value, residual = bound.value_residual(scores)
    require(
        value >= 0 and residual.shape == scores.shape,
        "a loss is not negative and has one residual per score",
    )
    for along in directions(scores, rng):
        for far in (-3.0, 0.5, 3.0):
            there = bound.value_residual(scores + far * along)[0]
            require(
                there >= value + far * float(residual @ along) - 1e-9 * (1 + value),
                "a convex loss lies above its tangents",
            )


def check_residual(bound: BoundLoss, scores: Array, rng: np.random.Generator) -> None:
    """Check that the residual is the derivative, and curvatures bound the second one."""
    residual = bound.value_residual(scores)[1]
    width = 1e-5
    bend = bound.curvature(scores)
    require(
        bend.shape == scores.shape and np.all(bend >= 0),
        "curvatures are not negative, one per score",
    )
    for along in directions(scores, rng):
        ahead, behind = (bound.value_residual(scores + side * width * along) for side in (1, -1))
        require(
            near((ahead[0] - behind[0]) / (2 * width), residual @ along, 1e-5),
            "the residual is the derivative of the loss",
        )
        second = float((ahead[1] - behind[1]) @ along) / (2 * width)
        require(
            second <= float(bend @ along**2) * (1 + 1e-4) + 1e-4,
            "diag(curvature) lies above the Hessian",
        )


def directions(scores: Array, rng: np.random.Generator) -> list[Array]:
    """Return a random direction, and one along a single score."""
    single = np.zeros(len(scores))
    single[rng.integers(len(scores))] = 1.0
    return [rng.normal(size=len(scores)), single]


def check_smoothing(bound: PythonLoss, scores: Array) -> None:
    """Check that smoothing by mu lowers the loss by at most mu u^2 / 2 per row of weight 1."""
    value, residual = bound.value_residual(scores)
    most = 0.5 * float(np.sum(bound.inside(residual) ** 2 / bound.score_weight))
    for mu in (1.0, 0.1, 1e-4):
        below = Smoothed(bound, mu).value_residual(scores)[0]
        require(
            value - mu * most - 1e-9 * (1 + value) <= below <= value + 1e-9 * (1 + value),
            "the smoothed loss lies below the loss by at most mu u^2 / 2",
        )


def check_slopes(bound: PythonLoss, scores: Array) -> None:
    """Check that around slopes the smoothed loss lies below the loss, and meets it at its own."""
    rng, value = np.random.default_rng(0), bound.value_residual(scores)[0]
    for mu in (1.0, 1e-3):
        any_slopes = rng.normal(size=len(bound.score_weight))
        below = Smoothed(bound, mu, any_slopes)
        require(
            below.value_residual(scores)[0] - below.added <= value + 1e-9 * (1 + value),
            "around any slopes the smoothed loss, less a constant, lies below the loss",
        )
        check_fenchel_young(below, scores, rng)
        at = scores.copy()  # t = prox(s, mu), where (s - t) / mu are slopes of the loss
        plain = Smoothed(bound, mu)
        slopes = plain.slopes(scores)
        if bound.inside(at).shape == at.shape:
            at -= mu * slopes
            meets = Smoothed(bound, mu, slopes)
            require(
                near(meets.value_residual(at)[0] - meets.added, bound.value_residual(at)[0], 1e-7),
                "around its own slopes the smoothed loss meets the loss",
            )


def check_fenchel_young(bound: BoundLoss, scores: Array, rng: np.random.Generator) -> None:
    """Check loss(s) + loss*(r) >= <r, s>, with equality at r = residual(s)."""
    value, residual = bound.value_residual(scores)
    require(
        near(value + bound.conjugate(residual), residual @ scores, 1e-7),
        "Fenchel-Young is an equality at the residual",
    )
    elsewhere = bound.value_residual(rng.normal(size=len(scores)) * 3)[1]
    for scale in (0.0, 0.3, 1.0):
        above = value + bound.conjugate(elsewhere, scale)
        require(
            above >= scale * float(elsewhere @ scores) - 1e-9 * (1 + value),
            "loss(s) + loss*(r) >= <r, s>",
        )
        require(np.isfinite(above), "the conjugate is finite at residuals, and between them and 0")


def check_sample_weights(loss: Loss, gold: Gold, scores: Array) -> None:
    """Check that weights scale rows; a row of weight zero is as if absent, whatever its scores."""
    value, residual = loss.bind(gold).value_residual(scores)
    doubled, both = loss.bind(gold._replace(weight=2 * gold.weight)).value_residual(scores)
    require(
        near(doubled, 2 * value) and near(both, 2 * residual),
        "doubled sample weights double the loss and the residuals",
    )
    silent = gold.weight.copy()
    silent[0] = 0.0
    wild = scores.reshape(len(gold.weight), -1).copy()
    wild[0] = np.where(np.arange(gold.n_outputs) % 2, -1e300, 1e300)
    mute = loss.bind(gold._replace(weight=silent))
    muted, rest = mute.value_residual(wild.ravel())
    per_row = len(gold.target) // len(gold.weight)
    kept = loss.bind(Gold(gold.target[per_row:], gold.weight[1:], gold.n_outputs))
    alone, alone_residual = kept.value_residual(np.ascontiguousarray(wild[1:]).ravel())
    require(near(muted, alone), "a row of weight zero adds nothing to the loss")
    require(
        np.all(rest[: gold.n_outputs] == 0) and near(rest[gold.n_outputs :], alone_residual),
        "nor to the residuals",
    )
    require(near(mute.conjugate(rest), kept.conjugate(alone_residual)), "nor to the conjugate")


def check_outputs(loss: Loss, gold: Gold, rng: np.random.Generator) -> None:
    """Check that targets per score make a sum of losses, one per output."""
    n = len(gold.weight)
    target = gold.target if gold.n_outputs == 1 else (gold.target == 1).astype(float)
    both = Gold(np.column_stack([target, target[::-1]]).ravel(), gold.weight, 2)
    scores = rng.normal(size=2 * n)
    alone = [
        loss.bind(Gold(np.ascontiguousarray(both.target[k::2]), gold.weight)).value_residual(
            np.ascontiguousarray(scores[k::2])
        )
        for k in (0, 1)
    ]
    value, residual = loss.bind(both).value_residual(scores)
    require(near(value, alone[0][0] + alone[1][0]), "outputs are losses of their own")
    require(
        near(residual, np.column_stack([alone[0][1], alone[1][1]]).ravel()),
        "and have residuals of their own",
    )
