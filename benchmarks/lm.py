"""Language models: log-linear ones on suffix trees beside Kneser-Ney, proximal steps, whole
corpora, scoring.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import (
    lm_adaptation,
    lm_corpora,
    lm_defaults,
    lm_perplexity,
    lm_prox,
    lm_scale,
    lm_scoring,
)

TITLE = "Language models"
SECTIONS = {
    "defaults": lm_defaults.section,
    "sizes": lm_defaults.sizes,
    "adaptation": lm_adaptation.section,
    "perplexity": lm_perplexity.section,
    "steps": lm_prox.section,
    "corpora": lm_corpora.section,
    "kneser_ney": lm_scoring.section,
    "scoring": lm_scoring.speed,
    "scale": lm_scale.section,
    "files": lm_scale.file_section,
}


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
