"""A torch version to try programs with: a process that has done its imports, which forks for each of them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.sessions import end_session
from pytest_compile_golden.errors import SideFailed
from pytest_compile_golden.features.reduce.reduce_protocol import (
    Prepare,
    Request,
    WorkerAnswer,
)

_SHOWN = 12
_POLL_S = 0.05


class TorchProcess:
    """One torch version; a context manager that ends its process."""

    def __init__(self, label: str, python: Path) -> None:
        self.label = label
        self.python = python
        self.processor_s = 0.0
        """What the requests have taken so far, in seconds of processor time."""
        self._lock = threading.Lock()
        # Short: so is the longest path of a socket.
        self._scratch = Path(tempfile.mkdtemp(prefix="cg-"))
        self._socket = self._scratch / "socket"
        self._log = self._scratch / "log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    python,
                    "-m",
                    "pytest_compile_golden.features.reduce.compile_process",
                    self._socket,
                ],
                # Threads that build code do not survive a fork, and would be waited for.
                env={
                    **os.environ,
                    "PYTHONDONTWRITEBYTECODE": "1",
                    "TORCHINDUCTOR_COMPILE_THREADS": "1",
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> TorchProcess:
        return self

    def __exit__(self, *_: object) -> None:
        end_session(self._process)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def ask(self, request: Request) -> WorkerAnswer:
        """The answer to a request; several threads may ask at once. Raises SideFailed if the process has ended."""
        with self._connected() as connection:
            connection.sendall(msgspec.msgpack.encode(request))
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile("rb") as stream:
                data = stream.read()
        if data:
            answer = msgspec.msgpack.decode(data, type=WorkerAnswer)
            with self._lock:
                self.processor_s += answer.processor_s
            return answer
        if isinstance(request, Prepare):
            raise self._failed()
        return WorkerAnswer(error="the process crashed or took too long")

    @contextmanager
    def _connected(self) -> Iterator[socket.socket]:
        with socket.socket(socket.AF_UNIX) as connection:
            while True:
                try:
                    connection.connect(str(self._socket))
                    break
                except (FileNotFoundError, ConnectionRefusedError):
                    if self._process.poll() is not None:
                        raise self._failed() from None
                    time.sleep(_POLL_S)
            yield connection

    def _failed(self) -> SideFailed:
        output = split_lines(self._log.read_text(encoding="utf-8", errors="replace"))
        last = "\n".join(output[-_SHOWN:])
        return SideFailed(
            f"the process with {self.label} ended; this package must be installed there:\n{last}"
        )
