"""Names for what comes from Dask, which has no types, and from users, who may give many."""

from __future__ import annotations

from typing import Any, TypeAlias

Client: TypeAlias = Any  # distributed.Client
Future: TypeAlias = Any  # of a client, or the value itself
Given: TypeAlias = Any  # rows, targets, weights or offsets: arrays, matrices, collections, lists
Message: TypeAlias = Any  # an argument of a block's method, or what it answers
