"""The parameters of `TextClassifier`, which compact models have too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from laconic.text.documents import Tokenizer
from laconic.text.tokens import Boundary

if TYPE_CHECKING:
    from laconic.classify.label_tree import Taxonomy
    from laconic.classify.learn import ClassWeight
    from laconic.classify.structure import ClusterSource
    from laconic.core.losses import Loss
    from laconic.core.penalties import Penalty


class ClassifierParameters:
    """Parameters as they are given; see TextClassifier."""

    # None until `stated` gives them a value; what reads them is given a stated model.
    weighting: str
    ngrams: int
    prefixes: tuple[int, ...]
    contrast: float
    frequency: float

    def __init__(
        self,
        penalty: Penalty | str | None = None,
        strength: float | Mapping[str, float] | None = None,
        lasso: float | None = None,
        weighting: str | None = None,
        ngrams: int | None = None,
        min_count: int = 1,
        min_df: float = 1,
        max_df: float = 1.0,
        stop_words: str | Sequence[str] | None = None,
        tokenizer: Tokenizer | None = None,
        numbers: tuple[str, ...] = (),
        categories: tuple[str, ...] = (),
        free_columns: bool = True,
        text: str = "text",
        label_tree: Taxonomy = None,
        lowercase: bool = True,
        boundary: Boundary = "auto",
        neutral_label: str | None = None,
        n_topics: int | None = None,
        n_top: int = 10,
        n_clusters: int | None = None,
        clusters: ClusterSource | None = None,
        features: tuple[str, ...] = (),
        tol: float = 1e-3,
        max_iter: int | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        ridge: float = 0.0,
        contrast: float | None = None,
        constituents: float = 0.0,
        refit: float | None = None,
        values: Iterable[float] | None = None,
        prefixes: tuple[int, ...] | None = None,
        frequency: float | None = None,
        folds: int = 5,
        seconds: float = 60.0,
        max_features: int | None = None,
        structure: str | None = None,
        loss: Loss | str | None = None,
    ) -> None:
        self.penalty, self.strength, self.lasso, self.ridge = penalty, strength, lasso, ridge
        self.refit, self.values = refit, values
        self.contrast, self.frequency = contrast, frequency  # type: ignore[assignment]
        self.weighting, self.ngrams = weighting, ngrams  # type: ignore[assignment]
        self.prefixes = prefixes  # type: ignore[assignment]
        self.min_count, self.min_df, self.max_df = min_count, min_df, max_df
        self.stop_words, self.tokenizer, self.lowercase = stop_words, tokenizer, lowercase
        self.numbers, self.categories, self.text = numbers, categories, text
        self.free_columns, self.boundary, self.label_tree = free_columns, boundary, label_tree
        self.neutral_label, self.constituents = neutral_label, constituents
        self.n_topics, self.n_top, self.n_clusters = n_topics, n_top, n_clusters
        self.clusters, self.features = clusters, features
        self.tol, self.max_iter, self.n_jobs = tol, max_iter, n_jobs
        self.random_state, self.class_weight = random_state, class_weight
        self.folds, self.seconds, self.max_features = folds, seconds, max_features
        self.structure, self.loss = structure, loss
