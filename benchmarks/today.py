"""A capture against what people use today on a CPU: whole processes, cold caches, one program after another."""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROUNDS = 3
_SETUP = """
import sys, torch
from benchmarks.programs import PROGRAMS
programs = [(p.make(), p.train) for p in PROGRAMS]
def call(fn, inputs, train):
    with torch.set_grad_enabled(train):
        result = fn(*inputs)
        if train:
            result.sum().backward()
    return result
"""
_PLAIN = """
for (fn, inputs), train in programs:
    call(torch.compile(fn), inputs, train)
"""
_OUTPUT_CODE = """
from torch._inductor.utils import run_and_get_code, run_fw_bw_and_get_code
for (fn, inputs), train in programs:
    compiled = torch.compile(fn)
    if train:
        run_fw_bw_and_get_code(lambda: compiled(*inputs))
    else:
        with torch.no_grad():
            run_and_get_code(compiled, *inputs)
"""
_DEPYF = """
import depyf
with depyf.prepare_debug("depyf"):
    for (fn, inputs), train in programs:
        call(torch.compile(fn), inputs, train)
"""
_OURS = """
from pytest_compile_golden import capture
for (fn, inputs), train in programs:
    captured = capture(fn, *inputs, train=train, target="cpu-avx2")
    for stage in captured.stages:
        str(captured[stage])
"""


def _seconds(
    script: str, after: list[str] | None = None, **environment: str
) -> float | None:
    """Wall-clock seconds of one process in a new folder with empty caches; None if it fails."""
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        variables = {
            **os.environ,
            "PYTHONPATH": str(root),
            "TORCHINDUCTOR_CACHE_DIR": f"{folder}/cache",
            **environment,
        }
        began = time.perf_counter()
        command = [sys.executable, "-W", "ignore", "-c", _SETUP + script]
        done = subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, check=False
        )
        if done.returncode == 0 and after:
            done = subprocess.run(
                after, cwd=folder, env=variables, capture_output=True, check=False
            )
        return time.perf_counter() - began if done.returncode == 0 else None


def run() -> None:
    tlparse = shutil.which(
        "tlparse",
        path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
    )
    depyf = importlib.util.find_spec("depyf") is not None
    ways: list[tuple[str, str | None]] = [
        ("capture of all stages", _OURS),
        ("torch.compile", _PLAIN),
        ("TORCH_COMPILE_DEBUG=1", _PLAIN),
        ("TORCH_TRACE + tlparse", _PLAIN if tlparse else None),
        ("run_and_get_code", _OUTPUT_CODE),
        ("depyf", _DEPYF if depyf else None),
    ]
    table = Table("method", "median process seconds", "relative to capture")
    ours: float | None = None
    for name, script in ways:
        if script is None:
            table.add_row(name, "not installed: pip install tlparse depyf", "")
            continue
        times = []
        for _ in range(ROUNDS):
            if name == "TORCH_COMPILE_DEBUG=1":
                times.append(_seconds(script, TORCH_COMPILE_DEBUG="1"))
            elif name.startswith("TORCH_TRACE"):
                parse = [
                    "sh",
                    "-c",
                    f"exec {tlparse} trace/*.log -o parsed --no-browser",
                ]
                times.append(_seconds(script, parse, TORCH_TRACE="trace"))
            else:
                times.append(_seconds(script))
        done = [seconds for seconds in times if seconds is not None]
        if len(done) < ROUNDS:
            table.add_row(name, "failed", "")
            continue
        median = statistics.median(done)
        ours = median if ours is None else ours
        table.add_row(name, f"{median:.1f}", f"{median / ours:.1f}x")
    Console().print(table)
