"""The commands for word vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.console import Bar
from laconic.cli.options import UTF8, Encoding
from laconic.cli.training import fit_facts
from laconic.embed.task_files import TASKS
from laconic.embed.train import train as train
from laconic.embed.train import vector_facts
from laconic.errors import InputError
from laconic.models.option import Option
from laconic.text.io import atomic_writer, name_of, open_text

if TYPE_CHECKING:
    from laconic.embed.model import WordVectors


def predict(
    model: WordVectors,
    input_path: Annotated[str, Option("Words, separated by spaces or line ends.")],
    output: str,
    bar: Bar,
    *,
    nearest: Annotated[
        int | None,
        Option(
            "Write this number of nearest words with their cosines, instead of vectors.",
            metavar="N",
            minimum=1,
        ),
    ] = None,
    encoding: Encoding = UTF8,
) -> dict[str, Any]:
    """Write one line per known word: the word and its vector."""
    from laconic.text.vectors import line_of

    n_words = n_unknown = 0
    with open_text(input_path, encoding) as lines, atomic_writer(output) as stream:
        for line in lines:
            for word in line.split():
                n_words += 1
                if word not in model:
                    n_unknown += 1
                elif nearest is None:
                    stream.write(line_of(word, model.vector(word)))
                else:
                    stream.writelines(
                        f"{word}\t{near}\t{cosine:.4f}\n"
                        for near, cosine in model.most_similar(word, nearest)
                    )
            bar.describe(f"looking up: {n_words:,} words")
        if n_words and n_unknown == n_words:
            raise InputError(f"{name_of(input_path)}: the model knows none of these words.")
    return {"words": n_words, "unknown": n_unknown}


def evaluate(
    model: WordVectors,
    gold: Annotated[
        list[str],
        Option(
            "Files of tasks: similar pairs, analogies, sentences to complete, or three sentiment "
            "treebanks to train, tune and test on."
        ),
    ],
    bar: Bar,
    *,
    task: Annotated[
        str | None,
        Option("What the files are for; without it, their form tells.", choices=TASKS),
    ] = None,
) -> dict[str, Any]:
    """Return Spearman's correlation with scores of people, and accuracies."""
    from laconic.embed.scores import scores

    return scores(model, gold, task, bar.describe)


def inspect(
    model: WordVectors,
    n: int,
    as_json: bool,
    *,
    near: Annotated[
        str | None, Option("Show the -n nearest words of this one, instead.", metavar="WORD")
    ] = None,
    analogy: Annotated[
        str | None,
        Option("Show the -n words that are to C as B is to A, instead.", metavar="'A B C'"),
    ] = None,
) -> dict[str, Any]:
    """Show the words that have most of each dimension, in the order of the forest."""
    wanted: dict[str, Any] = {}
    if near is not None:
        wanted[f"near {near}"] = _listed(model.most_similar(near, n))
    if analogy is not None:
        words = analogy.split()
        if len(words) != 3:
            raise InputError(
                f"--analogy takes three words, not {len(words)}: what is to the third as the "
                "second is to the first?"
            )
        wanted[f"{words[0]} : {words[1]} = {words[2]} :"] = _listed(
            model.analogy(words[0], words[1], words[2], n)
        )
    if wanted:
        return wanted
    from laconic.embed.explain import dimension_rows

    facts = {**vector_facts(model), **fit_facts(model)}
    rows = dimension_rows(model, min(n, 10) if not as_json else n)
    if as_json:
        return {**facts, "dimensions": [row._asdict() for row in rows]}
    table = [
        {
            "dimension": "  " * row.depth + str(row.dimension),
            "used": f"{row.used:.1%}",
            "most": ", ".join(row.positive),
            "least": ", ".join(row.negative),
        }
        for row in rows
    ]
    return {**facts, "dimensions, and the words at their ends": table}


def _listed(found: list[tuple[str, float]]) -> list[dict[str, Any]]:
    return [{"word": word, "cosine": cosine} for word, cosine in found]


def report(
    model: WordVectors,
    output: str,
    *,
    words: Annotated[
        str | None,
        Option("Words to draw, in blocks separated by semicolons.", metavar="'A B; C D'"),
    ] = None,
) -> None:
    """Show what each dimension is about, with pictures of words."""
    from laconic.embed.page import write_embed_report

    blocks = [block.split() for block in (words or "").split(";")]
    write_embed_report(model, output, {" ".join(block): block for block in blocks if block})


def export(
    model: WordVectors,
    output: str,
    *,
    binary: Annotated[bool, Option("Write word2vec's binary form, not its text.")] = False,
) -> dict[str, Any]:
    """Write a word2vec file."""
    model.to_word2vec(output, binary)
    return {"words": len(model), "size": model.codes_.shape[1]}


def answer(model: WordVectors, given: Any) -> dict[str, float]:
    """Return the neighbours of a word, with their cosines."""
    if not isinstance(given, str):
        raise InputError("an input is a word.")
    return dict(model.most_similar(given))
