"""A command on a terminal of its own, interrupted by Ctrl-C once its bar has said something."""

import json
import os
import pty
import signal
import subprocess
import time
from typing import Any


def interrupted(command: list[str], *awaited: bytes) -> dict[str, Any]:
    """Return the JSON report of a command that was interrupted once the bar had shown `awaited`."""
    report = json.loads(output_until_interrupted(command, *awaited))
    assert isinstance(report, dict)
    return report


def output_until_interrupted(command: list[str], *awaited: bytes) -> bytes:
    """What such a command wrote to standard output."""
    terminal, stderr = (
        pty.openpty()
    )  # the bar is drawn on terminals alone, and tells how far the command is
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    )
    os.close(stderr)
    seen = b""
    deadline = time.monotonic() + 100
    while not all(text in seen for text in awaited):
        assert time.monotonic() < deadline and process.poll() is None, seen[-500:]
        seen += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    try:
        while more := os.read(terminal, 4096):
            seen += more
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    assert process.stdout is not None
    written = process.stdout.read()
    assert process.wait(60) == 130, seen[-500:]
    return written
