"""The word vectors that the page compares, by name and size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.embed_vectors import THREADS, Kept, by_gensim, by_laconic, kept
from laconic import OnlineDictionary, Svd

SMALL, LARGE = 52, 520
# Codes of many dimensions: how exactly they are solved for, and how often all words come where all contexts are coded.
TOLERANCE, PASSES = {SMALL: 1e-4, LARGE: 1e-3}, {SMALL: 3, LARGE: 1}
ALGORITHM_1 = "Algorithm 1"
PLAIN: dict[str, Any] = {"smoothing": 1.0}  # windows and associations of the paper
EVENED: dict[str, Any] = {"smoothing": 1.0, "dynamic": True, "subsample": 1e-5, "rare": "drop", "exponent": 0.5}


class Chosen(NamedTuple):
    """What WordSim-353 chose for a size: strengths of lasso and forest on contexts, then components with their power, emphasis, shift and start, and strengths on components."""

    lasso: float
    forest: float
    components: int
    power: float
    emphasis: float
    shift: float
    start: str
    lasso_of_components: float
    forest_of_components: float
    svd_power: float


CHOSEN = {
    SMALL: Chosen(0.3, 0.1, 52, 0.0, 0.5, 0.5, "words", 0.02, 0.02, 0.0),
    LARGE: Chosen(0.3, 0.1, 300, 0.4, 0.0, 1.0, "svd", 0.02, 0.01, 0.4),
}
CHOICES = {
    "PCA, lasso, forest": "flat windows and positive pointwise mutual information as in the paper; codes of lasso and forest with all dimensions divided by their "
    "root mean square (`scale=1`), which keeps zeros",
    "the others of ours": "words above a frequency of 1e-5 are left out at random before windows are laid, near neighbours count more, associations are square roots, "
    "of size 52 with log 2 added to them; lasso and forest code the leading principal components (as many as dimensions, or 300), evened out, which are of size 52 more those of "
    "words that meet many others (`emphasis=0.5`)",
    "CBOW, skip-gram": "gensim with its own settings, five passes",
    "GloVe": "missing, none of its packages installs here (no wheels; the generated sources of glove-python3 do not compile for this Python)",
}


def models(data: Path, size: int, quick: bool = False) -> Iterator[tuple[str, Kept]]:
    """Name and vectors of every row; the first of them if it must be quick."""
    for name, learner, settings in of_size(size)[: 1 if quick else None]:
        yield name, kept(file_name(name, size), by_laconic, data, learner, settings)
    if quick:
        return
    for name, skip_gram in (("CBOW", False), ("skip-gram", True)):
        yield name, kept(file_name(name, size), by_gensim, data, size, skip_gram)


def file_name(name: str, size: int, every: int = 1) -> str:
    """What vectors of a row are kept under; of one in `every` sentences."""
    return f"{name.lower().replace(', ', '-').replace(' ', '-')}-{size}" + (f"-of-{every}" if every > 1 else "")


def of_size(size: int) -> list[tuple[str, Any, dict[str, Any]]]:
    """Our vectors: name, learner, and how text becomes associations."""
    chosen = CHOSEN[size]

    def coding(penalty: str, strength: float, **more: Any) -> OnlineDictionary:
        return OnlineDictionary(size, penalty, strength, tolerance=TOLERANCE[size], n_jobs=THREADS, **more)

    evened = EVENED | {"shift": chosen.shift}
    of_components = {"components": chosen.components, "power": chosen.power, "emphasis": chosen.emphasis, "start": chosen.start}
    return [
        ("PCA", Svd(size, power=1.0, n_jobs=THREADS), PLAIN),
        ("lasso", coding("lasso", chosen.lasso, passes=PASSES[size]), PLAIN | {"scale": 1.0}),
        ("forest", coding("forest", chosen.forest, passes=PASSES[size]), PLAIN | {"scale": 1.0}),
        ("SVD, evened out", Svd(size, power=chosen.svd_power, emphasis=chosen.emphasis, n_jobs=THREADS), evened),
        ("lasso of components", coding("lasso", chosen.lasso_of_components, **of_components), evened),
        ("forest of components", coding("forest", chosen.forest_of_components, **of_components), evened),
    ]
