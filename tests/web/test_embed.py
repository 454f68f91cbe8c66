"""Word vectors in JavaScript: the same neighbours; cosines are of single precision"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from javascript import PREDICT, run_js
from scipy import sparse

from laconic import WordVectors

SCRIPT = (
    PREDICT
    + """
say({ near: given.words.map((word) => model.mostSimilar(word, 6)),
  analogies: given.triples.map((words) => model.analogy(...words, 6)) });
"""
)


@pytest.mark.parametrize(("density", "scale"), [(0.5, 0.5), (0.02, 0.0), (0.02, 1.0)])
def test_neighbours_and_analogies(density: float, scale: float, tmp_path: Path) -> None:
    words = [f"w{k}" for k in range(298)] + ["été", "слово"]
    codes = sparse.random(300, 40, density, "csr", np.float32, random_state=0)
    codes.data -= np.float32(0.4)
    model = WordVectors(scale=scale)._adopt(words, np.arange(300, 0, -1), codes)
    model.save(tmp_path / "model")
    asked = [word for word in words if abs(model.vector(word)).sum() > 0]
    triples = [asked[k : k + 3] for k in range(0, 60, 3)]
    given = {"path": str(tmp_path / "model"), "words": asked, "triples": triples}
    found = run_js(SCRIPT, given)
    answers = [*found["near"], *found["analogies"]]
    expected = [model.most_similar(word, 6) for word in asked]
    expected += [model.analogy(*words, k=6) for words in triples]
    for answer, wanted in zip(answers, expected, strict=True):
        assert np.allclose([c for _, c in answer], [c for _, c in wanted], atol=2e-6)
        if min(a - b for (_, a), (_, b) in itertools.pairwise(wanted)) > 1e-5:
            assert [word for word, _ in answer[:5]] == [word for word, _ in wanted[:5]]
