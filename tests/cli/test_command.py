"""Commands built from functions: what is declared is shown, checked and passed on."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any, NamedTuple

import pytest
from typer.testing import CliRunner

from laconic.cli.command import command
from laconic.cli.slots import bind, slots_of
from laconic.errors import InputError
from laconic.models.option import Option, OptionValues, Parameters

CALLS: list[dict[str, Any]] = []


class Pace(NamedTuple):
    """A group of options."""

    fast: Annotated[bool, Option("Whether to hurry.")] = False
    steps: Annotated[int | None, Option("Number of steps.", minimum=1)] = None


class Walker:
    """Walks.

    Parameters
    ----------
    shoes : str, default="boots"
        What it wears. Barefoot is fine.
    pockets : tuple of int
        Sizes of the pockets.
    """

    def __init__(self, shoes: str = "boots", pockets: tuple[int, ...] = (), n_jobs: int = 1):
        pass


def verb(
    path: Annotated[str, Option("A file.", metavar="PATH")],
    *,
    loud: Annotated[bool, Option("Whether to shout.", flag="--loud,-l")] = False,
    **options: object,
) -> None:
    """Do something."""
    CALLS.append({"path": path, "loud": loud, **options})


def of_cats(
    model: Any,
    path: Annotated[str, Option("Fish.")],
    *,
    pace: Pace,
    colour: Annotated[str, Option("Colour.", choices=("red", "black"))] = "red",
) -> None:
    """Do it with cats."""


def of_dogs(
    model: Any,
    path: Annotated[str, Option("Bones.")],
    *,
    colour: Annotated[str, Option("Colour.", choices=("red", "black"))] = "red",
    walker: Annotated[
        OptionValues, Parameters(f"{__name__}:Walker", {"Walks": ("shoes", "pockets", "n_jobs")})
    ],
) -> None:
    """Do it with dogs."""


def run(*words: str) -> Any:
    CALLS.clear()
    made = command("verb", verb, {"cat": of_cats, "dog": of_dogs})
    with pytest.raises(SystemExit) as caught:
        made.main(list(words), prog_name="laconic")
    return caught.value.code


def test_only_what_was_given_is_passed_on() -> None:
    assert run("p") == 0 and CALLS == [{"path": "p", "loud": False}]
    assert run("p", "-l", "--fast", "--shoes", "boots") == 0
    assert CALLS == [{"path": "p", "loud": True, "fast": True, "shoes": "boots"}]


def test_help_says_what_is_declared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "A file. cat: Fish. dog: Bones." in shown
    assert "Only for cat" in shown and "Only for dog" in shown
    assert "What it wears. [default: boots]" in shown and "Barefoot" not in shown
    assert "Number of threads; -1 for all cores." in shown and "--jobs" in shown
    assert "--fast" in shown and "--no-fast" not in shown


def test_options_bind_to_the_parameters_of_a_function() -> None:
    assert bind(of_cats, {"fast": True, "colour": "black"}) == {
        "pace": Pace(fast=True),
        "colour": "black",
    }
    assert bind(of_dogs, {"pockets": "3,6", "jobs": 2}) == {
        "walker": {"pockets": (3, 6), "n_jobs": 2}
    }
    assert bind(of_dogs, {}) == {"walker": {}}


@pytest.mark.parametrize(
    ("function", "given", "sentence"),
    [
        (of_cats, {"colour": "blue"}, "--colour must be one of red, black, not 'blue'."),
        (of_cats, {"steps": 0}, "--steps must be a number of at least 1, not 0."),
        (of_dogs, {"pockets": "3,x"}, "--pockets takes numbers with commas between them"),
    ],
)
def test_values_are_checked(function: Any, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        bind(function, given)


def test_what_only_type_checkers_see_is_no_option() -> None:
    def function(model: Absent, *, n: Annotated[int, Option("Number.")] = 1) -> None:  # noqa: F821
        """Take a model."""

    assert [slot.key for slot in slots_of(function)] == ["n"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (["--help"], ("numpy", "laconic.tag.cli")),
        (["train", "--help"], ("numpy", "laconic.tag.cli")),
        (["train", "classify", "--help"], ("scipy", "sklearn", "laconic.tag.cli")),
        (["train", "classify", "x", "--no-such-option"], ("scipy", "sklearn")),
        (["predict", "--help"], ("scipy", "sklearn")),
    ],
)
def test_help_and_wrong_options_import_no_numerics(words: list[str], absent: tuple[str]) -> None:
    code = f"""
import sys
from typer.testing import CliRunner
from laconic.cli.main import app
CliRunner().invoke(app, {words!r})
print([name for name in {absent!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_unknown_commands_are_refused() -> None:
    from laconic.cli.main import app

    assert CliRunner().invoke(app, ["fly"]).exit_code == 2
    assert CliRunner().invoke(app, ["train", "temporal"]).exit_code == 2
