"""What watching costs: a bare codegen-only compile against a capture of all stages, in one process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch
from rich.console import Console
from rich.table import Table

from benchmarks.programs import PROGRAMS
from pytest_compile_golden import capture
from pytest_compile_golden.capture.isolation import isolated, without_default_device
from pytest_compile_golden.targets import get_target

ROUNDS = 9
TARGETS = ("cuda-sm90", "cpu-avx2")


def _seconds(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def run() -> None:
    table = Table("program", "target", "bare", "capture", "all stages as text", "ratio")
    ratios = []
    for name in TARGETS:
        with get_target(name).active():
            for program in PROGRAMS:
                fn, inputs = program.make()

                def bare() -> None:
                    # As a capture: caches off and Dynamo forgetful, but no probe.
                    with isolated(), without_default_device(), torch.set_grad_enabled(program.train):
                        torch.compile(fn)(*inputs)

                capture(fn, *inputs, train=program.train)
                pairs = []
                for _ in range(ROUNDS):
                    alone = _seconds(bare)
                    began = time.process_time()
                    captured = capture(fn, *inputs, train=program.train)
                    done = time.process_time()
                    for stage in captured.stages:
                        str(captured[stage])
                    pairs.append((alone, done - began, time.process_time() - done))
                ratio = statistics.median((watched + text) / alone for alone, watched, text in pairs)
                ratios.append(ratio)
                medians = [statistics.median(column) for column in zip(*pairs, strict=True)]
                table.add_row(program.name, name, *(f"{each * 1000:.0f} ms" for each in medians), f"{ratio:.2f}")
    console = Console()
    console.print(table)
    console.print(f"median ratio {statistics.median(ratios):.2f} (aim: 1.15 or less)")
