"""The word vectors that the page compares, by name and size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.embed_vectors import THREADS, Kept, by_gensim, by_laconic, kept
from laconic import OnlineDictionary, Svd

SMALL, LARGE = 52, 520
# Codes of many dimensions: their tolerance, and the number of passes where all contexts are coded.
TOLERANCE, PASSES = {SMALL: 1e-4, LARGE: 1e-3}, {SMALL: 3, LARGE: 1}
ALGORITHM_1 = "Algorithm 1"
PLAIN: dict[str, Any] = {"smoothing": 1.0}  # windows and associations of the paper
# Text as skip-gram sees it, and pairs that count by how often they meet.
WEIGHTED: dict[str, Any] = {
    "dynamic": True,
    "rare": "drop",
    "subsample": 1e-3,
    "smoothing": 1.0,
    "shift": 0.5,
    "weighting": 0.65,
}


# The rate of leaving words out that WordSim-353 likes best of 1e-3, 1e-4 and 1e-5, at size 52.
RATE, AT_RATE = 1e-5, "forest of components, 1e-5"


class Chosen(NamedTuple):
    """What WordSim-353 chose for a size: strengths of lasso and forest on contexts, then components
    with their power and start, and strengths on components.
    """

    lasso: float
    forest: float
    components: int
    power: float
    start: str
    lasso_of_components: float
    forest_of_components: float


CHOSEN = {
    SMALL: Chosen(0.3, 0.1, 52, 0.0, "words", 0.02, 0.02),
    LARGE: Chosen(0.3, 0.1, 300, 0.2, "svd", 0.02, 0.01),
}
CHOICES = {
    "PCA, lasso, forest": "flat windows and positive pointwise mutual information as in the "
    "paper; codes of lasso and forest with all dimensions divided by their "
    "root mean square (`scale=1`), which keeps zeros",
    "the others of ours": "near neighbours count more and words above a frequency of 1e-3 are "
    "left out at random before windows are laid, as by skip-gram; log 2 is "
    "added to associations, and "
    "pairs count by how often they meet (`weighting=0.65`); lasso and forest code the leading "
    "components (52, or 300 of size 520), evened out (`power=0`, of size 520 0.2)",
    "how they were chosen": "by WordSim-353 alone: of size 52 weighting (0.35 to 0.8), shift "
    "(0.5, 1, 2), smoothing (0.75, 1), exponent (0.75, 1), power, start "
    "and strengths (0.01, 0.02, 0.05); of size 520 power (0, 0.2, 0.4) "
    "and strengths (0.01 and 0.02 of the forest, 0.02 of the lasso). "
    "That words are left out as by skip-gram (1e-3) was not chosen by it: of 1e-3, 1e-4 and 1e-5 "
    "it likes 1e-5 best, which is the row with 1e-5, alike in all else; these three were "
    "compared last, and only at size 52. Tables of all sets had been seen before there were "
    "weights, and once for components with weights (0.5, no codes)",
    "CBOW, skip-gram": "gensim with its own settings, five passes",
    "GloVe": "missing, none of its packages installs here (no wheels; the generated sources of "
    "glove-python3 do not compile for this Python)",
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
    return f"{name.lower().replace(', ', '-').replace(' ', '-')}-{size}" + (
        f"-of-{every}" if every > 1 else ""
    )


def of_size(size: int) -> list[tuple[str, Any, dict[str, Any]]]:
    """Our vectors: name, learner, and how text becomes associations."""
    chosen = CHOSEN[size]

    def coding(penalty: str, strength: float, **more: Any) -> OnlineDictionary:
        return OnlineDictionary(
            size, penalty, strength, tolerance=TOLERANCE[size], n_jobs=THREADS, **more
        )

    of_components = {"components": chosen.components, "power": chosen.power, "start": chosen.start}
    at_rate = [
        (
            AT_RATE,
            coding("forest", chosen.forest_of_components, **of_components),
            WEIGHTED | {"subsample": RATE},
        )
    ]
    return [
        ("PCA", Svd(size, power=1.0, n_jobs=THREADS), PLAIN),
        ("lasso", coding("lasso", chosen.lasso, passes=PASSES[size]), PLAIN | {"scale": 1.0}),
        ("forest", coding("forest", chosen.forest, passes=PASSES[size]), PLAIN | {"scale": 1.0}),
        ("SVD, evened out", Svd(size, power=chosen.power, n_jobs=THREADS), WEIGHTED),
        (
            "lasso of components",
            coding("lasso", chosen.lasso_of_components, **of_components),
            WEIGHTED,
        ),
        (
            "forest of components",
            coding("forest", chosen.forest_of_components, **of_components),
            WEIGHTED,
        ),
        *(at_rate if size == SMALL else []),
    ]
