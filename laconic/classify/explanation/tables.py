"""Tables of words as files: CSV, LaTeX (booktabs), and a frame where pandas is installed."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.errors import InputError
from laconic.text.io import PathLike, atomic_writer, name_of

FORMATS = (".csv", ".tex")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}


def check_table_name(path: PathLike) -> None:
    """Raise InputError unless the name says which kind of table to write."""
    if not name_of(path).endswith(FORMATS):
        raise InputError(f"{name_of(path)}: a table is written as .csv or .tex.")


def write_table(path: PathLike, table: NDArray[Any]) -> None:
    """Write a structured array as CSV or as a LaTeX table, by the name of the file."""
    check_table_name(path)
    names = table.dtype.names or ()
    rows = [[_cell(value) for value in row] for row in table.tolist()]
    with atomic_writer(path) as stream:
        if name_of(path).endswith(".csv"):
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(names)
            writer.writerows(rows)
        else:
            stream.write(latex(names, rows, _alignment(table)))


def latex(names: Sequence[str], rows: Sequence[Sequence[str]], alignment: str) -> str:
    r"""Return a table in LaTeX; it needs the package booktabs.

    >>> latex(["word", "n"], [["R&D_1", "3"]], "lr").splitlines()[4]
    'R\\&D\\_1 & 3 \\\\'
    """
    lines = [" & ".join(map(_escaped, row)) + r" \\" for row in rows]
    head = " & ".join(_escaped(name.replace("_", " ")) for name in names) + r" \\"
    parts = [f"\\begin{{tabular}}{{{alignment}}}", r"\toprule", head, r"\midrule", *lines]
    return "\n".join([*parts, r"\bottomrule", r"\end{tabular}"]) + "\n"


def frame(table: NDArray[Any]) -> Any:
    """Return a pandas DataFrame of a structured array, or the array where there is no pandas."""
    if find_spec("pandas") is None:
        return table
    import pandas

    return pandas.DataFrame(table)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.6g}"
    return "" if type(value) is int and value < 0 else str(value)


def _alignment(table: NDArray[Any]) -> str:
    names = table.dtype.names or ()
    return "".join("l" if table.dtype[name].kind == "O" else "r" for name in names)


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
