"""The one error that users can cause: a sentence that says what cannot be used, and why."""

from __future__ import annotations


class InputError(ValueError):
    """Input that cannot be used; the message is one sentence for the person who gave it.

    It names the file and the line, what was found and what was expected.

    Examples
    --------
    >>> import laconic
    >>> try:
    ...     laconic.load("no/such/file")
    ... except laconic.InputError as error:
    ...     print(error)
    no/such/file: the model cannot be read (No such file or directory).
    """
