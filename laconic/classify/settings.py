"""What a TextClassifier leaves open, and what is tried for it.

A parameter that is None is chosen from the training documents, unless a strength is stated: a
strength is a number in units of the features, so that it fixes them, and what is not stated then
has its plain value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from laconic.classify.label_tree import PENALTY as LABEL_TREE
from laconic.classify.label_tree import Taxonomy
from laconic.classify.penalty import DEFAULT, penalty_names, structures_of
from laconic.classify.structure import LATENT, STRUCTURED, ClusterSource
from laconic.core.penalties import Penalty
from laconic.core.penalties.names import Strength

Settings: TypeAlias = dict[str, Any]

# Values of parameters that are None where nothing is chosen.
PLAIN: Mapping[str, Any] = {
    "penalty": DEFAULT,
    "weighting": "count",
    "ngrams": 1,
    "prefixes": (),
    "contrast": 0.0,
    "frequency": 0.0,
}
# Everything that a fit may choose, and a fitted model states in `settings_`.
CHOSEN = (*PLAIN, "strength", "lasso", "refit", "n_topics", "n_clusters")
# What is tried for words and penalty: the first, changes of it, and the change that helps most with
# each of the two that come next; strengths and refits are chosen for each. Pairs of words help
# opinions, prefixes short texts, a cost by frequency where the contrast of rare words misleads.
FIRST: Mapping[str, Any] = {
    "penalty": "elastic",
    "weighting": "log",
    "ngrams": 1,
    "prefixes": (),
    "contrast": 0.5,
    "frequency": 0.0,
}
CHANGES: tuple[Mapping[str, Any], ...] = (
    {},
    {"frequency": 0.5},
    {"prefixes": (5,)},
    {"ngrams": 2},
    {"contrast": 1.0},
    {"contrast": 0.0, "frequency": 0.5},
    {"weighting": "count"},
)
# Groups of the text are slow: their strength over that of the lasso beside them, and contrast.
STRUCTURED_CHANGES: tuple[Mapping[str, Any], ...] = (
    {"strength": 0.01},
    {"strength": 0.1},
    {"strength": 0.01, "contrast": 0.0},
    {"strength": 0.1, "contrast": 0.0},
)
# Trees of labels are slow, and a cost by frequency makes them faster and no worse.
TREE_CHANGES: tuple[Mapping[str, Any], ...] = ({"frequency": 0.5},)
# Latent groups are slow too; the prefixes of the words of a sentence are in its group.
LATENT_CHANGES: tuple[Mapping[str, Any], ...] = (
    {},
    {"prefixes": (5,)},
    {"prefixes": (5,), "contrast": 1.0, "frequency": 0.5},
)


UNLABELLED = (
    "topics and clusters are learned from unlabelled documents, and this model has none: give "
    "penalty='topics' or 'brown', or structure='auto', which tries them"
)


class Tried(NamedTuple):
    """One candidate, or one strength of the chosen one, at its best on held-out documents.

    `share` is the strength as a share of the one that keeps no word, `words` a mean over folds.
    """

    weighting: str
    ngrams: int
    prefixes: tuple[int, ...]
    penalty: str
    contrast: float
    frequency: float
    share: float
    refit: float | None
    words: int
    log_loss: float
    accuracy: float
    folds: int
    chosen: bool = False


class OpenParameters(Protocol):
    """The parameters of TextClassifier that may be left open, and what closes them."""

    penalty: Penalty | str | None
    strength: Strength | None
    lasso: float | None
    refit: float | None
    label_tree: Taxonomy
    values: Iterable[float] | None
    features: tuple[str, ...]
    clusters: ClusterSource | None
    structure: str | None

    # Read-only, so that a stated model, where none of them is None, has them too.
    @property
    def weighting(self) -> str | None: ...
    @property
    def ngrams(self) -> int | None: ...
    @property
    def prefixes(self) -> tuple[int, ...] | None: ...
    @property
    def contrast(self) -> float | None: ...
    @property
    def frequency(self) -> float | None: ...


def is_open(parameters: OpenParameters) -> bool:
    """Return whether a fit chooses strengths, and with them whatever else is None."""
    return (
        parameters.strength is None
        and parameters.lasso is None
        and parameters.values is None
        and not isinstance(parameters.penalty, Penalty)
    )


def plain_settings(parameters: OpenParameters) -> Settings:
    """Return the value of everything that could be chosen, plain where it is None."""
    own = {name: getattr(parameters, name) for name in CHOSEN}
    plain = {**PLAIN, "penalty": LABEL_TREE} if parameters.label_tree is not None else PLAIN
    return {name: plain.get(name) if value is None else value for name, value in own.items()}


def has_structure(parameters: OpenParameters) -> bool:
    """Return whether the penalty has groups of the text."""
    return any(name in (*STRUCTURED, *LATENT) for name in penalty_names(parameters.penalty))


def is_latent(parameters: OpenParameters) -> bool:
    """Return whether the penalty chooses latent groups of the text."""
    return any(name in LATENT for name in penalty_names(parameters.penalty))


def penalty_text(settings: Settings) -> str:
    """Return a penalty as a table shows it; of a sum the strengths and the numbers of groups."""
    if not isinstance(settings["strength"], Mapping):
        return str(settings["penalty"])
    numbers = {"topics": settings.get("n_topics"), "brown": settings.get("n_clusters")}
    terms = []
    for name, value in settings["strength"].items():
        number = f" of {numbers[name]}" if numbers.get(name) else ""
        terms.append(name + number + (f" {value:g}" if value != 1 else ""))
    return " + ".join(terms)


def multiplied(strength: Strength, factor: float) -> Strength:
    """Return a strength, or each of several, times a factor."""
    if isinstance(strength, Mapping):
        return {name: value * factor for name, value in strength.items()}
    return strength * factor


def reads_unlabelled(parameters: OpenParameters) -> bool:
    """Return whether anything is learned from text: topics, or clusters that are not given."""
    names = {LATENT.get(name, name) for name in structures_of(parameters.penalty)}
    names |= set(parameters.features)
    return (
        parameters.structure == "auto"
        or "topics" in names
        or ("brown" in names and parameters.clusters is None)
    )


def candidates(parameters: OpenParameters) -> list[Settings]:
    """Return what is tried, in order: what the parameters leave open varies, the rest is fixed.

    Strengths are those of a path's unit: of the lasso, or the only one, 1.
    """
    fixed = {name: value for name in FIRST if (value := getattr(parameters, name)) is not None}
    beside = has_structure(parameters) and not is_latent(parameters)  # a lasso beside groups
    changes = STRUCTURED_CHANGES if beside else CHANGES
    if is_latent(parameters):
        changes = LATENT_CHANGES
    if parameters.label_tree is not None and parameters.penalty is None:
        fixed["penalty"] = LABEL_TREE
        changes = TREE_CHANGES
    found: list[Settings] = []
    for change in changes:
        unit = {"strength": 1.0, "lasso": 1.0 if beside else None}
        settings = {**unit, **FIRST, **change, **fixed}
        if settings not in found:
            found.append(settings)
    return found
