"""Linear models of matrices: fits checked from outside, penalties in every estimator."""

from __future__ import annotations

from pathlib import Path

from benchmarks import (
    linear_campaign,
    linear_certificates,
    linear_doors,
    linear_features,
    linear_races,
    linear_scales,
)

TITLE = "Linear models of matrices"
SECTIONS = {
    "scales": linear_scales.section,
    "doors": linear_doors.doors,
    "speed": linear_races.section,
    "campaign": linear_campaign.section,
    "certificates": linear_certificates.section,
    "features": linear_features.features,
}


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
