"""The one error that means: what you gave cannot be used, and here is the sentence that says why."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input of a user: the message is one sentence naming the file, the line and what was expected."""
