"""Where the CPU seconds of a run of the suite go: `python -m benchmarks seconds`, on a sample of its cases.

A CPU-time timer samples the stack every few milliseconds; the time since the last sample is assigned to the innermost
frame that shows what is being done. What torch does beneath a capture counts as compiling, even if it was called
through a probe's hook.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from types import FrameType

import pytest
from rich.console import Console
from rich.table import Table

SAMPLE = (
    "cases/test_normalization.py",
    "cases/test_reduction.py",
    "cases/test_guards.py",
)
_INTERVAL = 0.004
_ROOT = Path(__file__).parents[1]
_PACKAGE = f"{_ROOT / 'pytest_compile_golden'}/"
_PATTERNS = frozenset(
    {
        "gen_pattern_and_search_gm",
        "gen_register_replacement",
        "register_replacement",
        "lazy_init",
    }
)
_LAYERS = {
    "formats": "texts and canonical forms",
    "goldens": "comparison and goldens",
    "targets": "targets",
    "plugin": "plugin and reports",
    "report": "plugin and reports",
    "recordings": "plugin and reports",
}
_WATCHED = ("observe", "api", "stages.py")


def run() -> None:
    """Print the table, measured in a separate process."""
    command = [
        sys.executable,
        "-c",
        "from benchmarks.seconds import sampled; sampled()",
    ]
    output = subprocess.run(
        command, cwd=_ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    summary, *lines = output.splitlines()[-1].split("\t")
    seconds = {
        name: float(number)
        for name, _, number in (line.rpartition("=") for line in lines)
    }
    table = Table("what", "CPU seconds", "share")
    for name, number in sorted(seconds.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{number:.1f}", f"{number / sum(seconds.values()):.0%}")
    console = Console()
    console.print(table)
    console.print(f"{summary}, {sum(seconds.values()):.1f} CPU seconds")


def sampled() -> None:
    """Run the sample in this process, and print one line: the number of cases, and the seconds by activity."""
    seconds: defaultdict[str, float] = defaultdict(float)
    last = 0.0

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal last
        current = time.process_time()
        seconds[_doing(frame) if last else "interpreter and imports"] += current - last
        last = current

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, _INTERVAL, _INTERVAL)
    cases = Cases()
    # Forced into this process: in CI, cases run in a worker.
    command = ["--compile-golden", "-n0", "-q", "-p", "no:cacheprovider", *SAMPLE]
    status = pytest.main(command, plugins=[cases])
    signal.setitimer(signal.ITIMER_PROF, 0)
    assert status == 0, status
    print(
        "",
        "\t".join(
            [
                f"{cases.passed} cases",
                *(f"{name}={number}" for name, number in seconds.items()),
            ]
        ),
        sep="\n",
    )


class Cases:
    """Counts the cases that pass."""

    passed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed += report.passed and report.when == "call"


def _doing(frame: FrameType | None) -> str:
    in_torch = False
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib"):
            return "interpreter and imports"
        if frame.f_code.co_name in _PATTERNS and "_inductor" in file:
            return "torch: patterns, once in a process"
        if file.startswith(_PACKAGE):
            layer = file.removeprefix(_PACKAGE).partition("/")[0]
            if layer in _WATCHED:
                return "torch: compiling" if in_torch else "probes and records"
            if layer in _LAYERS and not (layer == "targets" and in_torch):
                return _LAYERS[layer]
        in_torch = in_torch or "/torch/" in file or "/triton/" in file
        if "/cases/" in file:
            return "the cases' own programs"
        frame = frame.f_back
    return "pytest and its plugins"
