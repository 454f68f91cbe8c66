"""Every penalty through every door: it is taken, or one expected sentence says why not.

A penalty that a row does not name as refused must go through an open door, and one that is not
named as taken must be refused by a narrow door; so a new line of the table is tested at once.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from penalties import PENALTIES
from sklearn.exceptions import ConvergenceWarning

import laconic
from benchmarks.linear_doors import DOORS, SHOWN, TEXTS, TIMES, X, Y, doors, opened
from laconic.core.losses import as_loss

LABEL_TREES = ("label tree", "label tree inf positive")
FUSED = ("fused", "fused, nearly nothing else", "fused sparse group", "sparse group over time")
SMOOTH = ("smooth group", "smooth group ridge")
# Doors for all penalties, and the few that they refuse with the words of their sentences.
OPEN: dict[str, dict[str, tuple[str, ...]]] = {
    "SparseClassifier": {"the tree has 3 labels, but the model has 1 output": LABEL_TREES},
    "TextClassifier": {"the tree has 3 labels, but the model has 1 output": LABEL_TREES},
    "Crf": {
        "there are costs of 9 ranks, but 61 weights": ("slope with costs",),
        "weights must be features x steps": (*FUSED, *SMOOTH, "sum of sums"),
        "weights must be features x 3 steps": ("smooth ridge", "smooth ridge, zeros beyond"),
        "a tree over 3 labels is over": LABEL_TREES,
        "the blocks are over 9 features": ("norms of blocks",),
    },
    "OnlineDictionary": {},
    "TemporalRegressor": {
        "there are costs of 27 ranks, but 30 weights": ("slope with costs",),
        "the blocks are over 27 features": ("norms of blocks",),
    },
    "TemporalTextModel": {"the tree has 3 labels, but the model has 9 outputs": LABEL_TREES},
}
# Doors for a few penalties, and what the sentence of all others says.
NARROW: dict[str, tuple[set[str], str]] = {
    "Fobos": (
        {
            *("l1", "l1 strength 0", "ridge", "elastic", "elastic all l1", "elastic no l1"),
            *("group", "group, weights in none", "overlap", "overlap forest", "layers, nested"),
            *("sum", "sum with disjoint groups"),
        },
        "cannot wait: use Crf",
    ),
    "Sparseptron": (set(), "use (Fobos, or )?Crf"),
    "Rda": (
        {"l1", "l1 strength 0", "elastic all l1"},
        "Rda takes the lasso, .*: use Fobos, or Crf",
    ),
    "StochasticGradient": (
        {"l1 strength 0", "ridge", "elastic no l1"},
        "StochasticGradient takes the ridge, .*: use Fobos, or Crf",
    ),
    "LogLinear": (
        {
            *("l1", "l1 positive", "l1 strength 0", "ridge", "elastic", "elastic all l1"),
            *("elastic no l1", "discrete", "l0", "mcp", "mcp positive", "scad", "log sum", "slope"),
            *("slope positive", "oscar", "oscar positive", "latent of names"),
        },
        "are over 9 features|factors must hold|costs of 9 ranks|no steps of time|labels|weights",
    ),
    "StochasticCoding": (
        {"l1", "l1 positive", "l1 strength 0"},
        "StochasticCoding takes the lasso and forests of dimensions, .*: use OnlineDictionary",
    ),
    "discretize": (
        {
            *("l1", "l1 factors", "l1 strength 0", "ridge"),
            *("elastic", "elastic all l1", "elastic no l1"),
        },
        "values go with a lasso or ridge, .*: use L1, Ridge or a sum of them",
    ),
}
# Proxes that take seconds: each word of a dictionary has its own.
SLOW = {("OnlineDictionary", "sum with slope"), ("OnlineDictionary", "sum of sums")}


CLASSES = ("logistic", "multinomial", "squared_hinge")
TARGETS = ("squared", "huber", "quantile", "poisson", "tweedie")
LOSS_DOORS = {
    "SparseClassifier": (CLASSES, lambda loss: laconic.SparseClassifier(loss=loss).fit(X, Y)),
    "TextClassifier": (
        CLASSES,
        lambda loss: laconic.TextClassifier(strength=1.0, loss=loss).fit(TEXTS, Y),
    ),
    "TemporalClassifier": (
        CLASSES,
        lambda loss: laconic.TemporalClassifier(laconic.Ridge(), loss).fit(X, Y, times=TIMES),
    ),
    "SparseRegressor": (TARGETS, lambda loss: laconic.SparseRegressor(loss=loss).fit(X, Y)),
    "TemporalRegressor": (
        TARGETS,
        lambda loss: laconic.TemporalRegressor(laconic.Ridge(), loss).fit(X, Y, times=TIMES),
    ),
}


@pytest.mark.parametrize("door", LOSS_DOORS)
def test_every_loss_through_every_door_by_name_and_as_an_object(door: str) -> None:
    taken, fit = LOSS_DOORS[door]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name in (*CLASSES, *TARGETS):
            for loss in (name, as_loss(name)):
                if name in taken:
                    fit(loss)
                else:
                    with pytest.raises(ValueError, match=type(as_loss(name)).__name__):
                        fit(loss)


def test_every_door_is_in_the_matrix() -> None:
    assert {*OPEN, *NARROW} == set(DOORS)


@pytest.mark.slow
@pytest.mark.parametrize("door", OPEN)
def test_open_doors_take_every_penalty_but_the_named_ones(door: str) -> None:
    refused = {name: words for words, names in OPEN[door].items() for name in names}
    assert set(refused) <= set(PENALTIES)
    for name, penalty in PENALTIES.items():
        if (door, name) in SLOW:
            continue
        sentence = opened(door, penalty)
        if name not in refused:
            assert sentence is None, (name, sentence)
        else:
            assert sentence is not None and refused[name] in sentence, (name, sentence)
            assert "\n" not in sentence


@pytest.mark.slow
@pytest.mark.parametrize("door", NARROW)
def test_narrow_doors_take_the_named_penalties_alone(door: str) -> None:
    taken, words = NARROW[door]
    assert taken <= set(PENALTIES)
    for name, penalty in PENALTIES.items():
        if name in taken:
            assert opened(door, penalty) is None, name
        else:
            with pytest.raises(ValueError, match=words) as caught:
                DOORS[door](penalty)
            assert "\n" not in str(caught.value), name


@pytest.mark.slow
def test_the_page_has_a_row_per_penalty_and_every_sentence() -> None:
    page = doors(Path("."), True)
    assert page.startswith("## Which penalty")
    assert all(f"| {name} | yes | yes |" in page for name in SHOWN)
    assert "`Rda`: Rda takes the lasso" in page
