"""What a run cost: wall-clock seconds and the peak memory of the process."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import TracebackType

MEGABYTE = 2**20


class Measured:
    """Measures a block, `with Measured() as cost`; `cost.seconds` is None until its end."""

    seconds: float | None = None
    peak_memory_mb: float | None = None

    def __enter__(self) -> Measured:
        self._start = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds = time.perf_counter() - self._start
        self.peak_memory_mb = peak_memory_mb()

    def report(self) -> dict[str, float | None]:
        """Return seconds and memory under the names that every verb reports them by."""
        return {"seconds": self.seconds, "peak_memory_mb": self.peak_memory_mb}


def peak_memory_mb() -> float | None:
    """Return the peak of this process's physical memory so far, in units of 2^20 bytes.

    None on systems that do not tell: Windows has no module `resource`.
    """
    # On Linux ru_maxrss survives execve: a small process started by a large one would report the
    # peak of the large one. VmHWM belongs to this program alone.
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / MEGABYTE
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * maxrss_unit(sys.platform) / MEGABYTE


def maxrss_unit(platform: str) -> int:
    """Return the bytes in one unit of ru_maxrss: macOS counts bytes, Linux and BSD kilobytes."""
    return 1 if platform == "darwin" else 1024
