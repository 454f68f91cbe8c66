"""Compact files: the same model in few bits, read where it lies, whatever the file holds."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from commands import refused, result_of
from hypothesis import given, settings
from hypothesis import strategies as st
from ngrams import arpas

import laconic
from laconic import LanguageModel
from laconic.errors import InputError
from laconic.lm.arpa import Arpa
from laconic.lm.backoff import context_model
from laconic.lm.compact import CompactLanguageModel, pack
from laconic.lm.packed import learned_values, pack_trie, trie_kernel, unpack_trie
from laconic.models import file as files

WORDS = ["the", "a", "cat", "dog", "mat", "sat", "on", "saw", "small", "ran"]
MANY = 1 << 20  # values: every one its own
LEARNERS = {
    "words": laconic.KneserNey(),
    "mixture": laconic.ClassMixture(laconic.KneserNey(), n_classes=(2,)),
    "selected": laconic.LogLinear("lasso", max_iter=30, tol=1e-2, strength=0.5),
}


def drawn(n: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, len(WORDS) + 1)
    lengths = rng.integers(0, 12, n).tolist()
    return [" ".join(rng.choice(WORDS, length, p=share / share.sum())) for length in lengths]


@pytest.fixture(scope="module", params=LEARNERS)
def model(request: pytest.FixtureRequest) -> LanguageModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LanguageModel(4, LEARNERS[request.param], 2).fit([*drawn(300, 0), "once"])


def compacted(model: LanguageModel, path: Path, n_values: int = MANY) -> CompactLanguageModel:
    files.save(path, "lm.compact", *pack(model, n_values=n_values))
    found: CompactLanguageModel = laconic.load(path)
    return found


def test_every_question_has_the_same_answer(model: LanguageModel, tmp_path: Path) -> None:
    small, text = compacted(model, tmp_path / "m"), [*drawn(60, 1), "unseen the unseen", ""]
    assert isinstance(small, CompactLanguageModel) and small.n_ngrams_ == model.n_ngrams_
    for ours, theirs in zip(small.log_probs(text), model.log_probs(text), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-5)
    assert small.log_prob("the cat") == pytest.approx(model.log_prob("the cat"), abs=1e-5)
    for words in ("the cat", "", "unseen"):
        state, other = small.state(words), model.state(words)
        for word in [*WORDS, "</s>", "unseen"]:
            assert small.score(state, word)[1] == pytest.approx(
                model.score(other, word)[1], abs=1e-5
            )
        found = dict(small.complete(state, 50))
        assert found == pytest.approx(dict(model.complete(other, 50)), abs=1e-5)
    # A state is a number that is followed as well as the words that lead there.
    state = small.start()
    for word in ["the", "small", "cat", "sat", "on", "the", "mat"]:
        state, _ = small.score(state, word)
    assert small.complete(state) == small.complete("the small cat sat on the mat")
    assert small.sample(5, seed=1) == compacted(model, tmp_path / "n").sample(5, seed=1)


def test_plain_copies_and_files(model: LanguageModel, tmp_path: Path) -> None:
    small, text = compacted(model, tmp_path / "m", 8), drawn(60, 1)
    expected = small.perplexity(text)
    assert small.plain().perplexity(text) == pytest.approx(expected, rel=1e-6)
    assert pickle.loads(pickle.dumps(small)).perplexity(text) == expected
    small.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    assert 20 < sum(small.prune(30, text).n_ngrams_) <= 30  # the rest are classes
    with pytest.raises(ValueError, match="does not learn"):
        small.fit(text)


@settings(max_examples=60)
@given(arpas())
def test_any_back_off_model_comes_back(arpa: Arpa) -> None:
    model, _ = context_model(arpa)
    arrays = pack_trie(model, MANY)
    trie_kernel(arrays, model.n_words)
    again = unpack_trie(arrays, model.n_words)
    tokens = np.array([0, 1 % model.n_words, 0, 0, model.n_words - 1] * 3, np.int32)
    ptr = np.array([0, 7, 15])
    scores = [
        one.automaton().score(tokens, ptr, one.automaton().start())[0] for one in (model, again)
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-5, abs=1e-4)


@given(st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=200), st.integers(2, 20))
def test_learned_values(x: list[float], n: int) -> None:
    found = learned_values(np.array(x), n)
    assert len(found) <= n and np.all(np.diff(found) > 0)
    assert found[0] >= min(x) - 1e-9 and found[-1] <= max(x) + 1e-9
    assert 0.0 not in x or 0.0 in found
    if len(set(x)) <= n:
        assert found.tolist() == sorted(set(x))


@settings(max_examples=60)
@given(data=st.data())
def test_no_content_leads_outside(data: st.DataObject) -> None:
    """Arrays of the right lengths are never read beyond their ends, whatever they hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LanguageModel(3, laconic.KneserNey()).fit(drawn(20, 3))
    arrays, meta = pack(model)
    name = data.draw(st.sampled_from([n for n in arrays if n.split(".")[-1] in BITS]))
    seed = data.draw(st.integers(0, 10**6))
    arrays[name] = np.random.default_rng(seed).integers(
        0, 2**64, len(arrays[name]), dtype=np.uint64
    )
    compact = laconic.lm.compact
    try:
        found = compact.unpack(arrays, meta)
    except ValueError as error:
        assert "do not agree" in str(error)
        return
    assert np.all(np.isfinite(np.concatenate(found.log_probs(drawn(20, 4)))))
    found.sample(2, seed)


BITS = ("label", "gain", "weight", "children")


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("0.sizes", lambda a: a + 1, "all words and the start"),
        ("0.sizes", lambda a: a[:-1], "not those of its sizes"),
        ("0.2.label", lambda a: a[:1], "too short"),
        ("0.2.label", lambda a: a.astype(np.int64), "uint64"),
        ("0.2.gains", lambda a: a * np.nan, "finite"),
        ("0.1.children", lambda a: a * 0, "do not agree"),
        ("word_size", lambda a: a[:-1], "."),
        ("0.other", None, "not those of its sizes"),
        ("other", None, "do not agree"),
    ],
)
def test_forged_files_are_refused(name: str, change: object, says: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LanguageModel(3, laconic.KneserNey()).fit(drawn(20, 3))
    arrays, meta = pack(model)
    arrays[name] = np.zeros(3) if change is None else change(arrays[name])  # type: ignore[operator]
    files.save(tmp_path / "m", "lm.compact", arrays, meta)
    with pytest.raises(InputError, match=says):
        laconic.load(tmp_path / "m")


class Folder:
    """A model, as a file, and where its compact form goes."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.text, self.model, self.small = (
            str(folder / name) for name in ("text", "m.laconic", "s.laconic")
        )
        Path(self.text).write_text("\n".join(drawn(300, 0)))


@pytest.mark.slow
def test_compress(tmp_path: Path) -> None:
    at = Folder(tmp_path)
    result_of("train", "lm", at.text, "--learner", "kneser-ney", "-o", at.model)
    found = result_of("compress", at.model, "-o", at.small)
    assert found["values"] == 256 and found["bytes"] < found["bytes_before"] / 2
    exact, few = (result_of("evaluate", path, at.text) for path in (at.model, at.small))
    assert few["ngrams"] == exact["ngrams"]
    assert few["perplexity"] == pytest.approx(exact["perplexity"], rel=0.01)
    result_of("inspect", at.small)
    result_of("inspect", at.small, "--complete", "the cat")
    again = result_of("compress", at.small, "-o", f"{at.small}er", "--values", "4")
    assert again["values"] == 4
    refused(at, "--eta does not go with", "compress", at.model, "-o", at.small, "--eta", "1")
