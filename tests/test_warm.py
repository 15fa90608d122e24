"""`compile-golden warm`: runs in forks of a warm process are the runs that pytest would make."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_compile_golden.features.warm.warm_command import folder
from tests.forked import Forks
from tests.paper import PaperProject

CASE = """
import torch

def test_it(compile_stages, golden):
    assert compile_stages(lambda x: x.sin() + {}, torch.randn(64)) == golden
"""


@pytest.fixture
def warm(
    paper: PaperProject, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> Iterator[PaperProject]:
    """A project whose warm processes are its own, and end with the test."""
    paper.compiles(forks_with_torch)
    # pytest's own folders are too long for a socket.
    runtime = tempfile.mkdtemp(prefix="warm")
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    (paper.path / "conftest.py").unlink()
    (paper.path / "pytest.ini").write_text(
        "[pytest]\ncompile_golden_target = cpu-avx2\n"
    )
    yield paper
    paper.command("warm", "--stop")
    shutil.rmtree(runtime)


def servers() -> set[str]:
    return {
        path.name
        for path in Path(os.environ["XDG_RUNTIME_DIR"]).glob(
            "compile-golden-warm-*/*.sock"
        )
    }


def test_edits_are_seen_and_results_are_those_of_pytest(
    warm: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = warm.test(CASE.format(1), "test_it.py")
    options = ("--for=cpu-avx2", "-p", "no:cacheprovider")
    first = warm.command("warm", *options, "--snapshot-update")
    assert first.ret == 0 and "starting a warm process" in first.stderr.str()
    written = warm.files()
    assert written
    again = warm.command("warm", *options)
    again.assert_outcomes(passed=1)
    assert (
        "starting" not in again.stderr.str()
        and "warnings summary" not in again.stdout.str()
    )
    # The same goldens as pytest's own.
    warm.plain("--compile-golden").assert_outcomes(passed=1)
    test.write_text(CASE.format(2))
    os.utime(test, (time.time() + 5, time.time() + 5))
    assert warm.command("warm", *options).ret == 1
    (one,) = servers()
    # What torch reads from its environment makes another process.
    monkeypatch.setenv("TORCHINDUCTOR_MAX_AUTOTUNE", "0")
    assert (
        "starting a warm process"
        in warm.command("warm", *options, "--collect-only").stderr.str()
    )
    assert len(servers()) == 2 and one in servers()
    assert "ended 2 warm processes" in warm.command("warm", "--stop").stdout.str()
    assert not servers()


def test_it_ends_when_idle(warm: PaperProject) -> None:
    warm.test("def test_it():\n    pass\n", "test_it.py")
    assert warm.command("warm", "--for=cpu-avx2", "--idle=0.1").ret == 0
    until = time.monotonic() + 60
    while servers() and time.monotonic() < until:
        time.sleep(0.1)
    assert not servers()


def test_a_process_that_does_not_start_says_why(warm: PaperProject) -> None:
    result = warm.command("warm", "--for=no-such-target")
    assert result.ret == 1
    result.stderr.fnmatch_lines(["*did not start:*", "*no-such-target*"])


def test_a_folder_that_others_may_enter_is_refused(warm: PaperProject) -> None:
    own = Path(os.environ["XDG_RUNTIME_DIR"]) / f"compile-golden-warm-{os.getuid()}"
    own.mkdir(mode=0o755)
    own.chmod(0o755)
    result = warm.command("warm")
    assert result.ret == 1 and "is open to others" in result.stderr.str()
    own.chmod(0o700)


def test_a_folder_too_long_for_a_socket(
    warm: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    (warm.path / ("long" * 30)).mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(warm.path / ("long" * 30)))
    result = warm.command("warm")
    assert (
        result.ret == 1
        and "Set XDG_RUNTIME_DIR to a shorter path" in result.stderr.str()
    )


@pytest.mark.wide
def test_each_save_is_run(warm: PaperProject) -> None:
    """By pytest's option, which is `compile-golden warm --watch`."""
    # Ctrl-C that comes when the verdict is out and the run is ending interrupts nothing.
    late = "import atexit, os, signal\natexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
    test = warm.test(f"{late}def test_it():\n    pass\n", "test_it.py")
    command = [
        sys.executable,
        "-u",
        "-m",
        "pytest",
        "--compile-golden-watch",
        "-q",
        "test_it.py",
    ]
    # Whoever runs these tests in the background has SIGINT ignored, which children inherit.
    heeding = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command,
        cwd=warm.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=heeding,
    ) as watching:
        assert watching.stdout is not None
        told = iter(watching.stdout.readline, "")
        assert "1 passed" in next(
            line for line in told if "1 passed" in line or "KeyboardInterrupt" in line
        )
        test.write_text("def test_it():\n    assert 1 == 2\n")
        after = [*itertools.takewhile(lambda line: "1 failed" not in line, told)]
        assert after and not any("KeyboardInterrupt" in line for line in after)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(60) in (1, 2)  # it may have been in the middle of its run


def test_a_large_environment_and_warnings_as_errors(
    warm: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than a socket's buffer holds, and filters that pytest would follow rather than those of a warm process."""
    for number in range(8):
        # Linux allows 128 KiB for each.
        monkeypatch.setenv(f"LARGE_{number}", "x" * 120_000)
    warm.test(
        "import os\n\ndef test_it():\n    assert {len(os.environ[f'LARGE_{n}']) for n in range(8)} == {120_000}\n",
        "test_it.py",
    )
    result = warm.command(
        "warm", "--for=cpu-avx2", "-p", "no:cacheprovider", "-W", "error"
    )
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_a_runtime_folder_that_is_missing(
    warm: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after `su`: its sockets are among temporary files."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(warm.path / "missing"))
    assert folder().parent == Path(tempfile.gettempdir())
    assert warm.command("warm", "--stop").ret == 0
