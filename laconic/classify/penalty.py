"""The penalty of a TextClassifier: by name, by the structure of the text, or an object over words.

"sentence"                   OverlapGroupLasso("sentence") + L1: the extra lasso
"latent sentence"            LatentGroupLasso: words of few sentences, chosen as a whole
"sentence+topics", "l1+ridge", "slope", ..
GroupLasso({"sports": ["ball", "goal"], "food": ["bread"]}),  OverlapGroupLasso("sentence", 2.0)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from laconic.classify import label_tree
from laconic.classify.columns import without_cost
from laconic.classify.label_tree import Taxonomy
from laconic.classify.multilabel import names_of as labels_in
from laconic.classify.structure import LATENT, STRUCTURED, Family
from laconic.core.arrays import AnyArray
from laconic.core.groups import Groups
from laconic.core.groups_like import as_groups, group_names
from laconic.core.penalties import (
    L1,
    ElasticNet,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
)
from laconic.core.penalties.elastic import simplest
from laconic.core.penalties.grouped import OverGroups
from laconic.core.penalties.names import NAMED, NamedPenalties, Strength, as_penalty, names_of
from laconic.core.penalties.naming import FeatureNames, numbered, over_more

DEFAULT = "lasso"
LASSO = 1.0  # strength of the extra lasso of structured penalties, if none is given
LASSOS = ("lasso", "l1")


def latent_groups(name: str, **parameters: Any) -> Penalty:
    """Return the penalty of latent groups, which are imported where they are asked for."""
    from laconic.core.penalties import LatentGroupLasso

    return LatentGroupLasso(name, **parameters)


ALSO: NamedPenalties = {
    **{name: partial(OverlapGroupLasso, name) for name in STRUCTURED},
    **{name: partial(latent_groups, name) for name in LATENT},
}


class PenaltyParameters(Protocol):
    """The parameters of TextClassifier that make its penalty."""

    penalty: Penalty | str | None
    strength: Strength | None
    lasso: float | None
    ridge: float
    contrast: float
    refit: float | None
    features: tuple[str, ...]
    values: Iterable[float] | None
    free_columns: bool
    label_tree: Taxonomy


def penalty_names(penalty: Penalty | str | None) -> list[str]:
    """Return the names of the terms of a penalty, checked; of an object those of its classes."""
    if isinstance(penalty, Penalty):
        return [type(term).__name__ for term in _leaves(penalty)]
    if penalty == label_tree.PENALTY:
        return [label_tree.PENALTY]
    names = names_of(spelled(DEFAULT if penalty is None else str(penalty)))
    if any(name not in (*NAMED, *ALSO) for name in names):
        raise ValueError(
            f"penalty is a sum of {', '.join(STRUCTURED)} and names such as lasso, ridge and "
            f"elastic, one of the first with latent before it, or an object; got {penalty!r}"
        )
    if len(names) > 1 and any(name in LATENT for name in names):
        raise ValueError(
            "a latent penalty stands alone, since the words of any other term would belong to no "
            f"chosen group; got the sum {penalty!r}"
        )
    return names


def spelled(penalty: str) -> str:
    """Return a penalty with blanks in the names of latent groups: "latent-sentence" has none."""
    return penalty.replace("latent-", "latent ")


def structures_of(penalty: Penalty | str | None) -> list[str]:
    """Return the structures of the text that a penalty needs the groups of."""
    if not isinstance(penalty, Penalty):
        return [name for name in penalty_names(penalty) if name in ALSO]
    named = [getattr(term, "groups", None) for term in _leaves(penalty)]
    return list(dict.fromkeys(name for name in named if isinstance(name, str) and name in ALSO))


def _leaves(penalty: Penalty) -> Iterator[Penalty]:
    """Yield the terms of sums, and of sums in sums."""
    terms = getattr(penalty, "terms", None)
    if isinstance(terms, Sequence):
        for term in terms:
            yield from _leaves(term)
    else:
        yield penalty


def word_families(penalty: Penalty | str | None, words: FeatureNames) -> tuple[Family, ...]:
    """Return the groups that a penalty object states itself, one family per term, by its class."""
    if not isinstance(penalty, Penalty):
        return ()
    numbers: Counter[str] = Counter()
    families = []
    for term in _leaves(penalty):
        stated = term.get_params(deep=False).get("groups")
        if not isinstance(term, OverGroups) or stated is None or isinstance(stated, str):
            continue
        given = numbered(term, words)
        assert isinstance(given, OverGroups)  # it is a term of the same class
        name = type(term).__name__
        numbers[name] += 1
        groups = as_groups(given.groups, words.n_features, given.nested)
        names = tuple(map(str, group_names(given.groups, len(groups))))
        own = names if isinstance(term.groups, Mapping) and groups.parent is None else ()
        shown = name if numbers[name] == 1 else f"{name} {numbers[name]}"
        families.append(Family(shown, groups, np.arange(len(groups)), own))
    return tuple(families)


def penalty_for(
    parameters: PenaltyParameters,
    families: Sequence[Family],
    words: FeatureNames,
    n_all: int,
    n_beside: int = 0,
    labels: AnyArray | None = None,
) -> Penalty:
    """Return the penalty that the parameters state, over numbered features.

    Features beyond the words, which topics or clusters add, have the terms of single weights only.
    The last `n_beside`, of columns beside the text, cost nothing if they are free. The tree is over
    the classes of `labels`.
    """
    if parameters.penalty == label_tree.PENALTY and labels is not None:
        if parameters.values is not None or (n_beside and parameters.free_columns):
            raise ValueError("label_tree goes without values and without free columns")
        return label_tree.tree_penalty(
            parameters.label_tree, labels_in(labels), parameters.strength
        )
    stated = stated_penalty(parameters)
    ready = {family.name: partial(_groups_of, family) for family in families}
    penalty = numbered(stated, words._replace(ready=ready))
    if parameters.values is not None:
        if (
            not isinstance(penalty, ElasticNet)
            or penalty.positive
            or parameters.contrast
            or parameters.features
            or parameters.refit
        ):
            raise ValueError(
                "values go with the penalties lasso, ridge and elastic, "
                "without contrast, features and refit"
            )
        from laconic.core.penalties import Discrete  # most models have none

        return Discrete.under(penalty, parameters.values)
    if n_all > words.n_features:
        penalty = over_more(penalty, words.n_features, n_all)
    if n_beside and parameters.free_columns:
        penalty = without_cost(penalty, np.arange(n_all) >= n_all - n_beside)
    return penalty


def _groups_of(family: Family) -> Groups:
    return family.groups


def stated_penalty(parameters: PenaltyParameters) -> Penalty:
    """Return the penalty with its strengths and its extra lasso and ridge, over named groups."""
    if isinstance(parameters.penalty, Penalty):
        return as_penalty(parameters.penalty, parameters.strength)
    return named_penalty(parameters, parameters.penalty, parameters.strength)


def named_penalty(
    parameters: PenaltyParameters, given: str | None, strength: Strength | None
) -> Penalty:
    """Return the penalty of a name or a sum, with its extra lasso and ridge, over named groups."""
    names = penalty_names(given)
    if isinstance(strength, Mapping):
        strength = {spelled(name): value for name, value in strength.items()}
    total = as_penalty(None if given is None else spelled(given), strength, DEFAULT, ALSO)
    if len(names) == 1 and names[0] not in STRUCTURED:
        return total
    terms = total.scaled() if isinstance(total, PenaltySum) else [total]
    if parameters.lasso is not None:
        terms = [
            term.replace(strength=parameters.lasso) if name in LASSOS else term
            for name, term in zip(names, terms, strict=True)
        ]
    plain = [name for name in names if name not in STRUCTURED]
    extra = [] if plain else [_extra(parameters)]
    return simplest(PenaltySum([*extra, *terms]))


def _extra(parameters: PenaltyParameters) -> ElasticNet:
    """Return the lasso, and perhaps ridge, of single words beside structured penalties."""
    lasso = LASSO if parameters.lasso is None else parameters.lasso
    if not parameters.ridge:
        return L1(lasso)
    total = lasso + parameters.ridge
    return ElasticNet(total, l1_ratio=lasso / total)


def has_lasso(penalty: Penalty | str | None) -> bool:
    """Return whether the parameter `lasso` has an effect: beside groups, and as a term of a sum."""
    names = penalty_names(penalty)
    return not isinstance(penalty, Penalty) and (
        all(name in STRUCTURED for name in names)
        or (len(names) > 1 and any(name in LASSOS for name in names))
    )
