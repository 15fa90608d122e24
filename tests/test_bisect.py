"""bisect: few runs, none of them twice, over interpreters and versions, skipping those that do not run."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_compile_golden.cli.side_progress import SideProgress
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.environments import bisect_versions
from pytest_compile_golden.environments.bisect_versions import Bisection
from pytest_compile_golden.environments.run_suite import Request
from pytest_compile_golden.environments.side_recorder import (
    RecordingCache,
    Result,
    SideRecorder,
)
from pytest_compile_golden.environments.sides import Interpreter, Side
from pytest_compile_golden.environments.torch_environments import Environments
from pytest_compile_golden.errors import EnvironmentFailed
from tests.forked import Forks
from tests.interpreters import index, interpreter
from tests.paper import PaperProject

CASE = """
import os
from pathlib import Path

def test_case(draw, golden):
    build = int(os.environ["BUILD"])
    with Path(os.environ["RAN"]).open("a") as file:
        file.write(f"{build} ")
    assert draw(ink=f"a  # {build}\\n" if build < 0 else "a\\n" if build < 5 else "b\\n", press="p\\n") == golden
"""
CPU = "--target=paper-cpu"
# Background jobs of a shell ignore SIGINT, and their child processes inherit that.
INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from pytest_compile_golden.cli import main
main(prog_name="compile-golden")
"""


def test_eight_interpreters_take_three_runs_between_the_ends(
    paper: PaperProject, monkeypatch: pytest.MonkeyPatch, forks: Forks
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(paper.path / "cache"))
    monkeypatch.setenv("RAN", str(paper.path / "ran"))
    paper.test(CASE)
    pythons = [
        str(interpreter(paper.path, f"build-{build}", forks.python, BUILD=str(build)))
        for build in range(8)
    ]

    def ran() -> list[int]:
        path = paper.path / "ran"
        found = (
            [int(build) for build in path.read_text().split()] if path.exists() else []
        )
        path.unlink(missing_ok=True)
        return found

    # Interrupted midway: a candidate whose suite aborts the whole command, as Ctrl-C does, and itself keeps running.
    stop = interpreter(paper.path, "build-3", forks.python, BUILD="3")
    whole = stop.read_text()
    stop.write_text(
        whole.replace(
            "\n",
            '\n[ "$1" = -m ] && kill -INT $PPID && while :; do sleep 60; done\n',
            1,
        )
    )
    stopped = paper.pytester.run(
        sys.executable, "-c", INTERRUPTIBLE, "bisect", "test_case", *pythons, CPU
    )
    assert stopped.ret != 0 and sorted(ran()) == [0, 7]
    # What it left is not reported as a result, and does not count as one.
    stopped.stderr.fnmatch_lines(["*/build-3: running the suite", "Aborted!"])
    assert (
        "build-3: failed" not in stopped.stderr.str()
        and "did not run" not in stopped.stderr.str()
    )
    stop.write_text(whole)

    found = paper.command("bisect", "test_case", *pythons, CPU)
    assert found.ret == 0 and ran() == [3, 5, 4]
    found.stdout.fnmatch_lines(
        [
            f"  torch {torch_version()} (*/build-0)  good",
            "*/build-3)  same as good",
            "*/build-4)  same as good",
            "*/build-5)  the first that differs",
            "*/build-7)  differs",
            "cases/test_paper.py::test_case[[]paper-cpu[]] *",
            "  first divergence  ink*",
            "    - a",
            "    + b",
            "first that differs: torch * (*/build-5), after torch * (*/build-4) (3 runs, 2 remembered)",
        ]
    )
    again = paper.command(
        "bisect", "test_case", *pythons, CPU, "--good", pythons[5], "--bad", pythons[7]
    )
    assert again.ret == 1 and ran() == []
    again.stdout.fnmatch_lines(
        ["*/build-7 does the same as */build-5: there is nothing to find."]
    )


def test_an_interruption_while_the_runs_are_being_started_ends_them(
    tmp_path: Path,
) -> None:
    """Ctrl-C may come at any moment: the first run goes on for a minute unless it is stopped."""
    sleeper = tmp_path / "python"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n")
    sleeper.chmod(0o755)

    class Interrupted(list[tuple[Side, Path]]):
        def __iter__(self) -> Iterator[tuple[Side, Path]]:
            yield self[0]
            raise KeyboardInterrupt

    recorder = SideRecorder(
        Request(tmp_path),
        Environments(),
        lambda torch: pytest.fail("no environment is needed"),
    )
    with pytest.raises(KeyboardInterrupt):
        recorder.record_all(
            Interrupted([(Interpreter("sleeper", sleeper), tmp_path / "1")]),
            SideProgress(),
        )
    assert recorder.stop.is_set()


def test_an_interruption_that_another_thread_receives_ends_them(tmp_path: Path) -> None:
    """The system may choose any thread: nothing wakes the main thread, which is waiting for the runs."""
    sleeper = tmp_path / "python"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n")
    sleeper.chmod(0o755)
    ended: list[Side] = []

    class Interrupting(SideProgress):
        def count(self, side: Side, done: int, total: int | None) -> None:
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)

        def ended(self, side: Side, result: Result) -> None:
            ended.append(side)

    recorder = SideRecorder(
        Request(tmp_path),
        Environments(),
        lambda torch: pytest.fail("no environment is needed"),
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            recorder.record_all(
                [(Interpreter("sleeper", sleeper), tmp_path / "1")], Interrupting()
            )
    finally:
        signal.signal(signal.SIGINT, before)
    assert not ended, "the run continued to its end"


def test_results_count_while_the_project_and_torch_are_unchanged(
    tmp_path: Path,
) -> None:
    request, goldens = Request(tmp_path / "project"), tmp_path / "project/goldens"
    case = request.project / "test_case.py"
    goldens.mkdir(parents=True)
    case.write_text("one")
    python = interpreter(tmp_path, "python")
    side = Interpreter("python", python)

    def folder() -> Path:
        return RecordingCache(request, goldens, tmp_path / "memory").folder(side)

    first = folder()
    (goldens / "ink.py").write_text("a golden decides nothing")
    assert folder() == first
    case.write_text("another")
    assert folder() != first
    case.write_text("one")
    os.utime(case, ns=(1, 1))
    dated = folder()
    assert dated != first
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/__init__.py").touch()
    interpreter(tmp_path, "python", PYTHONPATH=str(tmp_path))
    assert folder() != dated


@pytest.mark.parametrize("first", range(1, 30))
def test_never_more_runs_than_necessary(first: int) -> None:
    asked: list[int] = []
    search = Bisection(29)
    search.run(lambda number: asked.append(number) or number >= first)  # type: ignore[func-returns-value]
    assert (search.good, search.bad) == (first - 1, first)
    assert len(asked) == len(set(asked)) <= math.ceil(math.log2(29)) and not {
        0,
        29,
    } & set(asked)


def test_candidates_that_do_not_run_are_skipped_and_named() -> None:
    search = Bisection(7)
    search.run(lambda number: None if number in (3, 4) else number >= 4)
    assert (search.good, search.bad, search.undecided) == (2, 5, [3, 4])


def test_versions_between_two_are_those_that_pip_finds(tmp_path: Path) -> None:
    python = Path(sys.executable)
    nightlies = [f"2.16.0.dev202609{day:02}" for day in (1, 2, 4)]
    pip = index(
        tmp_path, "2.12.0", "2.13.0", "2.13.0+cpu", "2.14.0rc1", "2.15.0", *nightlies
    ).split()
    assert bisect_versions.between("2.12.0", "2.15.0", python, pip) == [
        "2.12.0",
        "2.13.0",
        "2.15.0",
    ]
    assert bisect_versions.between("2.15.0", "2.13.0", python, pip) == [
        "2.15.0",
        "2.13.0",
    ]
    assert (
        bisect_versions.between("2026-09-01", "2026-09-03", python, pip)
        == nightlies[:2]
    )
    assert (
        bisect_versions.between(nightlies[1], nightlies[2], python, pip)
        == nightlies[1:]
    )
    with pytest.raises(
        EnvironmentFailed,
        match=r"torch 2\.11\.0 is not available; pip finds 2\.12\.0, ",
    ):
        bisect_versions.between("2.11.0", "2.15.0", python, pip)
    with pytest.raises(EnvironmentFailed, match="cannot be mixed"):
        bisect_versions.between("2.13.0", "2026-09-03", python, pip)
    with pytest.raises(EnvironmentFailed, match="neither a torch version"):
        bisect_versions.between("last", "2026-09-03", python, pip)
