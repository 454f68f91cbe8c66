"""Threads of kernels: a system that has none left makes a kernel slower, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# The stacks of new threads do not fit into the memory that is left.
FEW = """
import resource
import numpy as np
import scipy.sparse as sp
from laconic.core.designs.rows import Rows

X = sp.csr_matrix(np.random.default_rng(0).random((300, 2000)))
w = np.arange(2000.0)
expected = Rows(X, 1, False, 1).score(w)
many = Rows(X, 1, False, 8)
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + (6 << 20)
unlimited = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (most, unlimited[1]))
for _ in range(3):
    found = many.score(w)
resource.setrlimit(resource.RLIMIT_AS, unlimited)
print(np.array_equal(found, expected))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process as Linux does")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="its shadow needs more")
def test_a_kernel_that_can_start_no_thread_does_the_work_itself() -> None:
    done = subprocess.run([sys.executable, "-c", FEW], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
