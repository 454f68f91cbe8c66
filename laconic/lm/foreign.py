"""Language models of other programs: ARPA files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.lm.arpa import is_arpa
from laconic.text.io import PathLike

if TYPE_CHECKING:
    from laconic.lm.model import LanguageModel


def recognizes(path: PathLike) -> bool:
    """Return whether the file is an ARPA file."""
    return is_arpa(path)


def read(path: PathLike) -> LanguageModel:
    """Return the model of an ARPA file."""
    from laconic.lm.model import LanguageModel

    return LanguageModel.from_arpa(path)
