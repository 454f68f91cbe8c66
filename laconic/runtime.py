"""Models from compact files, with NumPy and the kernels and nothing else.

    from laconic import runtime
    tagger = runtime.load("model.laconic")
    tagger.predict([["the", "cat", "sleeps"]])

`pip install laconic --no-deps` and NumPy suffice. Compact files are written by `laconic compress`,
`laconic.save_compact` and the `save` of parsers and pipelines; classifiers, taggers, parsers,
pipelines and language models have them. Learning, plain model files and the command line need what
`pip install laconic` brings.
"""

from __future__ import annotations

from typing import Any

from laconic.errors import InputError
from laconic.models import file
from laconic.models.kind import COMPACT
from laconic.models.save import model_of
from laconic.text.io import PathLike, name_of


def load(path: PathLike, *, mmap: bool = False) -> Any:
    """Return the model of a compact file, which predicts and does not learn.

    Parameters
    ----------
    path : str or Path
        The file to read.
    mmap : bool, default=False
        Whether to map the file into memory instead of reading it, see `laconic.load`.

    Returns
    -------
    model : estimator
        The compact model.

    Raises
    ------
    InputError
        For any other file, in one sentence that names the file.

    Examples
    --------
    >>> import tempfile, laconic
    >>> from laconic import runtime
    >>> texts, labels = ["good plot", "nice cast", "dull plot", "poor cast"] * 5, [1, 1, 0, 0] * 5
    >>> model = laconic.TextClassifier(strength=0.1).fit(texts, labels)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     laconic.save_compact(model, f"{folder}/model")
    ...     runtime.load(f"{folder}/model").predict(["a good cast"]).tolist()
    [1]
    """
    found = file.load(path, mmap)
    if not found.kind.endswith(COMPACT):
        raise InputError(
            f"{name_of(path)}: is no compact file but a plain {found.kind} model: make one with "
            "`laconic compress` or laconic.save_compact, or use laconic.load."
        )
    return model_of(found, path)
