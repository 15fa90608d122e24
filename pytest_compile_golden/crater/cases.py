"""A suite of cases as a corpus: each case runs through pytest, with its fixtures and markers."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden.captured import Capture
from pytest_compile_golden.crater.program import Program
from pytest_compile_golden.errors import CaptureFailed
from pytest_compile_golden.vocabulary import DEFAULT_TARGET, SWITCH

_QUIET = ("-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "-q", "-n0")


@dataclass(frozen=True)
class _Case(Program):
    """A case of a suite; whether its goldens match, and what it asserts, does not matter."""

    nodeid: str = ""
    """On the default target."""

    def captures(self, target: str, config: Mapping[str, Any] | None = None) -> list[Capture]:
        from pytest_compile_golden.api import watching

        raised: list[BaseException] = []
        with watching() as captures:
            nodeid = self.nodeid.replace(DEFAULT_TARGET, target)
            _pytest(nodeid, SWITCH, f"{SWITCH}-target={target}", plugin=_Errors(raised))
        if raised and isinstance(raised[0], CaptureFailed):
            raise raised[0]
        if not captures:
            raise CaptureFailed(f"{self.id} captures nothing for {target}.") from (raised[0] if raised else None)
        return captures

    def runs_eagerly(self, target: str) -> bool:
        return True  # a test has no eager run: what it compiles is only known while it runs


@dataclass(frozen=True)
class Cases:
    """A test file, or a folder of test files: each test is a program."""

    name: str = "suite of cases"

    def programs(self, source: str) -> Iterator[Program] | None:
        path = Path(source)
        files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path] if path.name.startswith("test_") else []
        return _collected(source) if files and all(file.is_file() for file in files) else None


def _collected(source: str) -> Iterator[Program]:
    collected = _Collected()
    _pytest(source, SWITCH, f"{SWITCH}-target={DEFAULT_TARGET}", "--collect-only", plugin=collected)
    for nodeid in collected.nodeids:
        name = re.sub(rf"\[{DEFAULT_TARGET}\]|-{DEFAULT_TARGET}|{DEFAULT_TARGET}-", "", nodeid)
        yield _Case(name, lambda: None, nodeid=nodeid)


class _Collected:
    def __init__(self) -> None:
        self.nodeids: list[str] = []

    def pytest_collection_finish(self, session: Any) -> None:
        self.nodeids = [item.nodeid for item in session.items if "compile_target" in item.fixturenames]


class _Errors:
    def __init__(self, raised: list[BaseException]) -> None:
        self._raised = raised

    def pytest_runtest_makereport(self, call: Any) -> None:
        if call.excinfo is not None:
            self._raised.append(call.excinfo.value)


def _pytest(*arguments: str, plugin: object) -> None:
    import pytest

    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*arguments, *_QUIET], plugins=[plugin])
