"""ARPA files of models of every learner, read and scored by KenLM itself."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import laconic
from laconic import LanguageModel
from laconic.lm.any_penalty import NESTED

kenlm = pytest.importorskip("kenlm")
WORDS = ["the", "a", "cat", "dog", "mat", "sat", "on", "saw", "small", "ran"]
LEARNERS = {
    "kneser-ney": laconic.KneserNey(),
    **{name: laconic.LogLinear(make(), max_iter=30, tol=1e-2) for name, make in NESTED.items()},
    "lasso": laconic.LogLinear("lasso", max_iter=30, tol=1e-2, strength=0.5),
}


def drawn(n: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, len(WORDS) + 1)
    return [
        " ".join(rng.choice(WORDS, rng.integers(1, 12), p=share / share.sum())) for _ in range(n)
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("pruned", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_kenlm_gives_the_same_scores(name: str, pruned: bool, tmp_path: Path) -> None:
    model = LanguageModel(4, LEARNERS[name], min_count=2).fit([*drawn(300, 0), "once"])
    if pruned:
        model = model.prune(60, drawn(300, 0))
    model.to_arpa(tmp_path / "model.arpa")
    peer: Any = kenlm.Model(str(tmp_path / "model.arpa"))
    assert peer.order == (4 if not pruned else model.model_.order)
    sentences = [*drawn(50, 1), "unseen the unseen", ""]
    for sentence, ours in zip(sentences, model.log_probs(sentences), strict=True):
        theirs = [score for score, _, _ in peer.full_scores(sentence)]
        assert ours / math.log(10) == pytest.approx(theirs, abs=1e-5)
