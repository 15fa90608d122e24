"""What watching costs: a bare codegen-only compile against a capture of all stages, in processor seconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import torch
from rich.console import Console
from rich.table import Table

from benchmarks.programs import PROGRAMS
from pytest_compile_golden import capture
from pytest_compile_golden.observe.isolation import isolated, without_default_device
from pytest_compile_golden.targets import get_target

ROUNDS = 9
TARGETS = ("cuda-sm90", "cpu-avx2")


def _seconds(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def _bare(fn: Callable[..., object], inputs: tuple[object, ...], train: bool) -> None:
    # As a capture: caches off and Dynamo forgetful, but no probe.
    with isolated(), without_default_device(), torch.set_grad_enabled(train):
        torch.compile(fn)(*inputs)


def _watched(fn: Callable[..., object], inputs: tuple[object, ...], train: bool) -> tuple[float, float]:
    """Processor seconds of a capture, and of writing all its stages as text."""
    began = time.process_time()
    captured = capture(fn, *inputs, train=train)
    done = time.process_time()
    for stage in captured.stages:
        str(captured[stage])
    return done - began, time.process_time() - done


def run() -> None:
    table = Table("program", "target", "bare", "capture", "all stages as text", "ratio")
    ratios = []
    for name in TARGETS:
        with get_target(name).active():
            for program in PROGRAMS:
                fn, inputs = program.make()
                _watched(fn, inputs, program.train)
                pairs = [
                    (_seconds(partial(_bare, fn, inputs, program.train)), *_watched(fn, inputs, program.train))
                    for _ in range(ROUNDS)
                ]
                ratio = statistics.median((watched + text) / alone for alone, watched, text in pairs)
                ratios.append(ratio)
                medians = [statistics.median(column) for column in zip(*pairs, strict=True)]
                table.add_row(program.name, name, *(f"{median * 1000:.0f} ms" for median in medians), f"{ratio:.2f}")
    console = Console()
    console.print(table)
    console.print(f"median ratio {statistics.median(ratios):.2f} (aim: 1.15 or less)")
