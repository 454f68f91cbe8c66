"""Commands for models over time of matrices: they can be inspected, but read no documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.training import fit_facts
from laconic.models.option import Option
from laconic.time.facts import label_facts, moved, step_facts

if TYPE_CHECKING:
    from laconic.time.base import TemporalLinear

Since = Annotated[
    str | None,
    Option("Step to compare the last one with: the first, if not given.", metavar="STEP"),
]
Label = Annotated[
    str | None,
    Option("Which of more than two labels: the first, if not given.", metavar="NAME"),
]


def inspect(
    model: TemporalLinear,
    n: int,
    as_json: bool,
    *,
    since: Since = None,
    label: Label = None,
) -> dict[str, Any]:
    """Show the features whose weights rose and fell most."""
    names = [f"feature {number}" for number in range(model.n_features_in_)]
    facts = {**label_facts(model), **step_facts(model), **fit_facts(model)}
    return {**facts, **moved(model, names, n, since, label)}
