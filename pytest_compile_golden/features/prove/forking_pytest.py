"""The process that compiles: pytest with the newer version, which forks for each try and stays as it was.

    python -m pytest_compile_golden.features.prove.forking_pytest OLD NEW PACKAGE REQUESTS ANSWERS PYTEST-ARGUMENTS...

OLD and NEW are the folders that hold the two versions of PACKAGE, REQUESTS and ANSWERS file descriptors.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import types
from collections.abc import Callable, Collection
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

import msgspec
import pytest

from pytest_compile_golden.common import forks
from pytest_compile_golden.errors import reason_of
from pytest_compile_golden.features.prove.backport import (
    MISSING,
    Surgeon,
    file_of,
    module_of,
    needs,
    note_templates,
)
from pytest_compile_golden.features.prove.function_coverage import Coverage
from pytest_compile_golden.features.prove.prove_protocol import (
    Edit,
    Enter,
    Helper,
    Leave,
    Reply,
    Request,
    Try,
)
from pytest_compile_golden.targets import import_torch
from pytest_compile_golden.torch_source.installed_sources import Sources

_MORE_MEMORY = 16 << 30
"""Bytes of address space that a try may take beyond what the process has."""
_SHOWN = 300


class Worker:
    """A pytest plugin that, instead of running the tests, answers requests about them."""

    def __init__(self, old: Sources, new: Sources, requests: int, answers: int) -> None:
        self._old, self._new = old, new
        self._requests: IO[bytes] = os.fdopen(requests, "rb", buffering=0)
        self._answers = answers
        self._items: dict[str, pytest.Item] = {}
        self._error: BaseException | None = None
        self._surgeon: Surgeon | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        completeness: Any = session.config.pluginmanager.get_plugin(
            "compile-golden-completeness"
        )
        # A test of an existing suite has one for each target that it may turn out to compile for.
        folders = completeness.tests | completeness.cases
        self._items = {folders[item.nodeid]: item for item in session.items}
        import torch

        torch.set_num_threads(1)  # OpenMP's threads do not survive a fork
        with import_torch.compiler():  # here, once for all forks
            self._serve()
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Any:
        if call.excinfo is not None and self._error is None:
            self._error = call.excinfo.value
        return (yield)

    def _serve(self) -> None:
        while line := self._requests.readline():
            match msgspec.json.decode(line, type=Request):
                case Enter() as request:
                    # The fork reads from the same pipe, and this process goes on when it has ended.
                    self._fork(partial(self._entered, request))
                case Leave():
                    return
                case Try() as attempt:
                    for edit in attempt.edits:  # parsed here, once for all forks
                        (
                            self._old.definitions(edit.file),
                            self._new.definitions(edit.file),
                        )
                    self._fork(partial(self._try, attempt), attempt.seconds)

    def _fork(self, function: Callable[[], Reply | None], seconds: int = 0) -> None:
        """Answer with what `function` returns in a fork, or with how that ended."""
        sys.stdout.flush()
        if pid := os.fork():
            _, status = os.waitpid(pid, 0)
            if status:
                ended = (
                    "took too long"
                    if os.waitstatus_to_exitcode(status) == -signal.SIGALRM
                    else "crashed"
                )
                self._answer(Reply(error=f"the compiler {ended}", crashed=True))
            return
        status = 1
        with suppress(BaseException):
            if seconds:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(seconds)
                forks.limit_memory(_MORE_MEMORY)
            answer = function()
            if answer is not None:
                self._answer(answer)
            status = 0
        os._exit(status)

    def _answer(self, answer: Reply) -> None:
        line = msgspec.json.encode(answer) + b"\n"
        while line:
            line = line[os.write(self._answers, line) :]

    def _entered(self, request: Enter) -> None:
        """Runs in a fork; what is tried after this starts in a process that has compiled the case."""

        import_torch.run_backward()
        coverage = Coverage(self._new)
        for case in request.others:
            self._run(case)
        if not request.first:
            self._run(request.case)
        with coverage.watching():
            error = self._run(request.case)
        self._surgeon = Surgeon(self._old, self._new)
        gc.freeze()
        self._answer(Reply(error=_words(error), ran=coverage.ran, names=coverage.names))
        self._serve()

    def _try(self, attempt: Try) -> Reply:
        caught: list[str] = []
        brought: list[Helper] = []
        coverage = Coverage(self._new)
        edit = None
        try:
            for file in {
                edit.file for edit in attempt.edits if edit.kind != "template"
            }:
                module_of(file)
            surgeon = self._surgeon or Surgeon(self._old, self._new)
            for helper in attempt.helpers:
                surgeon.bring(helper)
            for edit in attempt.edits:
                self._apply(edit, surgeon, brought)
        except Exception as error:
            return Reply(
                error=_words(error),
                needs=needs(error, self._new),
                unfit=edit,
                brought=tuple(brought),
            )
        with ExitStack() as stack:
            if attempt.watched:
                stack.enter_context(self._noting(attempt.watched, caught))
            if attempt.covered:
                stack.enter_context(coverage.watching())
            raised = self._run(attempt.case)
        return Reply(
            error=_words(raised),
            needs=needs(raised, self._new),
            caught=tuple(caught),
            brought=tuple(brought),
            ran=coverage.ran,
            names=coverage.names,
        )

    def _apply(self, edit: Edit, surgeon: Surgeon, brought: list[Helper]) -> None:
        """Make an edit with all that it needs to be made; what its code needs to run shows only then."""
        while True:
            try:
                return surgeon.apply(edit)
            except Exception as error:
                lacks = (
                    helper
                    for helper in needs(error, self._new).helpers
                    if helper not in brought
                )
                more = next(
                    (
                        helper
                        for helper in lacks
                        if helper.name in self._old.definitions(helper.file)
                    ),
                    None,
                )
                if more is None:
                    raise
                surgeon.bring(more)
                brought.append(more)

    def _run(self, case: str) -> BaseException | None:
        """The error that ended the case early, if there was one. Its stages are recorded as far as they exist."""
        from _pytest.runner import runtestprotocol

        self._error = None
        item = self._items.get(case) or self._items[str(PurePosixPath(case).parent)]
        runtestprotocol(item, log=False, nextitem=None)
        return self._error

    @contextmanager
    def _noting(self, watched: Collection[tuple[str, str]], caught: list[str]) -> Any:
        """Note errors in these functions that look as if they met something that they were not written for."""
        files: dict[str, set[str]] = {}
        for file, name in watched:
            files.setdefault(name.rpartition(".")[2], set()).add(file)

        def inside(frame: types.FrameType, event: str, argument: Any) -> Any:
            if event == "exception" and issubclass(argument[0], MISSING):
                caught.append(f"{frame.f_code.co_name}: {argument[1]}"[:_SHOWN])
            return inside

        def entered(frame: types.FrameType, event: str, argument: object) -> Any:
            code = frame.f_code
            return (
                inside
                if code.co_name in files
                and file_of(code, self._new) in files[code.co_name]
                else None
            )

        sys.settrace(entered)
        try:
            yield
        finally:
            sys.settrace(None)


def _words(error: BaseException | None) -> str:
    if error is None:
        return ""
    return f"{type(error).__name__}: {reason_of(error)}"[:_SHOWN]


def main(arguments: list[str]) -> int:
    """Run pytest with the cases that are asked about; its status.

    arguments: the folders of the old and of the new package, its name, the file descriptors of the pipes that requests
    come from and answers go to, and pytest's own.
    """
    # Every try ends with its process. torch collects after each compile, and a session of pytest after its first.
    gc.disable()
    gc.collect = lambda generation=2: 0
    old, new, package, requests, answers, *rest = arguments
    note_templates()
    worker = Worker(
        Sources(Path(old), package),
        Sources(Path(new), package),
        int(requests),
        int(answers),
    )
    return int(pytest.main(rest, plugins=[worker]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
