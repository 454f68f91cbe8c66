"""The penalty of codes: forests of dimensions and the lasso have kernels, all others their prox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from laconic.core.groups import Groups
from laconic.core.groups_like import as_groups
from laconic.core.penalties import L1, Penalty, TreeGroupLasso
from laconic.core.penalties.elastic import simplest
from laconic.core.penalties.names import Strength, as_penalty
from laconic.embed.forest import code_forest, forest_for

FOREST = "forest"
CodePenalty: TypeAlias = Penalty | str | Groups | None  # "forest", a name, a forest, an object


class CodeTerms(NamedTuple):
    """A penalty of codes as learners use it.

    Parameters
    ----------
    forest : Groups
        The forest of dimensions; single nodes where the penalty has none.
    strength : float
        Strength of the forest.
    positive : bool
        Whether codes have no negative numbers.
    other : Penalty or None
        The penalty itself, if it is neither a forest nor the lasso.
    """

    forest: Groups
    strength: float
    positive: bool
    other: Penalty | None


def code_terms(
    penalty: CodePenalty,
    strength: Strength | None,
    positive: bool,
    size: int,
    shape: tuple[Sequence[int], float],
) -> CodeTerms:
    """Return the penalty of codes of `size` dimensions.

    Parameters
    ----------
    penalty : Penalty, str, Groups or None
        A name ("forest", which None is too, or one of laconic's), a forest or an object.
    strength : float, dict or None
        Strength that replaces the penalty's own.
    positive : bool
        Whether codes have no negative numbers.
    size : int
        Number of dimensions.
    shape : pair of branching and growth
        Of the forest by its name.
    """
    if penalty is None or isinstance(penalty, Groups) or penalty == FOREST:
        penalty = TreeGroupLasso(forest_for(penalty or FOREST, size, *shape))
    made = simplest(as_penalty(penalty, strength))
    if type(made) is TreeGroupLasso and made.norm in (2, "2") and not made.l1_ratio:
        forest = as_groups(made.groups, size, nested=True)
        if len(forest) == forest.n_features and np.all(forest.sizes == 1):
            return CodeTerms(forest, made.strength, positive or made.positive, None)
    single = code_forest(size, ())
    if type(made) is L1 and made.factors is None:
        return CodeTerms(single, made.strength, positive or made.positive, None)
    if positive:
        if "positive" not in made.get_params(deep=False):
            raise ValueError(
                f"{type(made).__name__} has no positive=True: leave it out, or use the lasso"
            )
        made = made.replace(positive=True)
    return CodeTerms(single, made.strength, positive, made)
