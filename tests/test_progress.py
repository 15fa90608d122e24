"""A long run says which test is running."""

from __future__ import annotations

import os
import pty
import re
import sys
from types import SimpleNamespace

import pytest

from pytest_compile_golden.plugin import run_progress
from tests.paper import PaperProject

# A case that lasts until it has been reported, however busy the machine is.
SLOW = """
import time
from pathlib import Path
def test_slow(draw, golden):
    while not Path("reported").exists():
        time.sleep(0.02)
"""
# The interval is not an option, and a test should not take a quarter of a minute.
HURRY = """

from pathlib import Path
import pytest_compile_golden.plugin.run_progress as progress

progress.LINE_EVERY_S = progress.LIVE_EVERY_S = 0.1
_put = progress.Progress._put

def put(self, text):
    _put(self, text)
    if "running" in text:
        Path("reported").touch()

progress.Progress._put = put
"""


def hurried(paper: PaperProject) -> None:
    paper.test(SLOW)
    with (paper.path / "conftest.py").open("a") as conftest:
        conftest.write(HURRY)


@pytest.mark.parametrize("arguments", [[], ["-n1"]])
def test_without_a_terminal_a_line_is_printed_now_and_then(
    paper: PaperProject, arguments: list[str]
) -> None:
    hurried(paper)
    result = paper.run("--compile-golden-target=paper-cpu", *arguments)
    result.stdout.fnmatch_lines(
        ["compile-golden: 0/1, running test_slow[[]paper-cpu[]], * s"]
    )


def test_quick_run_says_nothing(paper: PaperProject) -> None:
    paper.test("def test_quick(draw, golden): ...")
    assert "running" not in paper.run().stdout.str()


def test_on_a_terminal_the_line_is_erased(paper: PaperProject) -> None:
    hurried(paper)
    written = []
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--compile-golden",
        "--compile-golden-target=paper-cpu",
        str(paper.path),
    ]
    environment = {**os.environ, "TERM": "xterm-256color", "PAPER_TORCH": "2.13.0"}
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(paper.path)
        os.execve(sys.executable, command, environment)
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        written.append(data)
    os.waitpid(pid, 0)
    text = b"".join(written).decode()
    assert re.search(
        r"\x1b7 compile-golden: 0/1, running test_slow\[paper-cpu\], \d+ s\x1b\[K\x1b8",
        text,
    )
    assert text.rfind("\x1b7\x1b[K\x1b8") > text.rfind("running test_slow")


def test_the_longest_running_of_several_is_named() -> None:
    reporter = SimpleNamespace(
        isatty=False, hasmarkup=False, _tw=SimpleNamespace(_file=None)
    )
    watched = run_progress.Progress(reporter, lambda: 5)
    assert watched.text() is None
    for name in ("m.py::test_a[x]", "m.py::test_b[x::y]", "m.py::test_c[x]"):
        watched.started(name)
    watched.finished("m.py::test_a[x]")
    assert watched.text() == "compile-golden: 1/5, running test_b[x::y] and 1 more, 0 s"
