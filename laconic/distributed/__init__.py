"""Beyond one machine: the same estimators over rows on the workers of a Dask cluster.

    with laconic.distributed.on(client):
        model.fit(X, y)

Rows stay on the workers; this process runs the solver on sums that they send. The answer, and its
certificate, are those of one machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from laconic.core.backend import using
from laconic.distributed.cluster import Cluster, ClusterError
from laconic.distributed.rows import ClusterRows
from laconic.distributed.untyped import Client

__all__ = ["Cluster", "ClusterError", "ClusterRows", "on"]


@contextmanager
def on(client: Client, n_blocks: int | None = None) -> Iterator[Cluster]:
    """Fit over blocks of rows on the workers of a cluster, inside a with statement.

    Parameters
    ----------
    client : distributed.Client
        Client of the cluster. `Client(n_workers=2, threads_per_worker=1)` starts one on this
        machine.
    n_blocks : int or None, default=None
        Number of blocks that rows in this process are cut into; None is one per thread of the
        workers, or more where these would be large. Dask's collections keep their own.

    Returns
    -------
    context manager
        Whose value counts the sums, and the bytes that were sent to workers.
    """
    cluster = Cluster(client)
    with using(ClusterRows(cluster, n_blocks)):
        yield cluster
