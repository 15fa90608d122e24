"""A corpus over many machines, by any `concurrent.futures.Executor`: one call compiles one program.

Dask and Ray have such executors, and deal with machines that come, go and are lost. What runs there is
`compile_program`. It leaves a process for the next call (`service`), since what a process imports and compiles first
takes longer than most programs.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, as_completed
from multiprocessing import Pipe
from pathlib import Path

import msgspec

from pytest_compile_golden.cli import record_sides
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.crater.compile_row import Job
from pytest_compile_golden.features.crater.compile_service import (
    ProgramAnswer,
    ProgramKey,
    TorchAnswer,
)
from pytest_compile_golden.features.crater.corpus_settings import CorpusSettings
from pytest_compile_golden.features.crater.run_jobs import Keep
from pytest_compile_golden.recordings.corpus_rows import TorchRows

_SERVICE = ("-m", "pytest_compile_golden.features.crater.compile_service")


class ExecutorSide(msgspec.Struct, frozen=True):
    """A corpus, the torch that compiles it, and the folder that relative names in both are relative to."""

    corpus: CorpusSettings
    torch: str | None
    """A version or an interpreter, as on the command line; None for the torch of the executor's own workers."""
    pip: str
    python: str | None
    """The interpreter to make an environment with, if not the worker's own."""
    folder: str


@contextlib.contextmanager
def dask(address: str) -> Iterator[Executor]:
    """The workers of a Dask scheduler. Raises CompileGoldenError if Dask is not installed, or nothing answers there."""
    try:
        from distributed import Client
    except ImportError:
        raise CompileGoldenError(
            "--on needs Dask: pip install 'pytest-compile-golden[dask]'"
        ) from None
    try:
        client = Client(address)
    except (OSError, ValueError) as error:
        raise CompileGoldenError(
            f"no Dask scheduler answers at {address}: {error}"
        ) from None
    with client, client.get_executor() as executor:
        yield executor


def torch_of(executor: Executor, side: ExecutorSide) -> TorchRows:
    """The torch that compiles on the machines. An environment for a version is made once on each of them."""
    return executor.submit(_torch_here, side).result()


def run(
    executor: Executor, side: ExecutorSide, jobs: Sequence[Job], keep: Keep
) -> None:
    """Do the jobs, begun in their order, and call `keep` with each job's number, row and texts once it is done.

    Raises CompileGoldenError if a machine cannot compile; what was kept stays.
    """
    futures = {
        executor.submit(
            compile_program, side, (job.program.id, job.target, job.rewrite)
        ): number
        for number, job in enumerate(jobs)
    }
    try:
        for future in as_completed(list(futures)):
            compiled = future.result()
            keep(futures.pop(future), compiled.row, compiled.texts)
    finally:
        for future in futures:
            future.cancel()


def compile_program(side: ExecutorSide, program: ProgramKey) -> ProgramAnswer:
    """On a machine of the executor: compile one program.

    Raises CompileGoldenError if a process that compiles cannot be started, or ends twice while it compiles this one.
    """
    waiting = _waiting.setdefault(side, [])
    try:
        process = waiting.pop()
    except IndexError:
        process = _CompileProcess(side)
    try:
        compiled = process.compile(program)
    except CompileProcessLost:
        # It had waited for too long, or the machine had no memory left.
        process = _CompileProcess(side)
        compiled = process.compile(program)
    waiting.append(process)
    return compiled


def _torch_here(side: ExecutorSide) -> TorchRows:
    process = _CompileProcess(side)
    _waiting.setdefault(side, []).append(process)
    return process.torch


class CompileProcessLost(CompileGoldenError):
    """The process has ended instead of answering."""


class _CompileProcess:
    """A process on this machine that compiles programs of one side."""

    def __init__(self, side: ExecutorSide) -> None:
        python = sys.executable
        if side.torch is not None:
            given = None if side.python is None else Path(side.python)
            python = os.fspath(
                record_sides.interpreter(side.torch, side.pip, given, lambda _: None)
            )
        self._connection, theirs = Pipe()
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [python, *_SERVICE, str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    cwd=side.folder,
                )
            except OSError as error:
                raise CompileGoldenError(
                    f"{socket.gethostname()}: cannot run {python} in {side.folder}: {error.strerror}. Each machine "
                    "needs this folder, and the interpreter if one is named."
                ) from None
        answer = msgspec.msgpack.decode(
            self._answer(msgspec.msgpack.encode(side.corpus)), type=TorchAnswer
        )
        if answer.side is None:
            raise CompileGoldenError(f"{socket.gethostname()}: {answer.error}")
        self.torch = answer.side

    def compile(self, program: ProgramKey) -> ProgramAnswer:
        """Have the process compile a program, and wait for its answer."""
        return msgspec.msgpack.decode(
            self._answer(msgspec.msgpack.encode(program)), type=ProgramAnswer
        )

    def _answer(self, request: bytes) -> bytes:
        try:
            self._connection.send_bytes(request)
            return self._connection.recv_bytes()
        except (EOFError, OSError):
            self._connection.close()
            raise CompileProcessLost(
                f"{socket.gethostname()}: the process that compiles ended with exit status {self._process.wait()}. "
                "What it printed is in the log of that machine's worker."
            ) from None


_waiting: dict[ExecutorSide, list[_CompileProcess]] = {}
"""Processes of this machine that wait for a program."""
