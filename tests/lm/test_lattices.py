"""Best paths through lattices beside all paths, and files that are not lattices."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import run
from made_sentences import sentences

from laconic import KneserNey, LanguageModel
from laconic.errors import InputError
from laconic.lm.lattices import SILENT, Lattice, best_path, read_lattices

WORDS = ["the", "a", "n1", "n2", "v1", "!NULL", "unseen"]


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LanguageModel(3, KneserNey()).fit(sentences(200))


def lattice_text(seed: int, n: int = 7) -> str:
    """A lattice of n nodes in no order, all of which are reached from the first."""
    drawn = random.Random(seed)
    nodes = drawn.sample(range(100), n)
    links = [(drawn.randrange(end), end) for end in range(1, n)]
    links += [tuple(sorted(drawn.sample(range(n), 2))) for _ in range(6)]
    lines = ["VERSION=1.0", f"UTTERANCE=u{seed}", "base=10", f"N={n} L={len(links)}"]
    lines += [f"I={node} t=0.1" for node in sorted(nodes)]
    lines += [
        f"J={i} S={nodes[a]} E={nodes[b]} W={drawn.choice(WORDS)} a={drawn.uniform(-2, 0):.3f}"
        for i, (a, b) in enumerate(links)
    ]
    return "\n".join(lines) + "\n"


def all_paths(lattice: Lattice, node: str) -> Iterator[tuple[list[str], float]]:
    """Yield the words and the acoustic score of every path from a node to an end."""
    if not lattice.links[node]:
        yield [], 0.0
    for link in lattice.links[node]:
        for words, score in all_paths(lattice, link.end):
            yield [link.word, *words], score + link.score


@pytest.mark.parametrize("seed", range(8))
def test_no_path_is_better(model: LanguageModel, tmp_path: Path, seed: int) -> None:
    (tmp_path / "in.slf").write_text(lattice_text(seed))
    (lattice,) = read_lattices(tmp_path / "in.slf")
    entered = {link.end for links in lattice.links.values() for link in links}
    for weight in (0.0, 0.3, 2.0):
        scores = [
            score + weight * model.log_prob([word for word in words if word not in SILENT])
            for node in lattice.nodes
            if node not in entered
            for words, score in all_paths(lattice, node)
        ]
        best = best_path(model, lattice, weight)
        assert best.score == pytest.approx(max(scores), abs=1e-4)


def test_words_of_nodes_and_several_lattices(model: LanguageModel, tmp_path: Path) -> None:
    one = (
        "VERSION=1.1\nUTTERANCE=first\nN=4 L=4\n# a comment\nI=0 W=!NULL\nI=1 W=the\nI=2 W=n1\n"
        "I=3 W=!NULL\nJ=0 S=0 E=1 a=-1\nJ=1 S=1 E=2 a=-2\nJ=2 S=2 E=3\nJ=3 S=0 E=3 a=-100\n"
    )
    path, saved = tmp_path / "in.slf", tmp_path / "m.laconic"
    path.write_text(one + "\n" + lattice_text(3), encoding="utf-8")
    model.save(saved)
    shown = run("predict", str(saved), str(path), "--lattices", "0.5").stdout.splitlines()
    rows = [line.split(" ||| ") for line in shown]
    assert [row[0] for row in rows] == ["first", "u3"] and rows[0][1] == "the n1"
    assert float(rows[0][2]) == pytest.approx(-3 + 0.5 * model.log_prob("the n1"), abs=1e-4)
    refused_together = ("predict", str(saved), str(path), "--lattices", "1", "--nbest", "1")
    failed = run(*refused_together)
    assert (
        failed.exit_code == 2
        and "--nbest, --lattices and --per-sentence do not go" in failed.output
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("\n# a comment\n", "holds no lattice"),
        ("VERSION=1.0\nwhat is this\n", ":2: expected fields"),
        ("VERSION=1.0\nN=1 L=0\nI=0\n", ":1: the lattice has no links"),
        ("I=0\nI=1\nJ=0 S=0 E=2\n", ":3: a link needs S= and E="),
        ("I=0\nI=1\nJ=0 S=0 E=1 a=x\n", ":3: a= must be a number, found 'x'"),
        ("I=0\nI=1\nJ=0 S=0 E=1 a=nan\n", ":3: a= must be a number"),
        ("base=1\nI=0\nI=1\nJ=0 S=0 E=1\n", ":1: base= must be above 1"),
        ("I=0\nI=1\nJ=0 S=0 E=1\nJ=1 S=1 E=0\n", ":1: the links of the lattice go in a circle"),
    ],
)
def test_files_that_are_not_lattices(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "in.slf").write_text(text)
    with pytest.raises(InputError) as error:
        list(read_lattices(tmp_path / "in.slf"))
    assert sentence in str(error.value) and "in.slf" in str(error.value)
