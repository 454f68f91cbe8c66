"""What a classifier reads of the rows of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.text.columns import Columns

if TYPE_CHECKING:
    from laconic.classify.predict import TextPredictor


def fields_of(model: TextPredictor, text_field: str, label_field: str | None) -> Columns:
    """Return names of fields: text, labels or lists of them, and the columns beside them."""
    beside = tuple(model.numbers), tuple(model.categories)
    return Columns(text_field, label_field, *beside, lists=model.thresholds_ is not None)
