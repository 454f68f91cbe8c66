"""Laws of losses: residual, convexity, Fenchel-Young and sample weights."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from laconic.core.arrays import Array
from laconic.core.checks.law import near, require
from laconic.core.losses import Gold, Loss, Poisson


def make_gold(loss: Loss, n_rows: int, n_classes: int, rng: np.random.Generator) -> Gold:
    """Return random targets and sample weights that the loss takes."""
    if loss.classifies:
        target = rng.integers(n_classes, size=n_rows).astype(float)
    else:
        target = (
            rng.poisson(2.0, size=n_rows).astype(float)
            if isinstance(loss, Poisson)
            else rng.normal(size=n_rows)
        )
    return Gold(target, rng.uniform(0.5, 2.0, n_rows), loss.n_outputs(n_classes))


def check_loss(loss: Loss, rng: np.random.Generator, n_rows: int = 12) -> None:
    """Check every law of a loss, for two classes and for three."""
    for n_classes in (2, 3):
        gold = make_gold(loss, n_rows, n_classes, rng)
        for size in (0.5, 5.0):
            scores = size * rng.normal(size=n_rows * gold.n_outputs)
            check_residual(loss, gold, scores, rng)
            check_fenchel_young(loss, gold, scores, rng)
        check_sample_weights(loss, gold, scores)
    require(repr(clone(loss)) == repr(loss), "clone and repr of a loss")


def check_residual(loss: Loss, gold: Gold, scores: Array, rng: np.random.Generator) -> None:
    """Check that the residual is the derivative, and that the loss lies above its tangents."""
    value, residual = loss.value_residual(scores, gold)
    require(
        value >= 0 and residual.shape == scores.shape,
        "a loss is not negative and has one residual per score",
    )
    width = 1e-5
    bend = loss.curvature(scores, gold)
    require(
        bend.shape == scores.shape and np.all(bend >= 0),
        "curvatures are not negative, one per score",
    )
    for along in (rng.normal(size=len(scores)), np.eye(len(scores))[rng.integers(len(scores))]):
        ahead, behind = (
            loss.value_residual(scores + side * width * along, gold)[0] for side in (1, -1)
        )
        require(
            near((ahead - behind) / (2 * width), residual @ along, 1e-5),
            "the residual is the derivative of the loss",
        )
        turned = (
            loss.value_residual(scores + width * along, gold)[1]
            - loss.value_residual(scores - width * along, gold)[1]
        )
        second = float(turned @ along) / (2 * width)
        require(
            second <= float(bend @ along**2) * (1 + 1e-4) + 1e-4,
            "diag(curvature) lies above the Hessian",
        )
        for far in (-3.0, 0.5, 3.0):
            there = loss.value_residual(scores + far * along, gold)[0]
            require(
                there >= value + far * float(residual @ along) - 1e-9 * (1 + value),
                "a convex loss lies above its tangents",
            )


def check_fenchel_young(loss: Loss, gold: Gold, scores: Array, rng: np.random.Generator) -> None:
    """Check loss(s) + loss*(r) >= <r, s>, with equality at r = residual(s)."""
    value, residual = loss.value_residual(scores, gold)
    require(
        near(value + loss.conjugate(residual, gold), residual @ scores, 1e-7),
        "Fenchel-Young is an equality at the residual",
    )
    elsewhere = loss.value_residual(rng.normal(size=len(scores)) * 3, gold)[1]
    for scale in (0.0, 0.3, 1.0):
        bound = value + loss.conjugate(elsewhere, gold, scale)
        require(
            bound >= scale * float(elsewhere @ scores) - 1e-9 * (1 + value),
            "loss(s) + loss*(r) >= <r, s>",
        )


def check_sample_weights(loss: Loss, gold: Gold, scores: Array) -> None:
    """Check that weights scale rows; a row of weight zero is as if absent, whatever its scores."""
    value, residual = loss.value_residual(scores, gold)
    doubled, both = loss.value_residual(scores, gold._replace(weight=2 * gold.weight))
    require(
        near(doubled, 2 * value) and near(both, 2 * residual),
        "doubled sample weights double the loss and the residuals",
    )
    silent = gold.weight.copy()
    silent[0] = 0.0
    wild = scores.reshape(len(gold.target), -1).copy()
    wild[0] = np.where(np.arange(gold.n_outputs) % 2, -1e300, 1e300)
    muted, rest = loss.value_residual(wild.ravel(), gold._replace(weight=silent))
    kept = Gold(gold.target[1:], gold.weight[1:], gold.n_outputs)
    alone, alone_residual = loss.value_residual(np.ascontiguousarray(wild[1:]).ravel(), kept)
    require(near(muted, alone), "a row of weight zero adds nothing to the loss")
    require(
        np.all(rest[: gold.n_outputs] == 0) and near(rest[gold.n_outputs :], alone_residual),
        "nor to the residuals",
    )
    require(
        near(
            loss.conjugate(rest, gold._replace(weight=silent)), loss.conjugate(alone_residual, kept)
        ),
        "nor to the conjugate",
    )
