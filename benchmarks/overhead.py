"""The cost of watching: a bare codegen-only compile against a capture of all stages, in CPU seconds.

Also how much of it goes to recording who wrote each line: captures with and without that probe, alternating.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from functools import partial
from unittest import mock

import torch
import torch._dynamo.guards
from rich.console import Console
from rich.table import Table

from benchmarks.programs import PROGRAMS
from pytest_compile_golden import capture
from pytest_compile_golden.observe.compile_isolation import (
    isolated,
    without_default_device,
)
from pytest_compile_golden.observe.probes.output_code import AuthorsProbe
from pytest_compile_golden.stages import get_stage
from pytest_compile_golden.targets import get_target

Run = Callable[[], object]
ROUNDS = 9
TARGETS = ("cuda-sm90", "cpu-avx2")
_GUARDS_TIMED = mock.patch.object(
    torch._dynamo.guards,
    "profile_guard_manager",
    torch._dynamo.guards.profile_guard_manager,
)


def _seconds(run: Run) -> float:
    gc.collect()
    began = time.process_time()
    run()
    return time.process_time() - began


def _bare(fn: Callable[..., object], inputs: tuple[object, ...], train: bool) -> None:
    # Like a capture, with caches off and Dynamo reset, but without probes, and with guards timed as in any compile.
    with (
        isolated(),
        without_default_device(),
        torch.set_grad_enabled(train),
        _GUARDS_TIMED,
    ):
        torch.compile(fn)(*inputs)


def _watched(
    fn: Callable[..., object], inputs: tuple[object, ...], train: bool
) -> None:
    captured = capture(fn, *inputs, train=train)
    for stage in captured.stages:
        if not get_stage(stage).compiles:  # a bare compile does not compile kernels
            str(captured[stage])


def _without_authors(
    fn: Callable[..., object], inputs: tuple[object, ...], train: bool
) -> None:
    with mock.patch.object(AuthorsProbe, "install", lambda *_: None):
        _watched(fn, inputs, train)


def _in_turn(order: list[Run], runs: list[Run]) -> list[float]:
    """The seconds of each of `runs`, done in the given order: earlier runs change the memory that later ones find."""
    seconds = {run: _seconds(run) for run in order}
    return [seconds[run] for run in runs]


def run() -> None:
    table = Table(
        "program",
        "target",
        "bare",
        "capture, all stages as text",
        "ratio",
        "who wrote each line",
    )
    ratios, shares = [], []
    for name in TARGETS:
        with get_target(name).active():
            for program in PROGRAMS:
                fn, inputs = program.make()
                _watched(fn, inputs, program.train)
                runs: list[Run] = [
                    partial(run, fn, inputs, program.train)
                    for run in (_bare, _watched, _without_authors)
                ]
                rounds = [
                    _in_turn(runs[::-1] if number % 2 else runs, runs)
                    for number in range(ROUNDS)
                ]
                ratios.append(
                    statistics.median(watched / alone for alone, watched, _ in rounds)
                )
                shares.append(
                    statistics.median(
                        (watched - without) / alone
                        for alone, watched, without in rounds
                    )
                )
                medians = [
                    statistics.median(column)
                    for column in list(zip(*rounds, strict=True))[:2]
                ]
                times = (f"{median * 1000:.0f} ms" for median in medians)
                table.add_row(
                    program.name, name, *times, f"{ratios[-1]:.2f}", f"{shares[-1]:.1%}"
                )
    console = Console()
    console.print(table)
    console.print(f"median ratio {statistics.median(ratios):.2f} (aim: 1.10 or less)")
    console.print(
        f"who wrote each line takes {statistics.median(shares):.1%} of a bare compile (aim: 3 % or less)"
    )
