"""The same torch must give the same artifacts whatever surrounds the run: `python -m benchmarks surroundings`.

Each run has its own order of tests, hash seed, number of workers and threads, working folder, umask, locale, time zone
and instruction set of torch's own kernels.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import artifacts

RUNS = 20
_PROJECT = Path(__file__).parents[1]
_COPIED = ("pytest_compile_golden", "benchmarks", "cases", "pyproject.toml")


def run() -> None:
    """Print each run's surroundings and what it made differently from the first."""
    locales = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    with tempfile.TemporaryDirectory() as scratch:
        first = Path(scratch, "artifacts 0")
        different = 0
        for number in range(RUNS):
            rng = random.Random(number)
            folder = Path(scratch, f"artifacts {number}")
            where = Path(scratch, rng.choice(["a", "with space", "größer", "deep/" * 8]), f"project_{number}")
            env = {
                "ORDER_SEED": str(number),
                "PYTHONHASHSEED": str(rng.randrange(1 << 32)),
                "OMP_NUM_THREADS": str(rng.randint(1, 8)),
                "LC_ALL": rng.choice(locales or ["C"]),
                "TZ": rng.choice(["UTC", "Asia/Kathmandu", "America/St_Johns"]),
                "ATEN_CPU_CAPABILITY": rng.choice(["default", "avx2", "avx512"]),
            }
            workers, umask = str(rng.randint(1, 4)), rng.choice([0o000, 0o022, 0o077])
            _copy(where)
            start = time.monotonic()
            artifacts.write(
                sys.executable,
                folder,
                "-p",
                "benchmarks.shuffled",
                workers=workers,
                cwd=where,
                env={**os.environ, **env, "PYTHONPATH": str(where)},
                umask=umask,
            )
            count, names = artifacts.differing(first, folder)
            different += len(names)
            told = " ".join(f"{key}={value}" for key, value in env.items())
            seconds = time.monotonic() - start
            print(f"{number:>2}: {count} artifacts, {len(names)} differ  {seconds:3.0f} s  ", end="")
            print(f"-n{workers} umask={umask:03o} {told} {where.parent.relative_to(scratch)}", flush=True)
            for name in names:
                print("    differs:", name)
            if number and not names:
                shutil.rmtree(folder)
    print(f"{RUNS} runs, {different} artifacts that differ")


def _copy(where: Path) -> None:
    for name in _COPIED:
        source = _PROJECT / name
        where.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, where / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, where / name)
