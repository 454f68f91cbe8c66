"""Language models in compact files: tries in few bits, searched as they are.

word_data, word_size   the words, <unk> and </s> first, and how many bytes each has
0.sizes, 0.1.gain ..   n-grams of words as a trie, see packed.py
1.sizes ..             those of classes that are mixed with them, in the same form, with
1.classes, 1.share     class of every word, and the number, in the table 1.shares, of the logarithm
                       of its share of the class (1.log_share, the logarithm itself, in older files)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from laconic import _core
from laconic.core.ragged import pointers
from laconic.errors import InputError
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.described import checked_meta, model_meta
from laconic.lm.mixture import MixturePart, all_parts
from laconic.lm.packed import learned_values, nearest, pack_trie, trie_kernel, unpack_trie
from laconic.lm.predict import LanguagePredictor
from laconic.lm.running import SentenceEncoder, SentencesLike
from laconic.models import file as files
from laconic.models.checks import (
    Arrays,
    Contents,
    check_names,
    check_storable,
    numbers,
    smallest,
    whole,
)
from laconic.models.loaded import Loaded
from laconic.text.io import PathLike

if TYPE_CHECKING:
    from laconic.lm.log_linear import LogLinear
    from laconic.lm.model import LanguageModel

OF_CLASSES = {"classes", "share", "shares", "log_share"}
VALUES = 256  # of log probabilities, and of back-off weights, of each order


class CompactLanguageModel(LanguagePredictor, Loaded):
    """A language model read from a compact file: it scores, completes and samples.

    It does not learn.
    """

    _contents: Contents

    fit_text = Loaded.fit

    def plain(self) -> LanguageModel:
        """Return the same model as an ordinary LanguageModel."""
        from laconic.lm.model import LanguageModel

        arrays, meta = self._contents
        weights = meta["weights"]
        parts = [_own(arrays, part) for part in range(len(weights) + 1)]
        models = [unpack_trie(*_split(part, len(self.encoder_))[:2]) for part in parts]
        others = tuple(
            MixturePart(model, *_split(part, len(self.encoder_))[2:], weight)
            for model, part, weight in zip(models[1:], parts[1:], weights, strict=True)
        )
        return LanguageModel(**self.get_params())._adopt(
            self.encoder_, models[0], self.report_, others
        )

    def prune(
        self,
        size: int,
        X: SentencesLike | Text | None = None,
        refit: LogLinear | None = None,
    ) -> LanguageModel:
        """Return a smaller model, see `LanguageModel.prune`."""
        return self.plain().prune(size, X, refit)

    def to_arpa(self, path: PathLike) -> None:
        """Write an ARPA file, see `LanguageModel.to_arpa`."""
        self.plain().to_arpa(path)

    @property
    def model_(self) -> ContextModel:
        """Contexts and n-grams of words as flat arrays, unpacked when they are asked for."""
        return self._plain().model_

    @property
    def others_(self) -> tuple[MixturePart, ...]:
        """What is mixed with the n-grams of words."""
        return self._plain().others_

    @property
    def n_ngrams_(self) -> list[int]:
        """Number of n-grams of each order."""
        return list(self._contents[1]["ngrams"])

    def _plain(self) -> LanguageModel:
        if "_unpacked" not in vars(self):
            self._unpacked = self.plain()
        return self._unpacked

    def __reduce__(self) -> tuple[Callable[..., CompactLanguageModel], Contents]:
        return unpack, (self._contents[0], self._contents[1])


def pack(model: LanguageModel, names: bool = True, n_values: int = VALUES) -> Contents:
    """Return the arrays and the JSON of a fitted model; its words are always kept."""
    check_storable(model.encoder_.words)
    word_data, word_ptr = files.encode_strings(model.encoder_.words)
    arrays: Arrays = {"word_data": word_data, "word_size": smallest(np.diff(word_ptr))}
    for number, part in enumerate(all_parts(model.model_, model.others_)):
        own = pack_trie(part.model, n_values)
        if number:
            own["classes"] = smallest(part.classes)
            shares = learned_values(part.log_share, VALUES)
            own["shares"] = shares.astype(np.float32)
            own["share"] = nearest(shares, part.log_share).astype(np.uint8)
        arrays |= {f"{number}.{name}": array for name, array in own.items()}
    kept = [model.report_.features_kept, model.report_.groups_kept]
    return arrays, {**model_meta(model), "ngrams": model.n_ngrams_, "kept": kept}


def unpack(arrays: Arrays, meta: dict[str, Any]) -> CompactLanguageModel:
    """Return the model of these arrays; a ValueError says what is wrong with them."""
    report, weights = checked_meta(meta)
    sizes = whole(arrays, "word_size") if "word_size" in arrays else np.empty(0, np.int64)
    data = arrays.get("word_data", np.empty(0, np.uint8))
    encoder = SentenceEncoder(files.decode_strings(data, pointers(sizes)))
    n_words = len(encoder)
    for name in ("ngrams", "kept"):
        given = meta.get(name)
        if not isinstance(given, list) or not all(type(n) is int and n >= 0 for n in given):
            raise InputError(f"{name!r} must be numbers of n-grams")
    if len(meta["kept"]) != 2:
        raise InputError("'kept' must be a number of n-grams and one of contexts")
    features, groups = meta["kept"]
    parts = [_own(arrays, part) for part in range(len(weights) + 1)]
    if sum(map(len, parts)) + 2 != len(arrays):
        raise InputError("the numbers of parts and of weights do not agree")
    kernel = _core.MixtureAutomaton(n_words)
    for part, weight in zip(parts, [1 - sum(weights), *weights], strict=True):
        own, n_classes, classes, log_share = _split(part, n_words)
        kernel.add(trie_kernel(own, n_classes), classes, log_share, max(weight, 1e-12))
    model = CompactLanguageModel(order=meta["order"], min_count=meta["min_count"])
    model.report_ = replace(report, features_kept=features, groups_kept=groups)
    model.encoder_, model._kernel = encoder, kernel
    model._contents = arrays, meta
    return model


def _own(arrays: Arrays, part: int) -> Arrays:
    """Return the arrays of a part."""
    prefix = f"{part}."
    return {name[len(prefix) :]: a for name, a in arrays.items() if name.startswith(prefix)}


def _split(part: Arrays, n_words: int) -> tuple[Arrays, int, Any, Any]:
    """Return the trie of a part, its number of classes, the class of every word and its share."""
    trie = {name: array for name, array in part.items() if name not in OF_CLASSES}
    if len(trie) == len(part):
        return trie, n_words, np.arange(n_words, dtype=np.int32), np.zeros(n_words)
    shares = {name: array for name, array in part.items() if name in OF_CLASSES}
    check_names(shares, OF_CLASSES - ({"log_share"} if "share" in part else {"share", "shares"}))
    classes = whole(part, "classes", 2**31 - 1).astype(np.int32)
    if "log_share" in part:
        share = numbers(part, "log_share", (n_words,), np.float32).astype(np.float64)
    else:
        table = numbers(part, "shares", (part["shares"].size,), np.float32)
        number = whole(part, "share", len(table) - 1)
        share = table.astype(np.float64)[number]
    return trie, int(part["sizes"][0]) - 1 if "sizes" in part else 0, classes, share
