"""Resident memory of one process over 500 captures: it must stay flat."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.programs import PROGRAMS
from pytest_compile_golden import capture

CAPTURES = 500
STEP = 50


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def run() -> None:
    table = Table("captures", "resident MiB")
    for number in range(CAPTURES + 1):
        if number % STEP == 0:
            table.add_row(str(number), f"{_resident_mib():.0f}")
        program = PROGRAMS[number % 4]
        fn, inputs = program.make()
        captured = capture(fn, *inputs, target=("cuda-sm90", "cpu-avx2")[number % 2])
        for stage in captured.stages:
            str(captured[stage])
    Console().print(table)
