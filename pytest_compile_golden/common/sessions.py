"""Processes that are started in a session of their own, so that they can be ended with all that they start."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess


def end_session(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a session, and all others in it, and wait for it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
